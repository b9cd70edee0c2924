// SQL by hand: money. A balance and its entry are one statement.
import type { Database } from '../database/database.ts';
import { readBalance, toBalance, withoutDebt, type AccountBalance } from './ledger.ts';

/** What an operator corrects in the books of an account, and why. */
export interface Adjustment {
  readonly accountId: string;
  /** One to 255 characters; an account is adjusted once under each. */
  readonly key: string;
  /** Above zero it is given, below zero taken; never zero. */
  readonly quota: number;
  /** The reason; never empty. */
  readonly note: string;
  /** A task of the account, which may be deleted by now; null when it is about none. */
  readonly taskId: string | null;
}

export type AdjustmentTerms = Pick<Adjustment, 'quota' | 'note' | 'taskId'>;

/** `reused`: the key was used before, for `known`. Only `adjusted` changes anything. */
export type AdjustmentOutcome =
  'adjusted' | 'reused' | 'insufficient' | 'too_much' | 'unknown_task';

export interface Adjusted {
  readonly outcome: AdjustmentOutcome;
  /** What the key stands for, where it was used before. */
  readonly known: AdjustmentTerms | undefined;
  readonly before: AccountBalance;
  /** Once a debt is paid from what was given. */
  readonly after: AccountBalance;
}

export interface Adjustments {
  /**
   * Gives quota or takes it away, with its entry, in one statement, once for each key. What is held
   * or owed for cannot be taken. Throws when there is no such account.
   */
  adjust(adjustment: Adjustment): Promise<Adjusted>;
  /** What `adjust` would do at this moment; changes nothing. */
  preview(adjustment: Adjustment): Promise<Adjusted>;
}

/**
 * The balance is locked first: entries of an account are numbered in the order in which they move it.
 * Who comes second with a key waits there for the first, and then finds the key, which outlasts its
 * entry. Written from the locked row, whose constraints PostgreSQL would else check as it was before.
 */
const adjustSql = `
  WITH locked AS (SELECT balance, held, debt_quota FROM balance WHERE account_id = $1 FOR UPDATE),
  claimed AS (
    INSERT INTO adjustment_key (account_id, key, quota, note, corrected_task_id) SELECT $1, $2, $3::bigint, $4, $5 FROM locked l
    WHERE ($3 > 0 OR (l.debt_quota = 0 AND l.balance - l.held >= -$3))
      AND ($5::text IS NULL OR EXISTS (SELECT 1 FROM hold WHERE task_id = $5 AND account_id = $1)
        OR EXISTS (SELECT 1 FROM archived_task WHERE task_id = $5 AND account_id = $1))
    ON CONFLICT (account_id, key) DO NOTHING
    RETURNING key),
  entry AS (
    INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, note, adjustment_key, corrected_task_id)
    SELECT $1, 'adjustment', abs($3::bigint), CASE WHEN $3 > 0 THEN 'operator:issued' ELSE 'available' END,
      CASE WHEN $3 > 0 THEN 'available' ELSE 'operator:issued' END, l.balance + $3, l.held, $4, $2, $5
    FROM locked l, claimed
    RETURNING id),
  moved AS (
    UPDATE balance b SET balance = l.balance + $3, held = l.held FROM locked l, entry WHERE b.account_id = $1)
  SELECT balance, held, debt_quota AS debt, EXISTS (SELECT 1 FROM entry) AS "isDone" FROM locked`;

const knownSql = `
  SELECT quota, note, corrected_task_id AS "taskId" FROM adjustment_key WHERE account_id = $1 AND key = $2`;

interface LockedRow {
  readonly balance: number;
  readonly held: number;
  readonly debt: number;
  readonly isDone: boolean;
}

export function createAdjustments({ pool }: Pick<Database, 'pool'>): Adjustments {
  return {
    async adjust(adjustment) {
      const row = (await adjustOnce(pool, adjustment)) ?? (await adjustFirst(pool, adjustment));
      if (!row.isDone) return preview(pool, adjustment);
      const before = toBalance(row);
      const after = await withoutDebt(
        pool,
        adjustment.accountId,
        toBalance({ ...row, balance: row.balance + adjustment.quota }),
      );
      return { outcome: 'adjusted', known: undefined, before, after };
    },
    preview: (adjustment) => preview(pool, adjustment),
  };
}

async function adjustOnce(
  pool: Database['pool'],
  { accountId, key, quota, note, taskId }: Adjustment,
): Promise<LockedRow | undefined> {
  const { rows } = await pool.query<LockedRow>({
    name: 'adjust',
    text: adjustSql,
    values: [accountId, key, quota, note, taskId],
  });
  return rows[0];
}

/** For an account that never had a balance. */
async function adjustFirst(pool: Database['pool'], adjustment: Adjustment): Promise<LockedRow> {
  await pool.query('INSERT INTO balance (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    adjustment.accountId,
  ]);
  const row = await adjustOnce(pool, adjustment);
  if (row === undefined) throw new Error(`the balance of ${adjustment.accountId} is gone`);
  return row;
}

async function preview(pool: Database['pool'], adjustment: Adjustment): Promise<Adjusted> {
  const { accountId, key, quota, taskId } = adjustment;
  const { rows: known } = await pool.query<AdjustmentTerms>(knownSql, [accountId, key]);
  const { rowCount: tasks } = await pool.query(
    `SELECT 1 FROM hold WHERE task_id = $1 AND account_id = $2
     UNION ALL SELECT 1 FROM archived_task WHERE task_id = $1 AND account_id = $2`,
    [taskId, accountId],
  );
  const before = await readBalance(pool, accountId);
  const outcome = judgeAdjustment({
    adjustment,
    before,
    isKnown: known[0] !== undefined,
    hasTask: taskId === null || tasks === 1,
  });
  return {
    outcome,
    known: known[0],
    before,
    after: outcome === 'adjusted' ? expectedAfter(before, quota) : before,
  };
}

/** The outcome of an adjustment of such a balance. */
export function judgeAdjustment({
  adjustment: { quota },
  before: { balanceQuota, availableQuota, debtQuota },
  isKnown,
  hasTask,
}: {
  readonly adjustment: Pick<Adjustment, 'quota'>;
  readonly before: AccountBalance;
  readonly isKnown: boolean;
  readonly hasTask: boolean;
}): AdjustmentOutcome {
  if (isKnown) return 'reused';
  if (!hasTask) return 'unknown_task';
  if (balanceQuota + quota > Number.MAX_SAFE_INTEGER) return 'too_much';
  const free = debtQuota > 0 ? 0 : availableQuota;
  return quota < 0 && free + quota < 0 ? 'insufficient' : 'adjusted';
}

/** What is owed is paid first. */
export function expectedAfter(
  { balanceQuota, heldQuota, debtQuota }: AccountBalance,
  quota: number,
): AccountBalance {
  const balance = balanceQuota + quota;
  const paid = Math.min(debtQuota, balance - heldQuota);
  return toBalance({ balance: balance - paid, held: heldQuota, debt: debtQuota - paid });
}
