import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  compiledEntryOf,
  gatewayServices,
  openRoles,
  startPostgres,
  startRedis,
  startSuite,
  type LocalPostgres,
  type LocalRedis,
  type Service,
  type ServiceSettings,
  type Suite,
} from '@gateway/local-stack';
import { newId } from '@gateway/runtime';
import { createAccounts, createDatabase, createLedger, type Database } from '@gateway/store';

const run = promisify(execFile);

/** Its folder, whether this runs from the sources or compiled. */
export const checkout = import.meta.dirname.endsWith('dist')
  ? path.resolve(import.meta.dirname, '../../..')
  : path.resolve(import.meta.dirname, '../..');

/** How a process of the suite ended, as its supervisor saw it. */
export interface Ended {
  readonly process: string;
  /** A signal's name, or `exit code …`. */
  readonly how: string;
  readonly atMs: number;
}

export interface Stack {
  readonly suite: Suite;
  readonly postgres: LocalPostgres;
  readonly redis: LocalRedis;
  readonly database: Database;
  readonly ended: readonly Ended[];
  readonly logFolder: string;
  readonly dataDir: string;
  /** What the services read their vendors and models from; a change is taken over. */
  readonly configFile: string;
  /** An account with its first quota and a key for everything. */
  aCustomer(quota: number): Promise<StackCustomer>;
  /** Runs the migrator of a checkout, as the role that owns the tables. */
  migrate(checkout: string, ...options: string[]): Promise<unknown>;
  /** Runs the program of `npm run admin -- …`; returns its exit code and what it printed. */
  admin(...args: string[]): Promise<{ code: number; output: string }>;
  /** `keepLogs`: leaves the logs behind. */
  stop(options?: { keepLogs: boolean }): Promise<void>;
}

export interface StackCustomer {
  readonly accountId: string;
  readonly apiKey: string;
  readonly quota: number;
}

export interface StackOptions {
  /** Services that run more than once; the second is called `…-2`. */
  readonly doubled: readonly string[];
  readonly env: ServiceSettings;
  readonly log: (line: string) => void;
  /** The checkout whose programs run, which may be a link that is changed; this one when left out. */
  readonly release?: string | undefined;
  /** Opens what stands between the services and their peers, before any of them is started. */
  readonly wire?: (servers: Servers) => Promise<Wiring>;
}

export interface Servers {
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly dataDir: string;
}

export interface Wiring {
  /** Where a service that has this address connects to instead. */
  readonly databaseUrl: (url: string) => string;
  readonly redisUrl: string;
  /** Settings for a service; `urlOf` tells where the others are. */
  readonly envOf: (
    service: string,
    urlOf: (other: string) => string,
  ) => Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** No wires: every service talks to its peers directly. */
const direct = ({ redisUrl }: Servers): Promise<Wiring> =>
  Promise.resolve({
    databaseUrl: (url) => url,
    redisUrl,
    envOf: () => ({}),
    close: () => Promise.resolve(),
  });

/**
 * Every service as a real process, against a PostgreSQL and a Redis of their own that keep what
 * they have acknowledged: both are going to be killed. Nothing that other tests use is touched.
 */
export async function startStack({
  doubled,
  env,
  log,
  release = checkout,
  wire = direct,
}: StackOptions): Promise<Stack> {
  await mkdir(path.join(checkout, '.cache'), { recursive: true });
  const dataDir = await mkdtemp(path.join(checkout, '.cache', 'chaos-'));
  const ended: Ended[] = [];
  const quiet = (): void => undefined;
  const stops: (() => Promise<void>)[] = [];
  const stop = async ({ keepLogs } = { keepLogs: false }): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
    if (!keepLogs) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const [postgres, redis] = await Promise.all([
      startPostgres({ dataDir, log: quiet, keepData: false }),
      startRedis({ dataDir, log: quiet }),
    ]);
    stops.push(
      () => postgres.stop(),
      () => redis.stop(),
    );
    const wiring = await wire({ postgresUrl: postgres.url, redisUrl: redis.url, dataDir });
    stops.push(wiring.close);
    const roles = await openRoles(postgres.url, 'chaos');
    const migrate: Stack['migrate'] = (from, ...options) =>
      run(process.execPath, [path.join(from, 'prisma/dist/migrate.js'), ...options], {
        env: { ...process.env, ...roles.passwords, DATABASE_URL: roles.migratorUrl },
      });
    await migrate(release);
    const once = gatewayServices.map((service): Service => ({
      ...service,
      // A release before may have no bundles.
      entry: path.join(
        release,
        release === checkout ? service.entry : compiledEntryOf(service.name),
      ),
    }));
    const services = [
      ...once,
      ...once
        .filter(({ name }) => doubled.includes(name))
        .map((service): Service => ({ ...service, name: `${service.name}-2` })),
    ];
    const configFile = await writeConfiguration(release, dataDir);
    const suite = await startSuite({
      dataDir,
      databaseUrl: postgres.url,
      databaseUrlOf: (service) => wiring.databaseUrl(roles.urlOf(service.replace(/-2$/, ''))),
      redisUrl: wiring.redisUrl,
      env: (urlOf) =>
        Object.fromEntries(
          services.map(({ name }) => [name, { ...env[name], ...wiring.envOf(name, urlOf) }]),
        ),
      configFile,
      services,
      log: (line) => {
        const [, name, how] = /^(\S+) ended \(([^)]+)\)/.exec(line) ?? [];
        if (name !== undefined && how !== undefined) {
          ended.push({ process: name, how, atMs: Date.now() });
        }
        log(line);
      },
    });
    stops.push(() => suite.stop());
    const database = createDatabase({
      url: postgres.url,
      applicationName: 'chaos',
      poolSize: 4,
      onError: quiet,
    });
    stops.push(() => database.part.stop());
    const suiteEnv = {
      GATEWAY_CONFIG: configFile,
      STORAGE_DIR: path.join(dataDir, 'media'),
      SANDBOX_URL: suite.sandboxUrl,
      SANDBOX_API_KEY: suite.secrets.sandbox_api_key,
    };
    return {
      suite,
      postgres,
      redis,
      database,
      ended,
      stop,
      dataDir,
      configFile,
      logFolder: suite.logs.folder,
      aCustomer: (quota) => aCustomer(database, quota),
      migrate,
      admin: (...args) =>
        run(process.execPath, [path.join(checkout, 'dist/admin.js'), ...args], {
          env: { ...process.env, ...suiteEnv, DATABASE_URL: postgres.url },
          maxBuffer: 64_000_000,
        }).then(
          ({ stdout }) => ({ code: 0, output: stdout }),
          (thrown: unknown) => {
            const { code, stdout, stderr } = thrown as {
              code: number;
              stdout: string;
              stderr: string;
            };
            return { code, output: stdout + stderr };
          },
        ),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The usual configuration with a model beside that has a short deadline, and limits that the load
 * does not meet.
 */
async function writeConfiguration(release: string, dataDir: string): Promise<string> {
  const usual = await readFile(path.join(release, 'config/gateway.yaml'), 'utf8');
  const model = /^ {2}sandbox-video:\n(?: {4}.*\n)+/m.exec(usual)?.[0] ?? '';
  const brief = model
    .replace('sandbox-video:', 'sandbox-brief:')
    .replace('expires_after_seconds: 3600', 'expires_after_seconds: 3');
  const text = usual
    .replace(model, model + brief)
    .replace('requests_per_minute: 600', 'requests_per_minute: 100000')
    .replace('active_videos: 100', 'active_videos: 1000');
  const file = path.join(dataDir, 'gateway.yaml');
  await writeFile(file, text);
  return file;
}

async function aCustomer(database: Database, quota: number): Promise<StackCustomer> {
  const accounts = createAccounts(database);
  const accountId = newId('account');
  const apiKey = `sk-gw-${randomBytes(32).toString('base64url')}`;
  await accounts.create({
    id: accountId,
    name: 'Chaos',
    callbackSecret: `whsec_${randomBytes(32).toString('base64')}`,
  });
  await createLedger(database).topUp(accountId, quota, 'chaos');
  await accounts.createKey({
    id: newId('key'),
    accountId,
    name: 'chaos',
    hash: new Uint8Array(createHash('sha256').update(apiKey).digest()),
    prefix: apiKey.slice(0, 12),
    scopes: ['videos:write', 'videos:read', 'text', 'billing:read'],
    models: [],
    expiresAt: null,
  });
  return { accountId, apiKey, quota };
}
