import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  gatewayServices,
  startPostgres,
  startRedis,
  startSuite,
  type Service,
  type StartSuiteOptions,
  type Suite,
} from '@gateway/local-stack';
import { interrupted, leaveNothing } from './leave-nothing.ts';
import { residentMegabytesOf } from './proc.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

export interface BenchStack {
  readonly suite: Suite;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
  residentMegabytes(service: string): number;
  /** Another customer who can pay for anything; resolves with the key. */
  addCustomer(name: string): Promise<string>;
  stop(): Promise<void>;
}

export const serviceNames = [
  'api',
  'billing',
  'video-worker',
  'callback-dispatcher',
  'sandbox-vendor',
] as const;

export interface StackOptions {
  /** Names of those to start. Default: all. */
  readonly services?: readonly string[];
  /** Started beside them: further replicas. */
  readonly replicas?: readonly Service[];
  /** What gateway.yaml says. Default: the one of the checkout. */
  readonly configuration?: string;
  /** Of the customer's key, separated by commas. Default: all. */
  readonly scopes?: string;
  /** More settings, by service name. */
  readonly env?: NonNullable<StartSuiteOptions['env']>;
}

/**
 * The suite as `npm start` runs it, durable stores included, with a customer who can pay for
 * anything. A Ctrl-C stops it as `stop` does.
 */
export async function startStack(
  log: (line: string) => void,
  options: StackOptions = {},
): Promise<BenchStack> {
  const stops: (() => Promise<void>)[] = [];
  const starting = bringUp(log, options, stops);
  const stop = leaveNothing(async () => {
    await starting.catch(() => undefined);
    for (const each of stops.reverse()) await each();
  });
  try {
    return { ...(await starting), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Notes in `stops` how to take away again what is up. */
async function bringUp(
  log: (line: string) => void,
  options: StackOptions,
  stops: (() => Promise<void>)[],
): Promise<Omit<BenchStack, 'stop'>> {
  const cache = path.join(root, '.cache');
  await mkdir(cache, { recursive: true });
  const dataDir = await mkdtemp(path.join(cache, 'bench-'));
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir, log, keepData: false, signal: interrupted });
  stops.push(() => postgres.stop());
  const redis = await startRedis({ dataDir, log, signal: interrupted });
  stops.push(() => redis.stop());
  const env = { ...process.env, DATABASE_URL: postgres.url };
  await run(process.execPath, [path.join(root, 'prisma/dist/migrate.js')], { env });
  const admin = async (...args: string[]): Promise<Record<string, string>> =>
    JSON.parse(
      (await run(process.execPath, [path.join(root, 'dist/admin.js'), ...args, '--json'], { env }))
        .stdout,
    ) as Record<string, string>;
  const suite = await startSuite({
    dataDir,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    log,
    signal: interrupted,
    ...(await suiteOptions(dataDir, options)),
  });
  stops.push(() => suite.stop());
  const scopes = options.scopes === undefined ? [] : ['--scopes', options.scopes];
  const addCustomer = async (name: string): Promise<{ accountId: string; apiKey: string }> => {
    const { id = '' } = await admin('account', 'create', '--name', name, '--quota', '1000000000');
    const key = await admin('key', 'create', '--account', id, '--name', 'bench', ...scopes);
    return { accountId: id, apiKey: key['api_key'] ?? '' };
  };
  const { accountId, apiKey } = await addCustomer('Bench');
  return {
    suite,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    apiKey,
    accountId,
    addCustomer: async (name) => (await addCustomer(name)).apiKey,
    residentMegabytes: (service) => Math.round(residentMegabytesOf(suite.pidOf(service) ?? NaN)),
  };
}

async function suiteOptions(
  dataDir: string,
  { services, replicas = [], configuration, env = {} }: StackOptions,
): Promise<Partial<StartSuiteOptions>> {
  const configFile = path.join(dataDir, 'gateway.yaml');
  if (configuration !== undefined) await writeFile(configFile, configuration);
  return {
    env,
    ...(configuration !== undefined && { configFile }),
    ...(services !== undefined && {
      services: [...gatewayServices.filter(({ name }) => services.includes(name)), ...replicas],
    }),
  };
}
