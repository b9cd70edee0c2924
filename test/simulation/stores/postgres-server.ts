import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { PGlite, protocol } from '@electric-sql/pglite';
import pg from 'pg';
import { createDice } from '../../chaos/random.ts';
import { takeOverTime } from '../world/clock.ts';
import { takeSnapshot } from './snapshot.ts';
import { isBound, textOf, type Statement, type OpaqueServer } from './timed-server.ts';

const migrations = path.resolve(import.meta.dirname, '../../../prisma/migrations');

/** PostgreSQL in this process, spoken to by the real driver in the real protocol. */
export interface PostgresServer extends OpaqueServer {
  /** Back to what the migrations made, with what `rehearse` left and nothing else. */
  reset(): void;
  /**
   * Sends what was sent so far once more, and takes it back: plans, and what the server has looked up
   * for them, are there for all worlds to come. They make up half of what a world's first
   * statements cost.
   */
  rehearse(): Promise<void>;
}

interface Sent {
  readonly statement: Statement;
  readonly values: unknown[] | undefined;
  readonly at: number;
}

/** What the driver has told the server to keep, and its types do not say. */
interface Prepared {
  readonly connection: { parsedStatements: Record<string, string> };
}

const int8: number = pg.types.builtins.INT8;
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;
/** As the services read them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : parserOf(oid, format)) as typeof pg.types.getTypeParser,
};

/** A world has a few hundred pages, and all of the memory is looked through between two. */
const fewBuffers = ['-c', 'shared_buffers=16MB'];

let opened: Promise<PostgresServer> | undefined;

/** Once a process: bringing it up takes seconds, a fresh world in it milliseconds. */
export const openPostgres = (): Promise<PostgresServer> => (opened ??= open());

async function open(): Promise<PostgresServer> {
  // Its clock is this process's, and its partitions must be those of a world's time.
  const clock = takeOverTime(createDice(0).roll);
  const database = await PGlite.create({
    startParams: [...PGlite.defaultStartParams, ...fewBuffers],
  });
  for (const name of namesOfMigrations()) {
    await database.exec(readFileSync(path.join(migrations, name, 'migration.sql'), 'utf8'));
  }
  const wire = new Wire(database);
  const client = new pg.Client({
    user: 'postgres',
    database: 'postgres',
    stream: () => wire,
    types,
  });
  await client.connect();
  // One plan for each statement, whatever its values.
  await client.query('SET plan_cache_mode = force_generic_plan');
  const opaque = await namesOf(
    client,
    `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     UNION SELECT viewname FROM pg_views WHERE schemaname = 'public' ORDER BY 1`,
  );
  clock.restore();
  const nameOf = createNames();
  const send: PostgresServer['send'] = async (statement, values, at) => {
    wire.at = at;
    try {
      return await client.query(nameOf(statement), values);
    } finally {
      wire.at = undefined;
    }
  };
  return rehearsing({ opaque, send }, createBeginning(database, client));
}

/** What every world begins with. */
interface Beginning {
  keep(): void;
  reset(): void;
}

function createBeginning(database: PGlite, client: pg.Client): Beginning {
  const { connection } = client as unknown as Prepared;
  const take = () => ({
    server: takeSnapshot(database),
    prepared: { ...connection.parsedStatements },
  });
  let kept = take();
  return {
    keep() {
      kept = take();
    },
    reset() {
      kept.server.restore();
      connection.parsedStatements = { ...kept.prepared };
    },
  };
}

function rehearsing({ opaque, send }: OpaqueServer, { keep, reset }: Beginning): PostgresServer {
  let script: Sent[] | undefined = [];
  return {
    opaque,
    reset,
    send(statement, values, at) {
      script?.push({ statement, values, at: at ?? Date.now() });
      return send(statement, values, at);
    },
    async rehearse() {
      const all = script ?? [];
      script = undefined;
      reset();
      // Of a world's time, for which there are partitions.
      await send('BEGIN', undefined, all[0]?.at);
      for (const { statement, values, at } of all) {
        if (isBound(textOf(statement))) continue;
        await send('SAVEPOINT before');
        // In one transaction no time passes, so that some of them find something else, or fail.
        await send(statement, values, at).catch(() => send('ROLLBACK TO before'));
        await send('RELEASE before');
      }
      await send('ROLLBACK');
      keep();
    },
  };
}

/**
 * Names each text, so that it is read once: that is a third of a world's time. All replicas share one
 * session, in which the names of the product would mean several texts.
 */
function createNames(): (statement: Statement) => Statement {
  const names = new Map<string, string>();
  return (statement) => {
    const { text, ...rest } = typeof statement === 'string' ? { text: statement } : statement;
    if (isBound(text)) return statement;
    const name = names.get(text) ?? `statement-${names.size}`;
    names.set(text, name);
    return { ...rest, text, name };
  };
}

const namesOfMigrations = (): string[] =>
  readdirSync(migrations, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

async function namesOf(client: pg.Client, text: string, values?: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(text, values);
  return rows.map(({ name }) => name);
}

/** What the driver takes for a socket. */
class Wire extends Duplex {
  readonly #database: PGlite;
  /** What the server's clock says; without it, the process's. */
  at: number | undefined;

  constructor(database: PGlite) {
    super();
    this.#database = database;
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): void {
    // There is no delay.
  }

  ref(): void {
    // There is no handle.
  }

  unref(): void {
    // There is no handle.
  }

  override _read(): void {
    // What the server says is pushed.
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.#pass(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#pass(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  #pass(message: Buffer, done: (error?: Error) => void): void {
    try {
      const response = withClock(this.at, () =>
        unread(() => this.#database.execProtocolRawSync(message)),
      );
      if (response.length > 0) this.push(Buffer.from(response));
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

/**
 * PGlite reads what the server says as well, and keeps it for whoever speaks to it in another way next: a
 * megabyte a world. The driver reads it here.
 */
function unread<Result>(work: () => Result): Result {
  const { prototype } = protocol.Parser;
  const { parse } = prototype;
  prototype.parse = () => undefined;
  try {
    return work();
  } finally {
    prototype.parse = parse;
  }
}

function withClock<Result>(at: number | undefined, work: () => Result): Result {
  if (at === undefined) return work();
  const { now } = Date;
  Date.now = () => at;
  try {
    return work();
  } finally {
    Date.now = now;
  }
}
