import type { TaskFailureCode, TaskStatus, TaskStep } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { mapPage, readPage, type Page, type PageCursors } from '../database/page.ts';
import { readListedTasks, type ListedRow } from './listed-tasks.ts';

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
  readonly id?: string | undefined;
  /** Unfinished, and past its deadline, failing at its step, or with a submission nobody knows the outcome of. */
  readonly isStuck?: true | undefined;
  readonly createdBefore?: Date | undefined;
  /** No task that was created earlier has a higher id. */
  readonly highestId?: string | undefined;
}

export interface TaskOverviews {
  /**
   * The tasks of all accounts, also deleted ones whose row is still there. Goes on into the archive
   * when it is of one account, by id, or of all without a filter; never by provider, nor for stuck ones.
   */
  page(question: TaskOverviewQuestion): Promise<Page<TaskOverview>>;
}

export function createTaskOverviews({ pool }: Database): TaskOverviews {
  return {
    async page({ limit, after, before, ...question }) {
      const filter = { ...question, evenDeleted: true, withArchive: goesOn(question) };
      const page = await readPage({ limit, after, before }, (read) =>
        readListedTasks(pool, filter, read),
      );
      return mapPage(page, overviewOf);
    },
  };
}

type Filter = Omit<TaskOverviewQuestion, keyof PageCursors>;

/** The archive has no index by provider, nor one over all accounts by model or status. */
const goesOn = ({ id, accountId, provider, status, model, isStuck }: Filter): boolean =>
  provider === undefined &&
  isStuck === undefined &&
  (accountId !== undefined || id !== undefined || (status === undefined && model === undefined));

/** The columns that an operator's list shows. */
export const overviewColumns = [
  'id',
  'account_id',
  'request_id',
  'model',
  'provider',
  'vendor_task_id',
  'status',
  'step',
  'step_failures',
  'max_quota',
  'billed_seconds',
  'billed_quota',
  'failure_code',
  'failure_message',
  'created_at',
  'started_at',
  'completed_at',
  'expires_at',
  'deleted_at',
] as const satisfies readonly (keyof ListedRow)[];

export type OverviewRow = Pick<ListedRow, (typeof overviewColumns)[number]>;

/** What an operator's list shows of a row. */
export const overviewOf = (row: OverviewRow): TaskOverview => ({
  id: row.id,
  accountId: row.account_id,
  requestId: row.request_id,
  model: row.model,
  provider: row.provider,
  vendorTaskId: row.vendor_task_id,
  status: row.status,
  step: row.step,
  stepFailures: row.step_failures,
  maxQuota: row.max_quota,
  billedQuota: row.billed_seconds === null ? null : row.billed_quota,
  failureCode: row.failure_code,
  failureMessage: row.failure_code === null ? null : (row.failure_message ?? ''),
  createdAt: row.created_at,
  startedAt: row.started_at,
  completedAt: row.completed_at,
  expiresAt: row.expires_at,
  deletedAt: row.deleted_at,
});
