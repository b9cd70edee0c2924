import type { NewStoredResponse, StoredResponseReads, StoredResponses } from '@gateway/store';

type Query<Name extends keyof StoredResponseReads> = Parameters<StoredResponseReads[Name]>[0];

interface Row extends NewStoredResponse {
  /** Milliseconds. */
  createdAt: number;
}

export interface InMemoryResponses {
  readonly store: StoredResponses;
  readonly reads: StoredResponseReads;
  /** What is kept, the oldest first. */
  rows(): readonly NewStoredResponse[];
  age(response: NewStoredResponse, hours: number): void;
}

const mostRemoved = 500;
const hourMs = 3_600_000;

/** A store of responses that keeps the contract of the one in PostgreSQL, for one replica. */
export function createInMemoryResponses(): InMemoryResponses {
  const rows = new Map<string, Row>();
  const rowOf = (accountId: string, responseId: string): Row | undefined =>
    rows.get(keyOf({ accountId, responseId }));
  const removeRows = (found: readonly Row[]): number => {
    for (const row of found) rows.delete(keyOf(row));
    return found.length;
  };
  const fresh = (accountId: string, responseId: string, hours: number): Row | undefined => {
    const row = rowOf(accountId, responseId);
    return row !== undefined && isFresh(row, hours) ? row : undefined;
  };
  const all = (): Row[] => [...rows.values()].sort((one, other) => one.createdAt - other.createdAt);
  return {
    rows: all,
    age(response, hours) {
      const row = rowOf(response.accountId, response.responseId);
      if (row !== undefined) row.createdAt = Date.now() - hours * hourMs;
    },
    store: {
      keep(responses) {
        for (const response of responses) {
          if (!rows.has(keyOf(response))) {
            rows.set(keyOf(response), { ...response, createdAt: Date.now() });
          }
        }
        return Promise.resolve();
      },
      trim: (accountIds, maxBytes) =>
        Promise.resolve(
          removeRows(
            accountIds.flatMap((accountId) =>
              excessOf(
                all().filter((row) => row.accountId === accountId),
                maxBytes,
              ),
            ),
          ),
        ),
      remove({ accountId, responseId, maxAgeHours }) {
        const row = fresh(accountId, responseId, maxAgeHours);
        return Promise.resolve(row !== undefined && removeRows([row]) === 1);
      },
      removeOlder: (hours) =>
        Promise.resolve(
          removeRows(
            all()
              .filter((row) => !isFresh(row, hours))
              .slice(0, mostRemoved),
          ),
        ),
    },
    reads: {
      find: ({ accountId, responseId, maxAgeHours }) =>
        Promise.resolve(fresh(accountId, responseId, maxAgeHours)?.response.toString()),
      conversation: (query) => Promise.resolve(walk(query, fresh)),
      items: (query) => Promise.resolve(itemsOf(all(), query)),
      inputPage({ accountId, responseId, maxAgeHours, limit, order, after }) {
        const row = fresh(accountId, responseId, maxAgeHours);
        if (row === undefined) return Promise.resolve(undefined);
        const input = row.items
          .filter(({ isOutput }) => !isOutput)
          .map(({ itemId, body }) => ({ itemId, body: body.toString() }));
        if (order === 'desc') input.reverse();
        const at = after === undefined ? -1 : input.findIndex(({ itemId }) => itemId === after);
        if (after !== undefined && at === -1) return Promise.resolve('unknown_cursor' as const);
        const rest = input.slice(at + 1);
        return Promise.resolve({ items: rest.slice(0, limit), hasMore: rest.length > limit });
      },
    },
  };
}

const keyOf = (row: { readonly accountId: string; readonly responseId: string }): string =>
  JSON.stringify([row.accountId, row.responseId]);

const isFresh = ({ createdAt }: Row, hours: number): boolean =>
  createdAt > Date.now() - hours * hourMs;

/** The oldest that have to go so that the others are within the bound. */
function excessOf(rows: readonly Row[], maxBytes: number): Row[] {
  let excess = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) - maxBytes;
  return rows.filter(({ sizeBytes }) => {
    const goes = excess > 0;
    excess -= sizeBytes;
    return goes;
  });
}

function walk(
  { accountId, responseId, maxAgeHours, maxResponses, maxBytes }: Query<'conversation'>,
  fresh: (accountId: string, responseId: string, hours: number) => Row | undefined,
): readonly string[] | 'gone' | 'too_long' {
  const chain: Row[] = [];
  let bytes = 0;
  for (let id: string | null = responseId; id !== null;) {
    const row = fresh(accountId, id, maxAgeHours);
    if (row === undefined) return 'gone';
    chain.unshift(row);
    bytes += row.itemBytes;
    if (chain.length > maxResponses || bytes > maxBytes) return 'too_long';
    id = row.previousId;
  }
  return chain.flatMap(({ items }) => items.map(({ body }) => body.toString()));
}

function itemsOf(
  rows: readonly Row[],
  query: Query<'items'>,
): ReadonlyMap<string, string> | 'too_long' {
  const found = new Map<string, string>();
  let bytes = 0;
  const own = rows.filter(
    (row) => row.accountId === query.accountId && isFresh(row, query.maxAgeHours),
  );
  for (const wanted of new Set(query.itemIds)) {
    // The newest comes last.
    const item = own.flatMap(({ items }) => items).findLast(({ itemId }) => itemId === wanted);
    if (item === undefined) continue;
    found.set(wanted, item.body.toString());
    bytes += item.body.length;
  }
  return bytes > query.maxBytes ? 'too_long' : found;
}
