import { mkdtemp, rm } from 'node:fs/promises';
import { createHash, randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { createService as createApi } from '@gateway/api';
import { createService as createBilling } from '@gateway/billing';
import { readConfiguration, type Configuration } from '@gateway/contracts';
import { newId, startAll } from '@gateway/runtime';
import { createAccounts, type NewKey } from '@gateway/store';
import {
  asService,
  anAccount,
  fixedConfiguration,
  openPeer,
  openTestDatabase,
  openWire,
  recordingLog,
  testRedis,
  type Peer,
  type TestDatabase,
  type Wire,
} from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import { readFileSync } from 'node:fs';
import { expectDocumentedResponses, watchResponses } from '../../contracts/watch-responses.ts';

export interface ApiUnderTest {
  readonly url: string;
  /** Of its operations port. */
  readonly opsUrl: string;
  /** Every route and method that is served. */
  readonly routes: readonly string[];
  readonly storageDir: string;
  readonly database: TestDatabase['database'];
  /** From the api to its database, with `overWire`. */
  readonly wire: Wire;
  /** Requests that reached billing. */
  readonly billing: Peer;
  readonly log: ReturnType<typeof recordingLog>;
  readonly redis: Redis;
  readonly prefix: string;
  /** From now on billing cannot be reached. */
  stopBilling(): Promise<void>;
  stopApi(): Promise<void>;
  aKey(
    overrides?: Partial<NewKey> & { quota?: number; accountId?: string },
  ): Promise<{ apiKey: string; keyId: string; accountId: string }>;
  /** How many rows there are of everything a creation writes. */
  rows(): Promise<Record<string, number>>;
  /**
   * One more replica on the same stores, perhaps with another configuration; returns its address. It
   * is closed with the first.
   */
  aReplica(change?: (usual: Configuration) => Configuration): Promise<string>;
  close(): Promise<void>;
}

export const mediaKey = Buffer.alloc(32, 7).toString('base64');
const receiptKeys = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
const serviceToken = 'service-token-for-tests';

export const configuration: Configuration = readOrThrow('http://127.0.0.1:9');

function readOrThrow(sandboxUrl: string): Configuration {
  const text = readFileSync(
    path.resolve(import.meta.dirname, '../../../config/gateway.yaml'),
    'utf8',
  );
  const read = readConfiguration(
    text,
    {
      environment: { SANDBOX_URL: sandboxUrl, SANDBOX_API_KEY: 'key' },
      readFile: () => undefined,
    },
    videoVendors,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}

export interface ApiOptions {
  readonly redisUrl?: string;
  readonly bodyLimitBytes?: number;
  readonly bodyTimeoutMs?: number;
  /** Of bodies under way, in all and of one account. */
  readonly bodyBytes?: {
    readonly process: number;
    readonly account: number;
    readonly accountPerSecond?: number;
  };
  /** That a key may have at once. */
  readonly concurrentRequests?: number;
  readonly activeVideos?: number;
  /** That the assets of an account may hold. */
  readonly assetBytes?: number;
  readonly uploadTimeoutMs?: number;
  readonly publicBaseUrl?: string;
  /** Of a key that has no rate of its own; more than any story needs, when left out. */
  readonly requestsPerMinute?: number;
  /**
   * How often event streams look for news, after what silence they say something, and how many a
   * key may have.
   */
  readonly streams?: {
    readonly lookMs?: number;
    readonly pingMs?: number;
    readonly perKey?: number;
  };
  readonly adminToken?: string;
  /** Whether prompts stay with a task that is over; they do when left out. */
  readonly storePrompts?: boolean;
  /** Who may say for whom it asks, how many unknown keys one address may try, what pages there are. */
  readonly edge?: {
    readonly trustedProxies?: string;
    readonly unknownKeysPerMinute?: number;
    readonly corsOrigins?: string;
    readonly console?: 'on' | 'off';
  };
  /** Of a vendor that responds; nobody does at the usual one. */
  readonly sandboxUrl?: string;
  /** Leads the api to its database over a wire that can be silenced, and makes it impatient. */
  readonly overWire?: { readonly silentMs: number; readonly outcomeWaitMs: number };
  /** Called before a hold is taken: by then the api has read what it needs. */
  readonly beforeHold?: () => void;
  /** Whether billing's response to the hold that was just taken is lost on its way. */
  readonly isHoldLost?: () => boolean;
}

const streamSettings = ({
  lookMs = 50,
  pingMs = 15_000,
  perKey = 100,
}: NonNullable<ApiOptions['streams']> = {}) => ({
  EVENT_STREAM_LOOK_MS: lookMs,
  EVENT_STREAM_PING_MS: pingMs,
  EVENT_STREAMS_PER_KEY: perKey,
  ENDPOINTS_PER_ACCOUNT: 5,
});

const accountLimits = ({
  activeVideos = 1_000,
  assetBytes = 10_000_000,
}: Readonly<Record<'activeVideos' | 'assetBytes', number | undefined>>) => ({
  activeVideos,
  assetBytes,
});

const edgeSettings = ({
  trustedProxies = '',
  unknownKeysPerMinute = 300,
  corsOrigins = '',
  console = 'on',
}: NonNullable<ApiOptions['edge']> = {}) => ({
  TRUSTED_PROXIES: trustedProxies,
  UNKNOWN_KEYS_PER_MINUTE: unknownKeysPerMinute,
  CORS_ORIGINS: corsOrigins,
  CONSOLE: console,
});

/** Settings that a service may be without. */
const given = <Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };

const slotsOf = (concurrentRequests = 100) => ({ concurrentRequests });

const bodySettings = ({
  bodyTimeoutMs = 60_000,
  bodyBytes = { process: 100_000_000, account: 50_000_000 },
}: {
  bodyTimeoutMs: ApiOptions['bodyTimeoutMs'];
  bodyBytes: ApiOptions['bodyBytes'];
}) => ({
  BODY_TIMEOUT_MS: bodyTimeoutMs,
  BODY_BYTES: bodyBytes.process,
  BODY_BYTES_PER_ACCOUNT: bodyBytes.account,
  BODY_BYTES_PER_SECOND_PER_ACCOUNT: bodyBytes.accountPerSecond ?? 33_554_432,
  BODY_THREADS: 2,
  BODY_THREAD_HEAP_MB: 128,
});

/**
 * The api in this process on real stores, with a real billing service behind a peer that records
 * what passes.
 */
export async function openApi({
  redisUrl,
  bodyLimitBytes,
  bodyTimeoutMs,
  bodyBytes,
  concurrentRequests,
  activeVideos,
  assetBytes,
  uploadTimeoutMs = 20_000,
  publicBaseUrl = 'http://gateway.test',
  requestsPerMinute = 1_000_000,
  streams,
  adminToken,
  storePrompts,
  edge,
  sandboxUrl,
  overWire,
  beforeHold,
  isHoldLost,
}: ApiOptions = {}): Promise<ApiUnderTest> {
  const test = await openTestDatabase();
  const apiDatabaseUrl = asService(test.url, 'api');
  const wire = await openWire(apiDatabaseUrl, 5432);
  const redis = testRedis();
  const common = {
    HOST: '127.0.0.1',
    PORT: 0,
    OPS_PORT: 0,
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'json',
    EXCEPTIONS_BEFORE_RESTART: 10,
    CLOCK_MAX_OFFSET_MS: 2_000,
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.prefix,
    SERVICE_TOKEN: serviceToken,
    DATABASE_POOL_SIZE: 5,
    DATABASE_SILENCE_MS: 9_000,
    REDIS_SILENCE_MS: 8_000,
    WAITING_PER_ACCOUNT: 2_000,
    WAITING_IN_ALL: 20_000,
    WAITING_MS: 10_000,
  };
  const billingService = createBilling(
    {
      ...common,
      DATABASE_URL: asService(test.url, 'billing'),
      DATABASE_LOCK_MS: 2_500,
      ORPHAN_GRACE_SECONDS: 60,
      USAGE_LEASE_SECONDS: 30,
      SWEEP_MS: 60_000,
      WATCHDOG_STALLED_MS: 120_000,
      VERIFY_MS: 60_000,
      VERIFY_STATEMENT_MS: 5_000,
      DATA_SWEEP_MS: 600_000,
    },
    { log: recordingLog() },
  );
  const stopBillingService = await startAll(billingService.parts);
  const billing = await openPeer(async (received, response) => {
    if (received.method === 'POST') beforeHold?.();
    const held = await fetch(`${billingService.url()}${received.path}`, {
      method: received.method,
      ...(received.method === 'POST' && { body: new Uint8Array(received.body) }),
      headers: {
        'content-type': 'application/json',
        authorization: received.headers.authorization ?? '',
      },
    });
    const text = await held.text();
    if (received.path === '/internal/holds' && isHoldLost?.() === true) {
      response.destroy();
      return;
    }
    response.writeHead(held.status, { 'content-type': 'application/json' });
    response.end(text);
  });
  const storageDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-api-'));
  const log = recordingLog();
  const configured = sandboxUrl === undefined ? configuration : readOrThrow(sandboxUrl);
  const openReplica = (change = (usual: Configuration): Configuration => usual) =>
    createApi(
      {
        ...common,
        API_PROCESSES: 1,
        STOP_DELAY_MS: 0,
        DATABASE_URL: overWire === undefined ? apiDatabaseUrl : wire.url,
        DATABASE_SILENCE_MS: overWire?.silentMs ?? 9_000,
        REDIS_URL: redisUrl ?? redis.url,
        GATEWAY_CONFIG: '',
        PUBLIC_BASE_URL: publicBaseUrl,
        BILLING_URL: billing.url,
        MEDIA_TOKEN_KEYS: `k1:${mediaKey}`,
        RECEIPT_KEYS: receiptKeys,
        STORAGE_DIR: storageDir,
        CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
        CALLBACK_ALLOW_HTTP: true,
        CALLBACK_EGRESS_PROXY: '',
        CALLBACK_SECRET_KEYS: '',
        VIDEO_BODY_LIMIT_BYTES: bodyLimitBytes ?? 1_000_000,
        ASSET_UPLOAD_TIMEOUT_MS: uploadTimeoutMs,
        ...bodySettings({ bodyTimeoutMs, bodyBytes }),
        TEXT_BODY_LIMIT_BYTES: 1_000_000,
        TEXT_BODY_TIMEOUT_MS: 60_000,
        TEXT_LEASE_SECONDS: 5,
        TEXT_LEASE_IDLE_SECONDS: 10,
        TEXT_PING_MS: 15_000,
        TEXT_QUEUE_MS: 10_000,
        RESPONSES_RETENTION_HOURS: 24,
        RESPONSES_BYTES_PER_ACCOUNT: 10_000_000,
        REQUIRE_VERSION_HEADER: true,

        ...edgeSettings(edge),
        DRAIN_MS: 2_000,
        OUTCOME_WAIT_MS: overWire?.outcomeWaitMs ?? 5_000,
        ...streamSettings(streams),
        ...given({ ADMIN_TOKEN: adminToken, STORE_PROMPTS: storePrompts }),
      },
      fixedConfiguration(
        change({
          ...configured,
          limits: {
            ...configured.limits,
            defaultKey: {
              ...configured.limits.defaultKey,
              requestsPerMinute,
              ...slotsOf(concurrentRequests),
            },
            defaultAccount: accountLimits({ activeVideos, assetBytes }),
          },
        }),
      ),
      // A test sees at once what has changed, and no busy machine looks like a Redis that is away.
      { log, metricsFreshMs: 0, redisTimeoutMs: 30_000 },
    );
  const api = await openReplica();
  const stops = [await startAll(api.parts)];
  const unwatch = [watchResponses(api.url())];
  const stopApi = async (): Promise<void> => {
    for (const stop of stops.splice(0)) await stop();
    for (const stop of unwatch.splice(0)) stop();
  };
  const client = new Redis(redis.url);
  let billingStopped = false;
  const stopBilling = async (): Promise<void> => {
    if (billingStopped) return;
    billingStopped = true;
    await billing.close();
    await stopBillingService();
  };
  return {
    url: api.url(),
    opsUrl: api.opsUrl(),
    routes: api.routes,
    storageDir,
    database: test.database,
    wire,
    billing,
    log,
    redis: client,
    prefix: redis.prefix,
    stopBilling,
    stopApi,
    async aKey({ quota = 10_000, accountId, ...overrides } = {}) {
      const account = accountId ?? (await anAccount(test.database, { quota })).id;
      const apiKey = `sk-gw-${randomBytes(24).toString('base64url')}`;
      const keyId = newId('key');
      await createAccounts(test.database).createKey({
        id: keyId,
        accountId: account,
        name: 'test',
        hash: new Uint8Array(createHash('sha256').update(apiKey).digest()),
        prefix: apiKey.slice(0, 12),
        scopes: ['videos:write', 'videos:read'],
        models: [],
        expiresAt: null,
        ...overrides,
      });
      return { apiKey, keyId, accountId: account };
    },
    async rows() {
      const count = async (table: string): Promise<[string, number]> => [
        table,
        (
          await test.database.pool.query<{ count: number }>(
            `SELECT count(*) AS count FROM ${table}`,
          )
        ).rows[0]!.count,
      ];
      return Object.fromEntries(
        await Promise.all(
          ['task', 'task_event', 'hold', 'callback', 'callback_push', 'idempotency_key'].map(count),
        ),
      );
    },
    async aReplica(change) {
      const replica = await openReplica(change);
      stops.push(await startAll(replica.parts));
      unwatch.push(watchResponses(replica.url()));
      return replica.url();
    },
    async close() {
      client.disconnect();
      await stopApi();
      await stopBilling();
      await wire.close();
      await test.close();
      await rm(storageDir, { recursive: true, force: true });
      expectDocumentedResponses();
    },
  };
}

export const nothing = {
  task: 0,
  task_event: 0,
  hold: 0,
  callback: 0,
  callback_push: 0,
  idempotency_key: 0,
};
