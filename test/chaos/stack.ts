import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  gatewayServices,
  startPostgres,
  startRedis,
  startSuite,
  type LocalPostgres,
  type LocalRedis,
  type Service,
  type StartSuiteOptions,
  type Suite,
} from '@gateway/local-stack';
import { newId } from '@gateway/runtime';
import { createAccounts, createDatabase, createLedger, type Database } from '@gateway/store';

const run = promisify(execFile);

/** Of the checkout, whether this runs from the sources or compiled. */
const root = import.meta.dirname.endsWith('dist')
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
  /** What the services read their vendors and models from; a change is taken over. */
  readonly configFile: string;
  /** An account with its first quota and a key for everything. */
  aCustomer(quota: number): Promise<StackCustomer>;
  /** Runs the program of `npm run admin -- …`; answers its exit code and what it printed. */
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
  readonly env: NonNullable<StartSuiteOptions['env']>;
  readonly log: (line: string) => void;
}

/**
 * Every service as a real process, against a PostgreSQL and a Redis of their own that keep what
 * they have acknowledged: both are going to be killed. Nothing that other tests use is touched.
 */
export async function startStack({ doubled, env, log }: StackOptions): Promise<Stack> {
  await mkdir(path.join(root, '.cache'), { recursive: true });
  const dataDir = await mkdtemp(path.join(root, '.cache', 'chaos-'));
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
    await run(process.execPath, [path.join(root, 'prisma/dist/migrate.js')], {
      env: { ...process.env, DATABASE_URL: postgres.url },
    });
    const configFile = await writeConfiguration(dataDir);
    const suite = await startSuite({
      dataDir,
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      env,
      configFile,
      services: [
        ...gatewayServices,
        ...gatewayServices
          .filter(({ name }) => doubled.includes(name))
          .map((service): Service => ({ ...service, name: `${service.name}-2` })),
      ],
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
    return {
      suite,
      postgres,
      redis,
      database,
      ended,
      stop,
      configFile,
      logFolder: suite.logs.folder,
      aCustomer: (quota) => aCustomer(database, quota),
      admin: (...args) =>
        run(process.execPath, [path.join(root, 'services/admin/dist/main.js'), ...args], {
          env: { ...process.env, DATABASE_URL: postgres.url },
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
async function writeConfiguration(dataDir: string): Promise<string> {
  const usual = await readFile(path.join(root, 'config/gateway.yaml'), 'utf8');
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
