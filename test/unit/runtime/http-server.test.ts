import { Agent, get as httpGet, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createHealth, httpServerPart, type Health, type Part } from '@gateway/runtime';
import { recordingLog, type LogLine } from '../../../packages/testing/src/recording-log.ts';
import { deferred } from './recording.ts';

const started: Part[] = [];

afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(started.splice(0).map((part) => part.stop()));
});

interface Listening {
  readonly part: ReturnType<typeof httpServerPart>;
  readonly health: Health;
  readonly lines: readonly LogLine[];
}

async function listening(handler: RequestListener, port = 0): Promise<Listening> {
  const health = createHealth({});
  const log = recordingLog();
  const part = httpServerPart({ host: '127.0.0.1', port, handler, health, log });
  started.push(part);
  await part.start?.();
  return { part, health, lines: log.lines };
}

/** One request on a connection of its own, as a text; an error is told by its code. */
const get = (url: string): Promise<string> =>
  new Promise((resolve) => {
    httpGet(url, { agent: new Agent({ keepAlive: false }) }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('end', () => {
          resolve(text);
        })
        .on('error', () => {
          resolve('cut off');
        });
    }).on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
  });

/** Without a pause: what the system dropped comes again after a second. */
async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe('a listening server', () => {
  it('says where it listens, and responds there', async () => {
    const { part, lines } = await listening((_request, response) => {
      response.end('hello');
    });
    const { port } = new URL(part.url());

    expect(part.url()).toBe(`http://127.0.0.1:${port}`);
    expect(await get(part.url())).toBe('hello');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'listening',
        fields: { host: '127.0.0.1', port: Number(port), setting: 'PORT' },
      },
    ]);
  });

  it('on every address is reached by loopback', async () => {
    const part = httpServerPart({
      host: '0.0.0.0',
      port: 0,
      handler: (_request, response) => {
        response.end('hello');
      },
      health: createHealth({}),
      log: recordingLog(),
    });
    started.push(part);
    await part.start?.();

    expect(part.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(part.url())).toBe('hello');
  });

  it('by a name is reached by that name', async () => {
    const part = httpServerPart({
      host: 'localhost',
      port: 0,
      handler: (_request, response) => {
        response.end('hello');
      },
      health: createHealth({}),
      log: recordingLog(),
    });
    started.push(part);
    await part.start?.();

    expect(part.url()).toMatch(/^http:\/\/localhost:\d+$/);
    expect(part.name).toBe('http server');
  });

  it('keeps connections longer than the balancer in front of it does', async () => {
    const { part } = await listening((_request, response) => {
      response.end('hello');
    });
    const agent = new Agent({ keepAlive: true });
    const header = await new Promise((resolve) => {
      httpGet(part.url(), { agent }, (response) => {
        resolve(response.resume().headers['keep-alive']);
      });
    });
    agent.destroy();

    expect(header).toBe('timeout=65');
  });

  it('lets more connect at once than it has taken', async () => {
    const { part } = await listening((_request, response) => {
      response.end();
    });
    const port = Number(new URL(part.url()).port);
    const connected = new Set<Socket>();
    const sockets = Array.from({ length: 700 }, () => {
      const socket = connect({ host: '127.0.0.1', port });
      return socket.on('connect', () => connected.add(socket));
    });
    await afterTurns(20);
    for (const socket of sockets) socket.destroy();

    expect(connected.size).toBe(sockets.length);
  });

  it('names the port that is in use and what to do, and may be stopped all the same', async () => {
    const { part } = await listening(() => undefined);
    const port = Number(new URL(part.url()).port);
    const second = httpServerPart({
      host: '127.0.0.1',
      port,
      handler: () => undefined,
      health: createHealth({}),
      log: recordingLog(),
    });

    await expect(second.start?.()).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`port ${port} is in use.*PORT`)),
    });
    await second.stop();
  });

  it('tells another reason not to listen as it is', async () => {
    const part = httpServerPart({
      host: '192.0.2.1',
      port: 0,
      handler: () => undefined,
      health: createHealth({}),
      log: recordingLog(),
    });

    await expect(part.start?.()).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
  });
});

describe('stopping a server', () => {
  it('makes it not ready, refuses new connections, and lets a response that is under way end', async () => {
    const [asked, release] = [deferred(), deferred()];
    const { part, health } = await listening((_request, response) => {
      asked.resolve();
      void release.promise.then(() => response.end('finished'));
    });
    const url = part.url();
    const received = get(url);
    await asked.promise;

    let stopped = false;
    const stopping = part.stop().then(() => {
      stopped = true;
    });
    expect(await health.check()).toMatchObject({ ready: false });
    expect(await get(url)).toBe('ECONNREFUSED');
    expect(stopped).toBe(false);

    release.resolve();
    expect(await received).toBe('finished');
    await stopping;
  });

  it('does not wait for connections that are idle', async () => {
    const { part } = await listening((_request, response) => {
      response.end('hello');
    });
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve, reject) => {
      httpGet(part.url(), { agent }, (response) => response.resume().on('end', resolve)).on(
        'error',
        reject,
      );
    });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });

    await part.stop();
    expect(jest.getTimerCount()).toBe(0);
    agent.destroy();
  });

  it('cuts off after ten seconds what still is under way', async () => {
    const asked = deferred();
    const { part } = await listening(() => {
      asked.resolve();
    });
    const received = get(part.url());
    await asked.promise;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let stopped = false;
    const stopping = part.stop().then(() => {
      stopped = true;
    });

    await jest.advanceTimersByTimeAsync(9_999);
    expect(stopped).toBe(false);

    await jest.advanceTimersByTimeAsync(1);
    await stopping;
    expect(await received).toBe('ECONNRESET');
  });
});
