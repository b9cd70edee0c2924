import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createService as createApi, settingsSchema as apiSettings } from '@gateway/api';
import {
  createService as createBilling,
  settingsSchema as billingSettings,
} from '@gateway/billing';
import {
  createService as createDispatcher,
  settingsSchema as dispatcherSettings,
} from '@gateway/callback-dispatcher';
import {
  readConfiguration,
  type Configuration,
  type Task,
  type VideoResource,
} from '@gateway/contracts';
import { loadSettings, newId, startAll, type Part } from '@gateway/runtime';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { createAccounts, createLedger, createTaskReads } from '@gateway/store';
import {
  asService,
  anAccount,
  eventually,
  fixedConfiguration,
  openTestDatabase,
  recordingLog,
  testRedis,
  type TestDatabase,
} from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import {
  createService as createWorker,
  settingsSchema as workerSettings,
} from '@gateway/video-worker';
import { expectDocumentedResponses, watchResponses } from '../../contracts/watch-responses.ts';

type Environment = Readonly<Record<string, string>>;
type Log = ReturnType<typeof recordingLog>;
type Row = Record<string, unknown>;

export interface StageResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: VideoResource & { error?: { code: string } };
}

export interface Running {
  readonly log: Log;
  stop(): Promise<void>;
}

/**
 * The whole suite in this process, each service started when a story wants it, before a real
 * sandbox vendor.
 */
export interface Stage {
  readonly database: TestDatabase['database'];
  readonly sandbox: RunningSandbox;
  readonly storageDir: string;
  readonly accountId: string;
  startApi(settings?: Environment): Promise<Running>;
  startBilling(settings?: Environment): Promise<Running>;
  startWorker(settings?: Environment): Promise<Running>;
  startDispatcher(settings?: Environment): Promise<Running>;
  /** As the customer of this stage, unless another key is given. */
  request(
    method: string,
    path: string,
    options?: {
      readonly body?: object;
      readonly apiKey?: string;
      readonly headers?: Record<string, string>;
    },
  ): Promise<StageResponse>;
  aKey(scopes: readonly string[], accountId?: string): Promise<string>;
  create(prompt: string, more?: object): Promise<VideoResource>;
  cancel(taskId: string): Promise<StageResponse>;
  /** The task once it looks like this. */
  until(taskId: string, looks: Partial<Task>): Promise<Task>;
  /** The vendor's task of ours, once it has one. */
  vendorTask(taskId: string): Promise<{ id: string; status: string }>;
  fault(fault: object): Promise<void>;
  stats(): Promise<{ creates_received: number; deletes: number; faults_applied: number }>;
  sql(text: string, ...values: unknown[]): Promise<Row[]>;
  /** Statuses of its events, in order. */
  eventsOf(taskId: string): Promise<unknown[]>;
  /** Hold and entries of a task once billing has closed it. */
  settled(taskId: string): Promise<{ charged: unknown; entries: unknown[] }>;
  files(): Promise<string[]>;
  /** Unfinished videos of its account and slots taken at this provider, as they are counted. */
  counted(provider: string): Promise<{ active: unknown; slots: unknown }>;
  close(): Promise<void>;
}

const mediaTokenKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

export async function openStage({ vendor = {} }: { vendor?: Environment } = {}): Promise<Stage> {
  const test = await openTestDatabase();
  const redis = testRedis();
  const sandbox = await startSandboxVendor(vendor);
  const storageDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-endings-'));
  const { id: accountId } = await anAccount(test.database, { quota: 1_000_000 });
  const configuration = fixedConfiguration(configurationFor(sandbox));
  const stops: (() => Promise<void>)[] = [];
  const as = (service: string) => ({ DATABASE_URL: asService(test.url, service) });
  const urls = { api: '', billing: 'http://127.0.0.1:9' };
  const common = {
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'error',
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.prefix,
    SERVICE_TOKEN: 'service-token-for-tests',
    DATABASE_POOL_SIZE: '6',
    GATEWAY_CONFIG: '-',
    PUBLIC_BASE_URL: 'http://gateway.test',
    MEDIA_TOKEN_KEYS: mediaTokenKeys,
    STORAGE_DIR: storageDir,
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    CALLBACK_ALLOW_HTTP: 'true',
  };
  const run = async (parts: readonly Part[], log: Log): Promise<Running> => {
    const stopAll = await startAll(parts);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => (stopping ??= stopAll());
    stops.push(stop);
    return { log, stop };
  };
  const sql: Stage['sql'] = async (text, ...values) =>
    (await test.database.pool.query<Row>(text, values)).rows;
  const find = createTaskReads(test.database).findEvenDeleted;
  const aKey: Stage['aKey'] = async (scopes, owner = accountId) => {
    const apiKey = `sk-gw-${randomBytes(24).toString('base64url')}`;
    const hash = new Uint8Array(createHash('sha256').update(apiKey).digest());
    await createAccounts(test.database).createKey({
      id: newId('key'),
      accountId: owner,
      name: 'test',
      hash,
      prefix: apiKey.slice(0, 12),
      scopes: [...scopes],
      models: [],
      expiresAt: null,
    });
    return apiKey;
  };
  const ownKey = await aKey(['videos:write', 'videos:read']);
  const request: Stage['request'] = async (
    method,
    at,
    { body, apiKey = ownKey, headers = {} } = {},
  ) => {
    const response = await fetch(`${urls.api}${at}`, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (response.headers.get('content-type')?.includes('json') === true
        ? JSON.parse(text)
        : {}) as StageResponse['body'],
    };
  };
  const until: Stage['until'] = (taskId, looks) =>
    eventually(
      async () => {
        const task = await find(taskId);
        const differs = Object.entries(looks).filter(
          ([name, value]) => task?.[name as keyof Task] !== value,
        );
        if (task === undefined || differs.length > 0) {
          throw new Error(
            `task is ${String(task?.status)} (${String(task?.step)}), not ${JSON.stringify(looks)}`,
          );
        }
        return task;
      },
      { withinMs: 20_000, everyMs: 10 },
    );
  return {
    database: test.database,
    sandbox,
    storageDir,
    accountId,
    sql,
    request,
    aKey,
    until,
    async startApi(settings = {}) {
      const log = recordingLog();
      const service = await createApi(
        loadSettings(apiSettings, {
          ...common,
          ...as('api'),
          BILLING_URL: urls.billing,
          ...settings,
        }),
        configuration,
        { log },
      );
      const running = await run(service.parts, log);
      urls.api = service.url();
      const unwatch = watchResponses(urls.api);
      stops.push(() => {
        unwatch();
        return Promise.resolve();
      });
      return running;
    },
    async startBilling(settings = {}) {
      const log = recordingLog();
      const service = createBilling(
        loadSettings(billingSettings, {
          ...common,
          ...as('billing'),
          SWEEP_MS: '600000',
          ...settings,
        }),
        { log },
      );
      const running = await run(service.parts, log);
      urls.billing = service.url();
      return running;
    },
    async startWorker(settings = {}) {
      const log = recordingLog();
      const service = await createWorker(
        loadSettings(workerSettings, {
          ...common,
          ...as('video-worker'),
          INGEST_ALLOW_CIDRS: '127.0.0.0/8',
          INGEST_ALLOW_HTTP: 'true',
          VENDOR_TIMEOUT_MS: '3000',
          SUBMISSION_UNKNOWN_AFTER_MS: '4000',
          LATE_WATCH_EVERY_MS: '200',
          SWEEP_MS: '600000',
          ...settings,
        }),
        configuration,
        { log },
      );
      return run(service.parts, log);
    },
    async startDispatcher(settings = {}) {
      const log = recordingLog();
      const service = createDispatcher(
        loadSettings(dispatcherSettings, {
          ...common,
          ...as('callback-dispatcher'),
          CALLBACK_RETRY_DELAYS_MS: '50,50,50,50,50',
          CALLBACK_SWEEP_MS: '200',
          ...settings,
        }),
        log,
      );
      return run(service.parts, log);
    },
    async create(prompt, more = {}) {
      const response = await request('POST', '/v1/videos', {
        body: { model: 'sandbox-video', prompt, ...more },
      });
      if (response.status !== 200) {
        throw new Error(`creation returned ${response.status}: ${response.text}`);
      }
      return response.body;
    },
    cancel: (taskId) => request('POST', `/v1/videos/${taskId}/cancel`),
    vendorTask: (taskId) =>
      eventually(async () => {
        const { tasks } = (await (await fetch(`${sandbox.url}/control/tasks`)).json()) as {
          tasks: { id: string; status: string; safety_identifier: string }[];
        };
        const found = tasks.find((task) => task.safety_identifier === taskId);
        if (found === undefined) throw new Error('the vendor does not know the task');
        return found;
      }),
    async fault(fault) {
      const response = await fetch(`${sandbox.url}/control/faults`, {
        method: 'POST',
        body: JSON.stringify(fault),
        headers: { 'content-type': 'application/json' },
      });
      if (!response.ok) throw new Error(await response.text());
    },
    stats: async () =>
      (await (await fetch(`${sandbox.url}/control/stats`)).json()) as {
        creates_received: number;
        deletes: number;
        faults_applied: number;
      },
    eventsOf: async (taskId) =>
      (await sql('SELECT status FROM task_event WHERE task_id = $1 ORDER BY sequence', taskId)).map(
        ({ status }) => status,
      ),
    settled: (taskId) =>
      eventually(async () => {
        const [hold] = await sql(
          'SELECT state, charged_quota FROM hold WHERE task_id = $1',
          taskId,
        );
        if (hold?.['state'] !== 'closed') throw new Error('the hold is open');
        const entries = await sql(
          'SELECT kind, quota FROM ledger_entry WHERE task_id = $1 ORDER BY id',
          taskId,
        );
        return {
          charged: hold['charged_quota'],
          entries: entries.map(({ kind, quota }) => `${String(kind)} ${String(quota)}`),
        };
      }),
    files: async () =>
      (await readdir(storageDir, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .filter((name) => name !== 'installation.json') // names the owner of the storage
        .sort(),
    async counted(provider) {
      const [row] = await sql(
        'SELECT active, (SELECT places_taken FROM vendor_line WHERE provider = $2) AS slots FROM account_videos WHERE account_id = $1',
        accountId,
        provider,
      );
      return { active: row?.['active'], slots: row?.['slots'] };
    },
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      await sandbox.stop();
      const violations = await createLedger(test.database).verify({ graceSeconds: 3_600 });
      await test.close();
      await rm(storageDir, { recursive: true, force: true });
      expectDocumentedResponses();
      if (violations.length > 0) {
        throw new Error(`the books are wrong: ${JSON.stringify(violations)}`);
      }
    },
  };
}

function configurationFor(sandbox: RunningSandbox): Configuration {
  const model = (name: string, expiresAfterSeconds: number, provider = 'sandbox'): string => `
  ${name}:
    kind: video
    provider: ${provider}
    upstream_model: sandbox-video
    second_quota: 10
    duration: { min: 4, max: 15, default: 5 }
    ratio: { allowed: ["16:9"], default: "16:9" }
    resolution: { allowed: [480p], default: 480p }
    references: { image: 9 }
    expires_after_seconds: ${expiresAfterSeconds}`;
  const read = readConfiguration(
    `
providers:
  sandbox: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 50, requests_per_second: 1000, poll_seconds: { first: 0.1, max: 0.3 } }
  unhurried: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 50, requests_per_second: 1000, poll_seconds: { first: 60, max: 60 } }
  narrow: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 1, requests_per_second: 1000, poll_seconds: { first: 0.1, max: 0.3 } }
models:${model('sandbox-video', 3_600)}${model('sandbox-brief', 2)}${model('sandbox-unhurried', 3_600, 'unhurried')}${model('sandbox-narrow', 3_600, 'narrow')}
`,
    { environment: { KEY: sandbox.apiKey }, readFile: () => undefined },
    videoVendors,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}
