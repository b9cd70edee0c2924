import type { CallbackMatter, Callbacks } from '@gateway/store';
import {
  attempt,
  write,
  type Attempting,
  type AttemptPorts,
  type Concluded,
  type Look,
  type Visit,
} from './attempt.ts';
import { decideNext } from './decide-next.ts';

export interface PushEventsPorts extends AttemptPorts {
  readonly callbacks: AttemptPorts['callbacks'] &
    Pick<Callbacks, 'claim' | 'release' | 'stopPending'>;
}

/** The part of a claim that is not the attempt itself: reading before it, and writing after it. */
export const claimMarginMs = 15_000;
const handBackMs = 1_000;

const done: Look = { kind: 'done' };
const again = (afterMs: number): Look => ({ kind: 'again', afterMs });

/**
 * Delivers what is due for one task: the challenge first, then its events in order, until nothing
 * is due any more. An attempt's outcome is written in one statement after it. One that cannot be
 * written is kept, with its claim, and written at the next look instead of being sent again. Ending
 * between the two (kill -9) leaves the push pending, and it is sent once more under the same
 * `webhook-id`: at least once, never out of order. Whatever is our own fault throws and spends none
 * of the receiver's attempts.
 */
export function createPushEvents(
  ports: PushEventsPorts,
): (taskId: string, ending: AbortSignal) => Promise<Look> {
  const unwritten = new Map<string, Concluded>();
  return async (taskId, ending) => {
    const token = unwritten.get(taskId)?.record.token ?? ports.ambient.newToken();
    const visit: Visit = { taskId, token, ending, ports, unwritten };
    try {
      for (;;) {
        const look = await lookOnce(visit, ports);
        if (look === 'hand back') return await handBack(visit, ports);
        if (look !== 'continue') return look;
      }
    } catch (error) {
      if (!unwritten.has(taskId))
      // else the claim runs out by itself
      {
        await ports.callbacks.release(taskId, token).catch(() => undefined);
      }
      throw error;
    }
  };
}

async function lookOnce(
  visit: Visit,
  { callbacks, rule, ambient }: PushEventsPorts,
): Promise<Look | 'continue' | 'hand back'> {
  const { taskId, token, unwritten } = visit;
  const kept = unwritten.get(taskId);
  if (visit.ending.aborted && kept === undefined) return 'hand back';
  const claimedAt = ambient.now();
  const claim = await callbacks.claim({
    taskId,
    token,
    forMs: rule.timeoutMs + claimMarginMs,
    newChallenge: ambient.newToken(),
  });
  // somebody took over, or the task was deleted
  if (claim.kind !== 'claimed') unwritten.delete(taskId);
  if (claim.kind === 'absent') return done;
  if (claim.kind === 'busy') return again(Math.min(claim.freeInMs, handBackMs));
  return kept === undefined
    ? doWhatIsNext(visit, { ...claim, beginBy: claimedAt.getTime() + claimMarginMs }, callbacks)
    : write(visit, kept);
}

type Claimed = Pick<Attempting, 'callback' | 'beginBy'> & {
  readonly matter: CallbackMatter | undefined;
};

async function doWhatIsNext(
  visit: Visit,
  { callback, matter, beginBy }: Claimed,
  callbacks: PushEventsPorts['callbacks'],
): Promise<Look | 'continue' | 'hand back'> {
  const { taskId, token } = visit;
  const next = decideNext(callback, matter?.pending ?? []);
  switch (next.kind) {
    case 'rest':
      await callbacks.release(taskId, token);
      return done;
    case 'stop_pending':
      await callbacks.stopPending(taskId, token);
      return done;
    case 'wait':
      await callbacks.release(taskId, token);
      return again(next.afterMs);
    case 'challenge':
    case 'push':
      // An attempt must end within its claim: another claimant may send the next event once it has
      // run out.
      return matter === undefined ? done : attempt(visit, { next, callback, matter, beginBy });
  }
}

/** Leaves the work to the next look, perhaps in another process. */
async function handBack({ taskId, token }: Visit, { callbacks }: PushEventsPorts): Promise<Look> {
  await callbacks.release(taskId, token);
  return again(handBackMs);
}
