import type { LeaveCause, TryOutcome } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import type { VendorCost } from './exposures.ts';

/** One route that a task was handed to: for operators only. */
export interface TaskTry {
  /** 1, 2, 3 and so on. */
  readonly number: number;
  readonly provider: string;
  readonly upstreamModel: string;
  readonly vendorTaskId: string | null;
  /** How often it was sent; 0 where the task left the route before. */
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
  /** Why the task went on to another route. */
  readonly leftBecause: LeaveCause | null;
}

export interface TaskTries {
  /** The tries of a task, in their order; none for a task that was never sent. */
  ofTask(taskId: string): Promise<TaskTry[]>;
  /** The routes that these tasks were handed to, or left, by task. */
  ofTasks(
    taskIds: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<TaskTry, 'provider' | 'upstreamModel'>[]>>;
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
  leftBecause: true,
} as const satisfies Record<keyof TaskTry, true>;

/** Those of task `$1`, from the table or what stands for it. */
export const triesSql = `
  SELECT number, provider, upstream_model AS "upstreamModel", vendor_task_id AS "vendorTaskId", submissions, outcome, detail, created_at AS "createdAt",
    submitted_at AS "submittedAt", accepted_at AS "acceptedAt", ended_at AS "endedAt", trim_scale(vendor_cost)::text AS "vendorCost", vendor_currency AS "vendorCurrency",
    cost_source AS "costSource", left_because AS "leftBecause"
  FROM task_try WHERE task_id = $1 ORDER BY number`;

export function createTaskTries(database: Database): TaskTries {
  return {
    async ofTask(taskId) {
      const prisma = await database.prisma();
      const rows = await prisma.taskTry.findMany({
        where: { taskId },
        select: fields,
        orderBy: { number: 'asc' },
      });
      return rows.map((row) => ({
        ...row,
        outcome: row.outcome as TryOutcome | null,
        costSource: row.costSource as VendorCost['source'] | null,
        leftBecause: row.leftBecause as LeaveCause | null,
        vendorCost: row.vendorCost === null ? null : row.vendorCost.toFixed(),
      }));
    },
    async ofTasks(taskIds) {
      const prisma = await database.prisma();
      const rows = await prisma.taskTry.findMany({
        where: { taskId: { in: [...taskIds] } },
        select: { taskId: true, provider: true, upstreamModel: true },
      });
      const found = new Map<string, Pick<TaskTry, 'provider' | 'upstreamModel'>[]>();
      for (const { taskId, ...route } of rows) {
        found.set(taskId, [...(found.get(taskId) ?? []), route]);
      }
      return found;
    },
  };
}
