import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gatewayServices, startPostgres, startRedis, startSuite, type Service, type StartSuiteOptions, type Suite } from '@gateway/local-stack';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

export interface BenchStack {
  readonly suite: Suite;
  readonly databaseUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
  residentMegabytes(service: string): Promise<number>;
  stop(): Promise<void>;
}

export const serviceNames = ['api', 'billing', 'video-worker', 'callback-dispatcher', 'sandbox-vendor'] as const;

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

/** The suite as `npm start` runs it, durable stores included, with a customer who can pay for anything. */
export async function startStack(log: (line: string) => void, options: StackOptions = {}): Promise<BenchStack> {
  const cache = path.join(root, '.cache');
  await mkdir(cache, { recursive: true });
  const dataDir = await mkdtemp(path.join(cache, 'bench-'));
  const postgres = await startPostgres({ dataDir, log, keepData: false });
  const redis = await startRedis({ dataDir, log });
  const env = { ...process.env, DATABASE_URL: postgres.url };
  await run(process.execPath, [path.join(root, 'prisma/dist/migrate.js')], { env });
  const admin = async (...args: string[]): Promise<Record<string, string>> =>
    JSON.parse((await run(process.execPath, [path.join(root, 'services/admin/dist/main.js'), ...args, '--json'], { env })).stdout) as Record<string, string>;
  const suite = await startSuite({ dataDir, databaseUrl: postgres.url, redisUrl: redis.url, log, ...(await suiteOptions(dataDir, options)) });
  const account = await admin('account', 'create', '--name', 'Bench', '--quota', '1000000000');
  const key = await admin('key', 'create', '--account', account['id'] ?? '', '--name', 'bench', ...(options.scopes === undefined ? [] : ['--scopes', options.scopes]));
  return {
    suite, databaseUrl: postgres.url, apiKey: key['api_key'] ?? '', accountId: account['id'] ?? '',
    async residentMegabytes(service) {
      const status = await readFile(`/proc/${suite.pidOf(service)}/status`, 'utf8');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    async stop() {
      await suite.stop();
      await redis.stop();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function suiteOptions(dataDir: string, { services, replicas = [], configuration, env = {} }: StackOptions): Promise<Partial<StartSuiteOptions>> {
  const configFile = path.join(dataDir, 'gateway.yaml');
  if (configuration !== undefined) await writeFile(configFile, configuration);
  return {
    env,
    ...(configuration !== undefined && { configFile }),
    ...(services !== undefined && { services: [...gatewayServices.filter(({ name }) => services.includes(name)), ...replicas] }),
  };
}
