import type { UsageBatch } from '@gateway/contracts';
import type { Log } from '@gateway/runtime';
import type { UsageBacklog } from './usage-backlog.ts';
import type { UsageSpool } from './usage-spool.ts';

type Spool = Pick<UsageSpool, 'keep'>;

export interface LateUsageOptions {
  readonly backlog: UsageBacklog;
  readonly spool: Spool | undefined;
  readonly log: Log;
  /** How long usage may wait for a database that does not take it. */
  readonly afterMs: number;
}

/** Usage that waits for too long: a kill -9 must not find it in memory alone. */
export interface LateUsage {
  /** Something waits since then, by `performance.now()`, now when left out; or did already. */
  watch(sinceMs?: number): void;
  /** The database takes what comes. */
  rest(): void;
  /** Resolves once nothing is on its way to the disk. */
  stop(): Promise<void>;
}

/**
 * Moves what waits to the spool, which saves it once the database is back. A save under way may
 * succeed all the same: the spool then saves the same batch again, and its records are charged
 * once. What the disk does not take stays in memory.
 */
export function createLateUsage({ backlog, spool, log, afterMs }: LateUsageOptions): LateUsage {
  let timer: NodeJS.Timeout | undefined;
  let moving: Promise<void> | undefined;
  const move = async (): Promise<void> => {
    for (const { records } of await keepAll(backlog.takeAll(), spool, log)) {
      for (const record of records) backlog.add(record);
    }
    moving = undefined;
    if (backlog.size() > 0) watch();
  };
  function watch(sinceMs = performance.now()): void {
    if (spool === undefined || moving !== undefined) return;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        moving = move();
      },
      sinceMs + afterMs - performance.now(),
    );
  }
  const rest = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    watch,
    rest,
    async stop() {
      await moving;
      rest();
    },
  };
}

/** Hands them to the spool; returns those that it did not take. Never rejects. */
export async function keepAll(
  batches: readonly UsageBatch[],
  spool: Spool | undefined,
  log: Log,
): Promise<UsageBatch[]> {
  if (spool === undefined) return [...batches];
  const unkept: UsageBatch[] = [];
  for (const batch of batches) {
    try {
      await spool.keep(batch);
      log.warn('text usage spooled', { batchId: batch.id, records: batch.records.length });
    } catch (error) {
      unkept.push(batch);
      log.error('text usage not spooled', { batchId: batch.id, error });
    }
  }
  return unkept;
}
