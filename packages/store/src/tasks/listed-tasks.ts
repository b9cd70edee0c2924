// SQL by hand: one statement for a page that goes on from the tasks into their archive.
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import type { PageCursors, PageRead } from '../database/page.ts';
import type { TaskRow } from './task-row.ts';

/** What a customer's list of tasks asks for. */
export interface TaskPageQuestion extends PageCursors {
  readonly accountId: string;
  readonly status?: TaskStatus | undefined;
  readonly model?: string | undefined;
  /** Created at this moment or later. */
  readonly createdAfter?: Date | undefined;
  /** Created earlier than this moment. */
  readonly createdBefore?: Date | undefined;
  /**
   * Ids between which every task lies that was created in the asked period: they let the index skip
   * the rest.
   */
  readonly lowestId?: string | undefined;
  readonly highestId?: string | undefined;
}

/** Which tasks a list shows; what is left out is not asked for. */
export interface TaskFilter {
  readonly accountId?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly lowestId?: string | undefined;
  readonly highestId?: string | undefined;
  readonly id?: string | undefined;
  /** Unfinished, and nobody seems to get on with it. */
  readonly isStuck?: true | undefined;
  /** Whether deleted tasks are shown whose row is still there. Of the archive they never are. */
  readonly evenDeleted: boolean;
  /** Whether the list goes on into the archive, which has an index for every filter but `provider`. */
  readonly withArchive: boolean;
}

/** A row of the table task, with what only operators see of it. */
export type ListedRow = TaskRow & { readonly deleted_at: Date | null };

/** On its way, or in a queue: each in the words of an index, so that it costs what is under way. */
const stuck = `id = ANY(ARRAY(
      SELECT id FROM task WHERE step <> 'done' AND NOT (step = 'submit' AND admitted_at IS NULL) AND step <> 'late'
        AND (expires_at < now() OR step_failures >= 3 OR (step = 'submitting' AND submitting_at < now() - interval '5 minutes'))
      UNION ALL SELECT id FROM task WHERE step = 'submit' AND admitted_at IS NULL AND expires_at < now()))`;

/** Conditions in both tables, which name the id differently. */
const conditions: readonly [keyof TaskFilter, (id: string, value: string) => string][] = [
  ['accountId', (_id, value) => `account_id = ${value}`],
  ['status', (_id, value) => `status = ${value}`],
  ['model', (_id, value) => `model = ${value}`],
  ['provider', (_id, value) => `provider = ${value}`],
  ['createdAfter', (_id, value) => `created_at >= ${value}`],
  ['createdBefore', (_id, value) => `created_at < ${value}`],
  ['lowestId', (id, value) => `${id} >= ${value}`],
  ['highestId', (id, value) => `${id} <= ${value}`],
  ['id', (id, value) => `${id} = ${value}`],
  ['isStuck', (_id, value) => `${value}::boolean AND ${stuck}`],
];

/**
 * A task is archived a week after its end at the earliest: what was made since lies in the table
 * alone. One day of that is left for the clock of whoever made the id.
 */
const oldEnough = `first_id('video', now() - interval '6 days')`;

/** Rows of one page by id; those of the archive are as they were. */
export async function readListedTasks(
  pool: Database['pool'],
  filter: TaskFilter,
  page: PageRead<string>,
): Promise<ListedRow[]> {
  const { text, values } = listedTasksSql(filter, page);
  return (await pool.query<ListedRow>(text, values)).rows;
}

/** The statement of such a page, to be read itself or looked through. */
export function listedTasksSql(
  filter: TaskFilter,
  { ids, order, take }: PageRead<string>,
): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [take];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const limits = conditions.flatMap(([name, condition]) => {
    const value = filter[name];
    return value === undefined ? [] : [{ condition, value: given(value) }];
  });
  const [below, above] = [ids.lt, ids.gt].map((id) => (id === undefined ? id : given(id)));
  const where = (id: string, more: readonly string[]): string =>
    [
      ...limits.map(({ condition, value }) => condition(id, value)),
      ...(below === undefined ? [] : [`${id} < ${below}`]),
      ...(above === undefined ? [] : [`${id} > ${above}`]),
      ...more,
      'true',
    ].join(' AND ');

  const hot = `
    SELECT * FROM task WHERE ${where('id', filter.evenDeleted ? [] : ['deleted_at IS NULL'])} ORDER BY id ${order} LIMIT $1`;
  if (!filter.withArchive) return { text: hot, values };

  // In a page that is full and all of it newer than the archive's newest, nothing is missing.
  const reachesBack =
    order === 'asc' && above !== undefined
      ? `${above} < ${oldEnough}`
      : `((SELECT count(*) FROM hot) < $1 OR (SELECT min(id) FROM hot) < ${oldEnough})`;
  const text = `
    WITH hot AS (${hot}),
    kept AS (SELECT task FROM archived_task WHERE ${where('task_id', ['deleted_at IS NULL', reachesBack])} ORDER BY task_id ${order} LIMIT $1)
    SELECT * FROM (SELECT * FROM hot UNION ALL SELECT t.* FROM kept k, jsonb_populate_record(NULL::task, k.task) t) listed ORDER BY id ${order} LIMIT $1`;
  return { text, values };
}
