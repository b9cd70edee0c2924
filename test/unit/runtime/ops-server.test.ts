import { get as httpGet, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createHealth,
  createMetrics,
  Gauge,
  opsServer,
  startAll,
  type Health,
  type Part,
} from '@gateway/runtime';
import { eventually } from '../../../packages/testing/src/eventually.ts';
import { recordingLog } from '../../../packages/testing/src/recording-log.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

interface Opened {
  readonly url: string;
  readonly log: ReturnType<typeof recordingLog>;
  readonly metrics: ReturnType<typeof createMetrics>;
  readonly get: (path: string, init?: RequestInit) => Promise<Response>;
  /** Moves the clock on by this many milliseconds. */
  readonly pass: (ms: number) => void;
  readonly stop: () => Promise<void>;
}

async function open(
  health: Health = createHealth({}),
  parts: readonly Part[] = [],
): Promise<Opened> {
  const log = recordingLog();
  const metrics = createMetrics('test');
  let time = 1_000;
  const ops = opsServer({
    settings: { HOST: '127.0.0.1', OPS_PORT: 0 },
    health,
    metrics,
    log,
    now: () => time,
  });
  const stop = await startAll(ops.around(parts));
  cleanUps.push(stop);
  const url = ops.url();
  return {
    url,
    log,
    metrics,
    stop,
    get: (path, init) => fetch(`${url}${path}`, init),
    pass: (ms) => {
      time += ms;
    },
  };
}

const seen = async (response: Response): Promise<unknown[]> => [
  response.status,
  await response.json(),
];

describe('GET /livez of the operations port', () => {
  it('says that the process lives, whatever its dependencies do', async () => {
    const { get } = await open(createHealth({ redis: () => Promise.reject(new Error('down')) }));

    expect(await seen(await get('/livez'))).toEqual([200, { status: 'ok' }]);
  });

  it('says why only a restart helps; the service stays ready meanwhile', async () => {
    const { get } = await open(createHealth({}, {}, () => 'the worker takes no jobs'));

    expect(await seen(await get('/livez'))).toEqual([
      503,
      { status: 'stalled', reason: 'the worker takes no jobs' },
    ]);
    expect((await get('/readyz')).status).toBe(200);
    expect(await (await get('/metrics')).text()).toMatch(
      /^gateway_worker_stalled\{service="test"\} 1$/m,
    );
  });
});

describe('GET /readyz of the operations port', () => {
  const down = () =>
    Promise.reject(Object.assign(new Error('connect 10.0.0.7:6379'), { code: 'ECONNREFUSED' }));

  it('names the dependency that fails by its code, and the log says the rest once', async () => {
    let isUp = false;
    const { get, log } = await open(
      createHealth({
        postgres: () => Promise.resolve(),
        redis: () => (isUp ? Promise.resolve() : down()),
      }),
    );

    for (const _time of [1, 2]) {
      expect(await seen(await get('/readyz'))).toEqual([
        503,
        { status: 'unavailable', checks: { postgres: 'ok', redis: 'ECONNREFUSED' } },
      ]);
    }
    isUp = true;
    expect(await seen(await get('/readyz'))).toEqual([
      200,
      { status: 'ok', checks: { postgres: 'ok', redis: 'ok' } },
    ]);
    expect(log.lines.filter(({ message }) => message.startsWith('dependency'))).toEqual([
      expect.objectContaining({
        level: 'warn',
        message: 'dependency unavailable',
        fields: { dependency: 'redis', code: 'ECONNREFUSED', reason: 'connect 10.0.0.7:6379' },
      }),
      expect.objectContaining({
        message: 'dependency available again',
        fields: { dependency: 'redis' },
      }),
    ]);
  });

  it('keeps a service in work that misses what only part of its requests need, and names it', async () => {
    const { get } = await open(
      createHealth({ postgres: () => Promise.resolve() }, { storage: down }),
    );

    expect(await seen(await get('/readyz'))).toEqual([
      200,
      { status: 'degraded', checks: { postgres: 'ok', storage: 'ECONNREFUSED' } },
    ]);
  });

  it('does not call a service degraded that cannot work at all', async () => {
    const { get } = await open(createHealth({ postgres: down }, { storage: down }));

    expect(await seen(await get('/readyz'))).toEqual([
      503,
      { status: 'unavailable', checks: { postgres: 'ECONNREFUSED', storage: 'ECONNREFUSED' } },
    ]);
  });

  it('asks the dependencies once for all who ask at the same time', async () => {
    let asked = 0;
    let respond: (() => void) | undefined;
    const { get } = await open(
      createHealth({
        redis: () => {
          asked += 1;
          return new Promise<void>((resolve) => {
            respond = resolve;
          });
        },
      }),
    );
    let arrived = 0;
    const responses = Array.from({ length: 20 }, async () => {
      const pending = get('/readyz');
      arrived += 1;
      return (await pending).status;
    });
    await eventually(() => {
      expect([asked, arrived]).toEqual([1, 20]);
    });
    // All connections are up and their requests read: /livez on each came back.
    await Promise.all(Array.from({ length: 20 }, async () => (await get('/livez')).text()));
    respond?.();

    expect(await Promise.all(responses)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(asked).toBe(1);
  });

  it('is there before the first part of the service and until the last has stopped, ready only in between', async () => {
    const health = createHealth({});
    const seenThen: unknown[] = [];
    let url = '';
    const ask = async (): Promise<void> => {
      seenThen.push(await seen(await fetch(`${url}/readyz`)));
    };
    const log = recordingLog();
    const ops = opsServer({
      settings: { HOST: '127.0.0.1', OPS_PORT: 0 },
      health,
      metrics: createMetrics('test'),
      log,
    });
    const stop = await startAll(
      ops.around([
        {
          name: 'slow',
          start: () => {
            url = ops.url();
            return ask();
          },
          stop: ask,
        },
      ]),
    );
    await ask();
    await stop();

    expect(seenThen).toEqual([
      [503, { status: 'unavailable', checks: { service: 'starting' } }],
      [200, { status: 'ok', checks: {} }],
      [503, { status: 'unavailable', checks: { service: 'draining' } }],
    ]);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });
});

describe('GET /metrics of the operations port', () => {
  it('has the text format, with Node’s own metrics and the name of the service', async () => {
    const { get } = await open();
    const response = await get('/metrics');

    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toMatch(/^nodejs_version_info\{.*service="test"\} 1$/m);
  });

  it('tells which dependency responds, a moment late at most', async () => {
    let isUp = true;
    const { get, pass } = await open(
      createHealth({
        redis: () => (isUp ? Promise.resolve() : Promise.reject(new Error('down'))),
        database: () => Promise.resolve(),
      }),
    );
    const figures = async (): Promise<string[]> =>
      (await (await get('/metrics')).text())
        .split('\n')
        .filter((line) => /^gateway_(ready|dependency_up)\{/.test(line))
        .sort();
    const whileUp = [
      'gateway_dependency_up{dependency="database",service="test"} 1',
      'gateway_dependency_up{dependency="redis",service="test"} 1',
      'gateway_ready{service="test"} 1',
    ];

    expect(await figures()).toEqual(whileUp);

    isUp = false;
    pass(199);
    expect(await figures()).toEqual(whileUp);
    pass(1);
    expect(await figures()).toEqual([
      'gateway_dependency_up{dependency="database",service="test"} 1',
      'gateway_dependency_up{dependency="redis",service="test"} 0',
      'gateway_ready{service="test"} 0',
    ]);
  });

  it('is computed once for all who ask within a second, also while it is being computed', async () => {
    const opened = await open();
    let computed = 0;
    let finish: (() => void) | undefined;
    new Gauge({
      name: 'gateway_costly',
      help: 'Costs something.',
      registers: [opened.metrics],
      async collect() {
        computed += 1;
        this.set(computed);
        if (computed === 1) {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
        }
      },
    });
    const scrapes = Array.from({ length: 40 }, async () => (await opened.get('/metrics')).text());
    await eventually(() => {
      expect(computed).toBe(1);
    });
    await Promise.all(Array.from({ length: 20 }, async () => (await opened.get('/livez')).text()));
    finish?.();
    const texts = await Promise.all(scrapes);

    expect(new Set(texts).size).toBe(1);
    expect(await (await opened.get('/metrics')).text()).toBe(texts[0]);
    expect(computed).toBe(1);
    opened.pass(1_000);
    expect(await (await opened.get('/metrics')).text()).toMatch(/^gateway_costly\{[^}]*\} 2$/m);
  });

  it('says 500 when it cannot be computed, and tries again for the next', async () => {
    const opened = await open();
    let isBroken = true;
    new Gauge({
      name: 'gateway_breaking',
      help: 'Breaks.',
      registers: [opened.metrics],
      collect() {
        if (isBroken) throw new Error('at 10.0.0.7');
      },
    });
    const response = await opened.get('/metrics');

    expect([response.status, await response.text()]).toEqual([
      500,
      expect.not.stringContaining('10.0.0.7'),
    ]);
    isBroken = false;
    expect((await opened.get('/metrics')).status).toBe(200);
  });
});

describe('the operations port', () => {
  it('serves nothing else, and says what it serves', async () => {
    const { get } = await open();

    expect(await seen(await get('/v1/videos'))).toEqual([
      404,
      { error: 'this port serves /livez, /readyz, /metrics' },
    ]);
    expect((await get('/constructor')).status).toBe(404);
    expect((await get('/metrics', { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await get('/livez?verbose')).status).toBe(200);
    const head = await get('/livez', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '15',
      '',
    ]);
  });

  it('keeps no more than 64 connections', async () => {
    const { url } = await open();
    const sockets = await Promise.all(Array.from({ length: 64 }, () => dial(url)));
    const further = await dial(url);
    await once(further, 'close');

    for (const socket of sockets.splice(0, 1)) socket.destroy();
    await eventually(async () => {
      expect((await fetchOnce(`${url}/livez`)).statusCode).toBe(200);
    });
    expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
  });

  it('names its own setting when its port is taken', async () => {
    const { url } = await open();
    const second = opsServer({
      settings: { HOST: '0.0.0.0', OPS_HOST: '127.0.0.1', OPS_PORT: Number(new URL(url).port) },
      health: createHealth({}),
      metrics: createMetrics('test'),
      log: recordingLog(),
    });

    await expect(startAll(second.around([]))).rejects.toThrow(/set OPS_PORT to a free one/);
  });
});

async function dial(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  cleanUps.push(() => socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const fetchOnce = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    httpGet(url, { agent: false }, (response) => {
      response.resume();
      resolve(response);
    }).on('error', reject);
  });
