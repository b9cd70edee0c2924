import type pg from 'pg';
import type { Database } from '@gateway/store';

/** Pages that each statement of a method read, by its text; the most of all times it was sent. */
export type Costs = ReadonlyMap<string, number>;

export interface Measured {
  /** What these statements cost: each is explained, in a transaction that is undone, before it is sent. */
  costsOf(work: () => Promise<unknown>): Promise<Costs>;
  close(): Promise<void>;
}

type Send = (...statement: unknown[]) => Promise<unknown>;
const isPlanned = (text: string): boolean => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(text);

/**
 * Listens to everything that is sent over this pool, by hand or through Prisma. Beside few rows a plan
 * may read a whole table because that is less than its index; with `byIndex` the dearer of the two
 * counts, which is what there is to compare with beside many.
 */
export function measure(
  { pool }: Database,
  { explaining, byIndex }: { readonly explaining: pg.Pool; readonly byIndex: boolean },
): Measured {
  let costs: Map<string, number> | undefined;
  const send = pool.query.bind(pool) as Send;
  const connect = pool.connect.bind(pool) as (...rest: unknown[]) => Promise<pg.PoolClient>;

  const note = async (client: pg.ClientBase, [statement, rest]: unknown[]): Promise<void> => {
    const { text, values = rest } =
      typeof statement === 'string'
        ? { text: statement }
        : (statement as { text: string; values?: unknown });
    if (costs === undefined || !isPlanned(text)) return;
    const given = values as unknown[] | undefined;
    const pages = await pagesOf(client, text, given);
    const others = byIndex ? await pagesByIndex(client, text, given) : 0;
    costs.set(text, Math.max(costs.get(text) ?? 0, pages, others));
  };
  pool.query = (async (...statement: unknown[]) => {
    if (costs !== undefined) {
      const client = await explaining.connect();
      try {
        await client.query('BEGIN');
        await note(client, statement);
      } finally {
        await client.query('ROLLBACK');
        client.release();
      }
    }
    return send(...statement);
  }) as unknown as typeof pool.query;
  pool.connect = (async (...rest: unknown[]) => {
    const client = await connect(...rest);
    return rest.length > 0 || costs === undefined ? client : noting(client, note);
  }) as typeof pool.connect;

  return {
    async costsOf(work) {
      costs = new Map();
      try {
        await work();
        return costs;
      } finally {
        costs = undefined;
      }
    },
    close: () => explaining.end(),
  };
}

/** A connection inside a transaction: what is explained there is undone before it is sent. */
const noting = (
  client: pg.PoolClient,
  note: (client: pg.ClientBase, statement: unknown[]) => Promise<void>,
): pg.PoolClient => {
  const send = client.query.bind(client) as Send;
  const query = async (...statement: unknown[]): Promise<unknown> => {
    const text = typeof statement[0] === 'string' ? statement[0] : '';
    if (!isPlanned(text)) return send(...statement);
    await send('SAVEPOINT explained');
    await note({ query: send } as unknown as pg.ClientBase, statement);
    await send('ROLLBACK TO SAVEPOINT explained');
    return send(...statement);
  };
  return new Proxy(client, {
    get: (target, key): unknown => {
      const value: unknown = key === 'query' ? query : Reflect.get(target, key);
      return typeof value === 'function' && key !== 'query' ? value.bind(target) : value;
    },
  });
};

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

async function pagesByIndex(
  client: pg.ClientBase,
  text: string,
  values: unknown[] | undefined,
): Promise<number> {
  await client.query('SAVEPOINT by_index');
  await client.query('SET LOCAL enable_seqscan = off');
  const pages = await pagesOf(client, text, values);
  await client.query('ROLLBACK TO SAVEPOINT by_index');
  return pages;
}

/**
 * The fewest of three times. What a statement reads of the catalogue counts as well, and it reads that
 * anew whenever other connections have filled the queue of invalidations, in the middle of a statement
 * too (seen: 139 pages, then 19 and 17 of the same update).
 */
async function pagesOf(
  client: pg.ClientBase,
  text: string,
  values: unknown[] | undefined,
): Promise<number> {
  const times: number[] = [];
  while (times.length < 3) {
    await client.query('SAVEPOINT read_once');
    times.push(await pagesOnce(client, text, values));
    await client.query('ROLLBACK TO SAVEPOINT read_once');
  }
  return Math.min(...times);
}

async function pagesOnce(
  client: pg.ClientBase,
  text: string,
  values: unknown[] | undefined,
): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  return (plan?.['Shared Hit Blocks'] ?? NaN) + (plan?.['Shared Read Blocks'] ?? NaN);
}
