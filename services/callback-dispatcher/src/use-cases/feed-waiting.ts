import type { Callbacks, WaitingCallback, WaitingRequest } from '@gateway/store';
import type { Flow } from './flow.ts';

export interface FeedWaitingPorts extends Pick<Callbacks, 'findWaiting' | 'findWaitedFor'> {
  readonly flow: Pick<Flow, 'reserve' | 'unreserve' | 'setWaiting' | 'forget'>;
  readonly wakeAll: (callbackIds: readonly string[]) => Promise<void>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
}

/**
 * Brings back pushes that wait for their receivers, oldest first, as soon as those may get more. A
 * push that waits is a row and nothing else: it has no job and costs nothing until then.
 */
export interface FeedWaiting {
  /** A push has begun to wait for the receiver. */
  note(receiver: string): void;
  /**
   * The receiver can get nothing for a while, although this replica could send: other replicas have
   * all its slots, or its circuit breaker is open.
   */
  rest(receiver: string, reason: 'slots' | 'breaker'): void;
  /** The receiver has responded: it need not be left alone any longer. */
  responded(receiver: string): void;
  /** One round; to be called every few hundredths of a second. */
  feed(): Promise<void>;
  /** Finds the receivers that other replicas, or an earlier run of this one, have left waiting. */
  findAll(): Promise<void>;
  /** Receivers that are known to be waited for. */
  size(): number;
}

interface Waited {
  /** Until then nothing is fed. */
  restUntil: number;
  /** How long the next rest is, while the receiver is skipped; 0 when it is not. */
  skippedMs: number;
}

/** Of one receiver in one round. */
const mostAtOnce = 32;
/** Of all receivers in one round. */
const mostInRound = 256;
/** After other replicas had all its slots, which no one here can see. */
const sharedRestMs = 200;
const firstSkippedMs = 250;
const longestSkippedMs = 30_000;
/** After a store was away. */
const failedRestMs = 1_000;
const pageSize = 1_000;
/**
 * A push that a broken receiver has held back for this long is tried all the same, so that its
 * attempts come to an end.
 */
export const longestHoldBackMs = 3_600_000;

export function createFeedWaiting(ports: FeedWaitingPorts): FeedWaiting {
  const { flow, findWaiting, findWaitedFor, wakeAll, now } = ports;
  const waited = new Map<string, Waited>();
  let failedUntil = 0;
  const add = (receiver: string): Waited => {
    const known = waited.get(receiver) ?? { restUntil: 0, skippedMs: 0 };
    waited.set(receiver, known);
    flow.setWaiting(receiver, true);
    return known;
  };
  const feedOne = (
    { receiver, limit }: WaitingRequest,
    rows: readonly WaitingCallback[],
  ): string[] => {
    const fed = fedOf(rows, waited.get(receiver));
    flow.unreserve(receiver, limit - fed.length);
    if (rows.length > 0) moveBehind(waited, receiver, now());
    else {
      waited.delete(receiver);
      flow.setWaiting(receiver, false);
    }
    return fed.map(({ callbackId }) => callbackId);
  };
  return {
    note(receiver) {
      add(receiver);
    },
    rest(receiver, reason) {
      const known = add(receiver);
      if (reason === 'breaker') known.skippedMs ||= firstSkippedMs;
      const restMs = reason === 'breaker' ? known.skippedMs : sharedRestMs;
      known.restUntil = Math.max(known.restUntil, now() + restMs);
    },
    responded(receiver) {
      const known = waited.get(receiver);
      if (known !== undefined) Object.assign(known, { restUntil: 0, skippedMs: 0 });
    },
    async feed() {
      const asked = now() < failedUntil ? [] : requestsOf(waited, flow, now());
      if (asked.length === 0) return;
      failedUntil = now() + failedRestMs; // unless this round ends well
      const found = await findWaiting(asked);
      const callbackIds = asked.flatMap((request) =>
        feedOne(
          request,
          found.filter(({ receiver }) => receiver === request.receiver),
        ),
      );
      if (callbackIds.length > 0) await wakeAll(callbackIds);
      failedUntil = 0;
    },
    async findAll() {
      flow.forget();
      for (const receiver of await allWaitedFor(findWaitedFor)) add(receiver);
    },
    size: () => waited.size,
  };
}

async function allWaitedFor(findWaitedFor: FeedWaitingPorts['findWaitedFor']): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const page = await findWaitedFor({ after: found.at(-1) ?? '', limit: pageSize });
    found.push(...page);
    if (page.length < pageSize) return found;
  }
}

/** What each receiver may get now; it is kept for them. */
function requestsOf(
  waited: ReadonlyMap<string, Waited>,
  flow: Pick<Flow, 'reserve'>,
  time: number,
): WaitingRequest[] {
  let left = mostInRound;
  const requests: WaitingRequest[] = [];
  for (const [receiver, { restUntil }] of waited) {
    if (left <= 0) break;
    const most = restUntil > time ? 0 : Math.min(mostAtOnce, left);
    let limit = 0;
    while (limit < most && flow.reserve(receiver)) limit += 1;
    if (limit > 0) requests.push({ receiver, limit });
    left -= limit;
  }
  return requests;
}

/** Of a receiver that is skipped, one shows whether it is still broken. */
const fedOf = (rows: readonly WaitingCallback[], known: Waited | undefined): WaitingCallback[] =>
  rows.filter(
    ({ heldBackMs }, at) =>
      known === undefined || known.skippedMs === 0 || at === 0 || heldBackMs > longestHoldBackMs,
  );

/** Those that got something are the last in the next round; one that is skipped rests for longer. */
function moveBehind(waited: Map<string, Waited>, receiver: string, time: number): void {
  const known = waited.get(receiver);
  if (known === undefined) return;
  waited.delete(receiver);
  waited.set(receiver, known);
  if (known.skippedMs === 0) return;
  known.restUntil = time + known.skippedMs;
  known.skippedMs = Math.min(known.skippedMs * 2, longestSkippedMs);
}
