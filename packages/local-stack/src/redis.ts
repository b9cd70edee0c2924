import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackage } from './distribution-package.ts';
import { keptServer, nativeStopTimeoutMs } from './native-server.ts';
import { repositoryRoot, runtimeModule } from './package-folder.ts';
import { freePort } from './ports.ts';
import { findRedisOnPath, findUnpackedRedis, type RedisBinary } from './redis-binary.ts';
import { askRedis, whyNotPonging } from './redis-inline.ts';
import { superviseProcess, type ProcessSpec } from './supervisor.ts';
import { waitUntil } from './wait.ts';

export interface StartRedisOptions {
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Default true: an append-only file synced every second. False is for tests: nothing is kept. */
  readonly durable?: boolean;
  /** Default `auto`: a real server where one can be had. */
  readonly kind?: 'auto' | 'javascript';
  readonly signal?: AbortSignal | undefined;
}

export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  /** `server` is a real Redis or Valkey; `javascript` keeps nothing and is for development only. */
  readonly kind: 'server' | 'javascript';
  pid(): number | undefined;
  stop(): Promise<void>;
}

interface RedisSetting {
  readonly port: number;
  readonly password: string;
}

const readyTimeoutMs = 30_000;
const databases = 64;

/**
 * Brings up Redis on a free loopback port, behind a password; see `findRedis` for where it comes
 * from.
 */
export async function startRedis(options: StartRedisOptions): Promise<LocalRedis> {
  const { log, durable = true, signal } = options;
  const folder = join(options.dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  const binary = await findRedis(options);
  if (binary === undefined) {
    log(
      'DEVELOPMENT ONLY: no Redis server could be found, so a Redis in JavaScript takes its place; it is slow and forgets everything when it stops. Install redis-server, or set REDIS_URL.',
    );
  }
  await stopLeftoverRedis(folder, log);
  const setting = { port: await freePort(), password: randomBytes(24).toString('base64url') };
  writeFileSync(join(folder, 'server.json'), JSON.stringify(setting), { mode: 0o600 });
  const base = { folder, logFile: join(options.dataDir, 'logs', 'redis.log'), setting };
  const spec =
    binary === undefined ? javascriptRedis(base) : nativeRedis(binary, { ...base, durable });
  const server = superviseProcess(spec, {
    restart: true,
    readyTimeoutMs,
    stopTimeoutMs: nativeStopTimeoutMs,
    log,
    signal,
  });
  try {
    server.start();
    await server.ready();
  } catch (error) {
    await server.stop();
    throw error;
  }
  const kind = binary === undefined ? 'javascript' : 'server';
  return {
    url: `redis://:${setting.password}@127.0.0.1:${setting.port}`,
    port: setting.port,
    kind,
    pid: () => server.pid(),
    stop: () => server.stop(),
  };
}

/** A server on the PATH, else the distribution's package in the cache folder, else none. */
async function findRedis({
  kind,
  dataDir,
  log,
  signal,
}: StartRedisOptions): Promise<RedisBinary | undefined> {
  if (kind === 'javascript') return undefined;
  return (
    (await findRedisOnPath()) ??
    fetchPackage({
      name: 'redis-server',
      find: findUnpackedRedis,
      cacheDir: cacheFolder(dataDir),
      log,
      signal,
    })
  );
}

/** Shared by all data folders of a checkout, unless the checkout belongs to somebody else. */
function cacheFolder(dataDir: string): string {
  const shared = join(repositoryRoot, '.cache');
  try {
    mkdirSync(join(shared, 'redis'), { recursive: true });
    accessSync(join(shared, 'redis'), constants.W_OK);
    return join(shared, 'redis');
  } catch {
    return existsSync(join(shared, 'redis', `root-${process.arch}`))
      ? join(shared, 'redis')
      : join(dataDir, 'cache', 'redis');
  }
}

/**
 * A server that a killed run left behind still writes into this folder. It knows its own password,
 * so no other is hit.
 */
async function stopLeftoverRedis(folder: string, log: (line: string) => void): Promise<void> {
  const file = join(folder, 'server.json');
  if (!existsSync(file)) return;
  const { port, password } = JSON.parse(readFileSync(file, 'utf8')) as RedisSetting;
  if ((await whyNotPonging(port, password)) !== undefined) return;
  log(`stopping the Redis that an earlier run left behind (port ${port})`);
  await askRedis(port, password, 'SHUTDOWN');
  await waitUntil(async () => (await askRedis(port, password, 'PING')) === undefined, {
    timeoutMs: 10_000,
  });
}

interface RedisPlace {
  readonly folder: string;
  readonly logFile: string;
  readonly setting: RedisSetting;
}

function nativeRedis(binary: RedisBinary, place: RedisPlace & { durable: boolean }): ProcessSpec {
  const { folder, logFile, setting, durable } = place;
  const configFile = join(folder, 'redis.conf');
  writeFileSync(configFile, redisConfiguration({ folder, durable, ...setting }), { mode: 0o600 });
  return keptServer({
    name: 'Redis',
    command: binary.command,
    args: [configFile],
    env: binary.env,
    stopSignal: 'SIGTERM',
    cwd: folder,
    logFile,
    whyNotReady: () => whyNotPonging(setting.port, setting.password),
  });
}

/** In a file, not as arguments: every user of a machine can read the arguments of every process. */
export function redisConfiguration({
  folder,
  port,
  password,
  durable,
}: RedisSetting & { folder: string; durable: boolean }): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(folder)}`,
    `databases ${databases}`,
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${durable ? 'yes' : 'no'}`,
    'appendfsync everysec',
  ];
  return `${lines.join('\n')}\n`;
}

function javascriptRedis({ folder, logFile, setting }: RedisPlace): ProcessSpec {
  return {
    name: 'Redis',
    command: process.execPath,
    cwd: folder,
    env: process.env,
    logFile,
    args: [
      '--import',
      runtimeModule('exit-with-parent'),
      runtimeModule('js-redis-server'),
      join(folder, 'server.json'),
    ],
    whyNotReady: () => whyNotPonging(setting.port, setting.password),
  };
}
