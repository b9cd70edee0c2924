import type { DataKeeping, PartitionState } from '@gateway/store';

export interface KeepDataOptions extends DataKeeping {
  /** Finished tasks go into the archive after so many days; never, when left out. */
  readonly archiveAfterDays?: number | undefined;
  /** Months of the archive are dropped after so many days; never, when left out. */
  readonly archiveKeepDays?: number | undefined;
  /** Single records of usage become sums by day after so many days; never, when left out. */
  readonly usageDetailDays?: number | undefined;
  /** Months of the ledger are dropped after so many days; never, when left out. */
  readonly ledgerKeepDays?: number | undefined;
  readonly onArchived: (tasks: number) => void;
  readonly onDropped: (partition: string) => void;
  readonly onClosed: (month: string) => void;
  readonly onState: (partitions: readonly PartitionState[]) => void;
}

const monthsAhead = 3;
/** One statement's; so many of them a round, so that a backlog is worked off and other work goes on. */
const rowsAtOnce = 200;
const mostBatches = 500;

/**
 * Keeps the tables from growing for ever. Every step can be done by any replica, again, and after any
 * other; one that fails stops no other.
 */
export function createKeepData(options: KeepDataOptions): () => Promise<void> {
  const steps: readonly (() => Promise<unknown>)[] = [
    () => options.makePartitions(monthsAhead),
    () => whileThereAre(options.closeLedger, options.onClosed),
    () => inBatches(options.archiveTasks, options.archiveAfterDays, options.onArchived),
    () => inBatches(options.archiveDeletedTasks, options.archiveAfterDays, options.onArchived),
    () => dropAll(options.rollUpUsage, options.usageDetailDays, options.onDropped),
    () => inBatches(options.sumUpUncollected, options.usageDetailDays),
    () => dropAll(options.dropArchive, options.archiveKeepDays, options.onDropped),
    // After its tasks are in the archive.
    () => dropAll(options.dropLedger, options.ledgerKeepDays, options.onDropped),
    // After the tasks that they are of.
    () => inBatches(options.rollUpExposures, options.archiveKeepDays),
    async () => {
      options.onState(await options.partitions());
    },
  ];
  return async () => {
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) {
      throw new AggregateError(failures, `${failures.length} steps of keeping the data failed`);
    }
  };
}

async function inBatches(
  move: (options: { readonly days: number; readonly limit: number }) => Promise<number>,
  days: number | undefined,
  tell: (rows: number) => void = () => undefined,
): Promise<void> {
  if (days === undefined) return;
  for (let batch = 0; batch < mostBatches; batch += 1) {
    const rows = await move({ days, limit: rowsAtOnce });
    if (rows === 0) return;
    tell(rows);
  }
}

async function dropAll(
  drop: (days: number) => Promise<string | undefined>,
  days: number | undefined,
  onDropped: (partition: string) => void,
): Promise<void> {
  if (days !== undefined) await whileThereAre(() => drop(days), onDropped);
}

async function whileThereAre(
  next: () => Promise<string | undefined>,
  tell: (name: string) => void,
): Promise<void> {
  for (let name = await next(); name !== undefined; name = await next()) tell(name);
}
