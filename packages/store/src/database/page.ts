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

/** What a page asks of the table, in the words of Prisma's findMany. */
export interface PageRead<Id> {
  /** For `where`, beside the conditions of the list. */
  readonly ids: { readonly lt?: Id; readonly gt?: Id };
  /** By the id. */
  readonly order: 'asc' | 'desc';
  /** One row more than the page has, which tells whether there are more. */
  readonly take: number;
}

/** A page of a list: the one way in which any list of the store is read page by page. */
export async function readPage<Row, Id extends string | number>(
  { limit, after, before }: PageCursors<Id>,
  read: (page: PageRead<Id>) => Promise<Row[]>,
): Promise<Page<Row>> {
  const isBackwards = before !== undefined && after === undefined;
  const rows = await read({
    ids: given({ lt: after, gt: before }),
    order: isBackwards ? 'asc' : 'desc',
    take: limit + 1,
  });
  const items = rows.slice(0, limit);
  return { items: isBackwards ? items.reverse() : items, hasMore: rows.length > limit };
}

/** The same page with other items. */
export const mapPage = <Row, Item>(
  { items, hasMore }: Page<Row>,
  itemOf: (row: Row) => Item,
): Page<Item> => ({ items: items.map(itemOf), hasMore });

/** Only the conditions that have a value: a statement has no condition that was not asked for. */
export const given = <Conditions extends object>(
  conditions: Conditions,
): { [Key in keyof Conditions]?: Exclude<Conditions[Key], undefined> } =>
  Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Conditions]?: Exclude<Conditions[Key], undefined>;
  };
