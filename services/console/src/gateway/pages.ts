import type { List, ListOptions, Page } from '@gateway/client';

/** What has been read of a list of the gateway: its first rows, and where the next ones are. */
export interface Rows<Item> {
  readonly rows: readonly Item[];
  /** Where to read on; undefined at the end of the list. */
  readonly next: string | undefined;
  /** The last page brought nothing and is not the end: a search that has not found anything yet. */
  readonly isSparse: boolean;
}

export type OpenList<Item> = (options: ListOptions) => Pick<List<Item>, 'page'>;

interface Identified {
  readonly id: string;
}

const searchedPerPage = 100;

/**
 * A list of which only what fits is shown. The gateway has no filter for it, so a page may have
 * fewer items than there is space for, or none, and yet go on.
 */
export const only = <Item>(
  open: OpenList<Item>,
  fits: ((item: Item) => boolean) | undefined,
): OpenList<Item> =>
  fits === undefined
    ? open
    : (options) => ({
        page: async () => {
          const page = await open({ ...options, perPage: searchedPerPage }).page();
          return { ...page, data: page.data.filter(fits) };
        },
      });

const rowsOf = <Item>({ data, has_more: hasMore, last_id: last }: Page<Item>): Rows<Item> => ({
  rows: data,
  next: hasMore && last !== null ? last : undefined,
  isSparse: hasMore && data.length === 0,
});

/**
 * A first page that was read again, before the rows that were known behind it. So a list that is
 * read again costs one call, however far somebody has read; where the page no longer reaches what
 * was known, the list begins anew.
 */
export function refreshed<Item extends Identified>(
  known: Rows<Item> | undefined,
  page: Page<Item>,
  perPage: number,
): Rows<Item> {
  const anew = rowsOf(page);
  if (known === undefined || anew.next === undefined) return anew;
  const fresh = new Set(page.data.map(({ id }) => id));
  // A search finds fewer than a page has room for: what it found earlier lies further back.
  const isSearch = page.data.length < perPage;
  const overlap = known.rows.findLastIndex(({ id }) => fresh.has(id));
  if (overlap === -1 && !isSearch) return anew;
  return { ...known, rows: [...page.data, ...known.rows.slice(overlap + 1)] };
}

/** The page behind what is known; one that was asked for by an older state changes nothing. */
export function extended<Item extends Identified>(
  known: Rows<Item>,
  after: string,
  page: Page<Item>,
): Rows<Item> {
  if (known.next !== after) return known;
  const present = new Set(known.rows.map(({ id }) => id));
  const added = page.data.filter(({ id }) => !present.has(id));
  return { ...rowsOf(page), rows: [...known.rows, ...added] };
}

/** Changes a row where it stands; the same list again where it does not. */
export function replaced<Item extends Identified>(
  known: Rows<Item>,
  id: string,
  change: (item: Item) => Item,
): Rows<Item> {
  if (!known.rows.some((row) => row.id === id)) return known;
  return { ...known, rows: known.rows.map((row) => (row.id === id ? change(row) : row)) };
}

/** Takes a row out. */
export const without = <Item extends Identified>(known: Rows<Item>, id: string): Rows<Item> => ({
  ...known,
  rows: known.rows.filter((row) => row.id !== id),
});
