import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  inSpan,
  openTracing,
  type Tracing,
} from '@gateway/runtime';
import {
  eventually,
  openOtlpCollector,
  recordingLog,
  type CollectedSpan,
  type OtlpCollector,
} from '@gateway/testing';
import { fieldsIn, linesOf } from './recording.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';

let collector: OtlpCollector;
let tracing: Tracing;
let server: Server;
let url: string;
let lines: () => Record<string, unknown>[];
const open = async (isTraceparentOnlyLinked: boolean): Promise<void> => {
  collector = await openOtlpCollector();
  tracing = (await openTracing('test', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  }))!;
  const log = createLogger({ service: 'test', level: 'debug', format: 'json' });
  const written = linesOf(log);
  lines = () => fieldsIn(written);
  server = createServer(
    createHttpApp({
      log,
      metrics: createMetrics('test'),
      health: createHealth({}),
      tracing,
      isTraceparentOnlyLinked,
      routes: (app) => {
        app.get('/media/:token', async (_request, response) => {
          await inSpan('read', {}, () => {
            log.info('reading');
            return Promise.resolve();
          });
          response.json({});
        });
        app.get('/broken', () => {
          throw new GatewayError('internal', 'the secret cause');
        });
      },
    }),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await tracing.part(recordingLog()).stop();
  await collector.close();
});

const get = (path: string): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } });
const spans = (count: number): Promise<CollectedSpan[]> =>
  eventually(
    () => {
      expect(collector.spans()).toHaveLength(count);
      return collector.spans();
    },
    { withinMs: 10_000 },
  );

describe('a traced HTTP request of a stranger', () => {
  it('begins a trace of ours that points at theirs, whatever theirs says of sampling', async () => {
    await open(true);
    await fetch(`${url}/broken`, {
      headers: { traceparent: `00-${traceId}-b7ad6b7169203331-00` },
    });

    const [server] = await spans(1);
    expect(server).toMatchObject({ parentSpanId: undefined, links: ['b7ad6b7169203331'] });
    expect(server!.traceId).not.toBe(traceId);
  });
});

describe('a traced HTTP request', () => {
  beforeEach(() => open(false));

  it('is named by its route, so that no token is in its span, and its lines carry its ids', async () => {
    await get('/media/sekret-token?sig=sekret-signature');

    const [server, read] = ['GET /media/:token', 'read'].map((name) =>
      spans(2).then((found) => found.find((span) => span.name === name)!),
    );
    expect(await server).toMatchObject({
      kind: 2,
      traceId,
      parentSpanId: 'b7ad6b7169203331',
      isFailed: false,
      attributes: { 'http.request.method': 'GET', 'http.route': '/media/:token' },
    });
    expect((await read)!.parentSpanId).toBe((await server)!.spanId);
    expect(collector.text()).not.toContain('sekret');
    const ids = ['reading', 'request']
      .map((message) => lines().find((line) => line['message'] === message)!)
      .map((line) => [line['trace_id'], line['span_id'], 'span' in line]);
    expect(ids).toEqual([
      [traceId, (await read)!.spanId, false],
      [traceId, (await server)!.spanId, false],
    ]);
  });

  it('has failed when the response is a 5xx, whose reason stays in the log, and not when it is a 4xx', async () => {
    await get('/broken');
    await get('/nowhere/sekret');

    const found = await spans(2);
    expect(found.find(({ name }) => name === 'GET /broken')).toMatchObject({
      isFailed: true,
      attributes: { 'error.type': '500' },
    });
    expect(found.find(({ name }) => name === 'GET')).toMatchObject({ isFailed: false });
    expect(collector.text()).not.toMatch(/secret cause|sekret/);
  });

  it('is none when it is a probe', async () => {
    expect((await get('/livez')).status).toBe(200);
    await get('/broken');

    expect((await spans(1)).map(({ name }) => name)).toEqual(['GET /broken']);
  });
});
