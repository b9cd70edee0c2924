import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asMessages,
  chatCompletion,
  chatEvents,
  hello,
  messagesCompletion,
  messagesEvents,
  openTextStage,
  post,
  type Client,
  type TextStage,
} from '../component/api/text-stage.ts';
import {
  completionBytes,
  openResponses,
  openWireUpstream,
  type WireUpstream,
} from '../component/api/text-wire.ts';

/**
 * Every model stands before one upstream that sends whatever the test at hand wants, and each may
 * have one request at a time there: a slot that does not come back fails the next test. `-2` has a
 * good upstream to fall back to.
 */
const names = ['m', 'c'] as const;
const yamlOf = (url: string, good: string, models = 700): string => `
providers:
${names
  .map(
    (
      name,
    ) => `  ${name}: { kind: ${name === 'm' ? 'messages' : 'chat'}, base_url: "${url}/v1", api_key: "\${KEY}", max_concurrent: 1, first_byte_timeout_seconds: 1, answer_timeout_seconds: 1, idle_timeout_seconds: 1 }
  ${name}-good: { kind: ${name === 'm' ? 'messages' : 'chat'}, base_url: "${good}/v1", api_key: "\${KEY}" }`,
  )
  .join('\n')}
models:
${Array.from({ length: models }, (_, index) =>
  names
    .map(
      (
        name,
      ) => `  ${name}${index}: { kind: text, routes: [{ provider: ${name}, model: ${name}${index} }] }
  ${name}${index}-2: { kind: text, routes: [{ provider: ${name}, model: ${name}${index} }, { provider: ${name}-good, model: ${name}${index}, fallback: true }] }`,
    )
    .join('\n'),
).join('\n')}
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 1000 }
`;

type Behaviour = Parameters<typeof openWireUpstream>[0];
let behaviour: Behaviour;
let upstream: WireUpstream;
let good: WireUpstream;
let stage: TextStage;
let apiKey: string;
/** Requests of this file that reached an upstream: as many records there must be. */
let asked = 0;
let serial = 0;

beforeAll(async () => {
  upstream = await openWireUpstream((socket, request) => {
    behaviour(socket, request);
  });
  good = await openWireUpstream((socket, request) => {
    const streams = request.includes('"stream":true');
    const [events, response] = request.startsWith('POST /v1/messages')
      ? [messagesEvents, messagesCompletion]
      : [chatEvents, chatCompletion];
    socket.write(
      streams
        ? completionBytes('200 OK', ['content-type: text/event-stream'], events.join(''))
        : completionBytes('200 OK', ['content-type: application/json'], JSON.stringify(response)),
    );
  });
  stage = await openTextStage({
    yaml: yamlOf(upstream.url, good.url),
    settings: { TEXT_PING_MS: 15_000 },
  });
  ({ apiKey } = await stage.aKey());
});
afterAll(async () => {
  await stage.close();
  await upstream.close();
  await good.close();
});

type Name = (typeof names)[number];

/** What clients of each dialect ask, and how they know the end of a stream. */
const dialects = {
  m: {
    path: '/v1/messages',
    body: hello,
    end: 'message_stop',
    brokenEnd: /event: error\ndata: [^\n]*\n\n$/,
    usage: { output_tokens: 7 },
  },
  c: {
    path: '/v1/chat/completions',
    body: hello,
    end: '[DONE]',
    brokenEnd: /data: \{"error":[^\n]*\n\n$/,
    usage: { completion_tokens: 7 },
  },
  r: {
    path: '/v1/responses',
    body: (model: string, extra: object): object => ({ model, input: 'Say hello.', ...extra }),
    end: 'event: response.completed',
    brokenEnd: /event: (?:error|response\.failed)\ndata: [^\n]*\n\n$/,
    usage: { output_tokens: 7 },
  },
} as const;
type ClientName = keyof typeof dialects;
const clients = Object.keys(dialects) as ClientName[];

/**
 * A request of a client dialect to an upstream of a dialect. Each has a model of its own, so that
 * no circuit stays open.
 */
function ask(
  client: ClientName,
  to: Name,
  {
    stream,
    twoRoutes = false,
    extra = {},
  }: { stream: boolean; twoRoutes?: boolean; extra?: object },
): Client {
  asked += 1;
  serial += 1;
  const { path, body } = dialects[client];
  return post(`${stage.url}${path}`, {
    headers: asMessages(apiKey),
    body: body(`${to}${serial}${twoRoutes ? '-2' : ''}`, { stream, ...extra }),
  });
}

const lanes = clients.flatMap((client) =>
  names.flatMap((to) => [false, true].map((stream) => [client, to, stream] as const)),
);
const streams = clients.flatMap((client) => names.map((to) => [client, to] as const));

/** A failure with a status of its own, in the dialect of the route. */
async function expectFailure(
  response: Client,
  client: ClientName,
  status?: number,
): Promise<string> {
  const body = await response.body;
  expect([await response.status, body]).toEqual([
    expect.any(Number),
    expect.stringContaining('"error"'),
  ]);
  if (status === undefined) expect(await response.status).toBeGreaterThanOrEqual(400);
  else expect(await response.status).toBe(status);
  const json = JSON.parse(body) as { type?: string; error: { message: string } };
  expect(json.error.message).toEqual(expect.any(String));
  if (client === 'm') expect(json.type).toBe('error');
  expect((await response.headers)['content-type']).toContain('application/json');
  return body;
}

/** Either status and error, or a stream whose last event is one: never a proper end. */
async function expectBroken(response: Client, client: ClientName): Promise<void> {
  const body = await response.body;
  if ((await response.status) !== 200) return;
  expect(body).toMatch(dialects[client].brokenEnd);
  for (const { end } of Object.values(dialects)) expect(body).not.toContain(end);
}

const respondWith = (bytes: string, end = false): void => {
  behaviour = (socket) => {
    if (end) socket.end(bytes);
    else socket.write(bytes);
  };
};
const json = ['content-type: application/json'];
const sse = ['content-type: text/event-stream'];
/** The metrics of so many models are long, so they are asked for once a group. */
const noneStaysOpen = (): Promise<void> =>
  eventually(async () => {
    expect(await openResponses(stage.opsUrl)).toBe(0);
  });
const eventsOf = (to: Name): string[] => (to === 'm' ? messagesEvents : chatEvents);
const responseOf = (to: Name): object => (to === 'm' ? messagesCompletion : chatCompletion);
const isComplete = (client: ClientName, body: string): boolean =>
  body.includes(dialects[client].end);

describe.each(lanes)('a client of %s, an upstream of %s, a stream: %s', (client, to, stream) => {
  afterAll(noneStaysOpen);

  it.each([
    ['204', () => completionBytes('204 No Content', [], '')],
    ['an empty 200', () => completionBytes('200 OK', json, '')],
    ['an empty stream', () => completionBytes('200 OK', sse, '')],
    [
      'a page under 200',
      () =>
        completionBytes('200 OK', ['content-type: text/html'], '<html><body>Sign in</body></html>'),
    ],
    [
      'a page under 502',
      () =>
        completionBytes(
          '502 Bad Gateway',
          ['content-type: text/html'],
          '<html><body>nginx</body></html>',
        ),
    ],
    [
      'a redirect',
      () => completionBytes('302 Found', [...json, 'location: http://127.0.0.1:1/elsewhere'], '{}'),
    ],
    [
      'a permanent redirect',
      () => completionBytes('308 Permanent Redirect', ['location: /elsewhere'], ''),
    ],
    ['304', () => 'HTTP/1.1 304 Not Modified\r\n\r\n'],
    [
      'an error under 200',
      () =>
        completionBytes(
          '200 OK',
          json,
          JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }),
        ),
    ],
    [
      'an error of another kind under 200',
      () =>
        completionBytes(
          '200 OK',
          json,
          JSON.stringify({ error: { message: 'no such model', code: 404 } }),
        ),
    ],
    [
      'an error under 200 that says it is a stream',
      () =>
        completionBytes('200 OK', sse, JSON.stringify({ error: { message: 'busy', code: 503 } })),
    ],
    [
      'an error as the first event',
      () =>
        completionBytes(
          '200 OK',
          sse,
          to === 'm'
            ? 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'
            : ': hello\n\ndata: {"error":{"message":"busy","code":503}}\n\n',
        ),
    ],
    ['JSON that is no response', () => completionBytes('200 OK', json, '{"ok":true}')],
    ['a number', () => completionBytes('200 OK', json, '7')],
    [
      'two heads',
      () =>
        'HTTP/1.1 500 Oops\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
    ],
    ['no HTTP at all', () => 'SSH-2.0-OpenSSH_9.6\r\n'],
    [
      'headers of 100 kB',
      () =>
        completionBytes(
          '200 OK',
          [...json, `x-large: ${'x'.repeat(100_000)}`],
          JSON.stringify(responseOf(to)),
        ),
    ],
    [
      'a header with a bare CR',
      () =>
        completionBytes(
          '200 OK',
          [...json, 'x-odd: a\rset-cookie: b'],
          JSON.stringify(responseOf(to)),
        ),
    ],
    [
      'a compressed response that cannot be undone',
      () => completionBytes('200 OK', [...json, 'content-encoding: zstd'], 'xxx'),
    ],
    [
      'a gzip response that is none',
      () => completionBytes('200 OK', [...json, 'content-encoding: gzip'], 'xxx'),
    ],
  ])('is told of a failure with a status of its own for %s', async (_what, bytes) => {
    behaviour = (socket) => {
      socket.end(bytes(), 'latin1');
    };
    const body = await expectFailure(ask(client, to, { stream }), client);
    expect(body).not.toContain('vendor-secret');
    expect(body).not.toContain('127.0.0.1');
  });

  it.each([
    ['before its head', () => ''],
    ['in its head', () => 'HTTP/1.1 200 OK\r\ncontent-ty'],
    [
      'after its head',
      () =>
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    [
      'in its first event',
      () => 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {"id"',
    ],
    [
      'in its body',
      () =>
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"id":',
    ],
  ])(
    'is told of a failure with a status of its own when the upstream breaks off %s',
    async (_where, bytes) => {
      behaviour = (socket) => {
        socket.write(bytes(), () => {
          socket.resetAndDestroy();
        });
      };
      await expectFailure(ask(client, to, { stream }), client);
    },
  );

  it('gets the response of the next route where the first has only said that it will respond', async () => {
    behaviour = (socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
        () => {
          socket.resetAndDestroy();
        },
      );
    };
    const response = ask(client, to, { stream, twoRoutes: true });
    const body = await response.body;
    expect(await response.status).toBe(200);
    expect(body).toContain('there.');
    if (stream) expect(isComplete(client, body)).toBe(true);
  });

  it.each([
    [
      'a response in gzip',
      () =>
        [
          ['content-type: application/json', 'content-encoding: gzip'],
          gzipSync(JSON.stringify(responseOf(to))),
        ] as const,
    ],
    [
      'a stream in gzip',
      () =>
        [
          ['content-type: text/event-stream', 'content-encoding: GZIP'],
          gzipSync(eventsOf(to).join('')),
        ] as const,
    ],
    [
      'a stream',
      () =>
        [
          ['content-type: Text/Event-Stream;Charset=utf-8'],
          Buffer.from(eventsOf(to).join('')),
        ] as const,
    ],
    ['a stream that does not say so', () => [[], Buffer.from(eventsOf(to).join(''))] as const],
    [
      'a response',
      () =>
        [
          ['content-type: application/json; charset=UTF-8'],
          Buffer.from(JSON.stringify(responseOf(to))),
        ] as const,
    ],
    [
      'a response that does not say so',
      () => [[], Buffer.from(JSON.stringify(responseOf(to)))] as const,
    ],
    [
      'a response that says it is a stream',
      () => [sse, Buffer.from(JSON.stringify(responseOf(to)))] as const,
    ],
  ])('gets its response in the way it asked for, whatever comes: %s', async (_what, made) => {
    const [headers, body] = made();
    behaviour = (socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`,
      );
      socket.write(body);
    };
    const response = ask(client, to, { stream });
    const text = await response.body;
    expect([await response.status, text]).toEqual([200, expect.stringContaining('Hello')]);
    expect((await response.headers)['content-encoding']).toBeUndefined();
    expect(/event-stream/i.test((await response.headers)['content-type'] ?? '')).toBe(stream);
    if (stream) expect(isComplete(client, text)).toBe(true);
    else {
      expect((JSON.parse(text) as { usage: object }).usage).toMatchObject(dialects[client].usage);
    }
  });

  it('survives news before the response, and odd headers in it', async () => {
    const body = stream ? eventsOf(to).join('') : JSON.stringify(responseOf(to));
    behaviour = (socket) => {
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n`);
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: ${stream ? 'text/event-stream' : 'application/json'}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-odd: ключ é\r\nx-many: a\r\nx-many: b\r\nset-cookie: a=b\r\n\r\n${body}`,
      );
    };
    const response = ask(client, to, { stream });
    expect(await response.body).toContain('Hello');
    expect((await response.headers)['set-cookie']).toBeUndefined();
    if (client === to) {
      expect(Buffer.from(String((await response.headers)['x-odd']), 'latin1').toString()).toBe(
        'ключ é',
      );
    }
  });

  it('gets its response although a kept connection is closed just as it is used', async () => {
    const body = stream ? eventsOf(to).join('') : JSON.stringify(responseOf(to));
    const whole = completionBytes('200 OK', stream ? sse : json, body);
    const used = new WeakSet();
    behaviour = (socket) => {
      if (used.has(socket)) {
        socket.resetAndDestroy();
        return;
      }
      used.add(socket);
      socket.write(whole);
    };
    expect(await ask(client, to, { stream }).body).toContain('Hello');
    const response = ask(client, to, { stream });
    expect([await response.status, await response.body]).toEqual([
      200,
      expect.stringContaining('Hello'),
    ]);
  });
});

describe.each(streams)('a stream to a client of %s from an upstream of %s', (client, to) => {
  afterAll(noneStaysOpen);

  const open = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';

  it.each([
    ['breaks off between events', (events: string[]) => [events.slice(0, 3).join('')]],
    [
      'breaks off in an event',
      (events: string[]) => [events.slice(0, 3).join(''), events[3]!.slice(0, 20)],
    ],
    [
      'has a line that is no JSON',
      (events: string[]) => [events.slice(0, 3).join(''), 'data: {{{\n\n'],
    ],
    [
      'ends in an error',
      (events: string[]) => [
        events.slice(0, 3).join(''),
        to === 'm'
          ? 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"no"}}\n\n'
          : 'data: {"error":{"message":"no"}}\n\n',
      ],
    ],
  ])('that %s ends in an error event', async (_what, pieces) => {
    behaviour = (socket) => {
      socket.write(open);
      for (const piece of pieces(eventsOf(to))) socket.write(piece);
      socket.end();
    };
    await expectBroken(ask(client, to, { stream: true }), client);
  });

  it('that falls silent in the middle ends in an error event', async () => {
    respondWith(open + eventsOf(to).slice(0, 3).join(''));
    await expectBroken(ask(client, to, { stream: true }), client);
  });

  it.each([
    ['comments', ': still here\n\n'],
    ['more events', ''],
  ])(
    'whose upstream goes on for ever behind its end, with %s, ends all the same',
    async (_what, noise) => {
      let timer: NodeJS.Timeout | undefined;
      behaviour = (socket) => {
        socket.write(open + eventsOf(to).join(''));
        timer = setInterval(() => {
          socket.write(noise === '' ? eventsOf(to)[2]! : noise);
        }, 100);
        socket.once('close', () => {
          clearInterval(timer);
        });
      };
      const response = ask(client, to, { stream: true });
      const body = await response.body;
      expect(isComplete(client, body)).toBe(true);
      expect(body).not.toContain('"error":{');
      await eventually(() => {
        expect(
          [...upstream.sockets].filter((socket) => socket.bytesWritten > 0 && !socket.destroyed),
        ).toHaveLength(0);
      });
    },
  );

  it('comes whole through whatever pieces it was cut into', async () => {
    const text = 'Grüße, 世界, 👾, \\u0000, \u2028';
    const bytes = Buffer.from(eventsOf(to).join('').replace('"Hello"', `"${text}"`));
    behaviour = (socket) => {
      socket.setNoDelay(true);
      socket.write(open);
      let at = 0;
      const next = (): void => {
        if (at >= bytes.length) {
          socket.end();
          return;
        }
        socket.write(bytes.subarray(at, at + 7), () => {
          setImmediate(next);
        });
        at += 7;
      };
      next();
    };
    const body = await ask(client, to, { stream: true }).body;
    expect(body).toContain('Grüße, 世界, 👾');
    expect(isComplete(client, body)).toBe(true);
  });

  it('that is one line without end is given up, and does not fill the memory', async () => {
    let sent = 0;
    behaviour = (socket) => {
      socket.write(`${open}${eventsOf(to).slice(0, 3).join('')}data: {"x":"`);
      const piece = Buffer.alloc(1_000_000, 'x');
      const pump = (): void => {
        while (sent < 60 && !socket.destroyed) {
          sent += 1;
          if (!socket.write(piece)) {
            socket.once('drain', pump);
            return;
          }
        }
        if (!socket.destroyed) socket.end();
      };
      pump();
    };
    const response = ask(client, to, { stream: true });
    const body = await response.body;
    expect(body).toContain('"error"');
    expect(isComplete(client, body)).toBe(false);
  });
});

describe('a large request that the upstream refuses before it has read it', () => {
  it.each(lanes)(
    'to a client of %s, an upstream of %s, a stream: %s, is told as the refusal it is',
    async (client, to, stream) => {
      let refused = 0;
      const early = await openWireUpstream(
        () => undefined,
        (socket) => {
          refused += 1;
          socket.pause();
          socket.end(
            completionBytes(
              '413 Content Too Large',
              [...json, 'connection: close'],
              '{"error":{"message":"too large"}}',
            ),
          );
        },
      );
      const other = await openTextStage({ yaml: yamlOf(early.url, good.url, 2) });
      try {
        const { apiKey: key } = await other.aKey();
        const { path, body } = dialects[client];
        const response = post(`${other.url}${path}`, {
          headers: asMessages(key),
          body: body(`${to}1`, { stream, user: 'x'.repeat(900_000) }),
        });
        expect(await response.status).toBe(413);
        expect(refused).toBe(1);
      } finally {
        await other.close();
        await early.close();
      }
    },
  );
});

describe('what all this leaves behind', () => {
  it('is one record for each request, no secret in the log, and every slot', async () => {
    const records = await stage.usage(asked);
    expect(records).toHaveLength(asked);
    expect(new Set(records.map(({ request_id: id }) => id)).size).toBe(asked);
    const lines = JSON.stringify(stage.log.lines);
    expect(lines).not.toContain('vendor-secret');
    expect(lines).not.toContain(apiKey);
    expect(lines).not.toContain('Say hello.');
    expect(
      stage.log.lines
        .filter(
          ({ message }) => message === 'request' || message === 'a response could not be written',
        )
        .filter(({ message }) => message !== 'request'),
    ).toEqual([]);
    behaviour = (socket) => {
      socket.write(completionBytes('200 OK', json, JSON.stringify(messagesCompletion)));
    };
    expect(await ask('m', 'm', { stream: false }).status).toBe(200);
  });
});
