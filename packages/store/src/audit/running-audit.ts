// SQL by hand: what is new, beside checkpoints, with a plan for each.
import type { Database } from '../database/database.ts';
import { countsByKind, type Exposure } from '../tasks/exposures.ts';
import { advanceCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { Violation } from './full-audit.ts';
import { invariantNames, invariants } from './invariants/index.ts';
import { isAtRest, type Scope } from './invariants/invariant.ts';
import { earlierOf, laterOf, positionsOf, type Positions } from './positions.ts';
import { runningReads } from './reads.ts';
import { readRecentRows } from './recent-rows.ts';
import { run } from './statement.ts';

export interface RunningAuditOptions {
  /** How many seconds work in flight may take before it counts as stuck. */
  readonly graceSeconds: number;
  /** How often a replica tries; one of them audits in that time. */
  readonly everyMs: number;
  /** Who audits, for as long as nobody else does; a new one for each round. */
  readonly claim: string;
  /** How long a mark waits before nothing is looked for below it; twice the grace when left out. */
  readonly settleSeconds?: number;
}

/** How the last round went. */
export interface AuditRound {
  readonly found: readonly Violation[];
  /** Checks that did not go through, with the reason. */
  readonly failed: readonly { readonly invariant: string; readonly reason: string }[];
}

/** What is known of the books, whoever found it. */
export interface AuditState {
  readonly checks: readonly {
    readonly invariant: string;
    /** Unix time in seconds; 0 when it never went through. */
    readonly checkedAt: number;
    readonly isFailed: boolean;
    readonly violations: number;
  }[];
  /** Of the last audit of everything; undefined when there was none. */
  readonly full: { readonly finishedAt: number; readonly found: readonly Violation[] } | undefined;
  readonly exposures: Record<Exposure['kind'], number>;
}

export interface RunningAudit {
  /**
   * Checks every invariant in what is new since the last round, and in what is known to be broken.
   * One check that fails stops no other: it begins at the same place in the next round. Undefined
   * when it was a replica's turn less than `everyMs` ago.
   */
  round(options: RunningAuditOptions): Promise<AuditRound | undefined>;
  state(): Promise<AuditState>;
}

const mostOfEach = 100;
const mostRows = 2_000;

const claimSql = `
  UPDATE audit_watermark SET claim = {claim}, claimed_until = now() + make_interval(secs => {seconds}::float8)
  WHERE claimed_until <= now() RETURNING positions`;

/** Nothing is recorded by a replica whose turn another one has taken. */
const recordSql = `
  INSERT INTO audit_check (invariant, since, checked_at, failure, findings)
  SELECT r.invariant, r.since, CASE WHEN r.failure IS NULL THEN now() END, r.failure, r.findings
  FROM jsonb_to_recordset({results}::jsonb) AS r(invariant text, since jsonb, failure text, findings jsonb)
  WHERE EXISTS (SELECT 1 FROM audit_watermark WHERE claim = {claim}) ORDER BY r.invariant
  ON CONFLICT (invariant) DO UPDATE SET since = excluded.since, checked_at = coalesce(excluded.checked_at, audit_check.checked_at),
    failure = excluded.failure, findings = CASE WHEN excluded.failure IS NULL THEN excluded.findings ELSE audit_check.findings END`;

interface Finding {
  readonly subject: string;
  readonly detail: string;
  readonly key?: string;
}

/** One check in a round. */
interface Check {
  readonly invariant: string;
  readonly since: Positions;
  readonly known: readonly Finding[];
  found: Finding[];
  failure?: string;
  /** How far it looked. */
  reached?: Positions | undefined;
}

interface Round {
  readonly pool: Database['pool'];
  readonly checkpoint: Checkpoint;
  /** Why the checkpoint could not be advanced. */
  readonly failure: string | undefined;
  readonly graceSeconds: number;
  readonly endsAt: number;
}

export function createRunningAudit({ pool }: Pick<Database, 'pool'>): RunningAudit {
  return {
    async round({ graceSeconds, everyMs, claim, settleSeconds = 2 * graceSeconds }) {
      const endsAt = performance.now() + everyMs / 2;
      const { rows } = await run<{ positions: Partial<Positions> }>(pool, claimSql, {
        claim,
        seconds: (everyMs * 0.9) / 1_000,
      });
      if (rows[0] === undefined) return undefined;
      const stored = rows[0].positions;
      const { checkpoint, failure } = await advanceCheckpoint(
        { pool, claim },
        stored,
        settleSeconds,
      )
        .then((reached) => ({ checkpoint: reached, failure: undefined }))
        .catch((error: unknown) => ({ checkpoint: startOf(stored), failure: reasonOf(error) }));
      const checks = await readChecks(pool, checkpoint.positions);
      await checkAll({ pool, checkpoint, failure, graceSeconds, endsAt }, checks);
      await run(pool, recordSql, { claim, results: resultsOf(checks, checkpoint) });
      return {
        found: checks.flatMap(({ invariant, found }) =>
          found.map(({ subject, detail }) => ({ invariant, subject, detail })),
        ),
        failed: checks.flatMap(({ invariant, failure }) =>
          failure === undefined ? [] : [{ invariant, reason: failure }],
        ),
      };
    },
    state: () => readState(pool),
  };
}

const startOf = (stored: Partial<Positions>): Checkpoint => ({
  positions: positionsOf(stored),
  settled: positionsOf(stored),
});

async function readChecks(pool: Database['pool'], watermark: Positions): Promise<Check[]> {
  const { rows } = await run<{ invariant: string; since: Positions; findings: Finding[] }>(
    pool,
    'SELECT invariant, since, findings FROM audit_check',
  );
  return invariantNames.map((invariant) => {
    const row = rows.find((known) => known.invariant === invariant);
    return {
      invariant,
      since: row === undefined ? watermark : positionsOf(row.since),
      known: row?.findings ?? [],
      found: [],
    };
  });
}

/** Checks that go on from the same place share what they read. */
async function checkAll(round: Round, checks: readonly Check[]): Promise<void> {
  const groups = new Map<string, Check[]>();
  for (const check of checks) {
    const scope = scopeOf(check);
    if (isAtRest(scope)) continue;
    if (scope === 'accounts' && round.failure !== undefined) {
      check.failure = `the checkpoints stay behind: ${round.failure}`;
    } else if (scope === 'live' || scope === 'accounts') {
      await attempt(round, check, []);
    } else {
      const place = JSON.stringify(check.since);
      groups.set(place, [...(groups.get(place) ?? []), check]);
    }
  }
  for (const group of groups.values()) {
    await checkRecent(round, group).catch((error: unknown) => {
      for (const check of group) check.failure = reasonOf(error);
    });
  }
}

async function checkRecent(round: Round, group: readonly Check[]): Promise<void> {
  let [at] = group.map(({ since }) => since);
  if (at === undefined) return;
  for (const check of group) await attempt(round, check, check.known.map(keyOf));
  for (let goesOn = true; goesOn;) {
    const { taskIds, entryIds, next, isFull } = await readRecentRows(round.pool, at, mostRows);
    for (const check of group) {
      await attempt(round, check, scopeOf(check) === 'entries' ? entryIds : taskIds);
    }
    at = next;
    goesOn = isFull && performance.now() < round.endsAt;
    if (isFull) for (const check of group) check.reached = goesOn ? undefined : at;
  }
}

const scopeOf = ({ invariant }: Check): Scope | undefined => invariants[invariant]?.scope;
const keyOf = ({ key, subject }: Finding): string => key ?? subject;

/** One statement. Without ids there is nothing to look at, except for what is checked whole. */
async function attempt(round: Round, check: Check, ids: readonly string[]): Promise<void> {
  const invariant = invariants[check.invariant];
  if (invariant === undefined || check.failure !== undefined) return;
  const isWhole = invariant.scope === 'live' || invariant.scope === 'accounts';
  if (!isWhole && ids.length === 0) return;
  try {
    const { rows } = await run<Finding & { key?: string }>(
      round.pool,
      `${invariant.sql(runningReads(invariant.scope))} LIMIT ${mostOfEach}`,
      { ...round.checkpoint.positions, grace: round.graceSeconds, ids },
    );
    const known = new Set(check.found.map((finding) => JSON.stringify(finding)));
    const fresh = rows.filter((finding) => !known.has(JSON.stringify(finding)));
    check.found = [...check.found, ...fresh].slice(0, mostOfEach);
  } catch (error) {
    check.failure = reasonOf(error);
  }
}

const reasonOf = (error: unknown): string =>
  String((error as { message?: unknown }).message ?? error);

/** A check that went through need not look below the settled mark any more, nor beyond where it got. */
const resultsOf = (checks: readonly Check[], { settled }: Checkpoint): string =>
  JSON.stringify(
    checks.map(({ invariant, since, failure, found, reached }) => ({
      invariant,
      failure: failure ?? null,
      findings: found,
      since:
        failure === undefined
          ? laterOf(since, reached === undefined ? settled : earlierOf(reached, settled))
          : since,
    })),
  );

const stateSql = `
  SELECT invariant, coalesce(extract(epoch FROM checked_at), 0)::float8 AS "checkedAt", failure IS NOT NULL AS "isFailed", jsonb_array_length(findings) AS violations
  FROM audit_check`;
const fullSql = `
  SELECT extract(epoch FROM finished_at)::float8 AS "finishedAt", findings AS found FROM audit_full WHERE finished_at IS NOT NULL`;
const exposureSql = `
  SELECT kind, sum(count)::float8 AS count
  FROM (SELECT kind, count FROM audit_exposure UNION ALL SELECT kind, 1 FROM exposure WHERE id > {exposure}::bigint) counted GROUP BY kind`;

async function readState(pool: Database['pool']): Promise<AuditState> {
  const { rows: checks } = await run<AuditState['checks'][number]>(pool, stateSql);
  const { rows: full } = await run<NonNullable<AuditState['full']>>(pool, fullSql);
  return { checks, full: full[0], exposures: await readExposures(pool) };
}

async function readExposures(pool: Database['pool']): Promise<AuditState['exposures']> {
  const { rows: watermark } = await run<{ positions: Partial<Positions> }>(
    pool,
    'SELECT positions FROM audit_watermark',
  );
  const { rows } = await run<{ kind: string; count: number }>(
    pool,
    exposureSql,
    positionsOf(watermark[0]?.positions ?? {}),
  );
  return countsByKind(rows);
}
