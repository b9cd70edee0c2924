import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  openFileSystemStorage,
  openS3Storage,
  serveMedia,
  type MediaStorage,
  type ServedMedia,
} from '@gateway/media';
import { eventually, openTestS3 } from '@gateway/testing';

const size = 3_000_000;
const content = randomBytes(size);
const sha256 = createHash('sha256').update(content).digest('hex');
const etag = `"${sha256}"`;
const key = 'videos/video_1.mp4';
const lastModified = new Date('2026-01-02T03:04:05.678Z');
const date = lastModified.toUTCString();

interface Source {
  readonly storage: MediaStorage;
  /** From now on a body ends after so many bytes. */
  cutAfter(bytes: number): Promise<void>;
  /** Files, or sockets to the storage, that are held right now. */
  held(): number;
  close(): Promise<void>;
}

const openFolder = async (): Promise<Source> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-ranges-'));
  return {
    storage: await openFileSystemStorage({ folder }),
    cutAfter: (bytes) => truncate(path.join(folder, key), bytes),
    held: () => openFiles().filter((file) => file.startsWith(folder)).length,
    close: () => rm(folder, { recursive: true }),
  };
};

const openBucket = async (): Promise<Source> => {
  const s3 = await openTestS3();
  const { url: endpoint, bucketName: bucket, accessKeyId, secretAccessKey } = s3;
  return {
    storage: await openS3Storage({
      endpoint,
      bucket,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    }),
    cutAfter: (bytes) => {
      s3.faults = { cutAfterBytes: bytes };
      return Promise.resolve();
    },
    held: s3.busySockets,
    close: s3.close,
  };
};

const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // closed meanwhile
    }
  });
const openSockets = (): number => openFiles().filter((file) => file.startsWith('socket:')).length;

interface FileResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly isWhole: boolean;
}

describe.each([
  ['a folder', openFolder],
  ['a bucket', openBucket],
] as const)('T-RNG a video in %s', (_name, openSource) => {
  let source: Source;
  let server: http.Server;
  let served: ServedMedia[];
  beforeEach(async () => {
    source = await openSource();
    served = [];
    await source.storage.put(key, Readable.from([content]), { maxBytes: size });
    server = http.createServer((request, response) => {
      serveMedia({
        request,
        response,
        storage: source.storage,
        maxAgeSeconds: 60,
        object: {
          key,
          sizeBytes: size,
          sha256,
          contentType: 'video/mp4',
          lastModified,
          fileName: 'video_1.mp4',
        },
        sendError: (code) => {
          response.writeHead(code === 'precondition_failed' ? 412 : 416).end();
        },
      }).then(
        (one) => {
          served.push(one);
        },
        () => {
          response.writeHead(500).end();
        },
      );
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await source.close();
  });

  const open = (options: http.RequestOptions): http.ClientRequest =>
    http.request({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      agent: false,
      ...options,
    });
  const ask = (headers: http.OutgoingHttpHeaders = {}, method = 'GET'): Promise<FileResponse> =>
    new Promise((resolve, reject) => {
      open({ headers, method })
        .on('error', reject)
        .on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
          response.on('close', () => {
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
              isWhole: response.complete,
            });
          });
        })
        .end();
    });

  it.each<[string, http.OutgoingHttpHeaders, [number, number]]>([
    ['the first byte', { range: 'bytes=0-0' }, [0, 0]],
    ['the middle', { range: 'bytes=1000000-1999999' }, [1_000_000, 1_999_999]],
    ['the last byte', { range: `bytes=${size - 1}-${size - 1}` }, [size - 1, size - 1]],
    ['an open end', { range: 'bytes=2999000-' }, [2_999_000, size - 1]],
    ['an end beyond the file', { range: 'bytes=2999000-9999999' }, [2_999_000, size - 1]],
    ['a suffix', { range: 'bytes=-500' }, [size - 500, size - 1]],
    ['a suffix longer than the file', { range: 'bytes=-9999999' }, [0, size - 1]],
    ['another case of the unit', { range: 'Bytes=0-9' }, [0, 9]],
    ['ranges that overlap', { range: 'bytes=0-9,5-19' }, [0, 19]],
    ['ranges that touch', { range: 'bytes=10-19,0-9' }, [0, 19]],
    ['the tag in If-Range', { range: 'bytes=0-9', 'if-range': etag }, [0, 9]],
    ['the date in If-Range', { range: 'bytes=0-9', 'if-range': date }, [0, 9]],
    ['the tag in If-Match', { range: 'bytes=0-9', 'if-match': etag }, [0, 9]],
  ])('sends exactly the bytes for %s', async (_case, headers, [start, end]) => {
    const response = await ask(headers);

    expect([
      response.status,
      response.headers['content-range'],
      response.headers['content-length'],
      response.headers.etag,
    ]).toEqual([206, `bytes ${start}-${end}/${size}`, String(end - start + 1), etag]);
    expect(response.body.equals(content.subarray(start, end + 1))).toBe(true);
  });

  it.each<[string, http.OutgoingHttpHeaders]>([
    ['no range', {}],
    ['another unit', { range: 'items=0-9' }],
    ['ranges apart', { range: 'bytes=0-9,100-109' }],
    ['more than 16 ranges', { range: `bytes=${Array(17).fill('0-9').join()}` }],
    ['nonsense', { range: 'bytes=abc' }],
    ['another tag in If-Range', { range: 'bytes=0-9', 'if-range': '"other"' }],
    ['our tag made weak in If-Range', { range: 'bytes=0-9', 'if-range': `W/${etag}` }],
    [
      'a later date in If-Range',
      { range: 'bytes=0-9', 'if-range': 'Fri, 02 Jan 2026 03:04:06 GMT' },
    ],
  ])('sends the whole file for %s', async (_case, headers) => {
    const response = await ask(headers);

    expect([
      response.status,
      response.headers['content-length'],
      response.headers['accept-ranges'],
      response.headers['content-range'],
    ]).toEqual([200, String(size), 'bytes', undefined]);
    expect(createHash('sha256').update(response.body).digest('hex')).toBe(sha256);
  });

  it.each<[string, http.OutgoingHttpHeaders, number]>([
    ['a range behind the end', { range: `bytes=${size}-` }, 416],
    ['a range that runs backwards', { range: 'bytes=9-5' }, 416],
    ['an empty suffix', { range: 'bytes=-0' }, 416],
    ['another tag in If-Match', { 'if-match': '"other"' }, 412],
    ['our tag made weak in If-Match', { 'if-match': `W/${etag}` }, 412],
    [
      'an earlier date in If-Unmodified-Since',
      { 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' },
      412,
    ],
    ['our tag in If-None-Match', { 'if-none-match': etag, range: 'bytes=0-9' }, 304],
    ['our tag made weak in If-None-Match', { 'if-none-match': `W/${etag}` }, 304],
    ['our date in If-Modified-Since', { 'if-modified-since': date }, 304],
  ])('sends no byte of it for %s', async (_case, headers, status) => {
    const response = await ask(headers);

    expect([response.status, response.body.length]).toEqual([status, 0]);
    expect(response.headers['content-range']).toBe(status === 416 ? `bytes */${size}` : undefined);
    expect(source.held()).toBe(0);
  });

  it('responds to HEAD as a GET without its range, and holds nothing', async () => {
    const response = await ask({ range: 'bytes=0-9' }, 'HEAD');

    expect([response.status, response.headers['content-length'], response.body.length]).toEqual([
      200,
      String(size),
      0,
    ]);
    expect(source.held()).toBe(0);
  });

  it('is completed byte for byte after cuts at any byte', async () => {
    const received: Buffer[] = [];
    for (const cutAt of [1, 65_537, 1_234_567]) {
      const have = Buffer.concat(received).length;
      const part = await ask({ range: `bytes=${have}-${have + cutAt - 1}`, 'if-range': etag });
      expect(part.status).toBe(206);
      received.push(part.body);
    }
    received.push(
      (await ask({ range: `bytes=${Buffer.concat(received).length}-`, 'if-range': etag })).body,
    );

    expect(createHash('sha256').update(Buffer.concat(received)).digest('hex')).toBe(sha256);
  });

  it('that breaks off in the storage never looks complete', async () => {
    await source.cutAfter(1_000_000);

    const response = await ask().catch(() => undefined);

    expect(response?.isWhole ?? false).toBe(false);
    await eventually(() => {
      expect(served).toEqual([expect.objectContaining({ outcome: 'source_failed' })]);
    });
    await eventually(() => {
      expect(source.held()).toBe(0);
    });
  });

  it('leaves no file and no socket open after 200 clients that went away', async () => {
    await ask();
    const before = openSockets();

    for (let round = 0; round < 4; round += 1) {
      await Promise.all(
        Array.from(
          { length: 50 },
          (_unused, index) =>
            new Promise<void>((resolve) => {
              const request = open({})
                .on('error', () => undefined)
                .on('close', resolve);
              if (index % 5 === 0) {
                request.end(() => request.destroy());
              } // gone before there is a response
              else {
                request
                  .on('response', (response) => {
                    response.on('error', () => undefined).once('data', () => response.destroy());
                  })
                  .end();
              }
            }),
        ),
      );
    }

    await eventually(() => {
      expect(source.held()).toBe(0);
    });
    // connections to the storage are kept for the next request, a few of them
    await eventually(() => {
      expect(openSockets() - before).toBeLessThan(110);
    });
    expect((await ask({ range: 'bytes=0-9' })).status).toBe(206);
    expect(served.filter(({ outcome }) => outcome === 'source_failed')).toEqual([]);
  });
});
