import type { PricedBy } from '@gateway/contracts';
import type { Dialect, Usage } from '@gateway/text-dialects';
import type { Caller } from '../../use-cases/authenticate.ts';
import type { Reservation } from './reservation.ts';

/** What became known of one request on its way, for the access line, the metrics and the bill. */
export interface Facts {
  caller?: Caller | undefined;
  model?: string | undefined;
  stream?: boolean | undefined;
  provider?: string | undefined;
  upstreamModel?: string | undefined;
  upstreamDialect?: Dialect | undefined;
  attempts: number;
  /** Milliseconds from the request to the first byte of the upstream's response. */
  firstByteMs?: number | undefined;
  usage?: Usage | undefined;
  /** What the upstream was asked for that has a price of its own. */
  priced?: readonly { readonly pricedBy: PricedBy }[] | undefined;
  /** What was set aside for the request; undefined where text costs nothing. */
  reservation?: Reservation | undefined;
  /** Id of the usage record, from when it is first kept. */
  usageId?: string | undefined;
  /** An error was sent inside the stream, or the upstream's response could not be used. */
  failed: boolean;
  error?: string | undefined;
}

/**
 * All fields from the beginning: every request's facts have one shape, whatever becomes known of it
 * and when.
 */
export const newFacts = (): Facts => ({
  caller: undefined,
  model: undefined,
  stream: undefined,
  provider: undefined,
  upstreamModel: undefined,
  upstreamDialect: undefined,
  attempts: 0,
  firstByteMs: undefined,
  usage: undefined,
  priced: undefined,
  reservation: undefined,
  usageId: undefined,
  failed: false,
  error: undefined,
});
