import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@gateway/testing';
import {
  asChat,
  asMessages,
  behave,
  eventStream,
  hello,
  messagesEvents,
  openTextStage,
  openUpstream,
  post,
  type TextStage,
  type Upstream,
} from '../component/api/text-stage.ts';
import { expectAllSlotsFree, headOf, openWire, requestBytes } from '../component/api/text-wire.ts';

const slots = 3;
const yamlOf = (url: string): string => `
providers:
  m: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
  c: { kind: chat, base_url: "${url}/v1", api_key: "\${KEY}" }
models:
  up-m: { kind: text, routes: [{ provider: m, model: up-m }] }
  up-c: { kind: text, routes: [{ provider: c, model: up-c }] }
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: ${slots} }
`;

let stage: TextStage;
let upstream: Upstream;
let apiKey: string;

beforeAll(async () => {
  upstream = await openUpstream((request) => {
    if (request.json['hold'] === true) return;
    if (request.json['endless'] !== true) {
      behave(request);
      return;
    }
    request.response.writeHead(200, eventStream);
    request.response.write(messagesEvents.slice(0, 3).join(''));
  });
  stage = await openTextStage({
    yaml: yamlOf(upstream.url),
    settings: { TEXT_BODY_TIMEOUT_MS: 400 },
  });
});
beforeAll(async () => {
  ({ apiKey } = await stage.aKey());
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
});

const bodyOf = (response: string): { error: { type: string; message: string } } =>
  JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4)) as {
    error: { type: string; message: string };
  };
const slotsAreFree = (key: string) =>
  expectAllSlotsFree(stage, { apiKey: key, model: 'up-m', upstream, slots });

describe('a client that is slow with its body', () => {
  it.each([
    ['/v1/messages', 'timeout_error'],
    ['/v1/chat/completions', 'invalid_request_error'],
  ])(
    'on %s is told so after the time given, however steadily it trickles, and its slot comes back',
    async (path, type) => {
      const { apiKey: key } = await stage.aKey();
      const clients = await Promise.all(Array.from({ length: slots }, () => openWire(stage.url)));
      const trickles = clients.map((client) => {
        client.send(headOf(path, key, ['content-length: 1000']));
        return setInterval(() => {
          if (client.socket.writable) client.send(' ');
        }, 50);
      });
      const responses = await Promise.all(clients.map(({ closed }) => closed));
      trickles.forEach(clearInterval);

      for (const response of responses) {
        expect(response).toMatch(/^HTTP\/1\.1 408 /);
        expect(response).toMatch(/\r\nconnection: close\r\n/i);
        expect(bodyOf(response).error.type).toBe(type);
      }
      await slotsAreFree(key);
    },
  );
});

describe('a client that leaves', () => {
  it.each([0, 1, 2, 4, 8, 16])(
    'in the middle of its body, %i ms after its head, takes no slot with it',
    async (afterMs) => {
      const { apiKey: key } = await stage.aKey();
      for (let round = 0; round < slots; round += 1) {
        const client = await openWire(stage.url);
        client.send(`${headOf('/v1/messages', key, ['content-length: 1000'])}{"model":`);
        await sleep(afterMs);
        client.socket.destroy();
      }
      await slotsAreFree(key);
    },
  );

  it('right after its request is not asked for at the upstream, or given up there', async () => {
    const { apiKey: key, keyId } = await stage.aKey();
    const before = upstream.received.length;
    for (let round = 0; round < slots; round += 1) {
      const client = await openWire(stage.url);
      client.socket.write(
        requestBytes('/v1/messages', key, hello('up-m', { stream: true, endless: true })),
        () => {
          client.socket.destroy();
        },
      );
      await client.closed;
    }
    await eventually(() => {
      expect(upstream.received.slice(before).every((request) => request.aborted())).toBe(true);
    });
    // each of them is over once it has its access line
    await eventually(() => {
      const over = stage.log.lines.filter(({ fields }) => fields['keyId'] === keyId);
      expect(over).toHaveLength(slots);
    });
    await slotsAreFree(key);
  });

  it('with a second request waiting behind the first on its connection leaves neither running', async () => {
    const { apiKey: key } = await stage.aKey();
    const before = upstream.received.length;
    const client = await openWire(stage.url);
    const request = requestBytes(
      '/v1/messages',
      key,
      hello('up-m', { stream: true, endless: true }),
    );
    client.send(Buffer.concat([request, request, request]));
    await eventually(() => {
      expect(client.text()).toContain('Hello');
    });

    client.socket.destroy();

    await eventually(
      () => {
        expect(upstream.received.slice(before).every((one) => one.aborted())).toBe(true);
      },
      { withinMs: 5_000 },
    );
    await slotsAreFree(key);
  });
});

describe('requests on one connection', () => {
  it('get their responses in order when they are sent at once', async () => {
    const client = await openWire(stage.url);
    const ask = (id: string, model: string, lines: readonly string[] = []) =>
      requestBytes('/v1/messages', apiKey, hello(model), [`x-request-id: ${id}`, ...lines]);
    client.send(
      Buffer.concat([
        ask('first', 'up-m'),
        ask('second', 'nope'),
        ask('third', 'up-c', ['connection: close']),
      ]),
    );

    const response = await client.closed;
    expect([...response.matchAll(/\r\nx-request-id: (\w+)/g)].map(([, id]) => id)).toEqual([
      'first',
      'second',
      'third',
    ]);
    expect([...response.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '404',
      '200',
    ]);
  });

  it('with bytes behind a body that belong to none end with it, and leave nothing behind', async () => {
    const { apiKey: key } = await stage.aKey();
    for (let round = 0; round < slots; round += 1) {
      const client = await openWire(stage.url);
      client.send(
        Buffer.concat([
          requestBytes('/v1/messages', key, hello('up-m', { endless: true, stream: true })),
          Buffer.from('garbage that is no request\r\n\r\n'),
        ]),
      );
      await client.closed;
    }
    await slotsAreFree(key);
  });

  it('under HTTP/1.0 get whole responses and streams, and the end of the connection', async () => {
    for (const stream of [false, true]) {
      const client = await openWire(stage.url);
      const body = JSON.stringify(hello('up-m', { stream }));
      client.send(
        headOf('/v1/messages', apiKey, [`content-length: ${Buffer.byteLength(body)}`], '1.0') +
          body,
      );
      const response = await client.closed;
      expect(response).toContain(' 200 OK');
      expect(response).not.toMatch(/transfer-encoding/i);
      expect(response).toContain('Hello');
      if (stream) expect(response.endsWith(messagesEvents.at(-1)!)).toBe(true);
    }
  });
});

describe('a length that is not what it says', () => {
  it.each([
    ['two lengths', ['content-length: 10', 'content-length: 11']],
    ['a length and chunks', ['content-length: 10', 'transfer-encoding: chunked']],
    ['a length that is no number', ['content-length: 1e3']],
    ['a header of 20 kB', [`x-big: ${'x'.repeat(20_000)}`, 'content-length: 10']],
    ['a header value with a control character', ['x-bad: a\u0001b', 'content-length: 10']],
  ])('is refused: %s', async (_what, lines) => {
    const before = upstream.received.length;
    const client = await openWire(stage.url);
    client.send(`${headOf('/v1/messages', apiKey, lines)}${'x'.repeat(20)}`);
    expect(await client.closed).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(upstream.received.length).toBe(before);
  });

  it('takes a body in chunks, one larger than allowed not', async () => {
    const client = await openWire(stage.url);
    const body = JSON.stringify(hello('up-m'));
    client.send(
      `${headOf('/v1/messages', apiKey, ['transfer-encoding: chunked', 'connection: close'])}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(await client.closed).toContain('HTTP/1.1 200');

    const large = await openWire(stage.url);
    large.send(headOf('/v1/messages', apiKey, ['transfer-encoding: chunked']));
    const piece = `${(100_000).toString(16)}\r\n${' '.repeat(100_000)}\r\n`;
    for (let sent = 0; sent < 15; sent += 1) large.send(piece);
    const response = await large.closed;
    expect(response).toContain('HTTP/1.1 413');
    expect(response).toMatch(/connection: close/i);
  });

  it('lets a client ask first whether its body is wanted', async () => {
    const client = await openWire(stage.url);
    const body = JSON.stringify(hello('up-m'));
    client.send(
      headOf('/v1/messages', apiKey, [
        `content-length: ${body.length}`,
        'expect: 100-continue',
        'connection: close',
      ]),
    );
    await eventually(() => {
      expect(client.text()).toContain('100 Continue');
    });
    client.send(body);
    expect(await client.closed).toContain('HTTP/1.1 200');
    expect(JSON.stringify(upstream.received.at(-1)!.headers)).not.toContain('100-continue');
  });
});

describe('a body that means two things', () => {
  const ask = (body: string | Buffer, path = '/v1/messages') =>
    post(`${stage.url}${path}`, { headers: asMessages(apiKey), body });
  const messages = '"messages":[{"role":"user","content":"hi"}]';

  it.each([
    ['stream', `{"model":"up-m","max_tokens":5,${messages},"stream":true,"stream":false}`],
    [
      'stream, once escaped',
      `{"model":"up-m","max_tokens":5,${messages},"str\\u0065am":true,"stream":false}`,
    ],
    ['messages', `{"model":"up-m","max_tokens":5,"messages":[{"role":"robot"}],${messages}}`],
    ['model', `{"model":"secret-model","max_tokens":5,${messages},"model":"up-m"}`],
    ['max_tokens', `{"model":"up-m","max_tokens":5,${messages},"max_tokens":6}`],
    [
      'stream_options',
      `{"model":"up-m","max_tokens":5,${messages},"stream_options":{"include_usage":false},"stream_options":{"include_usage":true}}`,
    ],
  ])('is refused: %s twice', async (what, body) => {
    const before = upstream.received.length;
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      const client = ask(body, path);
      expect(await client.status).toBe(400);
      expect(await client.body).toContain(what.split(',')[0]);
    }
    expect(upstream.received.length).toBe(before);
  });

  it('is not seen where the same words stand deeper', async () => {
    const body = `{"model":"up-m","max_tokens":5,"metadata":{"model":"a","stream":1,"messages":2},"tools":[{"name":"t","input_schema":{"type":"object","properties":{"model":{},"stream":{}}}}],"messages":[{"role":"user","content":"\\"model\\" \\"stream\\" \\u00e9"}]}`;
    expect(await ask(body).status).toBe(200);
    expect(upstream.received.at(-1)!.body.toString()).toBe(body);
  });

  it.each([
    [
      'a byte that is no UTF-8',
      Buffer.concat([
        Buffer.from(`{"model":"up-m","max_tokens":5,${messages},"x":"`),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]),
    ],
    [
      'a character cut off before a quote',
      Buffer.concat([
        Buffer.from(`{"model":"up-m","max_tokens":5,${messages},"x":"`),
        Buffer.from([0xe2]),
        Buffer.from('"}'),
      ]),
    ],
    ['a byte order mark', Buffer.from(`\uFEFF{"model":"up-m","max_tokens":5,${messages}}`)],
    ['another encoding', Buffer.from(`{"model":"up-m","max_tokens":5,${messages}}`, 'utf16le')],
    [
      'something behind the object',
      Buffer.from(`{"model":"up-m","max_tokens":5,${messages}}{"model":"other"}`),
    ],
    [
      'arrays in arrays',
      Buffer.from(
        `{"model":"up-m","max_tokens":5,${messages},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      ),
    ],
    [
      'more messages than anybody has',
      Buffer.from(
        JSON.stringify({
          model: 'up-m',
          max_tokens: 5,
          messages: Array.from({ length: 100_001 }, () => 1),
        }),
      ),
    ],
  ])('or cannot be read is refused: %s', async (_what, body) => {
    const before = upstream.received.length;
    const client = ask(body);
    expect(await client.status).toBe(400);
    expect(await client.body).toContain('"type":"error"');
    expect(upstream.received.length).toBe(before);
  });
});

describe('names made to break something', () => {
  const ask = (path: string, body: unknown, extra: Record<string, string> = {}) =>
    post(`${stage.url}${path}`, { headers: { ...asMessages(apiKey), ...extra }, body });

  it.each(['__proto__', 'constructor', 'toString', 'a\r\nset-cookie: x=y', '\u0000', 'ключ', '👾'])(
    'are only names as a model: %j',
    async (model) => {
      for (const path of ['/v1/messages', '/v1/chat/completions', '/v1/messages/count_tokens']) {
        const client = ask(path, hello(model));
        expect(await client.status).toBe(404);
        expect((await client.headers)['set-cookie']).toBeUndefined();
        expect((await client.body).length).toBeLessThan(1_000);
      }
    },
  );

  it.each([
    ['/v1/messages', 'up-c'],
    ['/v1/chat/completions', 'up-m'],
  ])(
    'are dropped on the way to the other dialect of %s, and told in a header that stays one',
    async (path, model) => {
      const fields = {
        'a\r\nset-cookie: x=y': 1,
        ключ: 2,
        '👾': 3,
        __proto__x: 4,
        constructor: 5,
        toString: 6,
        'a, b': 7,
        ['x'.repeat(5_000)]: 8,
        ...Object.fromEntries(
          Array.from({ length: 2_000 }, (_, index) => [`field_${index}`, index]),
        ),
      };
      const text = JSON.stringify(hello(model, fields)).replace(
        '"constructor"',
        '"__proto__":{"stream":true},"constructor"',
      );
      const client = ask(path, text);
      expect(await client.status).toBe(200);
      const headers = await client.headers;
      expect(headers['set-cookie']).toBeUndefined();
      expect(String(headers['x-gateway-dropped-params']).length).toBeGreaterThan(10);
      expect(String(headers['x-gateway-dropped-params']).length).toBeLessThan(2_000);
      expect(headers['x-gateway-dropped-params']).toContain('constructor');
    },
  );

  it.each([
    ['/v1/messages', 'up-c'],
    ['/v1/chat/completions', 'up-m'],
  ])('are only names as a tool, on %s', async (path, model) => {
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'a\r\nb: c']) {
      const tools =
        path === '/v1/messages'
          ? [
              {
                name,
                input_schema: {
                  type: 'object',
                  properties: JSON.parse('{"__proto__":{"type":"string"}}') as object,
                },
              },
            ]
          : [
              {
                type: 'function',
                function: { name, parameters: { type: 'object', properties: {} } },
              },
            ];
      const turns =
        path === '/v1/messages'
          ? [
              { role: 'user', content: 'a' },
              { role: 'assistant', content: [{ type: 'tool_use', id: name, name, input: {} }] },
              { role: 'user', content: [{ type: 'tool_result', tool_use_id: name, content: 'x' }] },
            ]
          : [
              { role: 'user', content: 'a' },
              {
                role: 'assistant',
                content: null,
                tool_calls: [{ id: name, type: 'function', function: { name, arguments: '{}' } }],
              },
              { role: 'tool', tool_call_id: name, content: 'x' },
            ];
      expect([200, 400]).toContain(
        await ask(path, { model, max_tokens: 5, messages: turns, tools }).status,
      );
    }
  });

  it('are replaced as a request id', async () => {
    for (const id of ['a b', 'x'.repeat(129), 'a,b', 'é', '<script>']) {
      const client = ask('/v1/messages', hello('up-m'), {
        'x-request-id': Buffer.from(id).toString('latin1'),
      });
      const headers = await client.headers;
      expect(headers['x-request-id']).toMatch(/^req_/);
      expect(headers['request-id']).toBe(headers['x-request-id']);
    }
  });

  it('reach the upstream as header values byte for byte, and blame nobody', async () => {
    const client = await openWire(stage.url);
    client.send(
      requestBytes('/v1/messages', apiKey, hello('up-m'), [
        'x-odd: \u00e9\u00ff\tb',
        'x-empty:',
        'connection: close, x-named',
      ]),
    );
    expect(await client.closed).toContain('HTTP/1.1 200');
    expect(upstream.received.at(-1)!.headers['x-empty']).toBe('');
  });
});

describe('other methods', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s is refused with the one there is, with and without a key',
    async (method) => {
      for (const path of ['/v1/messages', '/v1/chat/completions', '/v1/messages/count_tokens']) {
        for (const headers of [{}, asChat(apiKey)]) {
          const response = await fetch(`${stage.url}${path}`, {
            method,
            headers: {
              ...headers,
              origin: 'https://example.test',
              'access-control-request-method': 'POST',
            },
          });
          expect(response.status).toBe(405);
          expect(response.headers.get('allow')).toBe('POST');
          expect(response.headers.get('access-control-allow-origin')).toBeNull();
          expect(response.headers.get('content-type')).toContain('application/json');
        }
      }
    },
  );
});
