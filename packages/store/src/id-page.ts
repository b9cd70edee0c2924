/** Where a page of rows that are ordered by their id begins. */
export interface IdCursors {
  readonly limit: number;
  /** Only older rows than this one. */
  readonly after?: string | undefined;
  /** Only newer rows than this one; the nearest to it, unless `after` is given too. */
  readonly before?: string | undefined;
}

export interface IdPage<Row> {
  /** Newest first. */
  readonly items: readonly Row[];
  /** Whether there are more in the direction that was asked for. */
  readonly hasMore: boolean;
}

const isBackwards = ({ after, before }: IdCursors): boolean => before !== undefined && after === undefined;

/** The order in which the rows of this page are read. */
export const orderOf = (cursors: IdCursors): 'ASC' | 'DESC' => (isBackwards(cursors) ? 'ASC' : 'DESC');

/** Cuts off the one row that was read beyond the page, and puts the newest first. */
export function pageOf<Row>(rows: readonly Row[], cursors: IdCursors): IdPage<Row> {
  const items = rows.slice(0, cursors.limit);
  return { items: isBackwards(cursors) ? items.reverse() : items, hasMore: rows.length > cursors.limit };
}
