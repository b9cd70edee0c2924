import type { Database } from './database.ts';
import { invariants } from './invariants.ts';
import type { Exposure } from './task-moves.ts';

export interface AccountBalance {
  /** Everything the account owns, held quota included. */
  readonly balanceQuota: number;
  readonly heldQuota: number;
  readonly availableQuota: number;
}

export interface Violation {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

export interface Ledger {
  /** Adds quota to an account, with its entry, in one statement. Throws when there is no such account. */
  topUp(accountId: string, quota: number, note: string): Promise<AccountBalance>;
  balanceOf(accountId: string): Promise<AccountBalance>;
  /** Every breach of the invariants, at most a hundred of each; empty when the books are right. */
  verify(options: { graceSeconds: number }): Promise<Violation[]>;
  /** How often vendor work was done that nobody is billed for, by kind; kinds that never happened are 0. */
  countExposures(): Promise<Record<Exposure['kind'], number>>;
}

export function createLedger({ pool }: Database): Ledger {
  return {
    async topUp(accountId, quota, note) {
      const { rows } = await pool.query<{ balance: number; held: number }>(
        `WITH moved AS (
           INSERT INTO balance (account_id, balance) VALUES ($1, $2)
           ON CONFLICT (account_id) DO UPDATE SET balance = balance.balance + excluded.balance
           RETURNING balance, held),
         entry AS (
           INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, note)
           SELECT $1, 'top_up', $2, 'operator:issued', 'available', balance, held, $3 FROM moved)
         SELECT balance, held FROM moved`, [accountId, quota, note]);
      return toBalance(rows[0]);
    },
    async balanceOf(accountId) {
      const { rows } = await pool.query<{ balance: number; held: number }>('SELECT balance, held FROM balance WHERE account_id = $1', [accountId]);
      return toBalance(rows[0]);
    },
    async verify({ graceSeconds }) {
      const found: Violation[] = [];
      for (const [invariant, sql] of Object.entries(invariants)) {
        const { rows } = await pool.query<{ subject: string; detail: string }>(sql.includes('$1') ? { text: `${sql} LIMIT 100`, values: [graceSeconds] } : `${sql} LIMIT 100`);
        found.push(...rows.map(({ subject, detail }) => ({ invariant, subject, detail })));
      }
      return found;
    },
    async countExposures() {
      const { rows } = await pool.query<{ kind: Exposure['kind']; count: number }>('SELECT kind, count(*) AS count FROM exposure GROUP BY kind');
      return { late_success: 0, submission_unknown: 0, orphan: 0, ...Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) };
    },
  };
}

const toBalance = (row = { balance: 0, held: 0 }): AccountBalance => ({ balanceQuota: row.balance, heldQuota: row.held, availableQuota: row.balance - row.held });
