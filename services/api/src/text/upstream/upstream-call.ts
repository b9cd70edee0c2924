import type { PricedBy, TextProvider, TextRoute } from '@gateway/contracts';
import type { Upstream, UpstreamFailure } from '@gateway/text-dialects';
import type { Rendered } from '../arrive/index.ts';
import type { ClientStream, StreamEngine } from '../client/index.ts';
import type { CarriedParts } from './carried-parts.ts';
import type { CallFailure } from './call-failure.ts';
import type { ResponseHead } from './response-head.ts';

/** What one attempt asks of which upstream, and where its stream goes. */
export interface UpstreamCall {
  readonly route: TextRoute;
  readonly provider: TextProvider;
  readonly upstream: Upstream;
  readonly rendered: Rendered;
  readonly carried: CarriedParts;
  /** What it is asked for that has a price of its own. */
  readonly priced: readonly { readonly pricedBy: PricedBy }[] | undefined;
  readonly wantsStream: boolean;
  readonly includeUsage: boolean;
  readonly clientStream: ClientStream;
}

/**
 * How one call ended. `streamed`: the client got what there was, a failure inside the stream
 * included.
 */
export type CallOutcome =
  | {
      readonly kind: 'streamed';
      readonly engine: StreamEngine;
      readonly failure: CallFailure | undefined;
    }
  | { readonly kind: 'whole'; readonly head: ResponseHead; readonly body: Buffer }
  /** The first event was a failure; nothing of it went to the client. */
  | { readonly kind: 'error_event'; readonly failure: UpstreamFailure }
  | { readonly kind: 'failed'; readonly failure: CallFailure };
