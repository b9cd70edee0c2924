import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  eventually,
  openOtlpCollector,
  openReceiver,
  type CollectedSpan,
  type OtlpCollector,
  testRedis,
  type Receiver,
} from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { deleteKeys } from '../integration/queue/delete-keys.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${clientSpanId}-01`;
const collectorToken = 'collector-secret-4711';

let gateway: SuiteUnderTest;
let receiver: Receiver;
let collector: OtlpCollector;
let customer: Customer;
beforeAll(async () => {
  [receiver, collector] = await Promise.all([openReceiver(), openOtlpCollector()]);
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-token=${collectorToken}`,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  gateway = await openSuite({
    moreEnv: {
      api: { ...traced, TRUST_TRACEPARENT: 'true' },
      billing: traced,
      'video-worker': traced,
      'callback-dispatcher': traced,
    },
  });
  customer = await gateway.aCustomer(100_000);
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([receiver.close(), collector.close()]);
});

async function emptyQueues(): Promise<void> {
  const redis = new Redis(testRedis().url);
  await deleteKeys(redis, `${gateway.queuePrefix}:*:*`);
  await redis.quit();
}

/** `name @service` of each span under this one, children under their parents. */
type Tree = { readonly [span: string]: Tree };

function treeUnder(parentSpanId: string, spans: readonly CollectedSpan[]): Tree {
  const children = spans.filter((span) => span.parentSpanId === parentSpanId);
  return Object.fromEntries(
    children.map((span) => [
      `${span.name} @${span.service.replace('gateway-', '')}`,
      treeUnder(span.spanId, spans),
    ]),
  );
}

const ofTrace = (id: string): CollectedSpan[] =>
  collector.spans().filter((span) => span.traceId === id);

/** One video, made once and shown whole: every test looks at it from another side. */
let shown: Promise<{ id: string; spans: CollectedSpan[] }> | undefined;
const finishedVideo = (): Promise<{ id: string; spans: CollectedSpan[] }> =>
  (shown ??= (async () => {
    const { status, body } = await customer.request(
      'POST',
      '/v1/videos',
      {
        model: 'sandbox-video',
        prompt: 'a secret garden',
        duration: 4,
        resolution: '480p',
        callback_url: `${receiver.url}/hook?token=hook-secret`,
      },
      { traceparent },
    );
    expect(status).toBe(200);
    const { id } = body as { id: string };
    await customer.until(id, 'succeeded');

    const spans = await eventually(
      () => {
        const found = ofTrace(traceId);
        expect(found.filter(({ name }) => name === 'push callback').length).toBeGreaterThanOrEqual(
          4,
        ); // the challenge, and three statuses
        expect(found.map(({ name }) => name)).toEqual(
          expect.arrayContaining(['ingest', 'task stored', 'process billing.settle']),
        );
        // Whatever a span's parent is, it is in this trace: nothing hangs in the air.
        const known = new Set(found.map(({ spanId }) => spanId).concat(clientSpanId));
        expect(
          found.filter(
            ({ parentSpanId }) => parentSpanId === undefined || !known.has(parentSpanId),
          ),
        ).toEqual([]);
        return found;
      },
      { withinMs: 30_000 },
    );
    return { id, spans };
  })());

describe('the trace of a video', () => {
  it('leads from the POST through queues, vendor, ingest, settlement and pushes', async () => {
    const { id, spans } = await finishedVideo();
    const [post] = spans.filter(({ parentSpanId }) => parentSpanId === clientSpanId);
    expect(post).toMatchObject({
      name: 'POST /v1/videos',
      kind: 2,
      service: 'gateway-api',
      attributes: { 'http.route': '/v1/videos', 'http.response.status_code': expect.anything() },
    });
    const tree = treeUnder(clientSpanId, spans)['POST /v1/videos @api']!;
    expect(tree).toMatchObject({
      'POST /internal/holds @api': { 'POST /internal/holds @billing': {} },
      'send video.advance @api': {},
      'send callback.push @api': {},
    });
    const parentOf = (span: CollectedSpan): CollectedSpan =>
      spans.find(({ spanId }) => spanId === span.parentSpanId)!;
    const only = (name: string): CollectedSpan => {
      const found = spans.filter((span) => span.name === name);
      expect(found).toHaveLength(1);
      return found[0]!;
    };
    for (const [name, service, parent] of [
      ['generate_content sandbox-video', 'video-worker', 'process video.advance'],
      ['ingest', 'video-worker', 'process video.advance'],
      ['task accepted', 'video-worker', 'process video.advance'],
      ['send billing.settle', 'video-worker', 'task stored'],
    ] as const) {
      expect({ name, service: only(name).service, parent: parentOf(only(name)).name }).toEqual({
        name,
        service: `gateway-${service}`,
        parent,
      });
    }
    expect(only('generate_content sandbox-video')).toMatchObject({
      kind: 3,
      isFailed: false,
      attributes: {
        'gen_ai.operation.name': 'generate_content',
        'gen_ai.provider.name': 'ark',
        'gen_ai.request.model': 'sandbox-video',
        'server.address': '127.0.0.1',
      },
    });
    expect(
      spans
        .filter(({ name }) => name === 'process billing.settle')
        .map(parentOf)
        .map(({ name }) => name),
    ).toContain('send billing.settle');
    expect(
      spans
        .filter(({ name }) => name === 'push callback')
        .every((push) => parentOf(push).name === 'process callback.push' && push.kind === 3),
    ).toBe(true);
    expect(spans.filter(({ name }) => name === 'poll').length).toBeGreaterThan(0);
    expect(
      new Set(
        spans
          .filter(({ name }) => name.startsWith('process '))
          .map(({ attributes }) => attributes['gateway.task.id']),
      ),
    ).toEqual(new Set([id]));

    expect(receiver.received.every(({ headers }) => headers['traceparent'] === undefined)).toBe(
      true,
    );
  });

  it('goes on when its worker was killed and the queues have been emptied: the row knows it', async () => {
    const other = '1bf7651916cd43dd8448eb211c80319c';
    const { body } = await customer.request(
      'POST',
      '/v1/videos',
      { model: 'sandbox-video', prompt: '[slow=3] patient', duration: 4, resolution: '480p' },
      { traceparent: `00-${other}-${clientSpanId}-01` },
    );
    const { id } = body as { id: string };
    await customer.until(id, 'running');
    gateway.suite.kill('video-worker', 'SIGKILL');
    await emptyQueues();

    await customer.until(id, 'succeeded');

    const spans = await eventually(
      () => {
        const found = ofTrace(other);
        expect(found.map(({ name }) => name)).toEqual(
          expect.arrayContaining(['task stored', 'process billing.settle']),
        );
        return found;
      },
      { withinMs: 30_000 },
    );
    const [post] = spans.filter(({ parentSpanId }) => parentSpanId === clientSpanId);
    expect(
      spans.filter(
        ({ name, parentSpanId }) =>
          name === 'process video.advance' && parentSpanId === post!.spanId,
      ).length,
    ).toBeGreaterThan(0);
  });
});

describe('the trace of a streamed text response', () => {
  it('has the model call under the request and the upstream’s call under that', async () => {
    const own = '2cf7651916cd43dd8448eb211c80319c';
    const response = await fetch(`${gateway.suite.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.apiKey}`,
        'content-type': 'application/json',
        traceparent: `00-${own}-${clientSpanId}-01`,
      },
      body: JSON.stringify({
        model: 'sandbox-chat',
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: 'user', content: 'tell me a secret story' }],
      }),
    });
    const told = await response.text();
    const { usage } = JSON.parse(
      told
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .at(-1)!
        .slice(6),
    ) as { usage: { prompt_tokens: number; completion_tokens: number } };

    const spans = await eventually(
      () => {
        const found = ofTrace(own);
        expect(found).toHaveLength(3);
        return found;
      },
      { withinMs: 15_000 },
    );

    const [server, chat, attempt] = [2, 1, 3].map((kind) =>
      spans.find((span) => span.kind === kind)!,
    );
    expect(server).toMatchObject({
      name: 'POST /v1/chat/completions',
      parentSpanId: clientSpanId,
      isFailed: false,
    });
    expect(chat).toMatchObject({
      name: 'chat sandbox-chat',
      parentSpanId: server!.spanId,
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'sandbox-chat' },
    });
    expect([
      Number(chat!.attributes['gen_ai.usage.input_tokens']),
      Number(chat!.attributes['gen_ai.usage.output_tokens']),
    ]).toEqual([usage.prompt_tokens, usage.completion_tokens]);
    expect(attempt).toMatchObject({
      parentSpanId: chat!.spanId,
      isFailed: false,
      attributes: { 'gen_ai.operation.name': 'chat', 'server.address': '127.0.0.1' },
    });
    const line = await lineOf('api', (fields) => fields['trace_id'] === own);
    expect(line).toMatchObject({
      message: 'request',
      route: '/v1/chat/completions',
      span_id: server!.spanId,
    });
  });
});

/** The first line of this service's log that is looked for. */
const lineOf = (
  service: string,
  isIt: (fields: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> =>
  eventually(() => {
    const lines = gateway.suite.logs
      .read(service)
      .split('\n')
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    const found = lines.find(isIt);
    if (found === undefined) throw new Error(`no such line in the log of ${service}`);
    return found;
  });

describe('what is exported', () => {
  it('stands in the lines of every service', async () => {
    await finishedVideo();

    for (const service of ['api', 'billing', 'video-worker', 'callback-dispatcher']) {
      expect(await lineOf(service, (fields) => fields['trace_id'] === traceId)).toMatchObject({
        span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      });
    }
  });

  it('holds no secret, no signed address and nothing a customer wrote, and comes with the collector’s own header', async () => {
    await finishedVideo();

    const text = collector.text();
    expect(text).toContain(traceId);
    for (const secret of [
      customer.apiKey,
      customer.callbackSecret,
      gateway.suite.secrets.sandbox_api_key,
      gateway.suite.secrets.service_token,
      collectorToken,
      'hook-secret',
      'secret garden',
      'secret story',
      '?token=',
      '/hook',
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(
      collector.received.every(({ headers }) => headers['x-collector-token'] === collectorToken),
    ).toBe(true);
  });
});

describe('the OpenTelemetry SDK', () => {
  it.each([
    ['is not loaded without its variables', {}, 'false'],
    [
      'is loaded when an endpoint is named',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
      'true',
    ],
  ])('%s', async (_case, settings, isLoaded) => {
    const script = `
      const { openTracing } = await import('@gateway/runtime');
      await openTracing('api', ${JSON.stringify(settings)});
      const { createRequire } = await import('node:module');
      const files = Object.keys(createRequire(import.meta.url).cache);
      process.stdout.write(String(files.some((file) => /@opentelemetry.(sdk|exporter|otlp|resources)/.test(file))));
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { cwd: path.resolve(import.meta.dirname, '../../packages/queue') },
    );

    expect(stdout).toBe(isLoaded);
  });
});
