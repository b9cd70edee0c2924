import type { JobOutcome } from '@gateway/queue';
import type { Callbacks } from '@gateway/store';
import { createSweepDue } from './sweep-due.ts';

export interface EndpointPushesPorts extends Pick<Callbacks, 'findDue'> {
  readonly push: (callbackId: string, ending: AbortSignal) => Promise<JobOutcome>;
  /** Nothing is begun while this process's clock is wrong. */
  readonly isClockRight: () => boolean;
  /** What was thrown is our own fault, and the push is tried again. */
  readonly onFailure: (callbackId: string, error: unknown) => void;
  /** Aborted when what is under way has to be handed back. */
  readonly ending: AbortController;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** At once. */
  readonly most: number;
  /** How long what was thrown rests. */
  readonly retryMs?: number;
}

/**
 * Pushes to the endpoints of accounts. Nobody is woken for these: each replica asks the tables several
 * times a second what is due. Their claims keep two of them from working on one callback.
 */
export interface EndpointPushes {
  /** One round; to be called every few tenths of a second. */
  round(): Promise<void>;
  /** Works on these unless it does already. */
  start(callbackIds: readonly string[]): void;
  /** Begins nothing more; what is under way may finish for so long, and is then to be handed back. */
  stop(graceMs: number): Promise<void>;
}

const usualRetryMs = 5_000;
/** What hands back its claim, or waits for another's, is not asked for again before. */
const longestRestMs = 1_000;

export function createEndpointPushes(ports: EndpointPushesPorts): EndpointPushes {
  const { findDue, push, isClockRight, onFailure, ending, now, most } = ports;
  const { retryMs = usualRetryMs } = ports;
  const running = new Map<string, Promise<void>>();
  const resting = new Map<string, number>();
  /** Those whose outcome could not be written hold their claim, so no look into the tables finds them. */
  const failed = new Set<string>();
  let isStopped = false;
  const run = async (callbackId: string): Promise<void> => {
    try {
      const outcome = await push(callbackId, ending.signal);
      failed.delete(callbackId);
      if (outcome.kind === 'retry') {
        resting.set(callbackId, now() + Math.min(outcome.afterMs, longestRestMs));
      }
    } catch (error) {
      failed.add(callbackId);
      resting.set(callbackId, now() + retryMs);
      onFailure(callbackId, error);
    } finally {
      running.delete(callbackId);
    }
  };
  const start: EndpointPushes['start'] = (callbackIds) => {
    for (const callbackId of callbackIds) {
      if (isStopped || running.size >= most || !isClockRight()) return;
      const isResting = (resting.get(callbackId) ?? 0) > now();
      if (!isResting && !running.has(callbackId)) running.set(callbackId, run(callbackId));
    }
  };
  const sweep = createSweepDue({
    findDue,
    wakeAll: (callbackIds) => {
      start(callbackIds);
      return Promise.resolve();
    },
    // No job delays what somebody asks for: it is due like the rest.
    findAsked: () => Promise.resolve([]),
    hurry: () => Promise.resolve(),
    graceMs: 0,
  });
  return {
    start,
    async round() {
      for (const [callbackId, until] of resting) if (until <= now()) resting.delete(callbackId);
      start([...failed]);
      await sweep();
    },
    async stop(graceMs) {
      isStopped = true;
      const abort = setTimeout(() => {
        ending.abort();
      }, graceMs);
      await Promise.allSettled(running.values());
      clearTimeout(abort);
    },
  };
}
