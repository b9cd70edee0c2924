import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHealth, httpServerPart, type Part } from '@gateway/runtime';
import { eventually } from '../../../packages/testing/src/eventually.ts';
import { recordingLog } from '../../../packages/testing/src/recording-log.ts';

const started: Part[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(started.splice(0).map((part) => part.stop()));
});

async function listening(handler: RequestListener): Promise<number> {
  const part = httpServerPart({
    host: '127.0.0.1',
    port: 0,
    handler,
    health: createHealth({}),
    log: recordingLog(),
  });
  started.push(part);
  await part.start?.();
  return Number(new URL(part.url()).port);
}

/** A client that sends these bytes, and everything that it got so far. */
function client(
  port: number,
  bytes: string,
  { halfCloses = false } = {},
): { socket: Socket; got: () => string; isClosed: () => boolean } {
  let text = '';
  let closed = false;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
    if (halfCloses) socket.end(bytes);
    else socket.write(bytes);
  });
  sockets.push(socket);
  socket
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      text += chunk;
    })
    .on('end', () => {
      closed = true;
    })
    .on('error', () => undefined);
  return { socket, got: () => text, isClosed: () => closed };
}

const whole = async (port: number, bytes: string): Promise<string> => {
  const { got, isClosed } = client(port, bytes);
  await eventually(() => {
    expect(isClosed()).toBe(true);
  });
  return got();
};

const hello: RequestListener = (_request, response) => {
  response.end('hello');
};

describe('a request with a Host that is wrong', () => {
  it.each([
    ['none', '', 'it has none'],
    ['two', 'host: a\r\nHost: b\r\n', 'it has 2'],
    ['the same one twice', 'host: a\r\nhost: a\r\n', 'it has 2'],
  ])('(%s) is refused with a body and an id, and never handled', async (_case, lines, says) => {
    let handled = 0;
    const port = await listening((request, response) => {
      handled += 1;
      hello(request, response);
    });

    const text = await whole(port, `GET / HTTP/1.1\r\n${lines}x-request-id: mine\r\n\r\n`);

    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(head.toLowerCase()).toContain('x-request-id: mine');
    expect(head.toLowerCase()).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(body)).toEqual({
      error: {
        message: expect.stringContaining(says),
        type: 'invalid_request_error',
        code: 'malformed_request',
        param: null,
      },
    });
    expect(handled).toBe(0);
  });

  it('is served without one in HTTP/1.0, which has none', async () => {
    const port = await listening(hello);

    expect(await whole(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 [^]*hello$/);
  });
});

describe('a request that expects something', () => {
  it('is refused with a body when nobody can meet it', async () => {
    const port = await listening(hello);

    const text = await whole(port, 'POST / HTTP/1.1\r\nhost: a\r\nexpect: banana\r\n\r\n');

    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 417 /);
    expect(head).toMatch(/x-request-id: req_/);
    expect(JSON.parse(body)).toMatchObject({
      error: { code: 'expectation_failed', param: 'Expect' },
    });
  });

  it('may expect to be told to go on', async () => {
    const port = await listening(hello);
    const { got } = client(
      port,
      'POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 0\r\n\r\n',
    );

    await eventually(() => {
      expect(got()).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    });
  });
});

/** A response that waits until the test lets it go, and whether its client has left before. */
function waiting(): {
  handler: RequestListener;
  respond: () => void;
  left: () => boolean;
  isAsked: () => boolean;
} {
  let respond = (): void => undefined;
  let left = false;
  let asked = false;
  return {
    isAsked: () => asked,
    handler: (_request, response) => {
      asked = true;
      response.on('close', () => {
        left = !response.writableFinished;
      });
      respond = () => {
        response.end('hello');
      };
    },
    respond: () => {
      respond();
    },
    left: () => left,
  };
}

describe('a client that closes its side after its request', () => {
  it.each(['1.1', '1.0'])('gets its response, and then the end (HTTP/%s)', async (version) => {
    const { handler, respond, left, isAsked } = waiting();
    const port = await listening(handler);
    const { got, isClosed } = client(port, `GET / HTTP/${version}\r\nhost: a\r\n\r\n`, {
      halfCloses: true,
    });
    if (version === '1.1') {
      // asked twice whether it is still there, it stays
      await eventually(() => {
        expect(got().match(/HTTP\/1.1 102 /g)?.length).toBeGreaterThan(1);
      });
    } else {
      await eventually(() => {
        expect(isAsked()).toBe(true);
      });
    }
    respond();

    await eventually(() => {
      expect(isClosed()).toBe(true);
    });
    expect(got()).toMatch(/HTTP\/1.1 200 OK\r\n[^]*hello$/);
    expect(left()).toBe(false);
  });

  it('gets all of a file that is on its way', async () => {
    const bytes = 4_000_000;
    const port = await listening((_request, response) => {
      response.setHeader('content-length', bytes);
      response.writeHead(200);
      response.write('x');
      response.req.socket.once('end', () => {
        setImmediate(() => response.end('x'.repeat(bytes - 1)));
      });
    });
    const { socket, got, isClosed } = client(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await eventually(() => {
      expect(got()).toContain('x');
    });
    socket.end();

    await eventually(
      () => {
        expect(isClosed()).toBe(true);
      },
      { withinMs: 10_000 },
    );
    expect(got().split('\r\n\r\n')[1]).toHaveLength(bytes);
  });
});

describe('a client that leaves', () => {
  it('is noticed before its response is written', async () => {
    const { handler, left, isAsked } = waiting();
    const port = await listening(handler);
    const { socket } = client(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await eventually(() => {
      expect(isAsked()).toBe(true);
    });
    socket.destroy();

    await eventually(
      () => {
        expect(left()).toBe(true);
      },
      { withinMs: 10_000 },
    );
  });

  it('is noticed at once in the middle of a stream, however silent that is', async () => {
    let left = false;
    const port = await listening((_request, response) => {
      response.on('close', () => {
        left = true;
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
    });
    const { socket, got } = client(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await eventually(() => {
      expect(got()).toContain(': hello');
    });
    socket.destroy();

    await eventually(() => {
      expect(left).toBe(true);
    });
  });
});
