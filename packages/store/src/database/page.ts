import type { QueryResultRow } from 'pg';
import type { Database } from './database.ts';

/** Where a page of rows that are ordered by their id begins. */
export interface PageCursors<Id extends string | number = string> {
  readonly limit: number;
  /** Only older rows than this one. */
  readonly after?: Id | undefined;
  /** Only newer rows than this one; the nearest to it, unless `after` is given too. */
  readonly before?: Id | undefined;
}

export interface Page<Item> {
  /** Newest first, in the order of their ids. */
  readonly items: readonly Item[];
  /** Whether there are more in the direction that was asked for. */
  readonly hasMore: boolean;
}

export interface PageRead {
  /** Everything before WHERE. */
  readonly select: string;
  /** What is true of every row of the list, whatever is asked for. */
  readonly always?: string | undefined;
  /**
   * Comparisons and their right side, such as `{ 'status =': 'queued' }`; where that is undefined,
   * it is not asked for.
   */
  readonly where?: Readonly<Record<string, string | number | Date | undefined>>;
  /** By which the rows are ordered, with its collation where that is not the column's own. */
  readonly idColumn: string;
  readonly cursors: PageCursors | PageCursors<number>;
}

const isBackwards = ({ after, before }: PageRead['cursors']): boolean =>
  before !== undefined && after === undefined;

/**
 * Only the conditions that are asked for: of `$1 IS NULL OR …` a plan that is kept for any value
 * could not use an index. One row more than the page has, which tells whether there are more.
 */
export function pageSql({ select, always, where, idColumn, cursors }: PageRead): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const asked = Object.entries({
    ...where,
    [`${idColumn} <`]: cursors.after,
    [`${idColumn} >`]: cursors.before,
  }).filter(([, value]) => value !== undefined);
  const conditions = [
    ...(always === undefined ? [] : [always]),
    ...asked.map(([comparison], index) => `${comparison} $${index + 1}`),
  ];
  const filter = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return {
    text: `${select}${filter} ORDER BY ${idColumn} ${isBackwards(cursors) ? 'ASC' : 'DESC'} LIMIT $${asked.length + 1}`,
    values: [...asked.map(([, value]) => value), cursors.limit + 1],
  };
}

/** A page of a list: the one way in which any list of the store is read page by page. */
export async function readPage<Row extends QueryResultRow>(
  pool: Database['pool'],
  read: PageRead,
): Promise<Page<Row>> {
  const { text, values } = pageSql(read);
  const { rows } = await pool.query<Row>(text, [...values]);
  const items = rows.slice(0, read.cursors.limit);
  return {
    items: isBackwards(read.cursors) ? items.reverse() : items,
    hasMore: rows.length > read.cursors.limit,
  };
}
