// SQL by hand: money. Each statement decides, writes and posts under the balances' locks.
import type pg from 'pg';
import type { Database } from '../database/database.ts';

/** What a replica says of one of its leases, and wants of it. Nano-quota, unless it says quota. */
export interface LeaseAsk {
  readonly accountId: string;
  readonly leaseId: string;
  /** Grows with every ask about this lease: an older one that arrives late changes nothing. */
  readonly sequence: number;
  /** Cost of all requests that have ended since the lease began. */
  readonly spentNano: number;
  /** Reserved for requests that run. */
  readonly reservedNano: number;
  /** What requests that wait would reserve, all of them and the smallest. */
  readonly neededNano: number;
  readonly leastNano: number;
  /** To have at hand beyond that; never more than a tenth of what the account could spend. */
  readonly spareNano: number;
  /**
   * `keep`: nothing is given back, for the replica goes on serving from what it has. `give_back`:
   * what is beyond the rest of the ask. `close`: all of it, once all that was spent has been taken.
   */
  readonly mode: 'keep' | 'give_back' | 'close';
}

/** A lease as the books have it. */
export interface LeaseState {
  readonly accountId: string;
  readonly leaseId: string;
  /** `none`: nothing was granted, or nothing is known of it any more. */
  readonly state: 'open' | 'closed' | 'none';
  readonly heldQuota: number;
  /** What it holds and does not owe. */
  readonly purseNano: number;
  /** Cost of the usage that billing has taken so far. */
  readonly appliedNano: number;
  /** Of the account, beside this and all that is held. */
  readonly availableQuota: number;
  readonly debtQuota: number;
}

/** One that its replica has not closed, as far as the books know. */
export interface OpenLease {
  readonly accountId: string;
  readonly leaseId: string;
  /** Of its last ask. */
  readonly sequence: number;
}

/** A lease whose replica has not been heard of. */
export interface AbandonedLease {
  readonly leaseId: string;
  readonly accountId: string;
  readonly replica: string;
  readonly heldQuota: number;
}

export interface TextLeases {
  /** The replica lives, and its leases and open usage are its own. */
  renew(replica: string): Promise<void>;
  /**
   * Brings leases to what their replica asks, in one statement: grows them by what is available,
   * gives back what is too much, closes those that are over. At most one ask for each account.
   */
  settle(replica: string, asks: readonly LeaseAsk[]): Promise<LeaseState[]>;
  /** Accounts in debt of which this replica has a lease. */
  debtors(replica: string): Promise<string[]>;
  /** At most `limit` open leases of a replica, in the order of their ids, from behind `after` on. */
  findOpen(
    replica: string,
    page: { readonly after: string; readonly limit: number },
  ): Promise<OpenLease[]>;
  /**
   * Closes leases of replicas that were silent for `leaseSeconds` and left no usage that is not
   * taken, at most `limit`; returns them.
   */
  takeBack(options: { leaseSeconds: number; limit: number }): Promise<AbandonedLease[]>;
  /** Forgets leases that were closed long ago. */
  purge(): Promise<void>;
}

const nano = '1000000000::numeric';

/**
 * $1 replica, $2 to $10 the asks. A lease's purse is what it holds less what it owes; promised of
 * it is what was spent and is not in the books yet, and what running requests have reserved. The
 * spare is bounded, so that a lease leaves an account that has little to its other replicas and its
 * videos. A lease that closes leaves its fraction to the balance, where two of them may make one
 * unit, which it pays. A closed lease and an old ask are only told. Leases are looked up one by one,
 * in a subquery that cannot become a join, as where usage is charged (`metering.ts`).
 */
const settleSql = `
  WITH input AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::numeric[], $6::numeric[], $7::numeric[], $8::numeric[], $9::numeric[], $10::text[])
      AS i(account_id, lease_id, sequence, spent, reserved, needed, least_needed, spare, mode)),
  locked AS (
    SELECT account_id, balance, held, text_remainder_nano AS remainder, debt_quota AS debt FROM balance
    WHERE account_id IN (SELECT account_id FROM input) ORDER BY account_id FOR UPDATE),
  known AS (
    SELECT l.* FROM locked k JOIN input i USING (account_id) CROSS JOIN LATERAL (
      SELECT * FROM text_lease t WHERE t.id = i.lease_id AND t.account_id = k.account_id FOR UPDATE) l),
  asked AS (
    SELECT i.*, k.balance, k.held, k.remainder, l.id IS NOT NULL AS is_known, coalesce(l.held_quota, 0) AS lease_held,
      coalesce(l.remainder_nano, 0) AS lease_remainder, coalesce(l.applied_nano, 0) AS applied,
      CASE WHEN k.debt > 0 THEN 0 ELSE k.balance - k.held END AS available,
      coalesce(l.held_quota, 0) * ${nano} - coalesce(l.remainder_nano, 0) AS purse,
      greatest(i.spent - coalesce(l.applied_nano, 0), 0) + i.reserved AS promised
    FROM input i JOIN locked k USING (account_id) LEFT JOIN known l ON l.id = i.lease_id
    WHERE l.id IS NULL OR (l.state = 'open' AND l.sequence < i.sequence)),
  wanted AS (
    SELECT *, ceil((promised + needed - purse) / ${nano}) AS must,
      ceil((promised + needed - purse + least(spare, (available * ${nano} + greatest(purse - promised - needed, 0)) / 10)) / ${nano}) AS target,
      is_known AND mode = 'close' AND reserved = 0 AND spent - applied <= 1000 + applied / 1000000000000 AS closes
    FROM asked),
  priced AS (SELECT *, CASE WHEN closes THEN div(remainder + lease_remainder, ${nano})::bigint ELSE 0 END AS fold FROM wanted),
  decided AS (
    SELECT *, CASE
        WHEN closes THEN fold - lease_held
        WHEN target <= 0 THEN CASE WHEN mode = 'keep' THEN 0 ELSE target END
        WHEN must <= available THEN least(target, available)
        WHEN purse - promised + available * ${nano} >= least_needed THEN available
        ELSE 0 END::bigint AS step
    FROM priced),
  fresh AS (
    INSERT INTO text_lease (id, account_id, replica, held_quota, sequence)
    SELECT lease_id, account_id, $1, step, sequence FROM decided WHERE NOT is_known AND step > 0
    ON CONFLICT (id) DO NOTHING
    RETURNING id),
  done AS (SELECT d.* FROM decided d WHERE d.is_known OR EXISTS (SELECT 1 FROM fresh f WHERE f.id = d.lease_id)),
  changed AS (
    UPDATE text_lease l SET held_quota = d.lease_held + d.step - d.fold, remainder_nano = CASE WHEN d.closes THEN 0 ELSE d.lease_remainder END,
      sequence = d.sequence, state = CASE WHEN d.closes THEN 'closed' ELSE 'open' END, closed_at = CASE WHEN d.closes THEN now() END
    FROM done d WHERE l.id = d.lease_id AND d.is_known),
  moved AS (
    UPDATE balance b SET balance = d.balance - d.fold, held = d.held + d.step - d.fold,
      text_remainder_nano = CASE WHEN d.closes THEN d.remainder + d.lease_remainder - d.fold * 1000000000 ELSE d.remainder END
    FROM done d WHERE b.account_id = d.account_id AND (d.step <> 0 OR d.closes)),
  steps AS (
    SELECT account_id, lease_id, 1 AS place, 'charge' AS kind, fold AS quota, 'held' AS debit, 'operator:revenue' AS credit,
      balance - fold AS balance_after, held - fold AS held_after, 'text usage, fractions' AS note FROM done WHERE fold > 0
    UNION ALL
    SELECT account_id, lease_id, 2, 'lease', step, 'available', 'held', balance, held + step, 'text' FROM done WHERE step > 0
    UNION ALL
    SELECT account_id, lease_id, 2, 'release', -step, 'held', 'available', balance - fold, held - fold + step, 'text' FROM done WHERE step < 0),
  entries AS (
    INSERT INTO ledger_entry (account_id, lease_id, kind, quota, debit, credit, balance_after, held_after, note)
    SELECT account_id, lease_id, kind, quota, debit, credit, balance_after, held_after, note FROM steps ORDER BY account_id, place)
  SELECT i.account_id AS "accountId", i.lease_id AS "leaseId",
    CASE WHEN d.closes THEN 'closed' WHEN d.lease_id IS NOT NULL THEN 'open' ELSE coalesce(l.state, 'none') END AS state,
    coalesce(d.lease_held + d.step - d.fold, l.held_quota, 0)::bigint AS "heldQuota",
    (coalesce(d.lease_held + d.step - d.fold, l.held_quota, 0) * ${nano}
      - CASE WHEN d.closes THEN 0 ELSE coalesce(l.remainder_nano, 0) END)::float8 AS "purseNano",
    coalesce(l.applied_nano, 0)::float8 AS "appliedNano",
    (coalesce(k.balance - k.held, 0) - coalesce(d.step, 0))::bigint AS "availableQuota", coalesce(k.debt, 0)::bigint AS "debtQuota"
  FROM input i LEFT JOIN locked k USING (account_id) LEFT JOIN known l ON l.id = i.lease_id LEFT JOIN done d ON d.lease_id = i.lease_id`;

/** Not at every call: a replica asks many times a second. */
const renewSql = `
  INSERT INTO usage_lease (replica, renewed_at) VALUES ($1, now())
  ON CONFLICT (replica) DO UPDATE SET renewed_at = excluded.renewed_at WHERE usage_lease.renewed_at < now() - interval '1 second'`;

const debtorsSql = `
  SELECT DISTINCT b.account_id FROM balance b JOIN text_lease l ON l.account_id = b.account_id AND l.state = 'open'
  WHERE b.debt_quota > 0 AND l.replica = $1 LIMIT 10000`;

/** By the index of a replica's open leases: those that are closed lie between them by id. */
const openSql = `
  WITH open AS MATERIALIZED (SELECT account_id, id, sequence FROM text_lease WHERE replica = $1 AND state = 'open')
  SELECT account_id AS "accountId", id AS "leaseId", sequence FROM open WHERE id > $2 ORDER BY id LIMIT $3`;

/**
 * One lease of each account at a time: they are closed as if their replica had asked for it. What
 * it left in the outbox is charged to its lease first.
 */
const abandonedSql = `
  SELECT DISTINCT ON (l.account_id) l.id AS "leaseId", l.account_id AS "accountId", l.replica, l.held_quota AS "heldQuota", l.sequence, l.applied_nano::text AS applied
  FROM text_lease l
  WHERE l.state = 'open' AND NOT EXISTS (SELECT 1 FROM usage_lease u WHERE u.replica = l.replica AND u.renewed_at >= now() - make_interval(secs => $1))
    AND NOT EXISTS (SELECT 1 FROM usage_open o WHERE o.replica = l.replica)
    AND l.id NOT IN (SELECT r.value ->> 'lease_id' FROM usage_batch b, jsonb_array_elements(b.records) r WHERE r.value ->> 'lease_id' IS NOT NULL)
  ORDER BY l.account_id, l.id LIMIT $2`;

export function createTextLeases({ pool }: Database): TextLeases {
  return {
    async renew(replica) {
      await pool.query({ name: 'renew-replica', text: renewSql, values: [replica] });
    },
    settle: (replica, asks) => settleLeases(pool, replica, asks),
    async debtors(replica) {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'lease-debtors',
        text: debtorsSql,
        values: [replica],
      });
      return rows.map((row) => row.account_id);
    },
    async findOpen(replica, { after, limit }) {
      const { rows } = await pool.query<OpenLease>({
        name: 'open-leases',
        text: openSql,
        values: [replica, after, limit],
      });
      return rows;
    },
    takeBack: (options) => takeBack(pool, options),
    async purge() {
      await pool.query(
        `DELETE FROM text_lease WHERE state = 'closed' AND closed_at < now() - interval '1 hour'`,
      );
    },
  };
}

async function settleLeases(
  pool: pg.Pool,
  replica: string,
  asks: readonly (Omit<LeaseAsk, 'spentNano'> & { readonly spentNano: number | string })[],
): Promise<LeaseState[]> {
  if (asks.length === 0) return [];
  const column = <Key extends keyof LeaseAsk>(key: Key) => asks.map((ask) => ask[key]);
  const { rows } = await pool.query<LeaseState>({
    name: 'settle-leases',
    text: settleSql,
    values: [
      replica,
      column('accountId'),
      column('leaseId'),
      column('sequence'),
      column('spentNano'),
      column('reservedNano'),
      column('neededNano'),
      column('leastNano'),
      column('spareNano'),
      column('mode'),
    ],
  });
  return rows;
}

async function takeBack(
  pool: pg.Pool,
  { leaseSeconds, limit }: { leaseSeconds: number; limit: number },
): Promise<AbandonedLease[]> {
  const { rows } = await pool.query<AbandonedLease & { sequence: number; applied: string }>(
    abandonedSql,
    [leaseSeconds, limit],
  );
  const states = await settleLeases(
    pool,
    '',
    rows.map(({ accountId, leaseId, sequence, applied }) => ({
      accountId,
      leaseId,
      sequence: sequence + 1,
      spentNano: applied,
      reservedNano: 0,
      neededNano: 0,
      leastNano: 0,
      spareNano: 0,
      mode: 'close' as const,
    })),
  );
  const closed = new Set(
    states.filter(({ state }) => state === 'closed').map(({ leaseId }) => leaseId),
  );
  return rows
    .filter(({ leaseId }) => closed.has(leaseId))
    .map(({ leaseId, accountId, replica, heldQuota }) => ({
      leaseId,
      accountId,
      replica,
      heldQuota,
    }));
}
