import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import type { VideoResource } from '@gateway/contracts';
import { startSuite, type Suite } from '@gateway/local-stack';
import { createDatabase } from '@gateway/store';
import {
  asService,
  eventually,
  openTestDatabase,
  testRedis,
  type TestDatabase,
} from '@gateway/testing';
import { portsOf } from '../../services/admin/src/ports.ts';
import { parse } from '../../services/admin/src/run.ts';
import { expectDocumentedResponses, watchFetches } from '../contracts/watch-responses.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Settings of a video-worker that makes posters. */
export const posters = { FFMPEG_PATH: ffmpeg.path, MAKE_POSTERS: 'true' } as const;

export interface SuiteUnderTest {
  readonly suite: Suite;
  readonly queuePrefix: string;
  /** What the services watch for changes. */
  readonly configFile: string;
  readonly database: TestDatabase['database'];
  /** Made by the commands of an operator, in this process. */
  aCustomer(quota: number): Promise<Customer>;
  /** Runs `npm run admin -- …`'s program; returns its exit code and what it printed. */
  admin(...args: string[]): Promise<{ code: number; output: string }>;
  close(): Promise<void>;
}

export interface Customer {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
  readonly callbackSecret: string;
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: unknown }>;
  /** Creates a task and returns its id; throws unless the response is 200. */
  create(body: object): Promise<VideoResource>;
  until(taskId: string, status: VideoResource['status'], withinMs?: number): Promise<VideoResource>;
}

export interface SuiteOptions {
  /** YAML that stands under `providers:`. */
  readonly moreProviders?: string;
  /** YAML that stands under `models:`. */
  readonly moreModels?: string;
  /** Models like the usual one, with another deadline in seconds, by name. */
  readonly deadlines?: Readonly<Record<string, number>>;
  /** Unfinished videos that an account may have. */
  readonly activeVideos?: number;
  /** More settings, by service name. */
  readonly moreEnv?: Environments;
  /** Settings of the services that keep media. */
  readonly storage?: Readonly<Record<string, string>>;
}

/**
 * The whole suite as real processes, as `npm start` runs it, with a model beside the usual one
 * whose deadline is short.
 */
export async function openSuite({
  moreProviders = '',
  moreModels = '',
  deadlines = {},
  activeVideos,
  moreEnv = {},
  storage = {},
}: SuiteOptions = {}): Promise<SuiteUnderTest> {
  const test = await openTestDatabase();
  const redis = testRedis();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-e2e-'));
  const configFile = path.join(dataDir, 'gateway.yaml');
  const usual = await readFile(path.join(root, 'config/gateway.yaml'), 'utf8');
  const model = /^ {2}sandbox-video:\n(?: {4}.*\n)+/m.exec(usual)?.[0] ?? '';
  const hurried = Object.entries({ 'sandbox-brief': 2, ...deadlines }).map(([name, seconds]) =>
    model
      .replace('sandbox-video:', `${name}:`)
      .replace('expires_after_seconds: 3600', `expires_after_seconds: ${seconds}`),
  );
  const unhurried = usual.replace('requests_per_minute: 600', 'requests_per_minute: 100000');
  const limited =
    activeVideos === undefined
      ? unhurried
      : unhurried.replace(/active_videos: \d+/, `active_videos: ${activeVideos}`);
  await writeFile(
    configFile,
    limited
      .replace(/^providers:\n/m, (line) => line + moreProviders)
      .replace(model, model + hurried.join('') + moreModels),
  );
  const fast = { QUEUE_PREFIX: redis.prefix };
  const suite = await startSuite({
    dataDir,
    configFile,
    databaseUrl: test.url,
    databaseUrlOf: (service) => asService(test.url, service),
    redisUrl: redis.url,
    env: withMore(moreEnv, {
      'sandbox-vendor': {
        SANDBOX_QUEUE_MS: '100',
        SANDBOX_RENDER_MS: '300',
        SANDBOX_RENDER_QUALITY: 'fast',
        SANDBOX_TOKENS_PER_SECOND: '1000',
      },
      api: { ...fast, ...storage },
      billing: { ...fast, SWEEP_MS: '1000' },
      'video-worker': {
        ...fast,
        ...storage,
        // Whatever this machine has on its PATH; tests of posters ask for them.
        MAKE_POSTERS: 'false',
        RETENTION_SWEEP_MS: '500',
        SWEEP_MS: '1000',
        SUBMISSION_UNKNOWN_AFTER_MS: '5000',
        LATE_WATCH_EVERY_MS: '300',
      },
      'callback-dispatcher': {
        ...fast,
        CALLBACK_RETRY_DELAYS_MS: '50,50,50,50,50',
        CALLBACK_SWEEP_MS: '1000',
      },
    }),
  });
  const unwatch = watchFetches(suite.baseUrl);
  const { admin, aCustomer } = adminOf(asService(test.url, 'admin'));
  return {
    suite,
    admin,
    database: test.database,
    queuePrefix: redis.prefix,
    configFile,
    aCustomer: (quota) => aCustomer(suite.baseUrl, quota),
    async close() {
      unwatch();
      await suite.stop();
      await test.close();
      await rm(dataDir, { recursive: true, force: true });
      expectDocumentedResponses();
    },
  };
}

type Environments = Readonly<Record<string, Readonly<Record<string, string>>>>;

const withMore = (more: Environments, usual: Environments): Environments =>
  Object.fromEntries(
    Object.entries(usual).map(([service, environment]) => [
      service,
      { ...environment, ...more[service] },
    ]),
  );

export interface Admin {
  /** Runs `npm run admin -- …`'s program; returns its exit code and what it printed. */
  admin(...args: string[]): Promise<{ code: number; output: string }>;
  aCustomer(baseUrl: string, quota: number): Promise<Customer>;
}

/** What an operator of this database, with these other settings, can do. */
export function adminOf(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Admin {
  const admin: Admin['admin'] = async (...args) => {
    const run = promisify(execFile)(process.execPath, [path.join(root, 'dist/admin.js'), ...args], {
      env: { ...process.env, ...settings, DATABASE_URL: databaseUrl },
    });
    return run.then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      (thrown: unknown) => {
        const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string };
        return { code, output: stdout + stderr };
      },
    );
  };
  return {
    admin,
    aCustomer: (baseUrl, quota) =>
      withCommands(databaseUrl, async (run) => {
        const account = await run<{ id: string; callback_secret: string }>(
          ...['account', 'create', '--name', 'Test', '--quota', String(quota)],
        );
        const key = await run<{ id: string; api_key: string }>(
          ...['key', 'create', '--account', account.id, '--name', 'test'],
        );
        return customerOf(baseUrl, {
          accountId: account.id,
          callbackSecret: account.callback_secret,
          keyId: key.id,
          apiKey: key.api_key,
        });
      }),
  };
}

type RunCommand = <Data>(...args: readonly string[]) => Promise<Data>;

/**
 * Commands of the admin program in this process: to start it takes more of a processor than all that a
 * command does.
 */
async function withCommands<Result>(
  databaseUrl: string,
  use: (run: RunCommand) => Promise<Result>,
): Promise<Result> {
  const settings = { DATABASE_URL: databaseUrl, CALLBACK_SECRET_KEYS: '', QUEUE_PREFIX: 'x' };
  const database = createDatabase({
    url: databaseUrl,
    applicationName: 'test operator',
    poolSize: 1,
    onError: () => undefined,
  });
  const loadConfiguration = (): never => {
    throw new Error('no customer needs the configuration');
  };
  try {
    return await use(async <Data>(...args: readonly string[]) => {
      const parsed = parse(args);
      if (parsed.kind === 'help') throw new Error(`no command: ${args.join(' ')}`);
      const { data } = await parsed.run(portsOf({ settings, database, loadConfiguration }));
      return data as Data;
    });
  } finally {
    await database.part.stop();
  }
}

/** A customer at the api with this address. */
export function customerOf(
  baseUrl: string,
  identity: Pick<Customer, 'accountId' | 'keyId' | 'apiKey' | 'callbackSecret'>,
): Customer {
  const request: Customer['request'] = async (method, at, body, headers = {}) => {
    const response = await fetch(`${baseUrl}${at}`, {
      method,
      headers: {
        authorization: `Bearer ${identity.apiKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    ...identity,
    request,
    async create(body) {
      const response = await request('POST', '/v1/videos', body);
      if (response.status !== 200) {
        throw new Error(`creation returned ${response.status}: ${JSON.stringify(response.body)}`);
      }
      return response.body as VideoResource;
    },
    until: (taskId, status, withinMs = 45_000) =>
      eventually(
        async () => {
          const { body } = await request('GET', `/v1/videos/${taskId}`);
          const task = body as VideoResource;
          if (task.status !== status) {
            throw new Error(`task is ${task.status}, not ${status}: ${JSON.stringify(task.error)}`);
          }
          return task;
        },
        { withinMs, everyMs: 100 },
      ),
  };
}
