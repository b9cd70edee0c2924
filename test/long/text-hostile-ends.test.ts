import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asMessages,
  behave,
  eventStream,
  createOpener,
  hello,
  messagesEvents,
  post,
  type UpstreamRequest,
} from '../component/api/text-stage.ts';
import {
  expectAllSlotsFree,
  headOf,
  openResponses,
  openWire,
  requestBytes,
} from '../component/api/text-wire.ts';

const { upstreamThat, stageWith, closing, closeAll } = createOpener();
afterEach(closeAll);

const slots = 4;
const oneRoute = (url: string, extra = '', kind = 'messages'): string => `
providers: { one: { kind: ${kind}, base_url: "${url}", api_key: "\${KEY}"${extra} } }
models: { m: { kind: text, routes: [{ provider: one, model: m }] } }
limits: { default_key: { requests_per_minute: 100000, concurrent_requests: ${slots} } }
`;

setFlagsFromString('--expose-gc');
/** What is garbage already says nothing about what is kept. */
const collectGarbage = runInNewContext('gc') as () => void;

describe('2,000 requests that are left at every stage', () => {
  it('leave no socket, no slot, no open response, no warning and no memory behind, and a record for each that was asked', async () => {
    const upstream = await upstreamThat(({ json, response }) => {
      if (json['hold'] === true || json['wait'] === 'head') return;
      response.writeHead(200, eventStream);
      response.write(messagesEvents.slice(0, json['wait'] === 'first' ? 0 : 3).join(''));
    });
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(upstream.url, `, max_concurrent: ${slots}`).replace(
        `concurrent_requests: ${slots}`,
        'concurrent_requests: 1000',
      ),
    });
    const warnings: string[] = [];
    const hear = (warning: Error): void => {
      warnings.push(warning.message);
    };
    process.on('warning', hear);
    const stages = [
      (bytes: string) => bytes.slice(0, 40),
      (bytes: string) => bytes.slice(0, bytes.indexOf('\r\n\r\n') + 4),
      (bytes: string) => bytes.slice(0, -20),
      (bytes: string) => bytes,
      (bytes: string) => bytes + bytes,
    ];
    const leave = async (index: number): Promise<void> => {
      const wait = ['head', 'first', 'middle'][index % 3];
      const cut = stages[index % stages.length]!;
      const client = await openWire(stage.url);
      client.send(
        cut(
          requestBytes(
            '/v1/messages',
            apiKey,
            hello('m', { stream: index % 2 === 0, wait }),
          ).toString(),
        ),
      );
      if (index % 4 === 0) {
        await new Promise((resolve) => {
          setTimeout(resolve, index % 30);
        });
      }
      client.socket.destroy();
      await client.closed;
    };
    const run = async (count: number): Promise<void> => {
      for (let from = 0; from < count; from += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, index) => leave(from + index)));
      }
    };
    await run(300);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await run(2_000);
    await eventually(async () => {
      expect(await openResponses(stage.opsUrl)).toBe(0);
    });
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000);
    await eventually(() => {
      expect(
        upstream.received.every(
          (request) => request.response.writableFinished || request.aborted(),
        ),
      ).toBe(true);
    });
    process.off('warning', hear);
    expect(warnings).toEqual([]);
    await expectAllSlotsFree(stage, { apiKey, model: 'm', upstream, slots });

    const lines = stage.log.lines.filter(({ message }) => message === 'request');
    const asked = lines.filter(({ fields }) => fields['upstream'] !== undefined);
    expect(asked.length).toBeGreaterThan(100);
    const records = await stage.usage(asked.length);
    expect(records).toHaveLength(asked.length);
    expect(new Set(records.map(({ request_id: id }) => id)).size).toBe(records.length);
    // The provider takes four at once: more are told so.
    expect(
      stage.log.lines.filter(
        ({ level, fields }) => level === 'error' && fields['code'] !== 'upstream_unavailable',
      ),
    ).toEqual([]);
  });
});

describe('an upstream that cannot be reached', () => {
  it.each([
    ['whose name is not known', () => Promise.resolve('http://no-such-host.invalid')],
    ['where nobody listens', () => Promise.resolve('http://127.0.0.1:1')],
    [
      'that does not speak TLS',
      async () => (await upstreamThat(behave)).url.replace('http', 'https'),
    ],
  ])('is told as such, without its address: %s', async (_what, urlOf) => {
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(await urlOf(), ', connect_timeout_seconds: 2, max_concurrent: 1'),
    });
    for (const stream of [true, false]) {
      const client = post(`${stage.url}/v1/messages`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream }),
      });
      expect(await client.status).toBe(502);
      const body = await client.body;
      expect(JSON.parse(body)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
      expect(body).not.toMatch(/127\.0\.0\.1|invalid|ECONN|ENOTFOUND|SSL/);
    }
  });

  it('holds no slot of a client that has left before the connection stood', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
    });
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    closing.push(
      () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          mute.close(() => {
            resolve();
          });
        }),
    );
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(url, ', connect_timeout_seconds: 30, max_concurrent: 1'),
    });
    const client = await openWire(stage.url);
    client.send(requestBytes('/v1/messages', apiKey, hello('m')));
    await eventually(async () => {
      expect(await openResponses(stage.opsUrl)).toBe(1);
    });

    client.socket.destroy();

    await eventually(
      async () => {
        expect(await openResponses(stage.opsUrl)).toBe(0);
      },
      { withinMs: 5_000 },
    );
    const [record] = await stage.usage(1);
    expect(record).toMatchObject({ outcome: 'aborted' });
  });
});

describe('a stream that was kept alive before it failed', () => {
  it.each(['/v1/messages', '/v1/chat/completions', '/v1/responses'])(
    'on %s tells its client so as an event, once, whatever went wrong',
    async (path) => {
      const failures: Record<string, (request: UpstreamRequest) => void> = {
        refused: ({ response }) => {
          response.writeHead(500, { 'content-type': 'application/json' });
          response.end('{"error":{"message":"no"}}');
        },
        broken: ({ response }) => {
          response.destroy();
        },
        told: ({ response }) => {
          response.writeHead(200, eventStream);
          response.end(
            'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
          );
        },
        empty: ({ response }) => {
          response.writeHead(200, eventStream);
          response.end();
        },
        page: ({ response }) => {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end('<p>no</p>');
        },
        silent: () => undefined,
      };
      const waiting: UpstreamRequest[] = [];
      const upstream = await upstreamThat((request) => {
        waiting.push(request);
      });
      const { stage, apiKey } = await stageWith({
        // A model for each failure, so that no circuit opens.
        yaml: oneRoute(upstream.url, ', first_byte_timeout_seconds: 2').replace(
          /models: .*/,
          `models: { ${Object.keys(failures)
            .map((name) => `${name}: { kind: text, routes: [{ provider: one, model: ${name} }] }`)
            .join(', ')} }`,
        ),
        settings: { TEXT_PING_MS: 150 },
      });
      for (const [name, fail] of Object.entries(failures)) {
        const client = post(`${stage.url}${path}`, {
          headers: asMessages(apiKey),
          body: path.endsWith('responses')
            ? { model: name, input: 'Say hello.', stream: true }
            : hello(name, { stream: true }),
        });
        await eventually(() => {
          expect(client.text()).toContain('ping');
        });
        for (const request of waiting.splice(0)) fail(request);
        const body = await client.body;
        expect([name, [...body.matchAll(/^data: .*"error"/gm)].length]).toEqual([name, 1]);
      }
    },
  );
});

describe('a stop', () => {
  it("tells a client that waits for a stream's first byte once that it ends, and one that waits for a whole response with a status", async () => {
    const upstream = await upstreamThat(() => undefined);
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(upstream.url),
      settings: { DRAIN_MS: 200 },
    });
    const ask = (path: string, stream: boolean) =>
      post(`${stage.url}${path}`, { headers: asMessages(apiKey), body: hello('m', { stream }) });
    const clients = [
      ask('/v1/messages', true),
      ask('/v1/chat/completions', true),
      ask('/v1/messages', false),
    ] as const;
    await eventually(() => {
      expect(upstream.received).toHaveLength(3);
    });

    const stopped = stage.stopApi();
    const bodies = await Promise.all(clients.map(({ body }) => body));
    await stopped;

    for (const body of bodies.slice(0, 2)) {
      expect([...body.matchAll(/^data: .*"error"/gm)]).toHaveLength(1);
    }
    expect(await clients[2].status).toBeGreaterThanOrEqual(500);
    expect(upstream.received.every((request) => request.aborted())).toBe(true);
  });

  it('says on responses still to come that their connection ends, and to whoever asks that it drains', async () => {
    const upstream = await upstreamThat(() => undefined);
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(upstream.url),
      settings: { DRAIN_MS: 5_000 },
    });
    const whole = await openWire(stage.url);
    whole.send(requestBytes('/v1/messages', apiKey, hello('m')));
    const probe = await openWire(stage.opsUrl);
    probe.send('GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n');
    await eventually(() => {
      expect(upstream.received).toHaveLength(1);
    });

    const stopped = stage.stopApi();
    probe.send('\r\n');
    const readiness = await probe.closed;
    expect(readiness).toMatch(/^HTTP\/1\.1 503 /);
    expect(readiness).toContain('draining');
    behave(upstream.received[0]!);

    const response = await whole.closed;
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toMatch(/\r\nconnection: close\r\n/i);
    await stopped;
  });
});

describe('heads that trickle', () => {
  it('hold nothing but their connection', async () => {
    const upstream = await upstreamThat(({ json, ...request }) => {
      if (json['hold'] !== true) behave({ json, ...request });
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });
    const clients = await Promise.all(Array.from({ length: 50 }, () => openWire(stage.url)));
    for (const client of clients) {
      client.send(headOf('/v1/messages', apiKey, ['content-length: 5']).slice(0, -2));
    }
    await expectAllSlotsFree(stage, { apiKey, model: 'm', upstream, slots });
    for (const client of clients) client.socket.destroy();
  });
});
