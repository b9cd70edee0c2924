import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileSystemStorage, serveMedia } from '@gateway/media';

/** More than a connection buffers, so that the server has to wait for its client. */
const size = 16_000_000;
const files = [randomBytes(size), randomBytes(size)] as const;

let port: number;
let close: () => Promise<void>;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-slow-'));
  const storage = await openFileSystemStorage({ folder });
  for (const [index, content] of files.entries()) {
    await storage.put(`videos/${index}`, Readable.from([content]), { maxBytes: size });
  }
  const server = http.createServer((request, response) => {
    const object = {
      key: `videos/${request.url?.slice(1)}`,
      sizeBytes: size,
      sha256: '00',
      contentType: 'video/mp4',
      lastModified: new Date(0),
      fileName: 'video.mp4',
    };
    void serveMedia({
      request,
      response,
      storage,
      object,
      maxAgeSeconds: 60,
      sendError: () => undefined,
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  port = (server.address() as AddressInfo).port;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await rm(folder, { recursive: true });
  };
});
afterEach(() => close());

interface Wanted {
  readonly file: 0 | 1;
  readonly start?: number;
  /** Goes away after so many bytes. */
  readonly cutAt?: number;
}

/** Takes the bytes with pauses of random length, and returns the hash of what came. */
async function takeSlowly({ file, start = 0, cutAt = Infinity }: Wanted): Promise<string> {
  const request = http.get({
    port,
    host: '127.0.0.1',
    path: `/${file}`,
    headers: { range: `bytes=${start}-` },
  });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const hash = createHash('sha256');
  let received = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    hash.update(chunk);
    received += chunk.length;
    if (received >= cutAt) break; // destroys the connection
    if (randomInt(30) === 0) await pause(randomInt(8));
  }
  return hash.digest('hex');
}

const hashOf = ({ file, start = 0 }: Wanted): string =>
  createHash('sha256').update(files[file].subarray(start)).digest('hex');

describe('T-RNG clients that take their bytes slowly', () => {
  it('get them byte for byte, beside others that go away in the middle', async () => {
    const whole: Wanted[] = Array.from({ length: 8 }, (_unused, index) => ({
      file: index % 2 === 0 ? 0 : 1,
      start: index < 4 ? 0 : randomInt(1_000_000),
    }));
    const broken: Wanted[] = Array.from({ length: 20 }, (_unused, index) => ({
      file: index % 2 === 0 ? 0 : 1,
      cutAt: randomInt(4_000_000),
    }));

    const [hashes] = await Promise.all([
      Promise.all(whole.map(takeSlowly)),
      Promise.all(broken.map(takeSlowly)),
    ]);

    expect(hashes).toEqual(whole.map(hashOf));
  });
});
