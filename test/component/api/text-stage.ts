import { mkdtemp, rm } from 'node:fs/promises';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { createService as createApi } from '@gateway/api';
import { readConfiguration, type Configuration, type UsageRecord } from '@gateway/contracts';
import { newId, startAll, type LiveConfiguration, type Tracing } from '@gateway/runtime';
import { createAccounts, type NewKey } from '@gateway/store';
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
import { startBilling, type RunningBilling } from '../billing-service.ts';
import { expectDocumentedResponses, watchResponses } from '../../contracts/watch-responses.ts';

/** One request that reached an upstream, to which the test responds. */
export interface UpstreamRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly response: ServerResponse;
  readonly json: Record<string, unknown>;
  /** The gateway closed the connection before the response was complete. */
  readonly aborted: () => boolean;
}

export interface Upstream {
  readonly url: string;
  readonly received: UpstreamRequest[];
  close(): Promise<void>;
}

/** A real upstream whose responses a test writes byte by byte. */
export async function openUpstream(
  respond: (request: UpstreamRequest) => void | Promise<void> = () => undefined,
): Promise<Upstream> {
  const received: UpstreamRequest[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let aborted = false;
    response.on('close', () => {
      aborted = !response.writableFinished;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const one: UpstreamRequest = {
        path: request.url ?? '',
        headers: request.headers,
        body,
        response,
        json: JSON.parse(body.toString()) as Record<string, unknown>,
        aborted: () => aborted,
      };
      received.push(one);
      void Promise.resolve(respond(one)).catch(() => {
        response.destroy();
      });
    });
  });
  // As vendors do: a connection that closes just as it is used is a test of its own.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export const messagesCompletion = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up-m',
  content: [{ type: 'text', text: 'Hello there.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 11,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 0,
    output_tokens: 7,
  },
};
export const chatCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'up-c',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello there.' }, finish_reason: 'stop' },
  ],
  usage: {
    prompt_tokens: 16,
    completion_tokens: 7,
    total_tokens: 23,
    prompt_tokens_details: { cached_tokens: 5 },
  },
};

const sse = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
const embeddings = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
  model: 'text-embedding-9',
  usage: { prompt_tokens: 7, total_tokens: 7 },
};

export const messagesEvents = [
  sse('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'up-m',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 11, cache_read_input_tokens: 5, output_tokens: 1 },
    },
  }),
  sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
  sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' there.' } }),
  sse('content_block_stop', { index: 0 }),
  sse('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 7 },
  }),
  sse('message_stop', {}),
];

const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'up-c', ...rest })}\n\n`;
export const chatEvents = [
  chunk({
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
  }),
  chunk({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: { content: ' there.' }, finish_reason: null }] }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({
    choices: [],
    usage: {
      prompt_tokens: 16,
      completion_tokens: 7,
      total_tokens: 23,
      prompt_tokens_details: { cached_tokens: 5 },
    },
  }),
  'data: [DONE]\n\n',
];

export const eventStream = { 'content-type': 'text/event-stream' };

/** Responds as a vendor would: a stream when asked for one. */
export function behave({ json, response, path: asked }: UpstreamRequest): void {
  const messages = asked.includes('messages');
  if (json['stream'] === true) {
    response.writeHead(200, eventStream);
    response.end((messages ? messagesEvents : chatEvents).join(''));
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/json',
    'request-id': 'req_upstream',
    'x-vendor-note': 'kept',
  });
  const completion = messages ? messagesCompletion : chatCompletion;
  response.end(JSON.stringify(asked.includes('embeddings') ? embeddings : completion));
}

export interface TextStage {
  readonly url: string;
  /** Of its operations port. */
  readonly opsUrl: string;
  readonly databaseUrl: string;
  readonly database: TestDatabase['database'];
  readonly log: ReturnType<typeof recordingLog>;
  readonly redis: { url: string; prefix: string };
  aKey(
    overrides?: Partial<NewKey> & { quota?: number; accountId?: string },
  ): Promise<{ apiKey: string; keyId: string; accountId: string }>;
  /** Usage records of its accounts that reached the outbox, once there are so many. */
  usage(count: number): Promise<UsageRecord[]>;
  stopApi(): Promise<void>;
  close(): Promise<void>;
}

export interface StageOptions {
  /** Providers and models as in config/gateway.yaml. */
  readonly yaml?: string;
  /** Instead of the text: one that may change. */
  readonly configuration?: LiveConfiguration;
  readonly settings?: Partial<Parameters<typeof createApi>[0]>;
  readonly tracing?: Tracing | undefined;
  /** Leads the api to its database by another address. */
  readonly overWire?: (databaseUrl: string) => string;
  /** Those of the stages before; its own, which it closes, when left out. */
  readonly stores?: TextStores;
}

/** What outlives an api, and takes longer to open than it. */
interface TextStores {
  readonly test: TestDatabase;
  /** Holds quota; what is used stays in the outbox, where the tests read it. */
  readonly billing: RunningBilling;
  close(): Promise<void>;
}

async function openTextStores(): Promise<TextStores> {
  const test = await openTestDatabase();
  const billing = await startBilling(test);
  return {
    test,
    billing,
    async close() {
      await billing.stop();
      await test.close();
    },
  };
}

/** The api in this process, on real stores, with a configuration of the test's own. */
export async function openTextStage({
  yaml = '',
  configuration,
  settings = {},
  tracing,
  stores,
  overWire = (url) => url,
}: StageOptions): Promise<TextStage> {
  const { test, billing, close: closeStores } = stores ?? (await openTextStores());
  const redis = testRedis();
  const accounts = new Set<string>();
  const storageDir = await mkdtemp(path.join(os.tmpdir(), 'gateway-text-'));
  const log = recordingLog();
  const api = await createApi(
    {
      HOST: '127.0.0.1',
      PORT: 0,
      OPS_PORT: 0,
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
      EXCEPTIONS_BEFORE_RESTART: 10,
      CLOCK_MAX_OFFSET_MS: 2_000,
      DATABASE_URL: overWire(asService(test.url, 'api')),
      REDIS_URL: redis.url,
      QUEUE_PREFIX: redis.prefix,
      SERVICE_TOKEN: 'test-service-token-0123456789',
      DATABASE_POOL_SIZE: 5,
      DATABASE_SILENCE_MS: 9_000,
      REDIS_SILENCE_MS: 8_000,
      WAITING_PER_ACCOUNT: 2_000,
      WAITING_IN_ALL: 20_000,
      WAITING_MS: 10_000,
      GATEWAY_CONFIG: '',
      PUBLIC_BASE_URL: 'http://gateway.test',
      BILLING_URL: billing.url,
      MEDIA_TOKEN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      STORAGE_DIR: storageDir,
      CALLBACK_ALLOW_CIDRS: '',
      CALLBACK_ALLOW_HTTP: false,
      CALLBACK_EGRESS_PROXY: '',
      CALLBACK_SECRET_KEYS: '',
      VIDEO_BODY_LIMIT_BYTES: 1_000_000,
      ASSET_UPLOAD_TIMEOUT_MS: 20_000,
      BODY_TIMEOUT_MS: 60_000,
      BODY_BYTES: 100_000_000,
      BODY_BYTES_PER_ACCOUNT: 50_000_000,
      BODY_BYTES_PER_SECOND_PER_ACCOUNT: 33_554_432,
      BODY_THREADS: 2,
      BODY_THREAD_HEAP_MB: 128,
      TEXT_BODY_LIMIT_BYTES: 1_000_000,
      TEXT_BODY_TIMEOUT_MS: 60_000,
      TEXT_LEASE_SECONDS: 5,
      TEXT_LEASE_IDLE_SECONDS: 10,
      TEXT_PING_MS: 15_000,
      TEXT_QUEUE_MS: 10_000,
      RESPONSES_RETENTION_HOURS: 24,
      RESPONSES_BYTES_PER_ACCOUNT: 10_000_000,
      REQUIRE_VERSION_HEADER: true,

      TRUSTED_PROXIES: '',
      UNKNOWN_KEYS_PER_MINUTE: 300,
      CORS_ORIGINS: '',
      API_PROCESSES: 1,
      STOP_DELAY_MS: 0,
      CONSOLE: 'off',
      DRAIN_MS: 2_000,
      OUTCOME_WAIT_MS: 5_000,
      EVENT_STREAM_LOOK_MS: 500,
      EVENT_STREAM_PING_MS: 15_000,
      EVENT_STREAMS_PER_KEY: 100,
      ENDPOINTS_PER_ACCOUNT: 5,
      ...settings,
    },
    configuration ?? fixedConfiguration(configurationOf(yaml)),
    // A test sees at once what has changed.
    { log, tracing, metricsFreshMs: 0 },
  );
  let stop: (() => Promise<void>) | undefined = await startAll(api.parts);
  const unwatch = watchResponses(api.url());
  const stopApi = async (): Promise<void> => {
    await stop?.();
    unwatch();
    stop = undefined;
  };
  return {
    url: api.url(),
    opsUrl: api.opsUrl(),
    database: test.database,
    databaseUrl: test.url,
    log,
    redis,
    stopApi,
    async aKey({ quota = 10_000, accountId, ...overrides } = {}) {
      const account = accountId ?? (await anAccount(test.database, { quota })).id;
      accounts.add(account);
      const apiKey = `sk-gw-${randomBytes(24).toString('base64url')}`;
      const keyId = newId('key');
      await createAccounts(test.database).createKey({
        id: keyId,
        accountId: account,
        name: 'test',
        hash: new Uint8Array(createHash('sha256').update(apiKey).digest()),
        prefix: apiKey.slice(0, 12),
        scopes: ['text'],
        models: [],
        expiresAt: null,
        ...overrides,
      });
      return { apiKey, keyId, accountId: account };
    },
    usage: (count) =>
      eventually(async () => {
        const { rows } = await test.database.pool.query<{ records: UsageRecord[] }>(
          'SELECT records FROM usage_batch ORDER BY created_at',
        );
        const records = rows
          .flatMap((row) => row.records)
          .filter((record) => accounts.has(record.account_id));
        if (records.length < count) throw new Error(`${records.length} of ${count} usage records`);
        return records;
      }),
    async close() {
      await stopApi();
      if (stores === undefined) await closeStores();
      await rm(storageDir, { recursive: true, force: true });
      expectDocumentedResponses();
    },
  };
}

function configurationOf(yaml: string): Configuration {
  const read = readConfiguration(
    yaml,
    {
      environment: { KEY: 'vendor-secret' },
      readFile: () => undefined,
    },
    videoVendors,
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}

export interface Client {
  readonly status: Promise<number>;
  readonly headers: Promise<IncomingMessage['headers']>;
  /** What has arrived so far. */
  text(): string;
  /** The whole response; rejects when the connection broke. */
  readonly body: Promise<string>;
  readonly ended: () => boolean;
  leave(): void;
}

/** A client that shows what arrives when. */
export function post(
  url: string,
  { headers = {}, body }: { headers?: Record<string, string>; body: unknown },
): Client {
  const request = httpRequest(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  let text = '';
  let ended = false;
  const response = once(request, 'response').then(([each]) => each as IncomingMessage);
  const whole = response.then(
    (each) =>
      new Promise<string>((resolve, reject) => {
        each.setEncoding('utf8');
        each.on('data', (piece: string) => {
          text += piece;
        });
        each.on('end', () => {
          ended = true;
          resolve(text);
        });
        each.on('error', reject);
      }),
  );
  whole.catch(() => undefined);
  request.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return {
    status: response.then((each) => each.statusCode ?? 0),
    headers: response.then((each) => each.headers),
    text: () => text,
    body: whole,
    ended: () => ended,
    leave: () => {
      request.destroy();
    },
  };
}

export const asMessages = (apiKey: string): Record<string, string> => ({
  'x-api-key': apiKey,
  'anthropic-version': '2023-06-01',
});
export const asChat = (apiKey: string): Record<string, string> => ({
  authorization: `Bearer ${apiKey}`,
});
export const hello = (model: string, extra: object = {}): object => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Say hello.' }],
  ...extra,
});

/**
 * Opens stages and upstreams for one test after another; `closeAll` closes what is open, the newest
 * first. All stages of a file have the same stores, with accounts of their own.
 */
export function createOpener(): {
  readonly closing: (() => Promise<void>)[];
  upstreamThat(respond: (request: UpstreamRequest) => void): Promise<Upstream>;
  stageWith(options: StageOptions): Promise<{ stage: TextStage; apiKey: string }>;
  closeAll(): Promise<void>;
} {
  const closing: (() => Promise<void>)[] = [];
  let stores: TextStores | undefined;
  afterAll(async () => {
    await stores?.close();
  });
  return {
    closing,
    async upstreamThat(respond) {
      const upstream = await openUpstream(respond);
      closing.push(upstream.close);
      return upstream;
    },
    async stageWith(options) {
      stores ??= await openTextStores();
      const stage = await openTextStage({ stores, ...options });
      closing.push(stage.close);
      return { stage, apiKey: (await stage.aKey()).apiKey };
    },
    async closeAll() {
      for (const close of closing.splice(0).reverse()) await close();
    },
  };
}
