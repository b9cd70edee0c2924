import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTracing } from '@gateway/runtime';
import {
  eventually,
  openOtlpCollector,
  type CollectedSpan,
  type OtlpCollector,
} from '@gateway/testing';
import {
  asChat,
  asMessages,
  behave,
  createOpener,
  hello,
  post,
  type StageOptions,
  type TextStage,
} from '../component/api/text-stage.ts';

const { closing, upstreamThat, stageWith, closeAll } = createOpener();
let collector: OtlpCollector;
beforeEach(async () => {
  collector = await openOtlpCollector();
  closing.push(collector.close);
});
afterEach(closeAll);

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientTrace = {
  traceparent: `00-${traceId}-b7ad6b7169203331-01`,
  tracestate: 'vendor=client',
  baggage: 'customer=4711',
};

const yamlOf = (first: string, second: string): string => `
providers:
  first: { kind: chat, base_url: "${first}/v1", api_key: "\${KEY}" }
  second: { kind: chat, base_url: "${second}/v1", api_key: "\${KEY}" }
models:
  up-c: { kind: text, routes: [{ provider: first, model: up-c }, { provider: second, model: up-d, fallback: true }] }
`;

const traced = async (options: StageOptions): Promise<{ stage: TextStage; apiKey: string }> =>
  stageWith({
    ...options,
    settings: { TRUST_TRACEPARENT: true, ...options.settings },
    tracing: await openTracing('api', {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    }),
  });

/** The spans of our trace, once they are so many. */
const spansOf = (count: number): Promise<CollectedSpan[]> =>
  eventually(
    () => {
      const found = collector.spans().filter((span) => span.traceId === traceId);
      expect(found).toHaveLength(count);
      return found;
    },
    { withinMs: 10_000 },
  );

describe('a traced text request', () => {
  it.each([
    ['keeps the client’s trace headers, like all others, on its way to the upstream', {}, false],
    [
      'tells the upstream of the gateway’s span when its operator says so',
      { TRACE_TEXT_UPSTREAMS: true },
      true,
    ],
  ])('%s', async (_case, settings, isTold) => {
    const upstream = await upstreamThat(behave);
    const { stage, apiKey } = await traced({ yaml: yamlOf(upstream.url, upstream.url), settings });

    expect(
      await post(`${stage.url}/v1/chat/completions`, {
        headers: { ...asChat(apiKey), ...clientTrace, 'x-custom': 'kept' },
        body: hello('up-c'),
      }).status,
    ).toBe(200);

    const attempt = (await spansOf(3)).find(({ kind }) => kind === 3)!;
    const { headers } = upstream.received[0]!;
    expect(headers['x-custom']).toBe('kept');
    const { traceparent, tracestate, baggage } = headers;
    expect({ traceparent, tracestate, baggage }).toEqual({
      ...clientTrace,
      ...(isTold && { traceparent: `00-${traceId}-${attempt.spanId}-01` }),
    });
  });

  it('is a trace of our own, unless the operator trusts those of clients', async () => {
    const upstream = await upstreamThat(behave);
    const { stage, apiKey } = await traced({
      yaml: yamlOf(upstream.url, upstream.url),
      settings: { TRUST_TRACEPARENT: false },
    });
    const notSampled = { traceparent: `00-${traceId}-b7ad6b7169203331-00` };

    expect(
      await post(`${stage.url}/v1/chat/completions`, {
        headers: { ...asChat(apiKey), ...notSampled },
        body: hello('up-c'),
      }).status,
    ).toBe(200);

    const server = await eventually(
      () => {
        const found = collector.spans().find(({ kind }) => kind === 2);
        expect(found).toBeDefined();
        return found!;
      },
      { withinMs: 10_000 },
    );
    expect(server).toMatchObject({ parentSpanId: undefined, links: ['b7ad6b7169203331'] });
    expect(server.traceId).not.toBe(traceId);
  });

  it('shows each upstream that was asked, and how it failed', async () => {
    const broken = await upstreamThat(({ response }) => {
      response
        .writeHead(429, { 'content-type': 'application/json' })
        .end('{"error":{"message":"the secret reason"}}');
    });
    const sound = await upstreamThat(behave);
    const { stage, apiKey } = await traced({ yaml: yamlOf(broken.url, sound.url) });

    expect(
      await post(`${stage.url}/v1/chat/completions`, {
        headers: { ...asChat(apiKey), ...clientTrace },
        body: hello('up-c', { stream: true }),
      }).status,
    ).toBe(200);

    const spans = await spansOf(4);
    const chat = spans.find(
      ({ name }) => name === 'chat up-c' && spans.some(({ kind }) => kind === 1),
    )!;
    const attempts = spans
      .filter(({ kind }) => kind === 3)
      .sort(
        (a, b) => Number(a.attributes['gateway.attempt']) - Number(b.attributes['gateway.attempt']),
      );
    expect(
      attempts.map(({ name, isFailed, attributes }) => [
        name,
        isFailed,
        attributes['error.type'],
        attributes['gateway.provider'],
        attributes['gen_ai.provider.name'],
      ]),
    ).toEqual([
      ['chat up-c', true, '429', 'first', 'first'],
      ['chat up-d', false, undefined, 'second', 'second'],
    ]);
    expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set([spans.find(({ kind }) => kind === 1)!.spanId]),
    );
    expect(chat.traceId).toBe(traceId);
    expect(spans.find(({ kind }) => kind === 1)).toMatchObject({
      isFailed: false,
      attributes: { 'gen_ai.provider.name': 'second', 'gateway.attempts': expect.anything() },
    });
    expect(collector.text()).not.toMatch(/secret reason|vendor-secret|Say hello/);
    expect(
      stage.log.lines.find(({ message }) => message === 'text upstream failed')!.fields,
    ).toMatchObject({ trace_id: traceId });
  });

  it('is told as given up when its client leaves', async () => {
    const upstream = await upstreamThat(() => undefined);
    const { stage, apiKey } = await traced({ yaml: yamlOf(upstream.url, upstream.url) });
    const client = post(`${stage.url}/v1/chat/completions`, {
      headers: { ...asChat(apiKey), ...clientTrace },
      body: hello('up-c', { stream: true }),
    });
    client.status.catch(() => undefined);
    client.headers.catch(() => undefined);
    await eventually(() => {
      expect(upstream.received).toHaveLength(1);
    });

    client.leave();

    expect((await spansOf(3)).find(({ kind }) => kind === 1)).toMatchObject({
      isFailed: true,
      attributes: { 'error.type': 'client_left' },
    });
  });

  it('that counts tokens has the upstream’s count under it', async () => {
    const upstream = await upstreamThat(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":4}');
    });
    const yaml = `
providers:
  m: { kind: messages, base_url: "${upstream.url}", api_key: "\${KEY}" }
models:
  up-m: { kind: text, routes: [{ provider: m, model: up-m }] }
`;
    const { stage, apiKey } = await traced({ yaml });

    expect(
      await post(`${stage.url}/v1/messages/count_tokens`, {
        headers: { ...asMessages(apiKey), ...clientTrace },
        body: hello('up-m'),
      }).body,
    ).toBe('{"input_tokens":4}');

    const [server, count] = await spansOf(2).then((spans) =>
      [2, 3].map((kind) => spans.find((span) => span.kind === kind)!),
    );
    expect(server!.name).toBe('POST /v1/messages/count_tokens');
    expect(count).toMatchObject({
      name: 'count_tokens up-m',
      parentSpanId: server!.spanId,
      isFailed: false,
    });
  });

  it('has no model call when it is refused before one', async () => {
    const upstream = await upstreamThat(behave);
    const { stage } = await traced({ yaml: yamlOf(upstream.url, upstream.url) });

    expect(
      await post(`${stage.url}/v1/chat/completions?key=in-the-query`, {
        headers: { ...asChat('sk-gw-nobody'), ...clientTrace },
        body: hello('up-c'),
      }).status,
    ).toBe(401);

    expect(await spansOf(1)).toMatchObject([
      { name: 'POST /v1/chat/completions', kind: 2, isFailed: false },
    ]);
    expect(collector.text()).not.toContain('in-the-query');
  });
});

describe('a text request of a gateway without traces', () => {
  it('keeps its client’s trace headers as they are, and its lines without ids', async () => {
    const upstream = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({
      yaml: yamlOf(upstream.url, upstream.url),
      settings: { TRACE_TEXT_UPSTREAMS: true },
    });

    expect(
      await post(`${stage.url}/v1/chat/completions`, {
        headers: { ...asChat(apiKey), ...clientTrace },
        body: hello('up-c'),
      }).status,
    ).toBe(200);

    expect(upstream.received[0]!.headers).toMatchObject(clientTrace);
    const line = await eventually(() => {
      const found = stage.log.lines.find(({ message }) => message === 'request');
      expect(found).toBeDefined();
      return found!;
    });
    expect(line.fields).not.toHaveProperty('trace_id');
  });
});
