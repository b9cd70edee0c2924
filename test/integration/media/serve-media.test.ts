import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  openFileSystemStorage,
  serveMedia,
  type MediaObject,
  type MediaStorage,
  type ServedMedia,
  type ServeMedia,
} from '@gateway/media';
import { openCollector } from '@gateway/runtime';
import { eventually } from '../../contracts/eventually.ts';

const size = 1_000_000;
const content = randomBytes(size);
const sha256 = createHash('sha256').update(content).digest('hex');
const object: MediaObject = {
  key: 'videos/video_1.mp4',
  sizeBytes: size,
  sha256,
  contentType: 'video/mp4',
  lastModified: new Date('2026-01-02T03:04:05.678Z'),
  fileName: 'video_1.mp4',
};

interface FileResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the response came to its announced end. */
  readonly isWhole: boolean;
}

interface Stage {
  readonly storage: MediaStorage;
  readonly served: ServedMedia[];
  /** What `serveMedia` threw. */
  readonly thrown: unknown[];
  readonly port: number;
  change: Partial<ServeMedia>;
  request(options?: http.RequestOptions): Promise<FileResponse>;
  open(options?: http.RequestOptions): http.ClientRequest;
}

const iterate = (source: Readable): AsyncIterableIterator<Uint8Array> =>
  source[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>;

let stage: Stage;
let close: () => Promise<void>;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-serve-'));
  const storage = await openFileSystemStorage({ folder });
  await storage.put(object.key, Readable.from([content]), { maxBytes: size });
  const server = http.createServer((request, response) => {
    const sendError: ServeMedia['sendError'] = (code) => {
      response
        .writeHead(code === 'precondition_failed' ? 412 : 416, {
          'content-type': 'application/json',
        })
        .end(JSON.stringify({ error: { code } }));
    };
    serveMedia({
      request,
      response,
      storage,
      object,
      maxAgeSeconds: 86_400,
      sendError,
      ...stage.change,
    }).then(
      (served) => {
        stage.served.push(served);
      },
      (thrown: unknown) => {
        stage.thrown.push(thrown);
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });
  const open = (options: http.RequestOptions = {}): http.ClientRequest =>
    http.request({ agent, port, host: '127.0.0.1', ...options });
  stage = {
    storage,
    served: [],
    thrown: [],
    change: {},
    port,
    open,
    request: (options) => complete(open(options)),
  };
  close = async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await rm(folder, { recursive: true });
  };
});
afterEach(() => close());

function complete(request: http.ClientRequest): Promise<FileResponse> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
          isWhole: response.complete,
        });
      });
    });
    request.end();
  });
}

const always = {
  etag: `"${sha256}"`,
  'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT',
  'cache-control': 'private, no-transform, max-age=3600',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Range, Accept-Ranges, Content-Length, ETag',
  'cross-origin-resource-policy': 'cross-origin',
};
const withBody = {
  ...always,
  'content-type': 'video/mp4',
  'content-disposition': 'inline; filename="video_1.mp4"; filename*=UTF-8\'\'video_1.mp4',
  'accept-ranges': 'bytes',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; sandbox",
};
/** Without what Node adds for the connection. */
const ownHeaders = ({ headers }: FileResponse): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !['date', 'connection', 'keep-alive'].includes(name),
    ),
  );

describe('T-RNG serving a stored video', () => {
  it('sends the whole file with its headers', async () => {
    const response = await stage.request();

    expect(response).toMatchObject({ status: 200, isWhole: true });
    expect(ownHeaders(response)).toEqual({ ...withBody, 'content-length': '1000000' });
    expect(response.body.equals(content)).toBe(true);
    await eventually(() => stage.served.length === 1);
    expect(stage.served).toEqual([{ status: 200, bytesSent: size, outcome: 'complete' }]);
  });

  it('sends the asked part', async () => {
    const response = await stage.request({ headers: { range: 'bytes=500-999' } });

    expect(response.status).toBe(206);
    expect(ownHeaders(response)).toEqual({
      ...withBody,
      'content-length': '500',
      'content-range': 'bytes 500-999/1000000',
    });
    expect(response.body.equals(content.subarray(500, 1_000))).toBe(true);
    await eventually(() => stage.served.length === 1);
    expect(stage.served).toEqual([{ status: 206, bytesSent: 500, outcome: 'complete' }]);
  });

  it('responds to HEAD with the headers of the whole file, also with a range', async () => {
    const response = await stage.request({ method: 'HEAD', headers: { range: 'bytes=0-9' } });

    expect(response.status).toBe(200);
    expect(ownHeaders(response)).toEqual({ ...withBody, 'content-length': '1000000' });
    expect(response.body).toHaveLength(0);
  });

  it('returns 304 with validators and nothing about a body', async () => {
    const response = await stage.request({
      headers: { 'if-none-match': `"${sha256}"`, range: 'bytes=0-9' },
    });

    expect(response.status).toBe(304);
    expect(ownHeaders(response)).toEqual(always);
  });

  it('lets the caller write the body of a 416, and says the size', async () => {
    const response = await stage.request({ headers: { range: 'bytes=1000000-' } });

    expect(response.status).toBe(416);
    expect(response.headers).toMatchObject({
      'content-range': 'bytes */1000000',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    expect(response.headers.etag ?? response.headers['last-modified']).toBeUndefined();
    expect(response.body.toString()).toBe('{"error":{"code":"range_not_satisfiable"}}');
  });

  it('lets the caller write the body of a 412', async () => {
    const response = await stage.request({ headers: { 'if-match': '"another"' } });

    expect(response.status).toBe(412);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.headers['content-range']).toBeUndefined();
    expect(response.body.toString()).toBe('{"error":{"code":"precondition_failed"}}');
  });

  it.each([
    ['?download=1', 'attachment'],
    ['?token=x&download=1', 'attachment'],
    ['?download=0', 'inline'],
    ['?download', 'inline'],
  ])('%s is %s', async (query, kind) => {
    const { headers } = await stage.request({
      method: 'HEAD',
      path: `/v1/videos/video_1/content${query}`,
    });

    expect(headers['content-disposition']).toMatch(new RegExp(`^${kind};`));
  });

  it('names the file in ASCII and exactly', async () => {
    stage.change = { object: { ...object, fileName: 'katze "猫"; it\'s.mp4' } };

    const { headers } = await stage.request({ method: 'HEAD' });

    expect(headers['content-disposition']).toBe(
      'inline; filename="katze______it_s.mp4"; filename*=UTF-8\'\'katze%20%22%E7%8C%AB%22%3B%20it%27s.mp4',
    );
  });

  it.each([
    [10.9, 10],
    [-5, 0],
    [86_400, 3_600],
  ])('with %d seconds left is kept for %i', async (maxAgeSeconds, expected) => {
    stage.change = { maxAgeSeconds };

    expect((await stage.request({ method: 'HEAD' })).headers['cache-control']).toBe(
      `private, no-transform, max-age=${expected}`,
    );
  });

  it.each([
    ['text/html', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['image/png', 'image/png'],
  ])('sends %s as %s', async (contentType, expected) => {
    stage.change = { object: { ...object, contentType } };

    expect((await stage.request({ method: 'HEAD' })).headers['content-type']).toBe(expected);
  });

  it('sends an empty file, whatever range is asked', async () => {
    await stage.storage.put('empty', Readable.from([]), { maxBytes: 1 });
    stage.change = { object: { ...object, key: 'empty', sizeBytes: 0 } };

    expect(await stage.request({ headers: { range: 'bytes=0-' } })).toMatchObject({
      status: 200,
      isWhole: true,
      headers: { 'content-length': '0' },
    });
  });

  it('serves one kept connection again and again', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

    const responses = [];
    for (const headers of [
      {},
      { range: 'bytes=0-9' },
      { 'if-none-match': '*' },
      { range: 'bytes=9999999-' },
      {},
    ]) {
      responses.push(await stage.request({ agent, headers }));
    }
    agent.destroy();

    expect(responses.map(({ status, body }) => [status, body.length])).toEqual([
      [200, size],
      [206, 10],
      [304, 0],
      [416, expect.any(Number)],
      [200, size],
    ]);
  });
});

describe('T-RNG a broken-off download', () => {
  it('is completed byte for byte with a range and the tag', async () => {
    const request = stage.open();
    const cutAt = 123_456;
    const first = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = [];
      request.on('error', () => undefined);
      request.on('response', (response) => {
        response.on('error', () => undefined);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (Buffer.concat(chunks).length < cutAt) return;
          response.destroy();
          resolve(Buffer.concat(chunks).subarray(0, cutAt));
        });
      });
      request.end();
    });

    const rest = await stage.request({
      path: '/?token=another',
      headers: { range: `bytes=${first.length}-`, 'if-range': `"${sha256}"` },
    });

    expect(rest.status).toBe(206);
    expect(createHash('sha256').update(first).update(rest.body).digest('hex')).toBe(sha256);
  });

  it('closes its source at once, and is not our failure', async () => {
    const sources: AsyncIterableIterator<Uint8Array>[] = [];
    stage.change = {
      storage: {
        ...stage.storage,
        lend: async (...lend) => {
          const source = await stage.storage.lend(...lend);
          sources.push(source);
          return source;
        },
      },
    };

    for (let download = 0; download < 100; download += 1) {
      const request = stage.open();
      request.on('error', () => undefined);
      request.on('response', (response) => {
        response.on('error', () => undefined);
        response.once('data', () => response.destroy());
      });
      request.end();
    }

    await eventually(() => stage.served.length === 100);
    for (const source of sources) {
      await expect(source.next()).resolves.toEqual({ done: true, value: undefined });
    }
    const outcomes = new Set(stage.served.map(({ outcome }) => outcome));
    // the whole file may have been handed over before the cut was noticed
    outcomes.delete('complete');
    expect([...outcomes]).toEqual(['client_gone']);
  });

  it('takes back what it asked of a storage that has not responded yet', async () => {
    let asked = false;
    stage.change = {
      storage: {
        ...stage.storage,
        lend: (_key, _range, options) =>
          new Promise((_resolve, reject) => {
            asked = true;
            options?.signal?.addEventListener('abort', () => {
              reject(new Error('taken back'));
            });
          }),
      },
    };
    const request = stage.open();
    request.on('error', () => undefined).end();
    await eventually(() => asked);

    request.destroy();

    await eventually(() => stage.served.length === 1);
    expect([stage.served, stage.thrown]).toEqual([
      [{ status: 200, bytesSent: 0, outcome: 'client_gone' }],
      [],
    ]);
  });

  it('is cut when the client takes nothing for too long', async () => {
    const endless = Buffer.alloc(64 * 1024 * 1024);
    stage.change = {
      idleTimeoutMs: 100,
      storage: { ...stage.storage, lend: () => Promise.resolve(iterate(Readable.from([endless]))) },
      object: { ...object, sizeBytes: endless.length },
    };
    const request = stage.open();
    request.on('error', () => undefined);
    request.on('response', (response) => {
      response.on('error', () => undefined);
      response.pause();
    });
    request.end();

    await eventually(() => stage.served.length === 1);

    expect(stage.served[0]).toMatchObject({ status: 200, outcome: 'client_gone' });
  });
});

describe('T-RNG responses that wait for one another on a connection', () => {
  it('are all given up when the client goes', async () => {
    const socket = connect(stage.port, '127.0.0.1');
    const large = { ...object, key: 'videos/large.mp4', sizeBytes: 64 * 1024 * 1024 };
    await stage.storage.put(large.key, Readable.from([Buffer.alloc(large.sizeBytes)]), {
      maxBytes: large.sizeBytes,
    });
    let opened = 0;
    stage.change = {
      object: large,
      storage: {
        ...stage.storage,
        lend: (...lend) => {
          opened += 1;
          return stage.storage.lend(...lend);
        },
      },
    };
    socket
      .on('error', () => undefined)
      .pause()
      .write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2));
    await eventually(() => opened === 2);

    socket.destroy();

    await eventually(() => stage.served.length === 2);
    expect(stage.served.map(({ outcome }) => outcome)).toEqual(['client_gone', 'client_gone']);
  });
});

describe('T-RNG a storage that fails', () => {
  const reading = (source: () => Readable): Partial<ServeMedia> => ({
    storage: { ...stage.storage, lend: () => Promise.resolve(iterate(source())) },
  });

  it('before the first byte leaves the response to the caller', async () => {
    stage.change = { object: { ...object, key: 'videos/gone.mp4' } };

    await expect(stage.request()).resolves.toMatchObject({ status: 500 });

    expect(stage.thrown).toEqual([expect.objectContaining({ code: 'not_found' })]);
  });

  it.each<[string, () => Readable]>([
    [
      'fails within the file',
      () =>
        Readable.from(
          (function* generate() {
            yield content.subarray(0, 300_000);
            throw new Error('disk');
          })(),
        ),
    ],
    ['ends too early', () => Readable.from([content.subarray(0, 300_000)])],
    [
      'holds too much',
      () => {
        const source = new PassThrough();
        source.write(content.subarray(0, 300_000));
        source.write(Buffer.concat([content.subarray(300_000), Buffer.from('more')]));
        return source;
      },
    ],
  ])('that %s cuts the connection, so that nothing looks complete', async (_case, source) => {
    stage.change = reading(source);

    const response = await stage.request().catch(() => undefined);
    const next = await stage.request({ method: 'HEAD' });
    await eventually(() => stage.served.length === 2);

    expect(response?.isWhole ?? false).toBe(false);
    expect(stage.served[0]).toMatchObject({
      status: 200,
      outcome: 'source_failed',
      error: expect.anything(),
    });
    expect(next.status).toBe(200);
  });
});

describe('T-RNG many large downloads at once', () => {
  it('hold no more than their buffers in memory', async () => {
    const piece = Buffer.alloc(256 * 1024);
    const pieces = 400;
    // What the client of this process has received and dropped is left to V8, which is in no hurry.
    const collect = openCollector();
    let peakBytes = 0;
    const source = (): Readable =>
      Readable.from(
        (function* generate() {
          for (let sent = 0; sent < pieces; sent += 1) {
            if (sent % 20 === 0) {
              collect('minor');
              peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers);
            }
            yield piece;
          }
        })(),
      );
    stage.change = {
      storage: { ...stage.storage, lend: () => Promise.resolve(iterate(source())) },
      object: { ...object, sizeBytes: pieces * piece.length },
    };
    const beforeBytes = process.memoryUsage().arrayBuffers;
    const swallow = (): Promise<number> =>
      new Promise((resolve, reject) => {
        stage
          .open()
          .on('error', reject)
          .on('response', (response) => {
            let received = 0;
            response
              .on('data', (chunk: Buffer) => {
                received += chunk.length;
              })
              .on('end', () => {
                resolve(received);
              });
          })
          .end();
      });

    const received = await Promise.all(Array.from({ length: 8 }, swallow));

    expect(received).toEqual(Array.from({ length: 8 }, () => pieces * piece.length));
    expect(peakBytes - beforeBytes).toBeLessThan(100 * 1024 * 1024); // of 800 MiB that passed
  });
});
