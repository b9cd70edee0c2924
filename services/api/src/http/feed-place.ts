import type { Request } from 'express';
import { GatewayError } from '@gateway/domain';
import { mostBehind } from '../use-cases/follow-accounts.ts';
import { knownQuery } from './request-parts.ts';

/** Positions in the feed of all accounts' events, as one reader may see them. */
export interface SealedPositions {
  seal(position: number, reader: string): string;
  /** Undefined when it was not sealed for this reader, or with a key that is no longer there. */
  open(sealed: string, reader: string): number | undefined;
}

/** Where a client goes on in the feed of events. */
export interface FeedPlace {
  /** Events behind this position are the client's to get. */
  readonly since: number;
  /** Everything up to here can be seen. */
  readonly soFar: number;
  /** Whether it said where it was. */
  readonly isResumed: boolean;
  /** Too much has happened since then to be told, or nobody knows where that is. */
  readonly isReset: boolean;
  /** What a client sends to go on from a position. */
  readonly idOf: (position: number) => string;
}

/** As positions are sealed; the numbers of all accounts' events are nobody's to know. */
export const sealedPattern = '^[A-Za-z0-9_-]{48}$';
/** So many positions before the newest, some events may still be on their way. */
const backwards = 1_000;

/** Throws invalid_parameter for a position that this route cannot have given. */
export function feedPlaceOf(
  request: Request,
  {
    newest,
    positions,
    reader,
  }: {
    readonly newest: number;
    readonly positions: SealedPositions;
    /** For whom positions are sealed: an account, or all operators. */
    readonly reader: string;
  },
): FeedPlace {
  const { after } = knownQuery(request, ['after']);
  const asked = sealedIn('Last-Event-ID', request.get('last-event-id')) ?? sealedIn('after', after);
  const soFar = Math.max(newest - backwards, 0);
  const known = asked === undefined ? undefined : positions.open(asked, reader);
  const isReset = asked !== undefined && !isWithin(known, newest);
  return {
    since: known === undefined || isReset ? soFar : known,
    soFar,
    isResumed: asked !== undefined && !isReset,
    isReset,
    idOf: (position) => positions.seal(position, reader),
  };
}

/** A position from before a backup was restored may be ahead of all there is. */
const isWithin = (position: number | undefined, newest: number): boolean =>
  position !== undefined && position <= newest && newest - position <= mostBehind;

function sealedIn(param: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (new RegExp(sealedPattern).test(text)) return text;
  throw new GatewayError(
    'invalid_parameter',
    `${param} must be an id that this route gave; got ${JSON.stringify(text.slice(0, 80))}`,
    { param },
  );
}

/** What happened behind a place, and where to go on. */
export const eventPage = (data: readonly object[], { since, soFar, isReset, idOf }: FeedPlace) => ({
  object: 'list',
  data,
  last_id: idOf(Math.max(since, soFar)),
  reset: isReset,
  has_more: false,
});
