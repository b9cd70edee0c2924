import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHealth, httpServerPart, type Part } from '@gateway/runtime';
import { recordingLog } from '../../../packages/testing/src/recording-log.ts';

const started: Part[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(started.splice(0).map((part) => part.stop()));
});

/** A server that takes whole bodies, and gives clients little time. */
async function listening(): Promise<string> {
  const part = httpServerPart({
    host: '127.0.0.1',
    port: 0,
    health: createHealth({}),
    log: recordingLog(),
    timeouts: { headersMs: 200, requestMs: 400, checkEveryMs: 50 },
    handler: (request, response) => {
      if (request.url === '/stream') {
        response.write('begun');
        return;
      }
      request.resume().on('end', () => {
        response.end('taken');
      });
    },
  });
  started.push(part);
  await part.start?.();
  return part.url();
}

interface Slow {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

/**
 * A client that sends this and then a byte every 20 ms, for ever; `closed` gives what it was told.
 */
function slowClient(url: string, opening: string): Slow {
  const { hostname, port } = new URL(url);
  let text = '';
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const drip = setInterval(() => {
    if (socket.writable) socket.write('a');
  }, 20);
  const closed = new Promise<string>((resolve) => {
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
      })
      .on('error', () => undefined)
      .on('close', () => {
        clearInterval(drip);
        resolve(text);
      });
  });
  socket.write(opening);
  return { socket, closed };
}

describe('clients that send slowly', () => {
  it.each([
    ['their headers', 'GET / HTTP/1.1\r\nhost: x\r\nx-slow: '],
    ['their bodies', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n'],
  ])(
    'are told 408 as JSON when %s take too long, and others are served meanwhile',
    async (_name, opening) => {
      const url = await listening();
      const slow = Array.from({ length: 50 }, () => slowClient(url, opening));

      expect(await (await fetch(url, { method: 'POST', body: 'x' })).text()).toBe('taken');

      const told = await Promise.all(slow.map(({ closed }) => closed));
      expect(
        told.filter((text) => text.startsWith('HTTP/1.1 408 Request Timeout\r\n')),
      ).toHaveLength(50);
      expect(JSON.parse(told[0]?.split('\r\n\r\n')[1] ?? '')).toEqual({
        error: {
          code: 'request_timeout',
          type: 'invalid_request_error',
          message: expect.any(String),
          param: null,
        },
      });
    },
  );

  it('are cut off without another word when their response has begun', async () => {
    const url = await listening();
    const { closed } = slowClient(
      url,
      'POST /stream HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n',
    );

    const told = await closed;

    expect(told).toContain('begun');
    expect(told).not.toContain('408');
  });
});
