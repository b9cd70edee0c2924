import type { TaskFailureCode, TaskStatus, TaskStep } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors } from '../database/page.ts';

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

const overviewSql = `
  SELECT id, account_id AS "accountId", request_id AS "requestId", model, provider, vendor_task_id AS "vendorTaskId", status, step, step_failures AS "stepFailures",
    max_quota AS "maxQuota", billed_quota AS "billedQuota", failure_code AS "failureCode", failure_message AS "failureMessage",
    created_at AS "createdAt", started_at AS "startedAt", completed_at AS "completedAt", expires_at AS "expiresAt", deleted_at AS "deletedAt"
  FROM task`;

export function createTaskOverviews({ pool }: Database): TaskOverviews {
  return {
    page: ({ status, accountId, model, provider, ...cursors }) =>
      readPage(pool, {
        select: overviewSql,
        where: {
          'account_id =': accountId,
          'status =': status,
          'model =': model,
          'provider =': provider,
        },
        idColumn: 'id',
        cursors,
      }),
  };
}
