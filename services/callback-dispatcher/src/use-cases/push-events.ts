import type { JobOutcome } from '@gateway/queue';
import type { CallbackSnapshot, Callbacks } from '@gateway/store';
import {
  attempt,
  write,
  type AttemptPorts,
  type DueAttempt,
  type FinishedAttempt,
  type PushRun,
} from './attempt.ts';
import { decideNext } from './decide-next.ts';

export interface PushEventsPorts extends AttemptPorts {
  readonly callbacks: AttemptPorts['callbacks'] &
    Pick<Callbacks, 'claim' | 'release' | 'stopPending' | 'abandon'>;
}

/** The part of a claim that is not the attempt itself: reading before it, and writing after it. */
export const claimMarginMs = 15_000;
const handBackMs = 1_000;

const done: JobOutcome = { kind: 'done' };
const retryAfter = (afterMs: number): JobOutcome => ({ kind: 'retry', afterMs });

/**
 * Delivers what is due for one callback: the challenge first, then its events in order, until nothing
 * is due any more. An attempt's outcome is written in one statement after it. One that cannot be
 * written is kept, with its claim, and written by the next run instead of being sent again. A crash
 * between the two (kill -9) leaves the push pending, and it is sent once more under the same
 * `webhook-id`: at least once, never out of order. Whatever is our own fault throws and spends none
 * of the receiver's attempts.
 */
export function createPushEvents(
  ports: PushEventsPorts,
): (callbackId: string, ending: AbortSignal) => Promise<JobOutcome> {
  const unwritten = new Map<string, FinishedAttempt>();
  return async (callbackId, ending) => {
    const token = unwritten.get(callbackId)?.record.token ?? ports.ambient.newToken();
    const run: PushRun = { callbackId, token, ending, ports, unwritten };
    try {
      for (;;) {
        const outcome = await runOnce(run, ports);
        if (outcome === 'hand back') return await handBack(run, ports);
        if (outcome !== 'continue') return outcome;
      }
    } catch (error) {
      // An unwritten outcome keeps its claim, which expires by itself.
      if (!unwritten.has(callbackId)) {
        await ports.callbacks.release(callbackId, token).catch(() => undefined);
      }
      throw error;
    }
  };
}

async function runOnce(
  run: PushRun,
  { callbacks, rule, ambient }: PushEventsPorts,
): Promise<JobOutcome | 'continue' | 'hand back'> {
  const { callbackId, token, unwritten } = run;
  const kept = unwritten.get(callbackId);
  if (run.ending.aborted && kept === undefined) return 'hand back';
  const claimedAt = ambient.now();
  const claim = await callbacks.claim({
    callbackId,
    token,
    forMs: rule.timeoutMs + claimMarginMs,
    newChallenge: ambient.newToken(),
  });
  // somebody took over, or the task was deleted
  if (claim.kind !== 'claimed') unwritten.delete(callbackId);
  if (claim.kind === 'absent') return done;
  if (claim.kind === 'busy') return retryAfter(Math.min(claim.freeInMs, handBackMs));
  return kept === undefined
    ? doNext(run, { ...claim, beginBy: claimedAt.getTime() + claimMarginMs }, callbacks)
    : write(run, kept);
}

type Claimed = Pick<DueAttempt, 'callback' | 'beginBy'> & {
  readonly snapshot: CallbackSnapshot | undefined;
};

async function doNext(
  run: PushRun,
  { callback, snapshot, beginBy }: Claimed,
  callbacks: PushEventsPorts['callbacks'],
): Promise<JobOutcome | 'continue' | 'hand back'> {
  const { callbackId, token } = run;
  const url = snapshot?.url ?? null;
  if (snapshot === undefined || url === null) {
    await callbacks.abandon(callbackId, token);
    return done;
  }
  const next = decideNext(callback, snapshot.pending);
  switch (next.kind) {
    case 'rest':
      await callbacks.release(callbackId, token);
      return done;
    case 'stop_pending':
      await callbacks.stopPending(callbackId, token);
      return done;
    case 'wait':
      await callbacks.release(callbackId, token);
      return retryAfter(next.afterMs);
    case 'challenge':
    case 'push':
      // An attempt must end within its claim: another claimant may send the next event once it has
      // run out.
      return attempt(run, { next, callback, snapshot, url, beginBy });
  }
}

/** Leaves the work to the next run, perhaps in another process. */
async function handBack(
  { callbackId, token }: PushRun,
  { callbacks }: PushEventsPorts,
): Promise<JobOutcome> {
  await callbacks.release(callbackId, token);
  return retryAfter(handBackMs);
}
