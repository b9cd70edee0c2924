import type pg from 'pg';
import { turn } from '../world/clock.ts';
import {
  isBound,
  textOf,
  type OpaqueServer,
  type Statement,
  type TimedServer,
} from './timed-server.ts';
import { createWrites } from './writes.ts';

/** A statement that was answered, and until when it would be answered alike. */
interface Known {
  readonly writes: number;
  readonly result: pg.QueryResult;
  readonly until: number;
  /** How often it was asked since anything was written. */
  readonly times: number;
  /** Something else will be found soon. */
  readonly isHopeless?: boolean;
}

interface Asked {
  readonly statement: Statement;
  readonly values: unknown[] | undefined;
  readonly kind: Kind;
  readonly at: number;
}

/** What a statement can depend on, and do. */
type Kind = 'timeless' | 'timed' | 'writing';

/** Looking ahead costs several statements: only what nothing was written between. */
const timesBeforeLooking = 2;

/** How far is looked ahead: the longest first. */
const horizonsMs = [3_600_000, 600_000, 60_000];

/**
 * Most of a quiet hour are sweeps that find nothing, again and again. A statement is answered as
 * before when nothing was written since, and time changes nothing of it. That is so for one that
 * reads no clock; and for one that found nothing and, asked with the clock of a later time, finds
 * nothing either: what has become due stays due. Worlds tell the same story with this and without.
 */
export function createRepeats(server: OpaqueServer, now: () => number): TimedServer {
  const kindOf = createKinds(server.opaque);
  const known = new Map<string, Known>();
  const writes = createWrites(server);
  let transaction: { readonly at: number; isSent: boolean; rows: number } | undefined;

  /** Begins at the server only with its first statement, under the time at which it was begun. */
  async function bound(text: string): Promise<pg.QueryResult> {
    const over = transaction;
    transaction = text === 'BEGIN' ? { at: now(), isSent: false, rows: 0 } : undefined;
    if (over?.isSent !== true) return noRows;
    const result = await server.send(text);
    writes.note(over.rows);
    return result;
  }

  async function answer(statement: Statement, values?: unknown[]): Promise<pg.QueryResult> {
    const text = textOf(statement);
    if (isBound(text)) return bound(text);
    const kind = kindOf(text);
    if (transaction?.isSent === true) return run({ statement, values, kind, at: now() });
    const asked = { statement, values, kind, at: transaction?.at ?? now() };
    const key = keyOf(asked);
    const repeated = await repeat(key, asked);
    if (repeated !== undefined) return repeated;
    if (transaction !== undefined) {
      transaction.isSent = true;
      await server.send('BEGIN', undefined, transaction.at);
    }
    const result = await run(asked);
    remember(key, kind, result);
    return result;
  }

  function remember(key: string, kind: Kind, result: pg.QueryResult): void {
    const isLasting = kind === 'timeless';
    if (!isLasting && result.rowCount !== 0) return;
    const count = writes.countSoFar;
    const before = known.get(key);
    known.set(key, {
      ...(before?.writes === count ? before : { times: 0 }),
      writes: count,
      result,
      until: isLasting ? Infinity : 0,
    });
  }

  async function run({ statement, values, kind }: Asked): Promise<pg.QueryResult> {
    let rows = 1;
    try {
      const result = await server.send(statement, values);
      rows = result.rowCount ?? 0;
      return result;
    } finally {
      if (kind === 'writing') {
        if (transaction?.isSent === true) transaction.rows += rows;
        else writes.note(rows);
      }
    }
  }

  async function repeat(key: string, asked: Asked): Promise<pg.QueryResult | undefined> {
    const before = known.get(key);
    if (before === undefined || before.writes !== (await writes.count())) return undefined;
    if (asked.at < before.until) return before.result;
    const times = before.times + 1;
    known.set(key, { ...before, times });
    if (before.isHopeless === true || times < timesBeforeLooking) return undefined;
    const until = await nothingUntil(asked);
    known.set(key, { ...before, times, until, isHopeless: until <= asked.at });
    return until > asked.at ? before.result : undefined;
  }

  /** Until when a statement that found nothing is sure to find nothing, and to write nothing. */
  async function nothingUntil(asked: Asked): Promise<number> {
    const count = await writes.count();
    for (const horizonMs of horizonsMs) {
      const until = asked.at + horizonMs;
      const { rowCount } = await ask({ ...asked, at: until });
      if ((await writes.count()) !== count) return 0;
      if (rowCount === 0) return until;
    }
    return 0;
  }

  /** Whatever it does is undone. */
  async function ask({ statement, values, kind, at }: Asked): Promise<pg.QueryResult> {
    if (kind !== 'writing') return server.send(statement, values, at);
    await server.send('BEGIN', undefined, at);
    try {
      return await server.send(statement, values, at);
    } finally {
      await server.send('ROLLBACK');
      writes.note(0);
    }
  }

  return inTurn({ send: answer });
}

/** One statement after the other: there is only one session. */
export function inTurn(server: TimedServer): TimedServer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    send(statement, values) {
      const sendNow = async (): Promise<pg.QueryResult> => {
        try {
          return await server.send(statement, values);
        } finally {
          // What comes from a server never comes at once.
          await turn();
        }
      };
      const sent = last.then(sendNow);
      last = sent.catch(() => undefined);
      return sent;
    },
  };
}

const noRows = { rows: [], rowCount: null, fields: [] } as unknown as pg.QueryResult;

const keyOf = ({ statement, values }: Asked): string => {
  const given = typeof statement === 'string' ? values : (statement.values ?? values);
  return `${textOf(statement)}\n${JSON.stringify(given ?? [])}`;
};

const writing =
  /\b(insert|update|delete|merge|truncate|lock|set|share|nextval|setval|create|alter|drop)\b|advisory/i;
const timed = /\b(now|random|\w*_timestamp|current_\w+|localtime\w*|pg_\w+|txid_\w+)\b/i;

function createKinds(opaque: readonly string[]): (text: string) => Kind {
  const kinds = new Map<string, Kind>();
  const hidden = new RegExp(`\\b(${['no_such_name', ...opaque].join('|')})\\b`);
  return (text) => {
    const kind = kinds.get(text) ?? kindOf(text, hidden);
    kinds.set(text, kind);
    return kind;
  };
}

const kindOf = (text: string, hidden: RegExp): Kind => {
  if (writing.test(text) || hidden.test(text)) return 'writing';
  return timed.test(text) ? 'timed' : 'timeless';
};
