// SQL by hand: slices of everything, each one statement with a view of its own.
import type { Database } from '../database/database.ts';
import { invariantNames, invariants } from './invariants/index.ts';
import { isAtRest, type Reads, type Scope } from './invariants/invariant.ts';
import { readsSinceClosing, slicedReads } from './reads.ts';
import { run } from './statement.ts';

export interface Violation {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

/** Where an audit goes on: behind `after` in the ids of `scope`, with what it has found so far. */
export interface FullAuditState {
  readonly scope: Scope;
  readonly after: string;
  /** Slices that are done. */
  readonly slices: number;
  readonly found: readonly Violation[];
}

export interface FullAuditOptions {
  /** How many seconds work in flight may take before it counts as stuck. */
  readonly graceSeconds: number;
  /** From where a former audit was interrupted; from the beginning when left out. */
  readonly from?: FullAuditState | undefined;
  /**
   * Trusts what is closed of the ledger, and looks at the rows that came since: entries, and the tasks
   * that they are about.
   */
  readonly sinceClosing?: boolean;
  /** After each slice; the audit waits for it. */
  readonly onSlice?: ((state: FullAuditState) => Promise<void>) | undefined;
}

const scopes = [
  'live',
  'accounts',
  'entries',
  'tasks',
  'archive',
  'closings',
] as const satisfies readonly Scope[];
const mostOfEach = 100;

/**
 * Where slices end. Every task has its hold or the entry of it, and every account its row; rows that
 * have neither lie between two that do, for slices leave nothing out.
 */
const slices: Readonly<
  Record<Exclude<Scope, 'live'>, { size: number; ids: string; start: string }>
> = {
  accounts: {
    size: 200,
    start: '',
    ids: `SELECT id FROM account WHERE id > {after} ORDER BY id LIMIT {size}`,
  },
  entries: {
    size: 20_000,
    start: '-1',
    ids: `SELECT id FROM ledger_entry WHERE id > {after} ORDER BY id LIMIT {size}`,
  },
  tasks: {
    size: 5_000,
    start: '',
    // Of tasks whose holds are in the archive, or gone with it, there are entries.
    ids: `
      SELECT id FROM (
        (SELECT task_id AS id FROM hold WHERE task_id > {after} ORDER BY task_id LIMIT {size})
        UNION (SELECT task_id FROM ledger_entry WHERE task_id > {after} AND kind = 'hold' ORDER BY task_id LIMIT {size})) known
      ORDER BY id LIMIT {size}`,
  },
  archive: {
    size: 5_000,
    start: '',
    ids: `SELECT task_id AS id FROM archived_task WHERE task_id > {after} ORDER BY task_id LIMIT {size}`,
  },
  closings: {
    size: 20,
    start: '',
    ids: `SELECT id FROM account WHERE id > {after} ORDER BY id LIMIT {size}`,
  },
};

const startOf = (scope: Scope): string => (scope === 'live' ? '' : slices[scope].start);

/**
 * Every breach of the invariants in all rows there are, at most a hundred of each. One slice after
 * the other, so no statement and no snapshot lasts long, however much there is.
 */
export async function auditEverything(
  pool: Database['pool'],
  { graceSeconds, from, sinceClosing = false, onSlice }: FullAuditOptions,
): Promise<Violation[]> {
  const rows = sinceClosing ? await openRows(pool) : allRows;
  let state: FullAuditState = from ?? { scope: 'live', after: '', slices: 0, found: [] };
  for (const scope of rows.scopes.slice(rows.scopes.indexOf(state.scope))) {
    const after = from?.scope === scope ? from.after : (rows.starts[scope] ?? startOf(scope));
    state = await auditScope(pool, { ...state, scope, after }, { rows, graceSeconds, onSlice });
  }
  return inOrder(state.found);
}

async function auditScope(
  pool: Database['pool'],
  from: FullAuditState,
  {
    rows,
    graceSeconds,
    onSlice,
  }: Pick<FullAuditOptions, 'graceSeconds' | 'onSlice'> & { rows: Rows },
): Promise<FullAuditState> {
  const { scope } = from;
  let state = from;
  for (let upTo: string | null = from.after; upTo !== null;) {
    const { after } = state;
    upTo = await endOfSlice(pool, scope, after);
    const values = { grace: graceSeconds, after, upTo };
    const found = await checkSlice(pool, scope, { reads: rows.readsOf(scope), values });
    state = stateBehind(state, { scope, after: upTo ?? after, found });
    await onSlice?.(upTo === null ? following(state) : state);
  }
  return state;
}

const stateBehind = (
  { slices: done, found: before }: FullAuditState,
  { found, ...place }: Pick<FullAuditState, 'scope' | 'after' | 'found'>,
): FullAuditState => ({ ...place, slices: done + 1, found: withinBound([...before, ...found]) });

/** At the end of one scope the next one begins; at the end of the last there is nothing left. */
function following(state: FullAuditState): FullAuditState {
  const next = scopes[scopes.indexOf(state.scope) + 1];
  return next === undefined ? state : { ...state, scope: next, after: startOf(next) };
}

/** Null for the last slice, which has no end. */
async function endOfSlice(
  pool: Database['pool'],
  scope: Scope,
  after: string,
): Promise<string | null> {
  if (scope === 'live') return null;
  const { ids, size } = slices[scope];
  const { rows } = await run<{ last: string | null; ids: number }>(
    pool,
    `SELECT max(id)::text AS last, count(*)::int AS ids FROM (${ids}) slice`,
    { after, size },
  );
  return rows[0] === undefined || rows[0].ids < size ? null : rows[0].last;
}

/** Which rows are audited. */
interface Rows {
  readonly scopes: readonly Scope[];
  /** Behind which they lie, where that is not the beginning. */
  readonly starts: Partial<Record<Scope, string | undefined>>;
  readonly readsOf: (scope: Scope) => Reads;
}

const allRows: Rows = { scopes, starts: {}, readsOf: slicedReads };

/** The first entry of any account behind its last closing, and the first task that one is about. */
const startsSql = `
  WITH first AS (
    SELECT min(e.id) AS id FROM account a LEFT JOIN LATERAL (SELECT last_entry_id FROM ledger_closing c WHERE c.account_id = a.id ORDER BY c.month DESC LIMIT 1) c ON true,
      LATERAL (SELECT id FROM ledger_entry WHERE account_id = a.id AND id > coalesce(c.last_entry_id, -1) ORDER BY id LIMIT 1) e)
  SELECT (id - 1)::text AS entries, (SELECT min(task_id) FROM ledger_entry WHERE id >= first.id) AS tasks FROM first`;

/** Those that no closing stands for. */
async function openRows(pool: Database['pool']): Promise<Rows> {
  const { rows } = await run<{ entries: string | null; tasks: string | null }>(pool, startsSql);
  const [first] = rows;
  return {
    scopes: scopes.filter((scope) => !isAtRest(scope)),
    // The ids of a slice are greater than where it begins.
    starts: { entries: first?.entries ?? undefined, tasks: first?.tasks?.slice(0, -1) },
    readsOf: readsSinceClosing,
  };
}

type SliceValues = Readonly<{ grace: number; after: string; upTo: string | null }>;

async function checkSlice(
  pool: Database['pool'],
  scope: Scope,
  { reads, values }: { readonly reads: Reads; readonly values: SliceValues },
): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const [invariant, { sql, scope: its }] of Object.entries(invariants)) {
    if (its !== scope) continue;
    const { rows } = await run<{ subject: string; detail: string }>(
      pool,
      `${sql(reads)} LIMIT ${mostOfEach}`,
      values,
    );
    found.push(...rows.map(({ subject, detail }) => ({ invariant, subject, detail })));
  }
  return found;
}

function withinBound(found: readonly Violation[]): Violation[] {
  const counts = new Map<string, number>();
  return found.filter(({ invariant }) => {
    const count = (counts.get(invariant) ?? 0) + 1;
    counts.set(invariant, count);
    return count <= mostOfEach;
  });
}

const inOrder = (found: readonly Violation[]): Violation[] =>
  invariantNames.flatMap((name) => found.filter(({ invariant }) => invariant === name));
