import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { newId } from '@gateway/runtime';
import { createAccounts, type Database } from '@gateway/store';
import { anAccount, asService, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { serviceToken, startBilling, type RunningBilling } from '../billing-service.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export interface ProcessStage {
  /** Of the api, a process of its own from the compiled sources. */
  readonly url: string;
  readonly api: ChildProcess;
  /** Another api on the same stores, until the stage is closed; answers its address. */
  startAnother(): Promise<string>;
  readonly billing: RunningBilling;
  readonly database: Database;
  /** Of its files. */
  readonly storageDir: string;
  /** The api's way to its database, which a test can cut; billing has its own. */
  readonly wire: Wire;
  aKey(
    quota: number,
    scopes?: readonly string[],
  ): Promise<{ apiKey: string; keyId: string; accountId: string }>;
  /** Ends the api by this signal and answers its exit code, null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  close(): Promise<void>;
}

/** A real api process and a real billing service on real stores. */
export async function openProcessStage({
  yaml,
  leaseSeconds,
  environment = {},
}: {
  yaml: string;
  leaseSeconds: number;
  /** Settings of the api beside, or instead of, the usual ones. */
  environment?: Readonly<Record<string, string>>;
}): Promise<ProcessStage> {
  const test = await openTestDatabase();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-process-'));
  const billing = await startBilling(test, { SWEEP_MS: 200, USAGE_LEASE_SECONDS: leaseSeconds });
  const wire = await openWire(asService(test.url, 'api'));
  await writeFile(path.join(folder, 'gateway.yaml'), yaml);
  const started: ChildProcess[] = [];
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [path.join(root, 'dist/api.js')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        HOST: '127.0.0.1',
        PORT: '0',
        OPS_PORT: '0',
        LOG_LEVEL: 'info',
        LOG_FORMAT: 'json',
        DATABASE_URL: wire.url,
        REDIS_URL: billing.redisUrl,
        QUEUE_PREFIX: billing.queuePrefix,
        GATEWAY_CONFIG: path.join(folder, 'gateway.yaml'),
        KEY: 'vendor-secret',
        PUBLIC_BASE_URL: 'http://gateway.test',
        BILLING_URL: billing.url,
        SERVICE_TOKEN: serviceToken,
        MEDIA_TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        STORAGE_DIR: folder,
        DRAIN_MS: '500',
        ...environment,
      },
    });
    started.push(child);
    return child;
  };
  const api = start();
  const exited = once(api, 'exit').then(([code]) => code as number | null);
  const port = await portOf(api);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    api.kill(signal);
    return exited;
  };
  return {
    api,
    billing,
    wire,
    end,
    url: `http://127.0.0.1:${port}`,
    startAnother: async () => `http://127.0.0.1:${await portOf(start())}`,
    database: test.database,
    storageDir: folder,
    aKey: (quota, scopes = ['text']) => aKey(test, { quota, scopes }),
    async close() {
      for (const each of started) each.kill('SIGKILL');
      await exited;
      await wire.close();
      await billing.stop();
      await test.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function aKey(
  { database }: TestDatabase,
  { quota, scopes }: { readonly quota: number; readonly scopes: readonly string[] },
): Promise<{ apiKey: string; keyId: string; accountId: string }> {
  const { id: accountId } = await anAccount(database, { quota });
  const apiKey = `sk-gw-${randomBytes(24).toString('base64url')}`;
  const keyId = newId('key');
  await createAccounts(database).createKey({
    id: keyId,
    accountId,
    name: 'test',
    hash: new Uint8Array(createHash('sha256').update(apiKey).digest()),
    prefix: apiKey.slice(0, 12),
    scopes,
    models: [],
    expiresAt: null,
  });
  return { apiKey, keyId, accountId };
}

/** Said in the log when it listens; rejects when the process ends before. */
function portOf(api: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    api.once('exit', () => {
      reject(new Error('the api ended before it listened'));
    });
    if (api.stdout === null) throw new Error('the output of the api is not read');
    createInterface(api.stdout).on('line', (line) => {
      const { message, setting, port } = JSON.parse(line) as {
        message?: string;
        setting?: string;
        port?: number;
      };
      if (message === 'listening' && setting === 'PORT' && port !== undefined) resolve(port);
    });
  });
}

export interface Wire {
  readonly url: string;
  /** Breaks all connections and every new one until mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        ends.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
    if (isCut) near.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = (): void => {
    isCut = true;
    for (const end of ends) end.destroy();
  };
  return {
    url: url.href,
    cut,
    mend() {
      isCut = false;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        cut();
      }),
  };
}
