// SQL by hand: money. A balance and its entry are one statement.
import type { Database } from '../database/database.ts';
import { auditEverything, type Violation } from '../audit/full-audit.ts';
import { countExposures, type Exposure } from '../tasks/exposures.ts';

export interface AccountBalance {
  /** Everything the account owns, held quota included. */
  readonly balanceQuota: number;
  readonly heldQuota: number;
  readonly availableQuota: number;
  /** What text cost beyond what the account had; paid first from its next top-up. */
  readonly debtQuota: number;
}

export interface KeyedTopUp {
  readonly accountId: string;
  /** One to 255 characters. */
  readonly key: string;
  readonly quota: number;
  readonly note: string;
}

export interface ToppedUp {
  readonly outcome: 'added' | 'reused';
  /** What this key stands for. */
  readonly quota: number;
  readonly balance: AccountBalance;
}

export interface Ledger {
  /**
   * Adds quota to an account, with its entry, in one statement. Throws when there is no such
   * account.
   */
  topUp(accountId: string, quota: number, note: string): Promise<AccountBalance>;
  /**
   * The same once for each key of an account: `reused` when the key was given before, with `quota`
   * as it was then; nothing is added again.
   */
  topUpOnce(topUp: KeyedTopUp): Promise<ToppedUp>;
  balanceOf(accountId: string): Promise<AccountBalance>;
  /**
   * Pays debts from what is available, all accounts' unless one is named; returns the quota paid.
   * Nothing else can take what is available while a debt is open.
   */
  collectDebts(accountId?: string): Promise<number>;
  /** Every breach of the invariants, at most a hundred of each; empty when the books are right. */
  verify(options: { graceSeconds: number; sinceClosing?: boolean }): Promise<Violation[]>;
  /**
   * How often vendor work was done that nobody is billed for, by kind; kinds that never happened
   * are 0.
   */
  countExposures(): Promise<Record<Exposure['kind'], number>>;
  /** Of all accounts together, read from their balances. */
  totals(): Promise<{
    readonly heldQuota: number;
    readonly availableQuota: number;
    readonly openHolds: number;
  }>;
}

interface BalanceRow {
  readonly balance: number;
  readonly held: number;
  readonly debt: number;
}

/** $1 account, $2 quota, $3 note; for each row of `source`. */
const addingSql = (source: string): string => `
  moved AS (
    INSERT INTO balance (account_id, balance) SELECT $1, $2 FROM ${source}
    ON CONFLICT (account_id) DO UPDATE SET balance = balance.balance + excluded.balance
    RETURNING balance, held, debt_quota AS debt),
  entry AS (
    INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, note)
    SELECT $1, 'top_up', $2, 'operator:issued', 'available', balance, held, $3 FROM moved)`;

/** Who comes second waits at the key for the first, and adds nothing. */
const topUpOnceSql = `
  WITH claimed AS (
    INSERT INTO top_up_key (account_id, key, quota) VALUES ($1, $4, $2)
    ON CONFLICT (account_id, key) DO NOTHING
    RETURNING key),
  ${addingSql('claimed')}
  SELECT balance, held, debt FROM moved`;

const topUpSql = `WITH ${addingSql('(VALUES (1)) AS once')} SELECT balance, held, debt FROM moved`;

/** Written from the locked row, whose constraints PostgreSQL would else check as it was before. */
const collectSql = `
  WITH locked AS (
    SELECT account_id, balance, held, debt_quota, least(debt_quota, balance - held) AS paid FROM balance
    WHERE debt_quota > 0 AND balance > held AND ($1::text IS NULL OR account_id = $1) ORDER BY account_id FOR UPDATE),
  moved AS (
    UPDATE balance b SET balance = l.balance - l.paid, debt_quota = l.debt_quota - l.paid FROM locked l WHERE b.account_id = l.account_id),
  entries AS (
    INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, note)
    SELECT account_id, 'debt', paid, 'available', 'operator:revenue', balance - paid, held, 'text usage that was owed' FROM locked ORDER BY account_id)
  SELECT coalesce(sum(paid), 0)::bigint AS paid FROM locked`;

/** Adds quota on this connection, inside what it is doing. */
export async function addTopUp(
  client: Pick<Database['pool'], 'query'>,
  { accountId, quota, note }: Omit<KeyedTopUp, 'key'>,
): Promise<AccountBalance> {
  const { rows } = await client.query<BalanceRow>(topUpSql, [accountId, quota, note]);
  return toBalance(rows[0]);
}

async function collectDebts(pool: Database['pool'], accountId?: string): Promise<number> {
  const { rows } = await pool.query<{ paid: number }>({
    name: 'collect-debts',
    text: collectSql,
    values: [accountId ?? null],
  });
  return rows[0]?.paid ?? 0;
}

/** Nothing for an account that never had a balance. */
export async function readBalance(
  pool: Database['pool'],
  accountId: string,
): Promise<AccountBalance> {
  const { rows } = await pool.query<BalanceRow>(
    'SELECT balance, held, debt_quota AS debt FROM balance WHERE account_id = $1',
    [accountId],
  );
  return toBalance(rows[0]);
}

/** A kill between the two leaves it to the reconciler; until then nobody else gets the quota. */
export async function withoutDebt(
  pool: Database['pool'],
  accountId: string,
  balance: AccountBalance,
): Promise<AccountBalance> {
  if (balance.debtQuota === 0) return balance;
  await collectDebts(pool, accountId);
  return readBalance(pool, accountId);
}

export function createLedger(database: Database): Ledger {
  const { pool } = database;
  return {
    topUp: async (accountId, quota, note) =>
      withoutDebt(pool, accountId, await addTopUp(pool, { accountId, quota, note })),
    async topUpOnce({ accountId, key, quota, note }) {
      const {
        rows: [added],
      } = await pool.query<BalanceRow>({
        name: 'top-up-once',
        text: topUpOnceSql,
        values: [accountId, quota, note, key],
      });
      if (added !== undefined) {
        const balance = await withoutDebt(pool, accountId, toBalance(added));
        return { outcome: 'added', quota, balance };
      }
      const {
        rows: [known],
      } = await pool.query<BalanceRow & { quota: number }>(
        'SELECT k.quota, b.balance, b.held, b.debt_quota AS debt FROM top_up_key k JOIN balance b USING (account_id) WHERE k.account_id = $1 AND k.key = $2',
        [accountId, key],
      );
      if (known === undefined) {
        throw new Error(`the top-up ${key} of ${accountId} was neither added nor known`);
      }
      return { outcome: 'reused', quota: known.quota, balance: toBalance(known) };
    },
    balanceOf: (accountId) => readBalance(pool, accountId),
    collectDebts: (accountId) => collectDebts(pool, accountId),
    verify: (options) => auditEverything(pool, options),
    countExposures: () => countExposures(database),
    async totals() {
      const {
        rows: [row],
      } = await pool.query<{ heldQuota: number; availableQuota: number; openHolds: number }>(
        `SELECT coalesce(sum(held), 0)::float8 AS "heldQuota", coalesce(sum(balance - held), 0)::float8 AS "availableQuota",
           (SELECT count(*)::int FROM hold WHERE state = 'open') AS "openHolds" FROM balance`,
      );
      return row ?? { heldQuota: 0, availableQuota: 0, openHolds: 0 };
    },
  };
}

export const toBalance = (row: BalanceRow = { balance: 0, held: 0, debt: 0 }): AccountBalance => ({
  balanceQuota: row.balance,
  heldQuota: row.held,
  availableQuota: row.balance - row.held,
  debtQuota: row.debt,
});
