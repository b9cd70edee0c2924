import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, startRedis, startSuite, type Suite } from '@gateway/local-stack';

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

/** The suite as `npm start` runs it, durable stores included, with a customer who can pay for anything. */
export async function startStack(log: (line: string) => void): Promise<BenchStack> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-bench-'));
  const postgres = await startPostgres({ dataDir, log, keepData: false });
  const redis = await startRedis({ dataDir, log });
  const env = { ...process.env, DATABASE_URL: postgres.url };
  await run(process.execPath, [path.join(root, 'prisma/dist/migrate.js')], { env });
  const admin = async (...args: string[]): Promise<Record<string, string>> =>
    JSON.parse((await run(process.execPath, [path.join(root, 'services/admin/dist/main.js'), ...args, '--json'], { env })).stdout) as Record<string, string>;
  const suite = await startSuite({ dataDir, databaseUrl: postgres.url, redisUrl: redis.url, log });
  const account = await admin('account', 'create', '--name', 'Bench', '--quota', '1000000000');
  const key = await admin('key', 'create', '--account', account['id'] ?? '', '--name', 'bench');
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
