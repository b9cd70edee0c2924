// SQL by hand: creations that come at once, on any replica, are decided by one statement each, on the locked row of
// their budget.
import type { Database } from '../database/database.ts';

/** A budget: of a key, under a name. */
export interface AgentBudget {
  readonly keyId: string;
  readonly name: string;
}

/** A creation that quota is set aside for, by its idempotency key. */
export interface BudgetUse extends AgentBudget {
  readonly creation: string;
}

export interface OpenBudgetUse {
  readonly creation: string;
  /** Undefined where nobody knows what became of the creation. */
  readonly taskId: string | undefined;
}

/**
 * What came of setting quota aside. `held`: this call did. `known`: an earlier call with the same
 * creation did, and nothing has changed. `too_old`: one did so long ago that the creation's key may be
 * forgotten while it is used. `exceeded`: the budget would then have used more than it may.
 */
export type BudgetHold = 'held' | 'known' | 'too_old' | 'exceeded';

/** A task that was made, and what is set aside for it. */
export interface MadeTask {
  readonly taskId: string;
  readonly quota: number;
}

export interface AgentBudgets {
  /** Sets quota aside, once for each creation. */
  hold(use: BudgetUse, quota: number, maxQuota: number): Promise<BudgetHold>;
  /**
   * Notes the task, and sets aside for it what was not yet; false when that took the budget beyond
   * `maxQuota`.
   */
  made(use: BudgetUse, task: MadeTask, maxQuota: number): Promise<boolean>;
  /** Gives back what a creation that made nothing had set aside. */
  release(use: BudgetUse): Promise<void>;
  /** Gives back what a task that is over did not cost. */
  settle(budget: AgentBudget, taskId: string, billedQuota: number): Promise<void>;
  /** The same for a task that is gone: by the books, or where they forgot it, for all that was set aside. */
  settleGone(budget: AgentBudget, taskId: string): Promise<void>;
  /**
   * Finds out what became of creations that were cut off, then returns those that are not settled,
   * the oldest first, and what the budget has used.
   */
  open(budget: AgentBudget): Promise<{
    readonly uses: readonly OpenBudgetUse[];
    readonly usedQuota: number;
  }>;
}

/** What is settled, and repeated no more, is forgotten; a key of a creation is known for a day. */
const forgotten = `DELETE FROM agent_budget_use WHERE key_id = $1 AND budget = $2 AND settled AND created_at < now() - interval '25 hours'`;

/** A key that is older may be forgotten before the gateway reads it, and would then make another video. */
const holdSql = `
  WITH known AS (
    SELECT created_at < now() - interval '23 hours' AS old FROM agent_budget_use WHERE key_id = $1 AND budget = $2 AND creation = $3),
  forgotten AS (${forgotten}),
  taken AS (
    INSERT INTO agent_budget AS b (key_id, name, used_quota)
    SELECT $1, $2, $4::bigint WHERE $4::bigint <= $5::bigint AND NOT EXISTS (SELECT 1 FROM known)
    ON CONFLICT (key_id, name) DO UPDATE SET used_quota = b.used_quota + $4::bigint WHERE b.used_quota + $4::bigint <= $5::bigint
    RETURNING 1),
  noted AS (INSERT INTO agent_budget_use (key_id, budget, creation, quota) SELECT $1, $2, $3, $4::bigint FROM taken RETURNING 1)
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM noted) THEN 'held'
    WHEN EXISTS (SELECT 1 FROM known WHERE old) THEN 'too_old'
    WHEN EXISTS (SELECT 1 FROM known) THEN 'known'
    ELSE 'exceeded' END AS outcome`;

/** Of a creation that has its task already nothing changes. */
const madeSql = `
  WITH known AS (
    SELECT quota, task_id, settled FROM agent_budget_use WHERE key_id = $1 AND budget = $2 AND creation = $3 FOR UPDATE),
  noted AS (
    UPDATE agent_budget_use u SET task_id = $4, quota = $5::bigint FROM known
    WHERE u.key_id = $1 AND u.budget = $2 AND u.creation = $3 AND known.task_id IS NULL AND NOT known.settled
    RETURNING $5::bigint - known.quota AS more),
  moved AS (
    UPDATE agent_budget b SET used_quota = b.used_quota + noted.more FROM noted WHERE b.key_id = $1 AND b.name = $2
    RETURNING noted.more <= 0 OR b.used_quota <= $6::bigint AS within)
  SELECT EXISTS (SELECT 1 FROM known) AS known, coalesce((SELECT within FROM moved), true) AS within`;

/** Of a creation that was given up while it was under way all of it is set aside anew. */
const madeUnheldSql = `
  WITH noted AS (
    INSERT INTO agent_budget_use (key_id, budget, creation, task_id, quota) VALUES ($1, $2, $3, $4, $5::bigint)
    ON CONFLICT (key_id, budget, creation) DO NOTHING RETURNING quota)
  UPDATE agent_budget b SET used_quota = b.used_quota + noted.quota FROM noted WHERE b.key_id = $1 AND b.name = $2
  RETURNING b.used_quota <= $6::bigint AS within`;

const releaseSql = `
  WITH gone AS (
    DELETE FROM agent_budget_use WHERE key_id = $1 AND budget = $2 AND creation = $3 AND task_id IS NULL AND NOT settled RETURNING quota)
  UPDATE agent_budget b SET used_quota = b.used_quota - gone.quota FROM gone WHERE b.key_id = $1 AND b.name = $2`;

const settledFor = (cost: string): string => `
  WITH known AS (
    SELECT creation, quota FROM agent_budget_use WHERE key_id = $1 AND budget = $2 AND task_id = $3 AND NOT settled FOR UPDATE),
  cost AS (SELECT ${cost} AS quota),
  done AS (
    UPDATE agent_budget_use u SET settled = true, quota = coalesce(cost.quota, known.quota) FROM known, cost
    WHERE u.key_id = $1 AND u.budget = $2 AND u.creation = known.creation
    RETURNING known.quota - coalesce(cost.quota, known.quota) AS back),
  summed AS (SELECT sum(back) AS back FROM done HAVING count(*) > 0)
  UPDATE agent_budget b SET used_quota = b.used_quota - summed.back FROM summed WHERE b.key_id = $1 AND b.name = $2`;

const settleSql = settledFor('$4::bigint');
const settleGoneSql = settledFor(
  `(SELECT charged_quota FROM hold WHERE task_id = $3 AND state = 'closed')`,
);

/** Longer than a creation may be under way. */
const cutOff = `u.task_id IS NULL AND NOT u.settled AND u.created_at < now() - interval '2 minutes'`;

const adoptSql = `
  UPDATE agent_budget_use u SET task_id = k.task_id FROM api_key a, idempotency_key k
  WHERE u.key_id = $1 AND u.budget = $2 AND ${cutOff}
    AND a.id = u.key_id AND k.account_id = a.account_id AND k.key = u.creation AND k.created`;

/** A creation whose key nobody knows, or stands for no task, made nothing; after a day nobody knows any. */
const dropSql = `
  WITH gone AS (
    DELETE FROM agent_budget_use u WHERE u.key_id = $1 AND u.budget = $2 AND ${cutOff} AND u.created_at > now() - interval '23 hours'
      AND NOT EXISTS (SELECT 1 FROM api_key a JOIN idempotency_key k ON k.account_id = a.account_id WHERE a.id = u.key_id AND k.key = u.creation AND k.created)
    RETURNING quota),
  summed AS (SELECT sum(quota) AS back FROM gone HAVING count(*) > 0)
  UPDATE agent_budget b SET used_quota = b.used_quota - summed.back FROM summed WHERE b.key_id = $1 AND b.name = $2`;

/** Of what nobody can find out any more all counts as spent: a budget is never exceeded. */
const countSql = `
  UPDATE agent_budget_use SET settled = true
  WHERE key_id = $1 AND budget = $2 AND task_id IS NULL AND NOT settled AND created_at < now() - interval '25 hours'`;

const openSql = `
  SELECT b.used_quota AS used, u.creation, u.task_id AS "taskId"
  FROM agent_budget b LEFT JOIN agent_budget_use u ON u.key_id = b.key_id AND u.budget = b.name AND NOT u.settled
  WHERE b.key_id = $1 AND b.name = $2 ORDER BY u.created_at LIMIT 100`;

const uniqueViolation = '23505';

/** What agents may spend through one key, exactly, over all replicas. */
export function createAgentBudgets({ pool }: Database): AgentBudgets {
  const hold = async (
    { keyId, name, creation }: BudgetUse,
    quota: number,
    maxQuota: number,
  ): Promise<BudgetHold> => {
    const values = [keyId, name, creation, quota, maxQuota];
    const { rows } = await pool.query<{ outcome: BudgetHold }>(holdSql, values);
    return rows[0]?.outcome ?? 'exceeded';
  };
  return {
    async hold(use, quota, maxQuota) {
      try {
        return await hold(use, quota, maxQuota);
      } catch (error) {
        // Somebody set the same creation aside in the same moment: now it is known.
        if ((error as { code?: unknown }).code !== uniqueViolation) throw error;
        return hold(use, quota, maxQuota);
      }
    },
    async made({ keyId, name, creation }, { taskId, quota }, maxQuota) {
      const values = [keyId, name, creation, taskId, quota, maxQuota];
      for (;;) {
        const noted = await pool.query<{ known: boolean; within: boolean }>(madeSql, values);
        if (noted.rows[0]?.known === true) return noted.rows[0].within;
        const unheld = await pool.query<{ within: boolean }>(madeUnheldSql, values);
        // None where somebody has set it aside between the two: then it is known.
        if (unheld.rows[0] !== undefined) return unheld.rows[0].within;
      }
    },
    async release({ keyId, name, creation }) {
      await pool.query(releaseSql, [keyId, name, creation]);
    },
    async settle({ keyId, name }, taskId, billedQuota) {
      await pool.query(settleSql, [keyId, name, taskId, billedQuota]);
    },
    async settleGone({ keyId, name }, taskId) {
      await pool.query(settleGoneSql, [keyId, name, taskId]);
    },
    open: (budget) => open(pool, budget),
  };
}

async function open(
  pool: Database['pool'],
  { keyId, name }: AgentBudget,
): ReturnType<AgentBudgets['open']> {
  for (const sql of [adoptSql, dropSql, countSql]) await pool.query(sql, [keyId, name]);
  const { rows } = await pool.query<{
    used: number;
    creation: string | null;
    taskId: string | null;
  }>(openSql, [keyId, name]);
  return {
    usedQuota: rows[0]?.used ?? 0,
    uses: rows.flatMap(({ creation, taskId }) =>
      creation === null ? [] : [{ creation, taskId: taskId ?? undefined }],
    ),
  };
}
