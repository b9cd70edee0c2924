import type { Page, PageCursors } from './page.ts';

/** A page of what matches among rows that were looked through, so many and no more. */
export interface LookedThrough<Item> extends Page<Item> {
  /** Ids at the ends of what was looked through: the cursors of the next page on either side. */
  readonly firstId: string | null;
  readonly lastId: string | null;
}

/** In which direction a page reads on from its cursors. */
export const isBackwards = ({ after, before }: Pick<PageCursors, 'after' | 'before'>): boolean =>
  before !== undefined && after === undefined;

/** How far the statement of such a page looked: in each of its rows, also where nothing matches. */
export interface Looked {
  readonly looked: number;
  readonly newest: string | null;
  readonly oldest: string | null;
}

interface LookedThroughOptions<Row> extends PageCursors {
  /** Rows that a page looks through at most: whoever looks for what is not there costs no more. */
  readonly most: number;
  readonly idOf: (row: Row) => string | null;
}

/** Rows of one more than a page, in the order that they were read in; those without an id match nothing. */
export function lookedThrough<Row extends Looked>(
  rows: readonly Row[],
  { limit, most, idOf, ...cursors }: LookedThroughOptions<Row>,
): LookedThrough<Row> {
  const goesBack = isBackwards(cursors);
  const found = rows.filter((row) => idOf(row) !== null);
  const isFull = found.length > limit;
  const items = inOrder(found.slice(0, limit), goesBack);
  // Where the page is full the next one begins behind its last item, else behind what was looked at.
  const [looked] = isFull ? [] : rows;
  return {
    items,
    hasMore: isFull || looked?.looked === most,
    firstId: (goesBack ? looked?.newest : null) ?? endOf(items[0], idOf),
    lastId: (goesBack ? null : looked?.oldest) ?? endOf(items.at(-1), idOf),
  };
}

/** Newest first, whichever way they were read. */
const inOrder = <Row>(rows: readonly Row[], goesBack: boolean): readonly Row[] =>
  goesBack ? rows.toReversed() : rows;

const endOf = <Row>(row: Row | undefined, idOf: (row: Row) => string | null): string | null =>
  row === undefined ? null : idOf(row);
