import http from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task, VendorOutput } from '@gateway/contracts';
import { openFileSystemStorage } from '@gateway/media';
import { createOutboundClient, parseCidrs } from '@gateway/outbound';
import { recordingLog } from '@gateway/testing';
import { createVideoProvider, type VideoProvider } from '@gateway/video-providers';
import { renderVideo } from '../../../services/sandbox-vendor/src/render/render-video.ts';
import { createFileCopier } from '../../../services/video-worker/src/adapters/file-copier.ts';

const apiKey = 'key-0123456789-never-shown';
const soon = (): AbortSignal => AbortSignal.timeout(10_000);

interface Host {
  readonly url: string;
  /** What came, with the key that came along. */
  readonly seen: { path: string | undefined; authorization: string | undefined }[];
  respond: (path: string | undefined, response: http.ServerResponse) => void;
  close(): Promise<void>;
}

async function aHost(): Promise<Host> {
  const server = http.createServer((request, response) => {
    host.seen.push({ path: request.url, authorization: request.headers.authorization });
    host.respond(request.url, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host: Host = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    respond: (_path, response) => response.end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return host;
}

let video: Uint8Array;
let vendor: Host;
let stranger: Host;
let provider: VideoProvider;
let folder: string;
beforeAll(async () => {
  ({ mp4: video } = await renderVideo({
    prompt: 'x',
    seconds: 1,
    ratio: '16:9',
    resolution: '720p',
    watermark: false,
    quality: 'fast',
  }));
});
beforeEach(async () => {
  [vendor, stranger] = await Promise.all([aHost(), aHost()]);
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-key-'));
  provider = createVideoProvider('openai-videos', {
    baseUrl: `${vendor.url}/v1`,
    apiKey,
    timeoutMs: 5_000,
  });
  stranger.respond = (_path, response) =>
    response.writeHead(200, { 'content-type': 'video/mp4' }).end(video);
});
afterEach(async () => {
  await Promise.all([vendor.close(), stranger.close()]);
  await rm(folder, { recursive: true });
});

async function copy(output: VendorOutput): Promise<object> {
  const storage = await openFileSystemStorage({ folder });
  const outbound = createOutboundClient({
    allowCidrs: parseCidrs('127.0.0.0/8'),
    allowHttp: true,
    userAgent: 'test',
  });
  const copier = createFileCopier({
    storage,
    removeFile: () => Promise.resolve('gone'),
    newSuffix: () => 'x',
    outbound,
    fileHeaders: () => provider.fileHeaders ?? {},
    readInline: () => Promise.resolve({ kind: 'error', detail: 'this vendor has links' }),
    cutLastFrame: undefined,
    makePoster: undefined,
    maxVideoBytes: 50_000_000,
    timeoutMs: 10_000,
    log: recordingLog(),
  });
  const task = {
    id: 'video_1',
    epoch: 1,
    vendor: { baseUrl: `${vendor.url}/v1` },
    request: { returnLastFrame: false, unsupported: [] },
  } as unknown as Task;
  return copier.copy(task, output, soon());
}

/** The output as the vendor's response to a poll gives it. */
async function completed(): Promise<VendorOutput> {
  const responseFile = vendor.respond;
  vendor.respond = (_path, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: 'video_1', status: 'completed' }));
  const outcome = await provider.poll('video_1', soon());
  vendor.respond = responseFile;
  vendor.seen.length = 0;
  if (outcome.kind !== 'succeeded') throw new Error(outcome.kind);
  return outcome.output;
}

const withKey = `Bearer ${apiKey}`;

describe("a file that only the vendor's key opens", () => {
  it('is asked for with the key where the vendor itself has it', async () => {
    vendor.respond = (_path, response) =>
      response.writeHead(200, { 'content-type': 'video/mp4' }).end(video);

    expect(await copy(await completed())).toMatchObject({
      kind: 'stored',
      video: { seconds: expect.closeTo(1, 1) },
    });
    expect(vendor.seen).toEqual([{ path: '/v1/videos/video_1/content', authorization: withKey }]);
  });

  it('is followed to another origin without the key', async () => {
    vendor.respond = (_path, response) =>
      response.writeHead(302, { location: `${stranger.url}/signed.mp4?sig=1` }).end();

    expect(await copy(await completed())).toMatchObject({ kind: 'stored' });
    expect(vendor.seen).toEqual([{ path: '/v1/videos/video_1/content', authorization: withKey }]);
    expect(stranger.seen).toEqual([{ path: '/signed.mp4?sig=1', authorization: undefined }]);
  });

  it("is followed within the vendor's origin with the key, and back to it from elsewhere without", async () => {
    vendor.respond = (at, response) => {
      if (at === '/v1/videos/video_1/content') {
        response.writeHead(307, { location: '/v1/files/1' }).end();
      } else if (at === '/v1/files/1') {
        response.writeHead(307, { location: `${stranger.url}/away` }).end();
      } else response.writeHead(200, { 'content-type': 'video/mp4' }).end(video);
    };
    stranger.respond = (_path, response) =>
      response.writeHead(307, { location: `${vendor.url}/back` }).end();

    expect(await copy(await completed())).toMatchObject({ kind: 'stored' });
    expect(vendor.seen.map(({ path: at, authorization }) => [at, authorization])).toEqual([
      ['/v1/videos/video_1/content', withKey],
      ['/v1/files/1', withKey],
      ['/back', undefined],
    ]);
    expect(stranger.seen).toEqual([{ path: '/away', authorization: undefined }]);
  });

  it('is asked for without the key where a link names another origin from the start', async () => {
    expect(await copy({ videoUrl: `${stranger.url}/v.mp4` })).toMatchObject({ kind: 'stored' });
    expect(stranger.seen).toEqual([{ path: '/v.mp4', authorization: undefined }]);
  });
});
