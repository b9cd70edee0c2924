// SQL by hand: a page of an indexed list is looked through in the statement that reads it.
import type { Task } from '@gateway/contracts';
import type { Database } from '../database/database.ts';
import {
  isBackwards,
  lookedThrough,
  type Looked,
  type LookedThrough,
} from '../database/looked-through.ts';
import { given as withValues } from '../database/page.ts';
import { listedTasksSql, type TaskPageQuestion } from './listed-tasks.ts';
import { toTask, type TaskRow } from './task-row.ts';

/** What a task must match beside what its indexes know. */
export interface TaskSearch {
  /** That it was created with. */
  readonly keyId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Of its prompt, all of them, whatever their case. */
  readonly words?: readonly string[] | undefined;
}

export type SearchedPage = LookedThrough<Task>;

/** Of one page. */
const mostLookedThrough = 500;

/** A page of what matches, of the next tasks of the list. */
export async function searchListedTasks(
  pool: Database['pool'],
  { limit, after, before, ...question }: TaskPageQuestion,
  search: TaskSearch,
): Promise<SearchedPage> {
  const order = isBackwards({ after, before }) ? 'asc' : 'desc';
  const { text, values } = listedTasksSql(
    { ...question, evenDeleted: false, withArchive: true },
    { ids: withValues({ lt: after, gt: before }), order, take: mostLookedThrough },
  );
  const given = (value: unknown): string => `$${values.push(value)}`;
  const { rows } = await pool.query<TaskRow & Looked>(
    `WITH listed AS MATERIALIZED (${text}),
       matching AS (SELECT * FROM listed WHERE ${conditionsOf(search, given).join(' AND ')} ORDER BY id ${order} LIMIT ${given(limit + 1)})
     SELECT m.*, l.looked, l.newest, l.oldest
     FROM (SELECT count(*)::int AS looked, max(id) AS newest, min(id) AS oldest FROM listed) l LEFT JOIN matching m ON true
     ORDER BY m.id ${order}`,
    values,
  );
  const idOf = ({ id }: { readonly id: string | null }) => id;
  const page = lookedThrough(rows, { limit, after, before, most: mostLookedThrough, idOf });
  return { ...page, items: page.items.map(toTask) };
}

/** Adds its values to those of the statement. */
const conditionsOf = (
  { keyId, metadata = {}, words = [] }: TaskSearch,
  given: (value: unknown) => string,
): readonly string[] => [
  ...(keyId === undefined ? [] : [`key_id = ${given(keyId)}`]),
  ...Object.entries(metadata).map(
    ([name, value]) => `request -> 'metadata' ->> ${given(name)} = ${given(value)}`,
  ),
  ...words.map((word) => `strpos(lower(request ->> 'prompt'), lower(${given(word)})) > 0`),
  'true',
];
