import { getEventListeners } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createVendorClient,
  type VendorClientOptions,
  type VendorRequest,
} from '../../../packages/video-providers/src/http.ts';
import { startScriptedVendor, type ScriptedVendor } from '../../contracts/scripted-vendor.ts';

const soon = (): AbortSignal => AbortSignal.timeout(5_000);

let vendor: ScriptedVendor;
beforeEach(async () => {
  vendor = await startScriptedVendor(({ method }) => (method === 'POST' ? 'create' : 'poll'));
});
afterEach(() => vendor.stop());

const client = (options: Partial<VendorClientOptions> = {}) =>
  createVendorClient({ timeoutMs: 5_000, secret: 'key-0123456789', ...options });
const request = (fields: Partial<VendorRequest> = {}): VendorRequest => ({
  method: 'GET',
  url: vendor.url,
  headers: {},
  connection: 'kept',
  ...fields,
});

describe('one request to a vendor', () => {
  it('sends its body as JSON and reads the response as JSON and as text', async () => {
    vendor.on('create', { status: 201, headers: { 'x-request-id': 'r1' }, body: { a: 'é' } });

    const exchange = await client().sendOnce(
      request({ method: 'POST', body: { prompt: 'été' } }),
      soon(),
    );

    expect(exchange).toMatchObject({
      kind: 'responded',
      status: 201,
      json: { a: 'é' },
      text: '{"a":"é"}',
      headers: { 'x-request-id': 'r1' },
    });
    expect(vendor.seen[0]).toMatchObject({
      body: '{"prompt":"été"}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it.each(['GET', 'POST', 'PUT', 'DELETE'] as const)(
    'needs no body to %s, and none in the response',
    async (method) => {
      vendor.on('poll', { status: 204 });
      vendor.on('create', { status: 204 });

      expect(await client().sendOnce(request({ method }), soon())).toMatchObject({
        kind: 'responded',
        status: 204,
        json: undefined,
        text: '',
      });
      expect(vendor.seen[0]).toMatchObject({ method, body: '' });
    },
  );

  it('holds on to nothing of a signal that outlives it', async () => {
    vendor.on('poll', { status: 200, body: {} });
    const one = client();
    const { signal } = new AbortController();

    for (let times = 0; times < 3; times++) await one.sendOnce(request(), signal);

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is not repeated, whatever the status and Retry-After say', async () => {
    vendor.on('poll', { status: 503, headers: { 'retry-after': '0' } });

    expect(await client().sendOnce(request(), soon())).toMatchObject({
      kind: 'responded',
      status: 503,
      retryAfterMs: 0,
    });
    expect(vendor.seen).toHaveLength(1);
  });

  it('follows no redirect, so that the key goes to no other host', async () => {
    vendor.on('poll', { status: 302, headers: { location: `${vendor.url}/elsewhere` } });

    expect(await client().sendOnce(request(), soon())).toMatchObject({
      kind: 'responded',
      status: 302,
    });
    expect(vendor.seen).toHaveLength(1);
  });

  it('shares a kept connection, and takes a new one where asked', async () => {
    const one = client();
    vendor.on('poll', { status: 200, body: {} });
    vendor.on('create', { status: 200, body: {} });

    await one.sendOnce(request(), soon());
    await one.sendOnce(request(), soon());
    await one.sendOnce(request({ method: 'POST', connection: 'fresh' }), soon());
    await one.sendOnce(request({ method: 'POST', connection: 'fresh' }), soon());

    const [first, second, third, fourth] = vendor.seen.map(({ callerPort }) => callerPort);
    expect(second).toBe(first);
    expect(new Set([first, third, fourth]).size).toBe(3);
  });

  it('replaces its key wherever the response repeats it, escaped or not', async () => {
    vendor.on('poll', {
      status: 401,
      body: '{"a":"got key-0123456789","b":"got key\\u002d0123456789"}',
    });

    expect(await client().sendOnce(request(), soon())).toMatchObject({
      json: { a: 'got [key]', b: 'got [key]' },
    });
  });
});

describe('a response of the wrong size', () => {
  it('is read when it is as large as allowed', async () => {
    vendor.on('poll', { status: 200, body: `"${'x'.repeat(98)}"` });

    expect(await client({ maxResponseBytes: 100 }).sendOnce(request(), soon())).toMatchObject({
      kind: 'responded',
    });
  });

  it('is given up one byte above', async () => {
    vendor.on('poll', { status: 200, body: `"${'x'.repeat(99)}"` });

    expect(await client({ maxResponseBytes: 100 }).sendOnce(request(), soon())).toMatchObject({
      kind: 'lost',
      detail: expect.stringContaining('100 bytes'),
    });
  });

  it('is read when it comes compressed', async () => {
    vendor.on('create', {
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('{"id":"cgt-1"}'),
    });

    expect(await client().sendOnce(request({ method: 'POST' }), soon())).toMatchObject({
      kind: 'responded',
      json: { id: 'cgt-1' },
    });
  });

  it('is given up when it unfolds beyond the bound', async () => {
    vendor.on('poll', {
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(20_000_000, 'x')),
    });

    expect(await client().sendOnce(request(), soon())).toMatchObject({ kind: 'lost' });
  });
});

describe('whether a request was sent', () => {
  let mute: Server;
  const sockets = new Set<Socket>();
  let mutePort: number;
  beforeEach(async () => {
    mute = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    mutePort = (mute.address() as AddressInfo).port;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('is sure that it was not while the TLS handshake hangs', async () => {
    const exchange = await client({ connectTimeoutMs: 100 }).sendOnce(
      request({ url: `https://127.0.0.1:${mutePort}/`, method: 'POST', connection: 'fresh' }),
      soon(),
    );

    expect(exchange).toMatchObject({
      kind: 'not_sent',
      detail: expect.stringContaining('secureConnect'),
    });
  });

  it('is sure that it was not when the handshake is called off', async () => {
    const exchange = await client().sendOnce(
      request({ url: `https://127.0.0.1:${mutePort}/`, method: 'POST', connection: 'fresh' }),
      AbortSignal.timeout(100),
    );

    expect(exchange).toMatchObject({ kind: 'not_sent' });
  });

  it('is sure that it was not when the other side speaks no TLS', async () => {
    const url = vendor.url.replace('http:', 'https:');

    expect(
      await client().sendOnce(request({ url, method: 'POST', connection: 'fresh' }), soon()),
    ).toMatchObject({ kind: 'not_sent' });
    expect(vendor.seen).toHaveLength(0);
  });

  it('is sure that it was not for an address that is none', async () => {
    expect(await client().sendOnce(request({ url: 'nowhere' }), soon())).toMatchObject({
      kind: 'not_sent',
    });
  });

  it('does not know when the connection stood and nothing came back', async () => {
    const exchange = await client({ timeoutMs: 200 }).sendOnce(
      request({ url: `http://127.0.0.1:${mutePort}/`, method: 'POST', connection: 'fresh' }),
      soon(),
    );

    expect(exchange).toMatchObject({ kind: 'lost' });
  });

  it('does not know when the connection closed in the middle of a large request', async () => {
    mute.on('connection', (socket: Socket) => socket.once('data', () => socket.destroy()));

    const exchange = await client().sendOnce(
      request({
        url: `http://127.0.0.1:${mutePort}/`,
        method: 'POST',
        body: { prompt: 'x'.repeat(8_000_000) },
        connection: 'fresh',
      }),
      soon(),
    );

    expect(exchange).toMatchObject({ kind: 'lost' });
  });
});
