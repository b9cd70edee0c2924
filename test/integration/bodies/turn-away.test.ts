import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { turnAway } from '../../../services/api/src/bodies/turn-away.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A client that announces a body and sends so much of it, and what came of it. */
async function send(
  announcedBytes: number,
  sentBytes: number,
): Promise<{ readonly text: string; readonly readBytes: number; readonly waited: boolean }> {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    sockets.push(request.socket);
    turnAway(request);
    response.writeHead(429, { connection: 'close' });
    response.end('too much');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  closing.push(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  let text = '';
  client.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  client.on('error', () => undefined);
  const closed = new Promise((resolve) => {
    client.once('close', resolve);
  });
  client.write(`POST / HTTP/1.1\r\nhost: gateway\r\ncontent-length: ${announcedBytes}\r\n\r\n`);
  client.write(Buffer.alloc(sentBytes, 'x'));
  const sentAt = performance.now();
  await closed;
  return {
    text,
    readBytes: sockets[0]?.bytesRead ?? NaN,
    waited: performance.now() - sentAt > 950,
  };
}

describe('a client whose body nobody wants', () => {
  it('reads its response while it is still sending, and little is read of it', async () => {
    const { text, readBytes } = await send(67_108_864, 33_554_432);

    expect(text).toMatch(/^HTTP\/1\.1 429 [^]*too much/);
    // What it may send, and what was on its way by then.
    expect(readBytes).toBeLessThan(3 * 65_536);
  });

  it('is let go at once when all that it sends has come', async () => {
    const { text, readBytes, waited } = await send(40_000, 40_000);

    expect(text).toMatch(/^HTTP\/1\.1 429 [^]*too much/);
    expect(readBytes).toBeGreaterThan(40_000);
    expect(waited).toBe(false);
  });
});
