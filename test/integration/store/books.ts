import { expect } from '@jest/globals';
import type { HoldRequest } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createDatabase, createLedger, type Database, type Violation } from '@gateway/store';

/** What the API asks for: five seconds at 10 a second unless the test says otherwise. */
export function aHoldRequest(
  accountId: string,
  { taskId = newId('task'), seconds = 5, secondQuota = 10 } = {},
): HoldRequest {
  return {
    task_id: taskId,
    account_id: accountId,
    quota: seconds * secondQuota,
    seconds,
    second_quota: secondQuota,
  };
}

/** A request for this many seconds at 1 a second: its quota is the number. */
export const aHoldOf = (accountId: string, quota: number): HoldRequest =>
  aHoldRequest(accountId, { seconds: quota, secondQuota: 1 });

export interface Entry {
  readonly kind: 'top_up' | 'hold' | 'lease' | 'charge' | 'release' | 'debt' | 'adjustment';
  readonly taskId: string | null;
  readonly quota: number;
  readonly debit: string;
  readonly credit: string;
  readonly balanceAfter: number;
  readonly heldAfter: number;
}

/** The entries of an account in the order they were written. */
export async function entriesOf({ pool }: Database, accountId: string): Promise<Entry[]> {
  const { rows } = await pool.query<Entry>(
    `SELECT kind, task_id AS "taskId", quota, debit, credit, balance_after AS "balanceAfter", held_after AS "heldAfter"
     FROM ledger_entry WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  return rows;
}

export async function entriesOfTask(
  database: Database,
  accountId: string,
  taskId: string,
): Promise<Entry[]> {
  return (await entriesOf(database, accountId)).filter((entry) => entry.taskId === taskId);
}

const steps = {
  top_up: { balance: 1, held: 0 },
  hold: { balance: 0, held: 1 },
  lease: { balance: 0, held: 1 },
  debt: { balance: -1, held: 0 },
  charge: { balance: -1, held: -1 },
  release: { balance: 0, held: -1 },
} as const;

/** Text is charged without a hold; an adjustment gives or takes. */
function stepOf({ kind, debit }: Entry): { readonly balance: number; readonly held: number } {
  if (kind === 'adjustment') return { balance: debit === 'available' ? -1 : 1, held: 0 };
  return kind === 'charge' && debit === 'available' ? { balance: -1, held: 0 } : steps[kind];
}

/**
 * Replays an account from nothing: every entry must lead exactly to the figures it carries, and the
 * last one to the balance.
 */
export async function expectExactChain(database: Database, accountId: string): Promise<void> {
  let balance = 0;
  let held = 0;
  for (const entry of await entriesOf(database, accountId)) {
    balance += stepOf(entry).balance * entry.quota;
    held += stepOf(entry).held * entry.quota;
    expect({ ...entry, balanceAfter: balance, heldAfter: held }).toEqual(entry);
    expect(held).toBeGreaterThanOrEqual(0);
    expect(balance).toBeGreaterThanOrEqual(held);
  }
  await expect(createLedger(database).balanceOf(accountId)).resolves.toMatchObject({
    balanceQuota: balance,
    heldQuota: held,
    availableQuota: balance - held,
  });
}

/**
 * What breaks the books, of the whole test database; grace for work that the test left in flight.
 */
export const violations = (database: Database, graceSeconds = 60): Promise<Violation[]> =>
  createLedger(database).verify({ graceSeconds });

export interface HoldRow {
  readonly accountId: string;
  readonly quota: number;
  readonly state: 'open' | 'closed';
  readonly chargedQuota: number | null;
}

export async function holdOf({ pool }: Database, taskId: string): Promise<HoldRow | undefined> {
  const { rows } = await pool.query<HoldRow>(
    'SELECT account_id AS "accountId", quota, state, charged_quota AS "chargedQuota" FROM hold WHERE task_id = $1',
    [taskId],
  );
  return rows[0];
}

/** Makes a hold look this old. */
export async function ageHold({ pool }: Database, taskId: string, seconds: number): Promise<void> {
  await pool.query(
    'UPDATE hold SET created_at = now() - make_interval(secs => $2) WHERE task_id = $1',
    [taskId, seconds],
  );
}

/** More pools on one database, as other replicas have them; closed by the returned `close`. */
export function morePools(
  url: string,
  count: number,
): { readonly databases: readonly Database[]; close(): Promise<void> } {
  const databases = Array.from({ length: count }, () =>
    createDatabase({ url, applicationName: 'test replica', poolSize: 6, onError: () => undefined }),
  );
  return {
    databases,
    close: async () => {
      await Promise.all(databases.map((database) => database.part.stop()));
    },
  };
}

/** Whether a session of this database waits for a lock right now. */
export async function expectSomebodyWaiting({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  expect(rows[0]?.waiting).toBeGreaterThan(0);
}

/** Ends the sessions of this database that wait for a lock, as a failover or an operator does. */
export async function endWaitingSessions({ pool }: Database): Promise<void> {
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
}

/** One item for each index, round and round. */
export const inTurn = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to take turns with');
  return item;
};
