import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { createDice } from '../../chaos/random.ts';
import { takeOverTime } from '../world/clock.ts';
import { isBound, textOf, type Statement, type OpaqueServer } from './timed-server.ts';

const migrations = path.resolve(import.meta.dirname, '../../../prisma/migrations');

/** PostgreSQL in this process, spoken to by the real driver in the real protocol. */
export interface PostgresServer extends OpaqueServer {
  /** Back to what the migrations made. */
  reset(): Promise<void>;
}

/** Rows of the migrations, which nothing in a world writes. */
const seeded = ['installation', 'id_cipher', 'data_partition', 'audit_watermark'];

const int8: number = pg.types.builtins.INT8;
const parserOf = pg.types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown;
/** As the services read them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : parserOf(oid, format)) as typeof pg.types.getTypeParser,
};

let opened: Promise<PostgresServer> | undefined;

/** Once a process: bringing it up takes seconds, a fresh world in it milliseconds. */
export const openPostgres = (): Promise<PostgresServer> => (opened ??= open());

async function open(): Promise<PostgresServer> {
  // Its clock is this process's, and its partitions must be those of a world's time.
  const clock = takeOverTime(createDice(0).roll);
  const database = await PGlite.create();
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
  // One plan for each statement of a world; none is kept for the next.
  await client.query('SET plan_cache_mode = force_generic_plan');
  const nameOf = createNames();
  const tables = await namesOf(
    client,
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL($1) ORDER BY 1`,
    [seeded],
  );
  const sequences = await namesOf(
    client,
    `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' AND sequencename <> 'data_partition_id_seq' ORDER BY 1`,
  );
  const opaque = await namesOf(
    client,
    `SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     UNION SELECT viewname FROM pg_views WHERE schemaname = 'public' ORDER BY 1`,
  );
  clock.restore();
  return {
    opaque,
    async send(statement, values, at) {
      wire.at = at;
      try {
        return await client.query(nameOf(statement), values);
      } finally {
        wire.at = undefined;
      }
    },
    async reset() {
      const dirty = await namesOf(
        client,
        tables
          .map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT 1 FROM "${name}")`)
          .join(' UNION ALL '),
      );
      // The ledger's triggers refuse it to everybody else.
      await client.query(
        [
          'DISCARD PLANS',
          'SET session_replication_role = replica',
          ...(dirty.length > 0
            ? [`TRUNCATE ${dirty.map((name) => `"${name}"`).join(', ')} CASCADE`]
            : []),
          ...sequences.map((name) => `ALTER SEQUENCE "${name}" RESTART`),
          'RESET session_replication_role',
        ].join('; '),
      );
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
    if (isBound(textOf(statement))) return statement;
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
      const response = withClock(this.at, () => this.#database.execProtocolRawSync(message));
      if (response.length > 0) this.push(Buffer.from(response));
      done();
    } catch (error) {
      done(error as Error);
    }
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
