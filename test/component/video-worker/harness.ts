import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { readConfiguration, type NewTask, type Task } from '@gateway/contracts';
import { startAll, type LiveConfiguration } from '@gateway/runtime';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { createLedger, createTaskReads } from '@gateway/store';
import {
  asService,
  anAccount,
  aQueuedTask,
  eventually,
  fixedConfiguration,
  openTestDatabase,
  recordingLog,
  testRedis,
  type TestDatabase,
} from '@gateway/testing';
import { createService, type Settings } from '@gateway/video-worker';
import { createProducer, type Producer } from '@gateway/queue';
import { videoVendors } from '@gateway/video-providers';

interface VendorStats {
  readonly creates_received: number;
  readonly creates_accepted: number;
  readonly gets: number;
  readonly lists: number;
  readonly renders: object;
}

export interface WorkerUnderTest {
  readonly database: TestDatabase['database'];
  readonly sandbox: RunningSandbox;
  readonly storageDir: string;
  readonly producer: Producer;
  readonly log: ReturnType<typeof recordingLog>;
  /** A queued task for this prompt; its worker is not woken. */
  aTask(prompt: string, overrides?: Partial<NewTask>): Promise<Task>;
  /** The task once it has this status; fails when it does not come to it. */
  until(taskId: string, status: Task['status']): Promise<Task>;
  find(taskId: string): Promise<Task>;
  /** What the vendor counted. */
  vendorStats(): Promise<VendorStats>;
  /** Makes the vendor's next requests go wrong. */
  fault(fault: object): Promise<void>;
  startWorker(
    settings?: Partial<Settings>,
    configuration?: LiveConfiguration,
  ): Promise<() => Promise<void>>;
  /** What the last worker that was started shows to Prometheus. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** The video-worker in this process on real stores, in front of a real sandbox vendor. */
export async function openWorker(): Promise<WorkerUnderTest> {
  const test = await openTestDatabase();
  const redis = testRedis();
  const sandbox = await startSandboxVendor();
  const storageDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-worker-'));
  const log = recordingLog();
  const producer = createProducer({ redisUrl: redis.url, prefix: redis.prefix, log });
  const reads = createTaskReads(test.database);
  const { id: accountId } = await anAccount(test.database, { quota: 1_000_000 });
  const stops: (() => Promise<void>)[] = [];
  let opsUrl = (): string => {
    throw new Error('no worker was started');
  };
  const find = async (taskId: string): Promise<Task> => {
    const task = await reads.find(taskId);
    if (task === undefined) throw new Error(`no task ${taskId}`);
    return task;
  };
  return {
    database: test.database,
    sandbox,
    storageDir,
    producer,
    log,
    find,
    aTask: (prompt, { request, ...overrides } = {}) =>
      aQueuedTask(test.database, accountId, {
        vendor: {
          provider: 'sandbox',
          kind: 'ark',
          baseUrl: `${sandbox.url}/api/v3`,
          credentialId: 'test',
          upstreamModel: 'sandbox-video',
          taskId: null,
        },
        ...overrides,
        request: {
          prompt,
          references: [],
          ratio: '16:9',
          duration: 5,
          resolution: '480p',
          watermark: false,
          seed: null,
          generateAudio: false,
          returnLastFrame: false,
          metadata: {},
          unsupported: [],
          ...request,
        },
      }),
    until: (taskId, status) =>
      eventually(
        async () => {
          const task = await find(taskId);
          if (task.status !== status) {
            throw new Error(`task is ${task.status} (${task.step}), not ${status}`);
          }
          return task;
        },
        { withinMs: 20_000 },
      ),
    async vendorStats() {
      return (await (await fetch(`${sandbox.url}/control/stats`)).json()) as VendorStats;
    },
    async fault(fault) {
      const response = await fetch(`${sandbox.url}/control/faults`, {
        method: 'POST',
        body: JSON.stringify(fault),
        headers: { 'content-type': 'application/json' },
      });
      if (!response.ok) throw new Error(await response.text());
    },
    async startWorker(
      settings = {},
      configuration = fixedConfiguration(configurationFor(sandbox)),
    ) {
      const service = await createService(
        {
          HOST: '127.0.0.1',
          OPS_PORT: 0,
          LOG_LEVEL: 'error',
          LOG_FORMAT: 'json',
          EXCEPTIONS_BEFORE_RESTART: 10,
          DATABASE_URL: asService(test.url, 'video-worker'),
          REDIS_URL: redis.url,
          QUEUE_PREFIX: redis.prefix,
          GATEWAY_CONFIG: '',
          STORAGE_DIR: storageDir,
          PUBLIC_BASE_URL: 'http://gateway.test',
          MEDIA_TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
          FFMPEG_PATH: '',
          MAKE_POSTERS: true,
          PATH: '',
          LAST_FRAME_TIMEOUT_MS: 20_000,
          INGEST_ALLOW_CIDRS: '127.0.0.0/8',
          INGEST_ALLOW_HTTP: true,
          INGEST_MAX_BYTES: 50_000_000,
          INGEST_TIMEOUT_MS: 20_000,
          VENDOR_TIMEOUT_MS: 2_000,
          VENDOR_BREAKER_FAILURES: 5,
          VENDOR_BREAKER_PAUSE_MS: 300,
          VENDOR_BREAKER_LONGEST_PAUSE_MS: 2_000,
          SUBMISSION_UNKNOWN_AFTER_MS: 4_000,
          DEADLINE_GRACE_SECONDS: 5,
          LATE_WATCH_SECONDS: 60,
          LATE_WATCH_EVERY_MS: 200,
          DATABASE_POOL_SIZE: 8,
          DATABASE_SILENCE_MS: 9_000,
          REDIS_SILENCE_MS: 8_000,
          SWEEP_MS: 500,
          ADMIT_SWEEP_MS: 1_000,
          RETENTION_SWEEP_MS: 60_000,
          STORAGE_SWEEP_MS: 3_600_000,
          STORAGE_SWEEP_AFTER_SECONDS: 86_400,
          STORAGE_SWEEP_UNKNOWN_AFTER_SECONDS: 2_592_000,
          STORAGE_SWEEP_MAX_PERCENT: 1,
          STORAGE_SWEEP_MAX_FILES: 10_000,
          CLOCK_MAX_OFFSET_MS: 2_000,
          WATCHDOG_STALLED_MS: 120_000,
          ...settings,
        },
        configuration,
        { log },
      );
      const stop = await startAll(service.parts);
      stops.push(stop);
      opsUrl = service.opsUrl;
      return stop;
    },
    metrics: async () => (await fetch(`${opsUrl()}/metrics`)).text(),
    async close() {
      await Promise.all(stops.map((stop) => stop()));
      await producer.part.stop();
      await sandbox.stop();
      expectCleanBooks(await createLedger(test.database).verify({ graceSeconds: 3_600 }));
      await test.close();
      await rm(storageDir, { recursive: true, force: true });
    },
  };
}

function expectCleanBooks(violations: readonly object[]): void {
  if (violations.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(violations)}`);
}

/** Of the providers that these tests use; `more` are lines of further ones. */
export function configurationFor(sandbox: RunningSandbox, more = '') {
  const read = readConfiguration(
    `
providers:
  sandbox: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 50, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }
  other: { kind: ark, base_url: "http://127.0.0.1:9/api/v3", api_key: "\${KEY}", max_concurrent: 2000, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }
  narrow: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 1, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }
  minimax: { kind: minimax, base_url: "${sandbox.url}", api_key: "\${KEY}", max_concurrent: 50, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }
  slow: { kind: ark, base_url: "http://127.0.0.1:9/api/v3", api_key: "\${KEY}", max_concurrent: 500, requests_per_second: 5, poll_seconds: { first: 0.05, max: 0.3 } }
  patient: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 50, requests_per_second: 1000, poll_seconds: { first: 600, max: 600 } }
${more}  crowded: { kind: ark, base_url: "${sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: 500, requests_per_second: 0.05, poll_seconds: { first: 0.05, max: 0.3 } }
models:
  sandbox-video:
    kind: video
    provider: sandbox
    upstream_model: sandbox-video
    second_quota: 10
    duration: { min: 4, max: 15, default: 5 }
    ratio: { allowed: ["16:9"], default: "16:9" }
    resolution: { allowed: [480p], default: 480p }
`,
    { environment: { KEY: sandbox.apiKey }, readFile: () => undefined },
    videoVendors,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}
