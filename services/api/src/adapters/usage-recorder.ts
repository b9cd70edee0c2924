import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { backoffDelayMs } from '@gateway/domain';
import { Counter, Gauge, type Log, type Part, type Registry } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';
import { backoff, createUsageBacklog, type UsageBacklog } from './usage-backlog.ts';
import { createLateUsage, keepAll, type LateUsage } from './late-usage.ts';
import type { UsageSpool } from './usage-spool.ts';

export interface UsageRecorderOptions {
  readonly save: UsageOutbox['save'];
  /** Wakes billing for a saved batch; need not succeed: its reconciler finds the batch. */
  readonly wake: (batchId: string) => unknown;
  /**
   * Keeps what could not be saved soon, or before a stop. Without it that waits in memory, and is
   * lost, loudly, at a stop.
   */
  readonly spool?: Pick<UsageSpool, 'keep'> | undefined;
  readonly log: Log;
  readonly metrics?: Registry;
  /** How long a record may wait for others. */
  readonly flushMs?: number;
  /** Most records in a batch. */
  readonly maxRecords?: number;
  /** Most records kept while the database is unavailable; any more are lost, loudly. */
  readonly maxWaiting?: number;
  /** How long a record may be in memory alone where there is a spool. */
  readonly spoolAfterMs?: number;
  /** How long a stop may take to save what is left. */
  readonly stopWithinMs?: number;
}

export interface UsageRecorder {
  /** Takes a record; never throws and never waits. */
  record(usage: UsageRecord): void;
  readonly part: Part;
}

/**
 * Collects usage and saves it in batches, one at a time. A kill -9 loses what arrived within
 * `flushMs`; while the database is unavailable, what arrived within `spoolAfterMs`, or without a
 * spool since then. Stop it after everything that records and before the database.
 */
export function createUsageRecorder({
  save,
  wake,
  spool,
  log,
  metrics,
  flushMs = 100,
  maxRecords = 500,
  maxWaiting = 100_000,
  spoolAfterMs = 1_000,
  stopWithinMs = 10_000,
}: UsageRecorderOptions): UsageRecorder {
  const backlog = createUsageBacklog({ save, wake, log, maxRecords });
  const lose = createLosses(createMetrics(metrics, backlog), log);
  const late = createLateUsage({ backlog, spool, log, afterMs: spoolAfterMs });
  const saving = createSaving({ backlog, late, flushMs });
  let isStopped = false;
  const keepRest = async (): Promise<void> => {
    const unkept = idsOf(await keepAll(backlog.takeAll(), spool, log));
    if (unkept.length > 0) lose(unkept.length, lateReason, { usageIds: unkept.slice(0, 1_000) });
  };
  return {
    record(usage) {
      if (backlog.size() >= maxWaiting) {
        lose(1, 'the database has been unavailable for too long', { usage });
        return;
      }
      backlog.add(usage);
      if (isStopped) void keepRest();
      else saving.soon();
    },
    part: {
      name: 'usage recorder',
      async stop() {
        await saveAll(backlog, performance.now() + stopWithinMs, () => saving.now());
        isStopped = true;
        saving.end();
        await late.stop();
        await keepRest();
      },
    },
  };
}

interface SavingOptions {
  readonly backlog: UsageBacklog;
  readonly late: LateUsage;
  readonly flushMs: number;
}

interface Saving {
  /** Something new waits. */
  soon(): void;
  now(): Promise<void> | undefined;
  end(): void;
}

/** One batch at a time; after a failure not before its delay is over. */
function createSaving({ backlog, late, flushMs }: SavingOptions): Saving {
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> | undefined;
  let notBeforeMs = -Infinity;
  let isEnded = false;
  const schedule = (afterMs: number): void => {
    if (saving !== undefined || isEnded) return;
    timer ??= setTimeout(() => void now(), Math.max(afterMs, notBeforeMs - performance.now()));
  };
  function now(): Promise<void> | undefined {
    clearTimeout(timer);
    timer = undefined;
    late.watch();
    saving ??= backlog.saveOne().then((againAfterMs) => {
      saving = undefined;
      if (againAfterMs === undefined) late.rest();
      else notBeforeMs = performance.now() + againAfterMs;
      if (backlog.size() === 0) return;
      // What came meanwhile has waited already, however long this save took.
      late.watch(backlog.waitingSinceMs());
      schedule(backlog.isFull() ? 0 : flushMs);
    });
    return saving;
  }
  return {
    soon() {
      if (saving !== undefined || backlog.failures() > 0) late.watch();
      if (backlog.isFull() && backlog.failures() === 0) void now();
      else schedule(flushMs);
    },
    now,
    end() {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}

const lateReason = 'the service stopped while the database was unavailable';

/** Counts and says what is in no place any more. */
const createLosses =
  (lost: { inc(count: number): void }, log: Log) =>
  (count: number, reason: string, fields: object): void => {
    lost.inc(count);
    log.error('text usage lost', { count, reason, ...fields });
  };

/** Saves until nothing is left or the time has come, with a pause after each failure. */
async function saveAll(
  backlog: UsageBacklog,
  by: number,
  save: () => Promise<void> | undefined,
): Promise<void> {
  while (backlog.size() > 0 && performance.now() < by) {
    await Promise.race([save(), deadline(by)]);
    if (backlog.failures() > 0) {
      await pause(
        Math.min(
          backoffDelayMs(backoff, backlog.failures(), Math.random()),
          Math.max(by - performance.now(), 0),
        ),
      );
    }
  }
}

const idsOf = (batches: readonly UsageBatch[]): string[] =>
  batches.flatMap(({ records }) => records.map(({ id }) => id));

function createMetrics(
  metrics: Registry | undefined,
  backlog: UsageBacklog,
): { inc(count: number): void } {
  if (metrics === undefined) return { inc: () => undefined };
  const waiting = new Gauge({
    name: 'gateway_text_usage_waiting_records',
    help: 'Text requests whose usage is not saved yet.',
    registers: [metrics],
    collect: () => {
      waiting.set(backlog.size());
    },
  });
  return new Counter({
    name: 'gateway_text_usage_lost_records_total',
    help: 'Text requests whose usage was lost; anything but 0 is an alarm.',
    registers: [metrics],
  });
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const deadline = (at: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, at - performance.now()).unref();
  });
