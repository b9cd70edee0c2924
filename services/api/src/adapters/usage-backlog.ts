import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { backoffDelayMs, describeError } from '@gateway/domain';
import { newId, type Log } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';

export interface UsageBacklogOptions {
  readonly save: UsageOutbox['save'];
  /** Wakes billing for a saved batch; need not succeed: its reconciler finds the batch. */
  readonly wake: (batchId: string) => unknown;
  readonly log: Log;
  readonly maxRecords: number;
}

/** Usage that is in memory only. */
export interface UsageBacklog {
  add(usage: UsageRecord): void;
  /** Records that are not saved yet. */
  size(): number;
  /** Since when the oldest waits that no save has begun with, by `performance.now()`. */
  waitingSinceMs(): number | undefined;
  /** Whether a whole batch is waiting. */
  isFull(): boolean;
  /** Failed attempts in a row. */
  failures(): number;
  /** Everything, in batches, and nothing is left; what was under way keeps its id. */
  takeAll(): UsageBatch[];
  /**
   * Saves the oldest batch; never rejects. Resolves to the delay before the next
   * attempt when it failed, else to undefined.
   */
  saveOne(): Promise<number | undefined>;
}

export const backoff = { firstMs: 100, maxMs: 5_000 };

/** A batch keeps its id until it is saved: when the reply is lost, the same batch is saved again. */
export function createUsageBacklog({
  save,
  wake,
  log,
  maxRecords,
}: UsageBacklogOptions): UsageBacklog {
  const fresh: { readonly usage: UsageRecord; readonly sinceMs: number }[] = [];
  let underWay: UsageBatch | undefined;
  let failures = 0;
  const size = (): number => fresh.length + (underWay?.records.length ?? 0);
  const nextBatch = (): UsageBatch => ({
    id: newId('usageBatch'),
    records: fresh.splice(0, maxRecords).map(({ usage }) => usage),
  });
  return {
    size,
    waitingSinceMs: () => fresh[0]?.sinceMs,
    add: (usage) => {
      fresh.push({ usage, sinceMs: performance.now() });
    },
    isFull: () => fresh.length >= maxRecords,
    failures: () => failures,
    takeAll() {
      const batches = underWay === undefined ? [] : [underWay];
      underWay = undefined;
      while (fresh.length > 0) batches.push(nextBatch());
      return batches;
    },
    async saveOne() {
      if (size() === 0) return undefined;
      const batch = (underWay ??= nextBatch());
      try {
        await save(batch);
      } catch (error) {
        failures += 1;
        log[failures === 1 ? 'warn' : 'error']('text usage not saved, will be retried', {
          batchId: batch.id,
          waiting: size(),
          failures,
          reason: describeError(error),
        });
        return backoffDelayMs(backoff, failures, Math.random());
      }
      underWay = undefined;
      failures = 0;
      wake(batch.id);
      return undefined;
    },
  };
}
