import type { Database } from '@gateway/store';
import pg from 'pg';
import { secretSealOf } from '../../../packages/store/src/callbacks/secret-seal.ts';
import { createPrisma } from '../../../packages/store/src/database/prisma.ts';
import { connectionLost, type Life } from '../world/life.ts';
import type { Weather } from '../world/network.ts';
import type { World } from '../world/world.ts';
import { createSilence, type Lines, type Silence } from './silence.ts';
import { textOf, type Statement, type TimedServer } from './timed-server.ts';

/** The server as all replicas of a world share it. */
export interface SharedPostgres {
  readonly world: World;
  readonly server: TimedServer;
  readonly weather: Weather;
  /** Nobody reaches it. */
  isAway: boolean;
  /** It is reached, and does not respond. */
  readonly silence: Silence;
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

/** The same server for who is not part of the world: nothing is lost on its way. */
export const reliably = (shared: SharedPostgres): SharedPostgres => ({
  ...shared,
  weather: { lostBefore: 0, lostAfter: 0 },
  isAway: false,
  silence: createSilence(shared.world),
});

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
  const lines: Lines = { droppedIn: 0 };
  const alone = Symbol('session without a transaction');
  const once = <Result>(work: () => Promise<Result>): Promise<Result> =>
    shared.silence.reconnect(lines)?.then(work) ?? work();
  const pool = Object.create(pg.Pool.prototype) as pg.Pool;
  return Object.assign(pool, {
    query: (statement: Statement, values?: unknown[]) =>
      life.within(
        once(() => {
          const sending = { life, lines, session: alone, isTransaction: false, statement, values };
          return send(shared, sending);
        }),
      ),
    connect: () => life.within(once(() => Promise.resolve(clientOf(shared, life, lines)))),
    end: () => Promise.resolve(),
  });
}

function clientOf(shared: SharedPostgres, life: Life, lines: Lines): pg.PoolClient {
  const session = Symbol('session');
  const { sessions, silence } = shared;
  let isDropped = false;
  // The server ends what a broken session had begun, once it hears of it.
  const abandon = (): Promise<void> => {
    const heard = silence.hearsOfEnd(session);
    if (heard === undefined) return rollBack(shared, session);
    isDropped = true;
    void heard.then(() => rollBack(shared, session));
    return Promise.resolve();
  };
  const forget = life.onEnd(() => void abandon());
  return {
    query: (statement: Statement, values?: unknown[]) => {
      if (isDropped) return life.within(Promise.reject(new Error(notQueryable)));
      const sending = { life, lines, session, isTransaction: true, statement, values };
      const sent = send(shared, sending).catch(async (error: unknown) => {
        if (isLost(error)) await abandon();
        throw error;
      });
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
  readonly lines: Lines;
  readonly session: symbol;
  /** Statements of this session are those of one transaction. */
  readonly isTransaction: boolean;
  readonly statement: Statement;
  readonly values: unknown[] | undefined;
}

/** One statement with its ways there and back. What was sent is done, also when its sender is gone. */
async function send(shared: SharedPostgres, sending: Sending): Promise<pg.QueryResult> {
  const { world, weather, silence } = shared;
  const { life, statement } = sending;
  const { dice, trace } = world;
  const { servers } = shared;
  const told = `${life.name}: ${describeStatement(statement)}`;
  // A timer of somebody who is not there any more may still fire.
  if (!life.isAlive()) return new Promise(() => undefined);
  life.moment();
  const sentAt = world.now();
  await world.pause(world.latency());
  if (shared.isAway || servers !== shared.servers || dice.chance(weather.lostBefore)) {
    trace.say(`${told} never arrived`);
    throw connectionLost('ECONNRESET');
  }
  const serve = async (): Promise<pg.QueryResult> => {
    try {
      if (servers !== shared.servers) throw connectionLost('ECONNRESET');
      const result = await carryOut(shared, sending);
      trace.say(`${told} → ${result.rowCount ?? 0}`);
      return result;
    } catch (error) {
      trace.say(`${told} failed: ${(error as Error).message}`);
      throw error;
    }
  };
  const result = await (silence.isOn ? silence.take({ ...sending, sentAt, serve }) : serve());
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
  ['ECONNRESET', 'ETIMEDOUT'].includes((error as { code?: string } | null)?.code ?? '');

/** Word for word the driver's. */
const notQueryable = 'Client has encountered a connection error and is not queryable';

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
