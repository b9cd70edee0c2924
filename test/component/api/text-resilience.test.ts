import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asChat,
  asMessages,
  behave,
  chatEvents,
  eventStream,
  createOpener,
  hello,
  messagesEvents,
  openUpstream,
  post,
  type UpstreamRequest,
} from './text-stage.ts';

const { upstreamThat, stageWith, closeAll } = createOpener();
afterEach(closeAll);

const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  ({ response }: UpstreamRequest): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(
      JSON.stringify({
        type: 'error',
        error: { type: 'api_error', message: `refused with ${status}` },
        request_id: 'req_up',
      }),
    );
  };

/** Two upstreams of one dialect: the first is asked first. */
const twoRoutes = (first: string, second: string, extra = ''): string => `
providers:
  one: { kind: messages, base_url: "${first}", api_key: "\${KEY}"${extra} }
  two: { kind: messages, base_url: "${second}", api_key: "\${KEY}" }
models:
  m: { kind: text, routes: [{ provider: one, model: m }, { provider: two, model: m, fallback: true }] }
`;
const oneRoute = (url: string, kind = 'messages', extra = ''): string => `
providers: { one: { kind: ${kind}, base_url: "${url}", api_key: "\${KEY}"${extra} } }
models: { m: { kind: text, routes: [{ provider: one, model: m }] } }
`;

describe('falling back', () => {
  it.each([429, 500, 502, 503, 504, 529, 401, 404])(
    'goes to the next route when the first returns %i before any byte',
    async (status) => {
      const bad = await upstreamThat(refuse(status));
      const good = await upstreamThat(behave);
      const { stage, apiKey } = await stageWith({ yaml: twoRoutes(bad.url, good.url) });

      const client = post(`${stage.url}/v1/messages`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream: true }),
      });

      expect(await client.body).toBe(messagesEvents.join(''));
      expect(await client.headers).toMatchObject({
        'x-gateway-route': 'two/m',
        'x-gateway-attempts': String(bad.received.length + 1),
      });
      expect(good.received).toHaveLength(1);
    },
  );

  it('goes to the next route when nobody listens at the first', async () => {
    const gone = await openUpstream();
    await gone.close();
    const good = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({ yaml: twoRoutes(gone.url, good.url) });

    expect(
      await post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m') })
        .status,
    ).toBe(200);
  });

  it('goes to the next route when the first says nothing in time', async () => {
    const silent = await upstreamThat(() => undefined);
    const good = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({
      yaml: twoRoutes(silent.url, good.url, ', first_byte_timeout_seconds: 0.3'),
    });

    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', { stream: true }),
    });

    expect(await client.body).toBe(messagesEvents.join(''));
    expect(silent.received).toHaveLength(1);
    await eventually(() => {
      expect(silent.received[0]!.aborted()).toBe(true);
    });
  });

  it("does not when the request itself is refused: the upstream's own words come back", async () => {
    const bad = await upstreamThat(refuse(400));
    const good = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({ yaml: twoRoutes(bad.url, good.url) });

    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m'),
    });

    expect(await client.status).toBe(400);
    expect(await client.body).toBe(
      '{"type":"error","error":{"type":"api_error","message":"refused with 400"},"request_id":"req_up"}',
    );
    expect(good.received).toHaveLength(0);
  });

  it('does not once a byte has reached the client: the stream ends in an error', async () => {
    const cut = await upstreamThat(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(messagesEvents.slice(0, 3).join(''), () => response.destroy());
    });
    const good = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({ yaml: twoRoutes(cut.url, good.url) });

    const streamed = await post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', { stream: true }),
    }).body;

    expect(streamed.startsWith(messagesEvents.slice(0, 3).join(''))).toBe(true);
    expect(streamed).toMatch(
      /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error"/,
    );
    expect(streamed).not.toContain('message_stop');
    expect(good.received).toHaveLength(0);
  });

  it('tries one route twice when the connection breaks before a response', async () => {
    let calls = 0;
    const upstream = await upstreamThat((request) => {
      calls += 1;
      if (calls === 1) request.response.destroy();
      else behave(request);
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });

    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m'),
    });

    expect(await client.status).toBe(200);
    expect((await client.headers)['x-gateway-attempts']).toBe('2');
    expect(await stage.usage(1)).toHaveLength(1);
  });

  it('says in each dialect that the upstream failed when nothing is left to try, and asks official clients not to repeat it', async () => {
    const bad = await upstreamThat(({ response }) => {
      response.writeHead(502, { 'content-type': 'text/html' });
      response.end('<html>bad gateway</html>');
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(bad.url) });

    const messages = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m'),
    });
    expect(JSON.parse(await messages.body)).toMatchObject({
      type: 'error',
      error: { type: 'api_error' },
    });
    expect(await messages.headers).toMatchObject({ 'x-should-retry': 'false' });
    const chat = post(`${stage.url}/v1/chat/completions`, {
      headers: asChat(apiKey),
      body: hello('m'),
    });
    expect(JSON.parse(await chat.body)).toMatchObject({ error: { type: 'server_error' } });
    expect(await chat.status).toBe(502);
  });

  it('passes on what an upstream of the same dialect says, and asks official clients not to repeat what was tried twice', async () => {
    const words = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
    const bad = await upstreamThat(({ response }) => {
      response.writeHead(529, { 'content-type': 'application/json', 'x-should-retry': 'true' });
      response.end(words);
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(bad.url) });

    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m'),
    });

    expect([await client.status, await client.body]).toEqual([529, words]);
    expect(await client.headers).toMatchObject({
      'x-should-retry': 'false',
      'x-gateway-attempts': '2',
    });
  });

  it("does not blame the client for the operator's key", async () => {
    const bad = await upstreamThat(({ response }) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"Incorrect API key provided: vendor-s****"}}');
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(bad.url, 'chat') });

    const client = post(`${stage.url}/v1/chat/completions`, {
      headers: asChat(apiKey),
      body: hello('m'),
    });

    expect(await client.status).toBe(502);
    expect(await client.body).not.toContain('Incorrect API key');
  });
});

describe('a route that keeps failing', () => {
  it('is skipped for a while', async () => {
    const bad = await upstreamThat(refuse(503));
    const good = await upstreamThat(behave);
    const { stage, apiKey } = await stageWith({ yaml: twoRoutes(bad.url, good.url) });

    for (let index = 0; index < 8; index += 1) {
      expect(
        await post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m') })
          .status,
      ).toBe(200);
    }

    const asked = bad.received.length;
    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m'),
    });
    expect((await client.headers)['x-gateway-attempts']).toBe('1');
    expect(bad.received).toHaveLength(asked);
  });
});

describe('a stream', () => {
  it.each([
    ['/v1/messages', 'messages', messagesEvents, 4, /event: error/],
    ['/v1/chat/completions', 'chat', chatEvents, 3, /data: \{"error":/],
    ['/v1/messages', 'chat', chatEvents, 3, /event: error/],
    ['/v1/chat/completions', 'messages', messagesEvents, 4, /data: \{"error":/],
  ] as const)(
    'on %s whose %s upstream ends early ends in an error event, never in a clean stop',
    async (path, kind, events, count, error) => {
      const upstream = await upstreamThat(({ response }) => {
        response.writeHead(200, eventStream);
        response.end(events.slice(0, count).join(''));
      });
      const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url, kind) });

      const streamed = await post(`${stage.url}${path}`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream: true }),
      }).body;

      expect(streamed).toContain('Hello');
      expect(streamed).toMatch(error);
      expect(streamed).not.toMatch(/message_stop|\[DONE\]|"finish_reason":"|end_turn/);
      expect((await stage.usage(1))[0]).toMatchObject({ outcome: 'failed' });
    },
  );

  it.each([
    ['/v1/messages', 'messages', messagesEvents],
    ['/v1/chat/completions', 'messages', messagesEvents],
    ['/v1/chat/completions', 'chat', chatEvents],
    ['/v1/messages', 'chat', chatEvents],
  ] as const)(
    'on %s from a %s upstream passes each chunk on when it arrives',
    async (path, kind, events) => {
      const upstream = await upstreamThat(({ response }) => {
        response.writeHead(200, eventStream);
        response.write(events[0]);
      });
      const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url, kind) });
      const client = post(`${stage.url}${path}`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream: true }),
      });
      expect(await client.status).toBe(200);

      const { response } = upstream.received[0]!;
      const first = events.findIndex((event) => event.includes('Hello')) + 1;
      response.write(events.slice(1, first).join(''));
      await eventually(() => {
        expect(client.text()).toContain('Hello');
      });
      expect(client.text()).not.toContain('there.');
      response.end(events.slice(first).join(''));
      await client.body;
    },
  );

  it.each([
    ['/v1/messages', 'messages', 'event: ping\n'],
    ['/v1/chat/completions', 'chat', ': ping\n\n'],
    ['/v1/messages', 'chat', 'event: ping\n'],
  ] as const)(
    'on %s from a %s upstream is kept alive through silence, before the first byte and after',
    async (path, kind, ping) => {
      const events = kind === 'messages' ? messagesEvents : chatEvents;
      const upstream = await upstreamThat(() => undefined);
      const { stage, apiKey } = await stageWith({
        yaml: oneRoute(upstream.url, kind),
        settings: { TEXT_PING_MS: 150 },
      });
      const client = post(`${stage.url}${path}`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream: true }),
      });

      await eventually(() => {
        expect(client.text()).toContain(ping);
      });
      expect(await client.status).toBe(200);
      const { response } = upstream.received[0]!;
      response.writeHead(200, eventStream);
      response.write(events.slice(0, 3).join(''));
      await eventually(() => {
        expect(client.text().slice(client.text().indexOf('Hello'))).toContain(ping);
      });
      response.end(events.slice(3).join(''));
      expect(await client.body).toContain(
        kind === 'messages' || path === '/v1/messages' ? 'message_stop' : '[DONE]',
      );
    },
  );

  it('never puts a ping into the middle of an event', async () => {
    const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
    const upstream = await upstreamThat(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(`${messagesEvents[0]!}event: content_block_start\nda`);
    });
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(upstream.url),
      settings: { TEXT_PING_MS: 100 },
    });
    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', { stream: true }),
    });
    // The first at the upstream has to be this one.
    await eventually(() => {
      expect(upstream.received).toHaveLength(1);
    });
    const other = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', { stream: true }),
    });
    await eventually(() => {
      expect(upstream.received).toHaveLength(2);
    });
    upstream.received[1]!.response.write(
      messagesEvents[1]!.slice('event: content_block_start\nda'.length),
    );
    await eventually(() => {
      expect(other.text()).toContain('event: ping');
    });

    upstream.received[0]!.response.end(
      messagesEvents[1]!.slice('event: content_block_start\nda'.length) +
        messagesEvents.slice(2).join(''),
    );
    // A slow upstream may meet a ping before its first event or after its last, as its own event.
    const events = (await client.body).split(/(?<=\n\n)/);
    expect(events.filter((event) => event !== ping).join('')).toBe(messagesEvents.join(''));
    other.leave();
  });

  it.each([['/v1/messages'], ['/v1/chat/completions']])(
    'on %s whose client leaves is given up at the upstream within a second',
    async (path) => {
      const upstream = await upstreamThat(({ response }) => {
        response.writeHead(200, eventStream);
        response.write(messagesEvents[0]);
      });
      const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });
      const client = post(`${stage.url}${path}`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream: true }),
      });
      await client.status;

      client.leave();

      await eventually(
        () => {
          expect(upstream.received[0]!.aborted()).toBe(true);
        },
        { withinMs: 5_000 },
      );
      expect((await stage.usage(1))[0]).toMatchObject({ outcome: 'aborted' });
    },
  );

  it('whose client leaves before the upstream has said anything is given up too, as is a whole response, and costs its prompt', async () => {
    const upstream = await upstreamThat(() => undefined);
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });
    const clients = [hello('m', { stream: true }), hello('m')].map((body) =>
      post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body }),
    );
    await eventually(() => {
      expect(upstream.received).toHaveLength(2);
    });

    for (const client of clients) {
      client.body.catch(() => undefined);
      client.status.catch(() => undefined);
      client.headers.catch(() => undefined);
      client.leave();
    }

    await eventually(
      () => {
        expect(upstream.received.map((request) => request.aborted())).toEqual([true, true]);
      },
      { withinMs: 5_000 },
    );
    for (const record of await stage.usage(2)) {
      expect(record).toMatchObject({ outcome: 'aborted', estimated: true, output_tokens: 0 });
      expect(record.input_tokens).toBeGreaterThanOrEqual(4);
    }
  });

  it('makes the upstream wait for a slow client instead of keeping its bytes', async () => {
    const block = messagesEvents[2]!.replace('Hello', 'x'.repeat(64_000));
    const upstream = await upstreamThat(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(messagesEvents.slice(0, 2).join(''));
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });
    const socket = await rawRequest(stage.url, apiKey);
    await eventually(() => {
      expect(upstream.received).toHaveLength(1);
    });
    const { response } = upstream.received[0]!;

    let sent = 0;
    const pump = (): void => {
      while (sent < 2_000 && response.write(block)) sent += 1;
      if (sent < 2_000) response.once('drain', pump);
    };
    pump();
    let before = -1;
    await eventually(
      () => {
        const [last] = [before, (before = sent)];
        if (last !== sent) throw new Error('still taking');
      },
      { everyMs: 500 },
    );

    // Of 128 MB the sockets' buffers hold a part; the rest waits at the upstream.
    expect(sent).toBeLessThan(500);
    socket.destroy();
  });
});

describe('stopping', () => {
  it('loses no usage of a client that leaves at that moment', async () => {
    const upstream = await upstreamThat(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(messagesEvents[0]);
    });
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });
    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(apiKey),
      body: hello('m', { stream: true }),
    });
    await client.status;

    client.leave();
    await stage.stopApi();

    // Whether it is the client or the gateway that has left first is a matter of luck.
    expect(await stage.usage(1)).toHaveLength(1);
  });

  it('lets running streams go on, and ends those that outlast the drain with a proper event', async () => {
    const upstream = await upstreamThat(({ response }) => {
      response.writeHead(200, eventStream);
      response.write(messagesEvents.slice(0, 3).join(''));
    });
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(upstream.url),
      // Time enough for the short one to end on a busy machine.
      settings: { DRAIN_MS: 2_000 },
    });
    const ask = (path: string) =>
      post(`${stage.url}${path}`, {
        headers: asMessages(apiKey),
        body: hello('m', { stream: true }),
      });
    const short = ask('/v1/messages');
    // The first at the upstream is the short one; the others may arrive there in any order.
    await eventually(() => {
      expect(short.text()).toContain('Hello');
    });
    const [long, chat] = [ask('/v1/messages'), ask('/v1/chat/completions')];
    await eventually(() => {
      for (const client of [long, chat]) expect(client.text()).toContain('Hello');
    });

    const stopped = stage.stopApi();
    upstream.received[0]!.response.end(messagesEvents.slice(3).join(''));
    const bodies = await Promise.all([short.body, long.body, chat.body]);
    await stopped;

    expect(bodies.filter((body) => body.includes('message_stop'))).toHaveLength(1);
    expect(
      bodies.filter(
        (body) =>
          /event: error\ndata: .*overloaded_error/.test(body) || /data: \{"error":/.test(body),
      ),
    ).toHaveLength(2);
    expect(upstream.received[1]!.aborted() || upstream.received[2]!.aborted()).toBe(true);
    expect(await stage.usage(3)).toHaveLength(3);
  });
});

/** A client that never reads what it is sent. */
async function rawRequest(url: string, apiKey: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  const body = JSON.stringify(hello('m', { stream: true }));
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\nanthropic-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}
