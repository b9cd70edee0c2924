import type pg from 'pg';
import type { LeaseState } from '@gateway/store';
import { replicaLeaseSeconds } from '../actors/settings.ts';
import type { Statement, TimedServer } from '../stores/timed-server.ts';

export interface StatementsWatch extends TimedServer {
  /** What was not as it has to be at any moment, in words. */
  readonly seen: readonly string[];
}

interface Sent {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly result: pg.QueryResult;
}

type Check = (sent: Sent) => string | undefined | Promise<string | undefined>;

/**
 * Reads along: what no row of the end tells any more. A constraint that refuses something has saved the
 * books, and what was to prevent it has not.
 */
export function watchStatements(server: TimedServer): StatementsWatch {
  const seen = new Set<string>();
  const checks: readonly Check[] = [staleWrite, createForeignRecord(), createEarlyTakeBack(server)];
  return {
    get seen() {
      return [...seen];
    },
    async send(statement, values, at) {
      try {
        const result = await server.send(statement, values, at);
        const sent = { name: nameOf(statement), values: valuesOf(statement, values), result };
        for (const check of checks) {
          const fault = await check(sent);
          if (fault !== undefined) seen.add(fault);
        }
        return result;
      } catch (error) {
        const { code, message } = error as { readonly code?: string; readonly message: string };
        // Class 23: integrity constraints.
        if (code?.startsWith('23') === true) seen.add(`the database refused: ${message}`);
        throw error;
      }
    },
  };
}

const nameOf = (statement: Statement): string =>
  typeof statement === 'string' ? statement : (statement.name ?? statement.text);

const valuesOf = (statement: Statement, values: readonly unknown[] = []): readonly unknown[] =>
  typeof statement === 'string' ? values : (statement.values ?? values);

const isMove = /^\s*(WITH moved AS \(\s*)?UPDATE task SET epoch = epoch \+ 1/;
const namedMoves: ReadonlySet<string> = new Set(['claim-submission', 'put-off', 'give-back-slot']);

/** A worker's write comes through only at the epoch that it read. */
const staleWrite: Check = ({ name, values: [id, read], result }) => {
  if (!namedMoves.has(name) && !isMove.test(name)) return undefined;
  const [row] = result.rows as readonly { readonly epoch?: number }[];
  return row?.epoch === undefined || typeof read !== 'number' || row.epoch === read + 1
    ? undefined
    : `a write to ${String(id)} with epoch ${read} came through at ${row.epoch - 1}`;
};

/** An attempt is recorded only by who has the claim; whoever did not hear of it asks again. */
function createForeignRecord(): Check {
  const holders = new Map<unknown, unknown>();
  const known = new Set<unknown>();
  return ({ name, values, result }) => {
    const [callback, token] = values;
    const [row] = result.rows as readonly { readonly recorded?: string }[];
    if (name === 'claim-callback' && row !== undefined) holders.set(callback, token);
    if (name !== 'record-callback_attempt' || row?.recorded === 'lost') return undefined;
    const attemptId = values[6];
    if (known.has(attemptId)) return undefined;
    known.add(attemptId);
    return holders.get(callback) === token
      ? undefined
      : `an attempt for ${String(callback)} was recorded under a claim that was lost`;
  };
}

const earlySql = `
  SELECT l.id, count(*)::int AS open FROM text_lease l JOIN usage_open o ON o.replica = l.replica
  WHERE l.id = ANY($1) AND NOT EXISTS (SELECT 1 FROM usage_lease u WHERE u.replica = l.replica AND u.renewed_at > now() - make_interval(secs => $2))
  GROUP BY l.id ORDER BY l.id LIMIT 1`;

/** What a replica that is gone was at work on is charged to its lease, which is there until then. */
const createEarlyTakeBack =
  (server: TimedServer): Check =>
  async ({ name, values: [replica], result }) => {
    if (name !== 'settle-leases' || replica !== '') return undefined;
    const closed = (result.rows as readonly LeaseState[]).filter(({ state }) => state === 'closed');
    if (closed.length === 0) return undefined;
    const ids = closed.map(({ leaseId }) => leaseId);
    const { rows } = await server.send(earlySql, [ids, replicaLeaseSeconds]);
    const [early] = rows as readonly { readonly id: string; readonly open: number }[];
    return early === undefined
      ? undefined
      : `${early.id} was taken back before ${early.open} requests that its replica left were charged`;
  };
