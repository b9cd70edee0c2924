import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { errorCatalogue, GatewayError } from '@gateway/domain';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  currentContext,
  type Health,
  type Registry,
  type RequestLines,
} from '@gateway/runtime';
import { eventually } from '../../../packages/testing/src/eventually.ts';
import { fieldsIn, linesOf } from './recording.ts';

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(resolve);
        }),
    ),
  );
});

interface Served {
  readonly url: string;
  readonly metrics: Registry;
  readonly lines: () => Record<string, unknown>[];
  readonly get: (path: string, init?: RequestInit) => Promise<Response>;
}

/** The app of a service with these routes, listening on loopback. */
async function serve(
  routes: (app: Express) => void = () => undefined,
  health: Health = createHealth({}),
  requestLines?: Pick<RequestLines, 'write'>,
): Promise<Served> {
  const log = createLogger({ service: 'test', level: 'debug', format: 'json' });
  const lines = linesOf(log);
  const metrics = createMetrics('test');
  const server = createServer(
    createHttpApp({ log, metrics, health, routes, ...(requestLines && { requestLines }) }),
  );
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    metrics,
    lines: () => fieldsIn(lines),
    get: (path, init) => fetch(`${url}${path}`, init),
  };
}

/** The first line of the log with this sentence; it may come a moment after the response. */
const lineWith = (served: Served, message: string): Promise<Record<string, unknown>> =>
  eventually(
    () => {
      const line = served.lines().find((one) => one['message'] === message);
      if (line === undefined) {
        throw new Error(`no line "${message}" in ${JSON.stringify(served.lines())}`);
      }
      return line;
    },
    { everyMs: 1 },
  );

const post = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
});

describe('GET /livez', () => {
  it('says that the process lives, whatever its dependencies do', async () => {
    const { get } = await serve(
      undefined,
      createHealth({ redis: () => Promise.reject(new Error('down')) }),
    );
    const response = await get('/livez');

    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it('says that only a restart helps, but not why: strangers may ask', async () => {
    const { get } = await serve(
      undefined,
      createHealth({ redis: () => Promise.resolve() }, {}, () => 'the worker takes no jobs'),
    );
    const response = await get('/livez');

    expect([response.status, await response.json()]).toEqual([503, { status: 'stalled' }]);
  });
});

describe('what moved to the operations port', () => {
  it.each(['/readyz', '/metrics'])('is not here, and the refusal says where: %s', async (path) => {
    const { get } = await serve();
    const response = await get(path);

    expect([response.status, await response.json()]).toEqual([
      404,
      {
        error: {
          message: `${path} is not served on this port; operators find it on OPS_PORT`,
          type: 'not_found_error',
          code: 'route_not_found',
          param: null,
        },
      },
    ]);
  });
});

describe('the metrics of requests', () => {
  it('counts requests by the pattern of their route, never by the ids in it', async () => {
    const { get, metrics } = await serve((app) => {
      app.get('/v1/videos/:id', (_request, response) => {
        response.json({});
      });
    });
    await (await get('/v1/videos/video_1')).text();
    await (await get('/v1/videos/video_2')).text();
    await (await get('/nowhere/video_3')).text();

    await eventually(async () => {
      const text = await metrics.metrics();
      const counts = [
        ...text.matchAll(/^http_server_request_duration_seconds_count\{(.*)\} (\d+)$/gm),
      ].map(([, labels = '', count]) => [
        ...['http_request_method', 'http_route', 'http_response_status_code'].map(
          (label) => new RegExp(`${label}="([^"]*)"`).exec(labels)?.[1],
        ),
        count,
      ]);

      expect(counts).toEqual(
        expect.arrayContaining([
          ['GET', '/v1/videos/:id', '200', '2'],
          ['GET', 'unmatched', '404', '1'],
        ]),
      );
      expect(text).not.toContain('video_');
    });
  });
});

describe('the id of a request', () => {
  const echo = (app: Express): void => {
    app.get('/echo', (_request, response) => {
      response.json([response.locals['requestId'], currentContext()]);
    });
  };

  it('is the caller’s own, in the response and for everything that happens in between', async () => {
    const { get } = await serve(echo);
    const response = await get('/echo', { headers: { 'x-request-id': 'mine_1-A' } });

    expect(response.headers.get('x-request-id')).toBe('mine_1-A');
    expect(await response.json()).toMatchObject(['mine_1-A', { requestId: 'mine_1-A' }]);
  });

  it.each(['', 'with space', 'x'.repeat(129), 'a,b'])(
    'is a new one instead of %j',
    async (given) => {
      const { get } = await serve(echo);
      const response = await get('/echo', { headers: { 'x-request-id': given } });
      const requestId = response.headers.get('x-request-id');

      expect(requestId).toMatch(/^req_[0-9a-z]{26}$/);
      expect(await response.json()).toMatchObject([requestId, { requestId }]);
    },
  );

  it('is on responses that are errors too', async () => {
    const { get } = await serve();

    expect(
      (await get('/nowhere', { headers: { 'x-request-id': 'mine' } })).headers.get('x-request-id'),
    ).toBe('mine');
  });
});

describe('the line of a request', () => {
  it('says what was requested and returned, without the query', async () => {
    const served = await serve((app) => {
      app.get('/v1/videos/:id/content', (_request, response) => {
        response.status(206).send('x');
      });
    });
    await (
      await served.get('/v1/videos/video_1/content?token=abc', {
        headers: { 'x-request-id': 'mine' },
      })
    ).text();

    expect(await lineWith(served, 'request')).toMatchObject({
      level: 'info',
      method: 'GET',
      path: '/v1/videos/video_1/content',
      route: '/v1/videos/:id/content',
      status: 206,
      complete: true,
      ms: expect.any(Number),
      requestId: 'mine',
    });
    expect(JSON.stringify(served.lines())).not.toContain('abc');
  });

  it('says how long the response took, in milliseconds, and the metric in seconds', async () => {
    const began = Date.now();
    const served = await serve((app) => {
      app.get('/slow', async (_request, response) => {
        const asked = Date.now();
        while (Date.now() - asked < 30) await new Promise(setImmediate);
        response.json({});
      });
    });
    await (await served.get('/slow')).text();
    const { ms } = await lineWith(served, 'request');
    const sum = /_duration_seconds_sum\{[^}]*\/slow[^}]*\} ([\d.]+)/.exec(
      await served.metrics.metrics(),
    )?.[1];
    const most = Date.now() - began;

    expect(ms).toBeGreaterThanOrEqual(28);
    expect(ms).toBeLessThanOrEqual(most);
    expect(Number(sum)).toBeGreaterThanOrEqual(0.028);
    expect(Number(sum)).toBeLessThanOrEqual(most / 1000);
  });

  it('says that the response was not complete when the client left', async () => {
    const served = await serve((app) => {
      app.get('/slow', (_request, response) => {
        response.write('x');
      });
    });
    const reader = (await served.get('/slow')).body?.getReader();
    await reader?.read();
    await reader?.cancel();

    expect(await lineWith(served, 'request')).toMatchObject({ path: '/slow', complete: false });
  });

  it('goes where the service has it go, without secrets, and not into the log', async () => {
    const taken: Readonly<Record<string, unknown>>[] = [];
    const served = await serve(undefined, undefined, { write: (fields) => taken.push(fields) });
    const secret = `sk-gw-${'a'.repeat(24)}`;
    await served.get(`/keys/${secret}`, { headers: { 'x-request-id': secret } });
    await eventually(() => {
      expect(taken).toMatchObject([
        { requestId: 'sk-gw-[redacted]', path: '/keys/sk-gw-[redacted]', status: 404 },
      ]);
    });

    expect(JSON.stringify(taken)).not.toContain(secret);
    expect(served.lines().filter(({ message }) => message === 'request')).toEqual([]);
  });

  it('is not there for probes', async () => {
    const served = await serve();
    for (const path of ['/livez', '/nowhere']) {
      await (await served.get(path)).text();
    }
    await lineWith(served, 'request');

    expect(
      served
        .lines()
        .filter(({ message }) => message === 'request')
        .map(({ path }) => path),
    ).toEqual(['/nowhere']);
  });
});

describe('a response', () => {
  it('has no ETag that nobody asked for, and a query is only text', async () => {
    const { get } = await serve((app) => {
      app.get('/query', (request, response) => {
        response.json(request.query);
      });
    });
    const response = await get('/query?a[b]=1&__proto__[c]=2&d=3');

    expect(response.headers.get('etag')).toBeNull();
    expect(Object.entries((await response.json()) as object)).toEqual([
      ['a[b]', '1'],
      ['__proto__[c]', '2'],
      ['d', '3'],
    ]);
  });
});

describe('the response to a failure', () => {
  const failing =
    (error: unknown) =>
    (app: Express): void => {
      app.get('/fail', () => {
        throw error;
      });
    };

  it('of a route that does not exist is a 404 in JSON', async () => {
    const { get } = await serve();
    const response = await get('/nowhere?token=abc', { method: 'DELETE' });

    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringMatching(/DELETE \/nowhere(?!.*abc)/),
        type: 'not_found_error',
        code: 'route_not_found',
        param: null,
      },
    });
  });

  it.each(Object.entries(errorCatalogue))(
    'with code %s has its status and type',
    async (code, { status, type }) => {
      const { get } = await serve(
        failing(new GatewayError(code as keyof typeof errorCatalogue, 'what is wrong')),
      );
      const response = await get('/fail');

      expect([response.status, await response.json()]).toEqual([
        status,
        { error: { message: 'what is wrong', type, code, param: null } },
      ]);
    },
  );

  it('carries the field, the details, the headers and the time to wait', async () => {
    const details = [
      { param: 'seed', message: 'seed is wrong' },
      { param: null, message: 'the body is wrong' },
    ];
    const { get } = await serve(
      failing(
        new GatewayError('rate_limit_exceeded', 'slow down', {
          param: 'seed',
          details,
          headers: { allow: 'GET, HEAD' },
          retryAfterMs: 1_001,
        }),
      ),
    );
    const response = await get('/fail');

    expect([response.headers.get('allow'), response.headers.get('retry-after')]).toEqual([
      'GET, HEAD',
      '2',
    ]);
    expect(await response.json()).toEqual({
      error: {
        message: 'slow down',
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        param: 'seed',
        details,
      },
    });
  });

  it.each<[string, unknown]>([
    ['an error', new Error('password=hunter2')],
    ['a text', 'password=hunter2'],
    ['an object', { message: 'password=hunter2', status: 500 }],
    ['a status that is no failure', { status: 200 }],
  ])('that nobody foresaw tells nothing of it: %s', async (_case, thrown) => {
    const served = await serve(failing(thrown));
    const response = await served.get('/fail', { headers: { 'x-request-id': 'mine' } });
    const text = await response.text();

    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      error: {
        message: errorCatalogue.internal.meaning,
        type: 'internal_error',
        code: 'internal',
        param: null,
      },
    });
    expect(text).not.toMatch(/hunter2|\bat |\.ts/);
    expect(await lineWith(served, 'request failed')).toMatchObject({
      level: 'error',
      code: 'internal',
      requestId: 'mine',
    });
  });

  it('that nobody foresaw is in the log with its stack', async () => {
    const served = await serve((app) => {
      app.get('/fail', async () => {
        await Promise.resolve();
        throw new Error('division by zero');
      });
    });
    await (await served.get('/fail')).text();

    expect(await lineWith(served, 'request failed')).toMatchObject({
      level: 'error',
      error: { message: 'division by zero', stack: expect.stringContaining('http-app.test') },
    });
  });

  it('of the customer is not an error of ours', async () => {
    const served = await serve(failing(new GatewayError('task_not_found', 'no such task')));
    await (await served.get('/fail')).text();

    expect(await lineWith(served, 'request failed')).toMatchObject({
      level: 'debug',
      code: 'task_not_found',
      reason: 'no such task',
    });
  });

  it.each([400, 401, 404, 499])(
    'of a library with status %d is the customer’s, without the library’s words',
    async (status) => {
      const { get } = await serve(failing(Object.assign(new Error('internal words'), { status })));
      const response = await get('/fail');

      expect(response.status).toBe(400);
      expect(await response.text()).not.toContain('internal words');
    },
  );

  it('of an address that cannot be read is a 400', async () => {
    const { get } = await serve((app) => {
      app.get('/v1/videos/:id', (_request, response) => {
        response.json({});
      });
    });
    const response = await get('/v1/videos/%E0%A4%A');

    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { type: 'invalid_request_error', code: 'invalid_parameter' } },
    ]);
  });

  it('after the response began ends the connection, without a second response', async () => {
    const { get } = await serve((app) => {
      app.set('env', 'test'); // keeps Express from printing the stack
      app.get('/half', (_request, response, next) => {
        response.status(200).type('text/plain').write('first half');
        setImmediate(() => {
          next(new Error('division by zero'));
        });
      });
    });
    const response = await get('/half');
    const body = response.text().catch(() => 'cut off');

    expect([response.status, await body]).toEqual([200, 'cut off']);
  });
});

describe('a body that cannot be read', () => {
  const reading = (app: Express): void => {
    app.post('/read', express.json({ limit: 100 }), (request, response) => {
      response.json(request.body);
    });
  };

  it.each<[string, RequestInit, number, string]>([
    ['broken JSON', post('{"a":'), 400, 'invalid_json'],
    ['a body that is too large', post(JSON.stringify('x'.repeat(200))), 413, 'payload_too_large'],
    [
      'another charset',
      { ...post('{}'), headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
      'unsupported_media_type',
    ],
    [
      'an unknown encoding',
      {
        ...post('{}'),
        headers: { 'content-type': 'application/json', 'content-encoding': 'compress' },
      },
      415,
      'unsupported_media_type',
    ],
  ])('is refused in JSON: %s', async (...[, init, status, code]) => {
    const { get } = await serve(reading);
    const response = await get('/read', init);

    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringMatching(/^[a-z].{10,}/),
        type: 'invalid_request_error',
        code,
        param: null,
      },
    });
  });

  it('is refused without repeating what was sent', async () => {
    const served = await serve(reading);
    const response = await served.get('/read', post('{"api_key":"hunter2"'));

    expect(await response.text()).not.toContain('hunter2');
  });

  it('is no failure of ours when the client leaves in the middle of it', async () => {
    const served = await serve(reading);
    const socket = connect(Number(new URL(served.url).port), '127.0.0.1', () => {
      socket.write(
        'POST /read HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"a":',
        () => {
          socket.destroy();
        },
      );
    });

    expect(await lineWith(served, 'request failed')).toMatchObject({
      level: 'debug',
      code: 'invalid_json',
    });
  });
});
