// SQL by hand: the rows of one task, from their tables or from its archive.
import type { QueryResultRow } from 'pg';
import type { Task } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import { archivedRows } from '../data/archived-tasks.ts';
import type { Database } from '../database/database.ts';
import { exposuresSql, type ExposureRecord } from './exposures.ts';
import { overviewOf, type TaskOverview } from './task-overviews.ts';
import type { ListedRow } from './listed-tasks.ts';
import { toTask } from './task-row.ts';
import { triesSql, type TaskTry } from './task-tries.ts';

/** What was set aside for a task, and what came of it. */
export interface HoldRecord {
  readonly quota: number;
  readonly state: 'open' | 'closed';
  /** Null while it is open. */
  readonly chargedQuota: number | null;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
}

/** Everything about one task that an operator may want to know, without what its customer wrote. */
export interface TaskDetails {
  readonly overview: TaskOverview;
  readonly task: Pick<Task, 'vendor' | 'admittedAt' | 'submittingAt' | 'cancelRequestedAt'>;
  readonly keyId: string;
  readonly isArchived: boolean;
  /** The statuses it took, oldest first. */
  readonly events: readonly {
    readonly sequence: number;
    readonly status: TaskStatus;
    readonly at: Date;
  }[];
  readonly tries: readonly TaskTry[];
  /** Undefined where it is not kept any more. */
  readonly hold: HoldRecord | undefined;
  readonly exposures: readonly ExposureRecord[];
}

export interface TaskDetailReads {
  /** Also a deleted task whose row is still there, and an archived one. */
  find(taskId: string): Promise<TaskDetails | undefined>;
}

/** Without the request: operators do not see what customers wrote. */
const whereabouts = ({
  vendor,
  admittedAt,
  submittingAt,
  cancelRequestedAt,
}: Task): TaskDetails['task'] => ({ vendor, admittedAt, submittingAt, cancelRequestedAt });

type DetailRow = ListedRow & { readonly key_id: string };

const hotSql = 'SELECT * FROM task WHERE id = $1';
const archivedSql = `
  SELECT t.* FROM archived_task a, jsonb_populate_record(NULL::task, a.task) t WHERE a.task_id = $1 AND a.deleted_at IS NULL`;
const eventsSql =
  'SELECT sequence, status, at FROM task_event WHERE task_id = $1 ORDER BY sequence';
const holdSql = `
  SELECT quota::float8, state, charged_quota::float8 AS "chargedQuota", created_at AS "createdAt", closed_at AS "closedAt" FROM hold WHERE task_id = $1`;

export function createTaskDetails({ pool }: Pick<Database, 'pool'>): TaskDetailReads {
  const rowsOf = async <Row extends QueryResultRow>(text: string, taskId: string): Promise<Row[]> =>
    (await pool.query<Row>(text, [taskId])).rows;
  return {
    async find(taskId) {
      const [hot] = await rowsOf<DetailRow>(hotSql, taskId);
      const [row] = hot === undefined ? await rowsOf<DetailRow>(archivedSql, taskId) : [hot];
      if (row === undefined) return undefined;
      const isArchived = hot === undefined;
      const from = isArchived ? `WITH ${archivedRows('task_event', 'task_try', 'hold')}` : '';
      // One after the other: nobody waits for it but an operator.
      const events = await rowsOf<TaskDetails['events'][number]>(`${from} ${eventsSql}`, taskId);
      const tries = await rowsOf<TaskTry>(`${from} ${triesSql}`, taskId);
      const [hold] = await rowsOf<HoldRecord>(`${from} ${holdSql}`, taskId);
      const exposures = await rowsOf<ExposureRecord>(exposuresSql, taskId);
      return {
        overview: overviewOf(row),
        task: whereabouts(toTask(row)),
        keyId: row.key_id,
        isArchived,
        events,
        tries,
        hold,
        exposures,
      };
    },
  };
}
