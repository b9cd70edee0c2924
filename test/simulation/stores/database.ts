import type { Database } from '@gateway/store';
import pg from 'pg';
import { secretSealOf } from '../../../packages/store/src/callbacks/secret-seal.ts';
import { createPrisma } from '../../../packages/store/src/database/prisma.ts';
import { connectionLost, type Life } from '../world/life.ts';
import type { Weather } from '../world/network.ts';
import type { World } from '../world/world.ts';
import { textOf, type Statement, type TimedServer } from './timed-server.ts';

/** The server as all replicas of a world share it. */
export interface SharedPostgres {
  readonly world: World;
  readonly server: TimedServer;
  readonly weather: Weather;
  /** Nobody reaches it. */
  isAway: boolean;
  /** Counts the servers that there have been: connections to an earlier one are broken. */
  servers: number;
  /**
   * Lets one session at a time change anything while a transaction is open: the server in this process
   * has only one.
   */
  readonly sessions: Sessions;
  /** What replicas have opened in this process, and whoever dies does not close. */
  readonly leftOpen: (() => Promise<unknown>)[];
}

interface Sessions {
  /** Resolves when no other session has a transaction open; with `begins` this one has from then on. */
  enter(session: symbol, begins: boolean): Promise<void>;
  /** Does nothing for a session without a transaction. */
  leave(session: symbol): void;
  isOpen(session: symbol): boolean;
  /** The one with a transaction. */
  readonly holder: symbol | undefined;
}

export function createSessions(): Sessions {
  let holder: symbol | undefined;
  const waiting: { session: symbol; begins: boolean; resolve: () => void }[] = [];
  const admit = (): void => {
    while (waiting.length > 0 && (holder === undefined || holder === waiting[0]?.session)) {
      const next = waiting.shift();
      if (next?.begins === true) holder = next.session;
      next?.resolve();
    }
  };
  return {
    async enter(session, begins) {
      if (holder === session) return;
      await new Promise<void>((resolve) => {
        waiting.push({ session, begins, resolve });
        admit();
      });
    },
    leave(session) {
      if (holder !== session) return;
      holder = undefined;
      admit();
    },
    isOpen: (session) => holder === session,
    get holder() {
      return holder;
    },
  };
}

/** The database as one life of a replica sees it: what the store packages take for a pool. */
export function connectDatabase(shared: SharedPostgres, life: Life): Database {
  const pool = poolOf(shared, life);
  const query = (text: string): Promise<pg.QueryResult> => pool.query(text);
  let prisma: ReturnType<Database['prisma']> | undefined;
  return {
    pool,
    seal: secretSealOf(''),
    openClient: undefined,
    prisma: () => (prisma ??= openPrisma(shared, pool)),
    check: () => query('SELECT 1'),
    readTime: async () => {
      const { rows } = await pool.query<{ ms: number }>(readTimeSql);
      return rows[0]?.ms ?? NaN;
    },
    part: { name: 'database', stop: () => Promise.resolve() },
  };
}

/** Word for word the product's. */
const readTimeSql = {
  name: 'read-time',
  text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
};

async function openPrisma(shared: SharedPostgres, pool: pg.Pool): ReturnType<Database['prisma']> {
  const prisma = createPrisma(pool);
  shared.leftOpen.push(() => prisma.$disconnect());
  // Loads its compiler from the disk; from then on nothing of it takes real time.
  await shared.world.atWork(prisma.$connect());
  return prisma;
}

/** Like pg's pool as far as the store uses it; it is one by its prototype, as Prisma's adapter asks. */
function poolOf(shared: SharedPostgres, life: Life): pg.Pool {
  const alone = Symbol('session without a transaction');
  const pool = Object.create(pg.Pool.prototype) as pg.Pool;
  return Object.assign(pool, {
    query: (statement: Statement, values?: unknown[]) =>
      life.within(send(shared, { life, session: alone, isTransaction: false, statement, values })),
    connect: () => life.within(Promise.resolve(clientOf(shared, life))),
    end: () => Promise.resolve(),
  });
}

function clientOf(shared: SharedPostgres, life: Life): pg.PoolClient {
  const session = Symbol('session');
  const { sessions } = shared;
  // The server ends what a broken session had begun.
  const abandon = (): Promise<void> => rollBack(shared, session);
  const forget = life.onEnd(() => void abandon());
  return {
    query: (statement: Statement, values?: unknown[]) => {
      const sent = send(shared, { life, session, isTransaction: true, statement, values }).catch(
        async (error: unknown) => {
          if (isLost(error)) await abandon();
          throw error;
        },
      );
      return life.within(sent);
    },
    release() {
      forget();
      if (sessions.isOpen(session)) void abandon();
    },
  } as unknown as pg.PoolClient;
}

interface Sending {
  readonly life: Life;
  readonly session: symbol;
  /** Statements of this session are those of one transaction. */
  readonly isTransaction: boolean;
  readonly statement: Statement;
  readonly values: unknown[] | undefined;
}

/** One statement with its ways there and back. What was sent is done, also when its sender is gone. */
async function send(shared: SharedPostgres, sending: Sending): Promise<pg.QueryResult> {
  const { world, weather } = shared;
  const { life, statement } = sending;
  const { dice, trace } = world;
  const { servers } = shared;
  const told = `${life.name}: ${describeStatement(statement)}`;
  // A timer of somebody who is not there any more may still fire.
  if (!life.isAlive()) return new Promise(() => undefined);
  life.moment();
  await world.pause(world.latency());
  if (shared.isAway || servers !== shared.servers || dice.chance(weather.lostBefore)) {
    trace.say(`${told} never arrived`);
    throw connectionLost('ECONNRESET');
  }
  const result = await carryOut(shared, sending).catch((error: unknown) => {
    trace.say(`${told} failed: ${(error as Error).message}`);
    throw error;
  });
  trace.say(`${told} → ${result.rowCount ?? 0}`);
  life.moment();
  await world.pause(world.latency());
  if (servers !== shared.servers || dice.chance(weather.lostAfter)) {
    trace.say(`${told}: the response was lost`);
    throw connectionLost('ECONNRESET');
  }
  return result;
}

/** What the server does when the statement has arrived. */
async function carryOut(
  shared: SharedPostgres,
  { life, session, isTransaction, statement, values }: Sending,
): Promise<pg.QueryResult> {
  const { world, server, sessions } = shared;
  const text = textOf(statement);
  // What its broken session had begun was rolled back, and nothing more is done in it.
  if (isTransaction && text !== 'BEGIN' && !sessions.isOpen(session)) {
    throw connectionLost('ECONNRESET');
  }
  await sessions.enter(session, text === 'BEGIN');
  const result = await world.atWork(server.send(statement, values));
  if (text === 'COMMIT' || text === 'ROLLBACK') sessions.leave(session);
  // Its sender died on the way, and the server sees that the connection is gone.
  if (!life.isAlive()) await rollBack(shared, session);
  return result;
}

/** Ends the transaction of this session, where it has one open. */
export async function rollBack(
  { world, server, sessions }: SharedPostgres,
  session: symbol,
): Promise<void> {
  if (!sessions.isOpen(session)) return;
  await world.atWork(server.send('ROLLBACK'));
  sessions.leave(session);
}

const isLost = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ECONNRESET';

const beginnings = new Map<string, string>();

/** By its name, or the beginning of its text. */
function describeStatement(statement: Statement): string {
  if (typeof statement !== 'string' && statement.name !== undefined) return statement.name;
  const text = textOf(statement);
  const known = beginnings.get(text);
  if (known !== undefined) return known;
  const beginning = text.replace(/\s+/g, ' ').trim().slice(0, 60);
  beginnings.set(text, beginning);
  return beginning;
}
