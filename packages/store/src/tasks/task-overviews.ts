import type { TaskFailureCode, TaskStatus, TaskStep } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { given, mapPage, readPage, type Page, type PageCursors } from '../database/page.ts';
import type { Prisma } from '../generated/client.ts';

/** A task as the operator sees it: where it stands and at whom, without what the customer wrote. */
export interface TaskOverview {
  readonly id: string;
  readonly accountId: string;
  readonly requestId: string;
  readonly model: string;
  readonly provider: string;
  readonly vendorTaskId: string | null;
  readonly status: TaskStatus;
  readonly step: TaskStep;
  /** Failures in a row at this step. */
  readonly stepFailures: number;
  readonly maxQuota: number;
  readonly billedQuota: number | null;
  readonly failureCode: TaskFailureCode | null;
  readonly failureMessage: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly expiresAt: Date;
  readonly deletedAt: Date | null;
}

export interface TaskOverviewQuestion extends PageCursors {
  readonly status?: TaskStatus | undefined;
  readonly accountId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

export interface TaskOverviews {
  /** The tasks of all accounts, also deleted ones whose row is still there. */
  page(question: TaskOverviewQuestion): Promise<Page<TaskOverview>>;
}

const fields = {
  id: true,
  accountId: true,
  requestId: true,
  model: true,
  provider: true,
  vendorTaskId: true,
  status: true,
  step: true,
  stepFailures: true,
  maxQuota: true,
  billedQuota: true,
  failureCode: true,
  failureMessage: true,
  createdAt: true,
  startedAt: true,
  completedAt: true,
  expiresAt: true,
  deletedAt: true,
} as const satisfies Record<keyof TaskOverview, true>;

export function createTaskOverviews(database: Database): TaskOverviews {
  return {
    async page({ status, accountId, model, provider, ...cursors }) {
      const page = await readPage(cursors, ({ ids, order, take }) =>
        database.prisma.task.findMany({
          where: { ...given({ status, accountId, model, provider }), id: ids },
          select: fields,
          orderBy: { id: order },
          take,
        }),
      );
      return mapPage(page, overviewOf);
    },
  };
}

const overviewOf = (task: Prisma.TaskGetPayload<{ select: typeof fields }>): TaskOverview => ({
  ...task,
  status: task.status as TaskStatus,
  step: task.step as TaskStep,
  maxQuota: Number(task.maxQuota),
  billedQuota: task.billedQuota === null ? null : Number(task.billedQuota),
  failureCode: task.failureCode as TaskFailureCode | null,
});
