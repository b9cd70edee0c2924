import { queryOptions, type QueryKey } from '@tanstack/react-query';
import { unlessRefused } from './polling.ts';
import { queries } from './query-client.ts';
import { extended, refreshed, replaced, without, type OpenList, type Rows } from './pages.ts';

export const rowsPerPage = 50;

export interface ListQuery<Item extends { readonly id: string }> {
  readonly queryKey: QueryKey;
  readonly open: OpenList<Item>;
  /** How often its first page is read again while somebody looks; left out where events tell. */
  readonly everyMs?: number;
}

/** The query of a list: to read it again is to read its first page again. */
export const listOptions = <Item extends { readonly id: string }>({
  queryKey,
  open,
  everyMs,
}: ListQuery<Item>) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<Rows<Item>> => {
      const page = await open({ signal, perPage: rowsPerPage }).page();
      return refreshed(queries.getQueryData<Rows<Item>>(queryKey), page, rowsPerPage);
    },
    refetchInterval: ({ state }) => unlessRefused(state.error, everyMs ?? false),
  });

/** Reads one page behind what is known. */
export async function readMore<Item extends { readonly id: string }>({
  queryKey,
  open,
}: ListQuery<Item>): Promise<void> {
  const after = queries.getQueryData<Rows<Item>>(queryKey)?.next;
  if (after === undefined) return;
  const page = await open({ after, perPage: rowsPerPage }).page();
  queries.setQueryData<Rows<Item>>(queryKey, (known) =>
    known === undefined ? undefined : extended(known, after, page),
  );
}

/** A row as the gateway has just shown it, in each list that begins with this key. */
export function putRow(queryKey: QueryKey, item: { readonly id: string }): void {
  queries.setQueriesData<Rows<{ readonly id: string }>>({ queryKey }, (known) =>
    known === undefined ? undefined : replaced(known, item.id, () => item),
  );
}

/** A row that the gateway no longer has. */
export function dropRow(queryKey: QueryKey, id: string): void {
  queries.setQueriesData<Rows<{ readonly id: string }>>({ queryKey }, (known) =>
    known === undefined ? undefined : without(known, id),
  );
}
