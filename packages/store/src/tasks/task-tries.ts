import type { TryOutcome } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import type { VendorCost } from './exposures.ts';

/** One route that a task was handed to: for operators only. */
export interface TaskTry {
  /** 1, 2, 3 and so on. */
  readonly number: number;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly vendorTaskId: string | null;
  /** How often it was sent. */
  readonly submissions: number;
  /** Null while it is being sent. */
  readonly outcome: TryOutcome | null;
  /** What the vendor said. */
  readonly detail: string | null;
  readonly createdAt: Date;
  readonly submittedAt: Date;
  readonly acceptedAt: Date | null;
  readonly endedAt: Date | null;
  /** What the vendor charged, as a decimal number in its currency; null while it is not known. */
  readonly vendorCost: string | null;
  readonly vendorCurrency: string | null;
  /** Whether the vendor said so, or it was calculated from lengths. */
  readonly costSource: VendorCost['source'] | null;
}

export interface TaskTries {
  /** The tries of a task, in their order; none for a task that was never sent. */
  ofTask(taskId: string): Promise<TaskTry[]>;
}

const fields = {
  number: true,
  provider: true,
  upstreamModel: true,
  vendorTaskId: true,
  submissions: true,
  outcome: true,
  detail: true,
  createdAt: true,
  submittedAt: true,
  acceptedAt: true,
  endedAt: true,
  vendorCost: true,
  vendorCurrency: true,
  costSource: true,
} as const satisfies Record<keyof TaskTry, true>;

export function createTaskTries({ prisma }: Database): TaskTries {
  return {
    async ofTask(taskId) {
      const rows = await prisma.taskTry.findMany({
        where: { taskId },
        select: fields,
        orderBy: { number: 'asc' },
      });
      return rows.map((row) => ({
        ...row,
        outcome: row.outcome as TryOutcome | null,
        costSource: row.costSource as VendorCost['source'] | null,
        vendorCost: row.vendorCost === null ? null : row.vendorCost.toFixed(),
      }));
    },
  };
}
