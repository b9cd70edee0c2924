import type { Task } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from './database.ts';
import { toTask, type TaskRow } from './task-row.ts';

export interface TaskPageQuestion {
  readonly accountId: string;
  readonly limit: number;
  /** Only older tasks than this one. */
  readonly after?: string | undefined;
  /** Only newer tasks than this one; the nearest to it, unless `after` is given too. */
  readonly before?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly model?: string | undefined;
  /** Created at this moment or later. */
  readonly createdAfter?: Date | undefined;
  /** Created earlier than this moment. */
  readonly createdBefore?: Date | undefined;
  /** Ids between which every task lies that was created in the asked period: they let the index skip the rest. */
  readonly lowestId?: string | undefined;
  readonly highestId?: string | undefined;
}

export interface TaskPage {
  /** Newest first, in the order of their ids. */
  readonly tasks: readonly Task[];
  /** Whether there are more in the direction that was asked for. */
  readonly hasMore: boolean;
}

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

export interface TaskLists {
  page(question: TaskPageQuestion): Promise<TaskPage>;
  /** Turns until each of these waiting tasks is handed to its vendor; tasks for which it cannot be told are left out. */
  queuePositions(taskIds: readonly string[]): Promise<Map<string, number>>;
  /** Every event of a task, oldest first. */
  events(taskId: string): Promise<TaskEventRecord[]>;
  /** Those of the followed tasks that have events their followers do not know: one statement for all, and one more when there are any. */
  news(followed: readonly FollowedTask[]): Promise<TaskNews[]>;
}

type Condition = readonly [sql: (placeholder: string) => string, value: unknown];

/** Only the conditions that are asked for: with `$2 IS NULL OR …` the planner could not use an index for any. */
const conditionsOf = (question: TaskPageQuestion): readonly Condition[] => ([
  [(place) => `account_id = ${place}`, question.accountId],
  [(place) => `id < ${place}`, question.after],
  [(place) => `id > ${place}`, question.before],
  [(place) => `status = ${place}`, question.status],
  [(place) => `model = ${place}`, question.model],
  [(place) => `created_at >= ${place}`, question.createdAfter],
  [(place) => `created_at < ${place}`, question.createdBefore],
  [(place) => `id >= ${place}`, question.lowestId],
  [(place) => `id <= ${place}`, question.highestId],
] as const satisfies readonly Condition[]).filter(([, value]) => value !== undefined);

export function createTaskLists({ pool }: Database): TaskLists {
  const eventsOf = async (taskIds: readonly string[]): Promise<(TaskEventRecord & { task_id: string })[]> => {
    const { rows } = await pool.query<TaskEventRecord & { task_id: string }>({
      name: 'task-events', text: 'SELECT task_id, sequence, status, at FROM task_event WHERE task_id = ANY($1) ORDER BY task_id, sequence', values: [taskIds],
    });
    return rows;
  };
  return {
    async page(question) {
      const backwards = question.before !== undefined && question.after === undefined;
      const conditions = conditionsOf(question);
      const where = conditions.map(([sql], index) => sql(`$${index + 1}`)).join(' AND ');
      const { rows } = await pool.query<TaskRow>(
        `SELECT * FROM task WHERE deleted_at IS NULL AND ${where} ORDER BY id ${backwards ? 'ASC' : 'DESC'} LIMIT $${conditions.length + 1}`,
        [...conditions.map(([, value]) => value), question.limit + 1]);
      const tasks = rows.slice(0, question.limit).map(toTask);
      return { tasks: backwards ? tasks.reverse() : tasks, hasMore: rows.length > question.limit };
    },
    async queuePositions(taskIds) {
      if (taskIds.length === 0) return new Map();
      const { rows } = await pool.query<{ id: string; position: number | null }>({
        name: 'queue-positions', text: 'SELECT id, queue_position(id) AS position FROM unnest($1::text[]) AS id', values: [taskIds],
      });
      return new Map(rows.flatMap(({ id, position }) => (position === null ? [] : [[id, position] as const])));
    },
    async events(taskId) {
      return (await eventsOf([taskId])).map(toEvent);
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

const toEvent = ({ sequence, status, at }: TaskEventRecord): TaskEventRecord => ({ sequence, status, at });
