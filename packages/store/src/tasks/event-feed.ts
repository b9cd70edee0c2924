// SQL by hand: asked every moment for all accounts that are followed.
import type { Task } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** A status that some task took, in the feed of all. */
export interface AnyEvent {
  /** Its number among all events, in the order of writing. */
  readonly position: number;
  readonly accountId: string;
  readonly sequence: number;
  readonly status: TaskStatus;
  readonly at: Date;
}

/** The same, with the task. */
export interface FeedEvent extends AnyEvent {
  readonly task: Task;
}

export interface EventFeed {
  /** Of the newest event of all; one that is written at this moment may have a lower one. */
  newest(): Promise<number>;
  /** Events of these accounts behind a position, in their order; of deleted tasks none. */
  after(position: number, accountIds: readonly string[]): Promise<FeedEvent[]>;
}

export const eventColumns = 'e.serial AS position, e.sequence, e.status AS event_status, e.at';

const afterSql = `
  SELECT ${eventColumns}, t.*
  FROM task_event e JOIN task t ON t.id = e.task_id
  WHERE e.serial > $1 AND t.account_id = ANY($2) AND t.deleted_at IS NULL ORDER BY e.serial`;

/** An event beside columns of its task. */
export interface EventRow {
  readonly position: number;
  readonly account_id: string;
  readonly sequence: number;
  readonly event_status: TaskStatus;
  readonly at: Date;
}

export const eventOf = (row: EventRow): AnyEvent => ({
  position: row.position,
  accountId: row.account_id,
  sequence: row.sequence,
  status: row.event_status,
  at: row.at,
});

export function createEventFeed({ pool }: Pick<Database, 'pool'>): EventFeed {
  return {
    async newest() {
      const { rows } = await pool.query<{ newest: number | null }>(
        'SELECT max(serial) AS newest FROM task_event',
      );
      return rows[0]?.newest ?? 0;
    },
    async after(position, accountIds) {
      const { rows } = await pool.query<TaskRow & EventRow>({
        name: 'event-feed',
        text: afterSql,
        values: [position, accountIds],
      });
      return rows.map((row) => ({ ...eventOf(row), task: toTask(row) }));
    },
  };
}
