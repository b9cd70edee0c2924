import { reached } from '@gateway/runtime';
import type { AdmissionLimits, TaskMoves } from '@gateway/store';

/** Who may have a slot, as far as the circuit breaker before the vendor says. */
export interface Admission extends Pick<AdmissionLimits, 'paused' | 'onTrial' | 'isTrial'> {
  readonly isOpen: boolean;
}

export interface AdmitTasksPorts extends Pick<TaskMoves, 'admit'> {
  readonly admissionOf: (provider: string) => Admission;
  /** Undefined for a provider that is no longer configured: its queue waits. */
  readonly maxConcurrentOf: (provider: string) => number | undefined;
  readonly wakeAll: (taskIds: readonly string[]) => Promise<void>;
}

/**
 * Gives the free slots of one provider to the next tasks in its queue, and wakes them. Postgres
 * decides which those are; every call ends after a round that began after it.
 */
export type AdmitTasks = (provider: string) => Promise<void>;

/** Slots given in one statement: few enough not to hold up others at the queue's lock. */
const batchSize = 50;

interface Round {
  readonly underWay: Promise<void>;
  /** Begins when the one under way is over; everybody who arrives meanwhile waits for it. */
  next: Promise<void> | undefined;
}

/** However many ask at once, this replica has one statement under way for each provider. */
export function createAdmitTasks({
  admit,
  admissionOf,
  maxConcurrentOf,
  wakeAll,
}: AdmitTasksPorts): AdmitTasks {
  const rounds = new Map<string, Round>();
  const begin = (provider: string): Promise<void> => {
    const underWay = admitAll(provider).finally(() => {
      if (rounds.get(provider)?.underWay === underWay) rounds.delete(provider);
    });
    rounds.set(provider, { underWay, next: undefined });
    return underWay;
  };
  return (provider) => {
    const round = rounds.get(provider);
    if (round === undefined) return begin(provider);
    round.next ??= round.underWay.then(
      () => begin(provider),
      () => begin(provider),
    );
    return round.next;
  };

  async function admitAll(provider: string): Promise<void> {
    const maxConcurrent = maxConcurrentOf(provider);
    if (maxConcurrent === undefined) return;
    for (;;) {
      const { isOpen, ...admission } = admissionOf(provider);
      if (isOpen) return;
      const most = admission.isTrial === true ? 1 : batchSize;
      const admitted = await admit(provider, { maxConcurrent, most, ...admission });
      // The reconciler repeats a wake-up that Redis does not take: the task keeps its slot.
      if (admitted.length > 0) {
        reached('admit.given');
        await wakeAll(admitted);
      }
      if (admitted.length < batchSize) return;
    }
  }
}
