import { Counter, Gauge, intervalPart, type Log, type Part, type Registry } from '@gateway/runtime';
import { createDataKeeping, type Database, type PartitionState } from '@gateway/store';
import type { Settings } from './config.ts';
import { createKeepData } from './use-cases/keep-data.ts';

/**
 * Makes the partitions of the months ahead, and moves, sums up and drops what the settings say, over a
 * connection of its own: a month is one statement, and may take minutes.
 */
export function dataKeepingParts({
  settings,
  database,
  metrics,
  log,
}: {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly metrics: Registry;
  readonly log: Log;
}): Part[] {
  const { archived, dropped, onState } = createDataMetrics([metrics]);
  const work = createKeepData({
    ...createDataKeeping(database),
    archiveAfterDays: settings.ARCHIVE_AFTER_DAYS,
    archiveKeepDays: settings.ARCHIVE_KEEP_DAYS,
    ledgerKeepDays: settings.LEDGER_KEEP_DAYS,
    usageDetailDays: settings.USAGE_DETAIL_DAYS,
    onArchived: (tasks) => {
      archived.inc(tasks);
    },
    onDropped: (partition) => {
      dropped.inc();
      log.info('partition dropped, its sums are kept', { partition });
    },
    onClosed: (month) => {
      log.info('month of the ledger closed', { month });
    },
    onState,
  });
  const part = intervalPart({ name: 'keep data', everyMs: settings.DATA_SWEEP_MS, work, log });
  return [database.part, part];
}

function createDataMetrics(registers: Registry[]): {
  readonly archived: Counter;
  readonly dropped: Counter;
  readonly onState: (partitions: readonly PartitionState[]) => void;
} {
  const until = new Gauge({
    name: 'gateway_partitions_until_timestamp_seconds',
    help: 'Up to when every month has its partition.',
    labelNames: ['table'],
    registers,
  });
  const strays = new Gauge({
    name: 'gateway_partition_strays',
    help: '1 while rows lie in the default partition, because their month had none.',
    labelNames: ['table'],
    registers,
  });
  return {
    archived: new Counter({
      name: 'gateway_archived_tasks_total',
      help: 'Finished tasks moved into the archive.',
      registers,
    }),
    dropped: new Counter({
      name: 'gateway_partitions_dropped_total',
      help: 'Partitions dropped once their sums were kept.',
      registers,
    }),
    onState: (partitions) => {
      for (const { table, ...state } of partitions) {
        until.set({ table }, state.until);
        strays.set({ table }, Number(state.hasStrays));
      }
    },
  };
}
