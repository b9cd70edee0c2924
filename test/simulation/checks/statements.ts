import type pg from 'pg';
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

type Check = (sent: Sent) => string | undefined;

/**
 * Reads along: what no row of the end tells any more. A constraint that refuses something has saved the
 * books, and what was to prevent it has not.
 */
export function watchStatements(server: TimedServer): StatementsWatch {
  const seen = new Set<string>();
  const checks: readonly Check[] = [staleWrite, createForeignRecord()];
  return {
    get seen() {
      return [...seen];
    },
    async send(statement, values, at) {
      try {
        const result = await server.send(statement, values, at);
        const sent = { name: nameOf(statement), values: valuesOf(statement, values), result };
        for (const check of checks) {
          const fault = check(sent);
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
