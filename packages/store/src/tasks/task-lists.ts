// SQL by hand: what is asked for every follower each second, and lists that go on into the archive.
import type { Task } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { archivedRows } from '../data/archived-tasks.ts';
import { mapPage, readPage, type Page } from '../database/page.ts';
import { readListedTasks, type TaskPageQuestion } from './listed-tasks.ts';
import { searchListedTasks, type SearchedPage, type TaskSearch } from './searched-tasks.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** One status that a task took. */
export interface TaskEventRecord {
  readonly sequence: number;
  readonly status: TaskStatus;
  readonly at: Date;
}

/** A task that somebody follows, and the newest event that they know. */
export interface FollowedTask {
  readonly taskId: string;
  readonly sequence: number;
}

/** What is new of a followed task: `task` is undefined when it was deleted. */
export interface TaskNews {
  readonly taskId: string;
  readonly task: Task | undefined;
  readonly events: readonly TaskEventRecord[];
}

/**
 * Where a waiting task stands in its vendor's queue, 1 for the next; `far`: so far back that
 * counting would cost too much.
 */
export type QueuePosition = number | 'far';

export interface TaskLists {
  /** Goes on into the archive. */
  page(question: TaskPageQuestion): Promise<Page<Task>>;
  /**
   * The same, of those that match what no index knows. Looks through so many tasks and no more, and
   * says where to go on.
   */
  search(question: TaskPageQuestion, search: TaskSearch): Promise<SearchedPage>;
  /** The positions in their vendors' queues of those of these tasks that wait. */
  queuePositions(taskIds: readonly string[]): Promise<Map<string, QueuePosition>>;
  /** Every event of a task, oldest first; of an archived one, too. */
  events(taskId: string): Promise<TaskEventRecord[]>;
  /**
   * Those of the followed tasks that have events their followers do not know: one statement for
   * all, and one more when there are any.
   */
  news(followed: readonly FollowedTask[]): Promise<TaskNews[]>;
}

const archivedEventsSql = `WITH ${archivedRows('task_event')} SELECT sequence, status, at FROM task_event ORDER BY sequence`;

export function createTaskLists({ pool }: Database): TaskLists {
  const eventsOf = async (
    taskIds: readonly string[],
  ): Promise<(TaskEventRecord & { task_id: string })[]> => {
    const { rows } = await pool.query<TaskEventRecord & { task_id: string }>({
      name: 'task-events',
      text: 'SELECT task_id, sequence, status, at FROM task_event WHERE task_id = ANY($1) ORDER BY task_id, sequence',
      values: [taskIds],
    });
    return rows;
  };
  return {
    page: (question) => readTasks(pool, question),
    search: (question, search) => searchListedTasks(pool, question, search),
    async queuePositions(taskIds) {
      if (taskIds.length === 0) return new Map();
      const { rows } = await pool.query<{ id: string; position: number | null }>({
        name: 'queue-positions',
        text: 'SELECT id, place_in_line(id) AS position FROM unnest($1::text[]) AS id',
        values: [taskIds],
      });
      return new Map(
        rows.flatMap(({ id, position }) =>
          position === null ? [] : [[id, position === 0 ? 'far' : position] as const],
        ),
      );
    },
    async events(taskId) {
      const events = await eventsOf([taskId]);
      if (events.length > 0) return events.map(toEvent);
      const archived = await pool.query<TaskEventRecord>(archivedEventsSql, [taskId]);
      return archived.rows.map(toEvent);
    },
    async news(followed) {
      const { rows } = await pool.query<{ followed_id: string } & (TaskRow | { id: null })>({
        name: 'task-news',
        text: `
          SELECT f.id AS followed_id, t.* FROM unnest($1::text[], $2::int[]) AS f (id, sequence) LEFT JOIN task t ON t.id = f.id AND t.deleted_at IS NULL
          WHERE t.id IS NULL OR t.event_sequence > f.sequence`,
        values: [followed.map(({ taskId }) => taskId), followed.map(({ sequence }) => sequence)],
      });
      const moved = rows.flatMap(({ id }) => (id === null ? [] : [id]));
      const events = moved.length === 0 ? [] : await eventsOf(moved);
      return rows.map((row) => ({
        taskId: row.followed_id,
        task: row.id === null ? undefined : toTask(row),
        events: events.filter(({ task_id: taskId }) => taskId === row.followed_id).map(toEvent),
      }));
    },
  };
}

async function readTasks(
  pool: Database['pool'],
  { limit, after, before, ...question }: TaskPageQuestion,
): Promise<Page<Task>> {
  const filter = { ...question, evenDeleted: false, withArchive: true };
  const page = await readPage({ limit, after, before }, (read) =>
    readListedTasks(pool, filter, read),
  );
  return mapPage(page, toTask);
}

const toEvent = ({ sequence, status, at }: TaskEventRecord): TaskEventRecord => ({
  sequence,
  status,
  at,
});
