import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';
import { headOf, openWire, type WireClient } from './text-wire.ts';

const adminToken = 'admin-token-for-tests';
const limitBytes = 1_000_000;

let api: ApiUnderTest;
let apiKey: string;
beforeAll(async () => {
  api = await openApi({ adminToken, bodyLimitBytes: limitBytes, concurrentRequests: 3 });
  ({ apiKey } = await aKey());
});
afterAll(async () => {
  await api.close();
});

const aKey = (accountId?: string) =>
  api.aKey({
    scopes: ['videos:write', 'videos:read', 'text', 'secrets:read'],
    ...(accountId !== undefined && { accountId }),
  });

const good = { model: 'sandbox-video', prompt: 'a red balloon', duration: 6, resolution: '480p' };
const quoted = JSON.stringify(good);
const routes = [
  '/v1/videos',
  '/v1/videos/quote',
  '/v1/callback-secret/rotate',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/chat/completions',
  '/admin/v1/accounts',
];

async function post(
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${path.startsWith('/admin') ? adminToken : apiKey}`,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      ...headers,
    },
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, text: await response.text() };
}

/** The final status line and body of what a client got. */
const statusOf = (text: string): string =>
  /^HTTP\/1\.1 (?!100)(\d{3})/m.exec(text)?.[1] ?? 'no response';

describe.each(routes)('a body for %s', (path) => {
  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['a type that only begins like JSON', { 'content-type': 'application/jsonx' }],
    ['another charset', { 'content-type': 'application/json; charset="utf-16"' }],
    ['gzip', { 'content-encoding': 'gzip' }],
    ['an encoding that nobody knows', { 'content-encoding': 'zstd' }],
  ])('is 415 as %s', async (_what, headers) => {
    const { status, text } = await post(path, quoted, headers);
    expect([status, text]).toEqual([415, expect.stringMatching(/content-|charset/)]);
  });

  it.each([
    ['a byte order mark', Buffer.from(`\uFEFF${quoted}`)],
    ['UTF-16', Buffer.from(quoted, 'utf16le')],
    ['a byte that is no UTF-8', Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xff])])],
    ['a field twice', Buffer.from('{"model":"a","model":"b"}')],
    ['a field twice further down', Buffer.from('{"metadata":{"a":"1","\\u0061":"2"}}')],
    ['arrays in arrays', Buffer.from(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`)],
    ['no JSON', Buffer.from('{"model":')],
  ])('is 400 with %s', async (_what, body) => {
    expect((await post(path, body)).status).toBe(400);
  });

  it('is taken as JSON of another kind, in capitals, and in UTF-8 by name', async () => {
    for (const type of ['application/vnd.x+json', 'Application/JSON; charset=UTF-8']) {
      expect((await post(path, '{', { 'content-type': type })).status).toBe(400);
    }
  });
});

describe('a body that is too large', () => {
  it.each(['/v1/videos', '/v1/videos/quote', '/v1/messages', '/v1/callback-secret/rotate'])(
    'for %s is refused by what it announces, and its client sees why',
    async (path) => {
      const client = await openWire(api.url);
      client.send(headOf(path, apiKey, [`content-length: ${limitBytes + 1}`]));
      const text = await client.closed;
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(text).toContain('bytes, the most this route takes');
    },
  );

  it('as an asset, too', async () => {
    const client = await openWire(api.url);
    client.send(
      headOf('/v1/assets', apiKey, ['content-length: 99999999999']).replace(
        'application/json',
        'image/png',
      ),
    );
    const text = await client.closed;
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain('the most that a file may have');
  });

  it.each(['/v1/videos', '/v1/messages'])(
    'for %s in chunks is refused at the byte that goes over',
    async (path) => {
      const client = await openWire(api.url);
      client.send(headOf(path, apiKey, ['transfer-encoding: chunked']));
      for (let sent = 0; sent <= 10; sent += 1) client.send(`186a0\r\n${' '.repeat(100_000)}\r\n`);
      expect(await client.closed).toMatch(/^HTTP\/1\.1 413 /);
    },
  );

  it('is refused also for a client that sends all of it before it reads', async () => {
    const client = await openWire(api.url);
    client.socket.pause();
    // What the gateway does not throw away has to fit into the buffers of the connection.
    const body = Buffer.alloc(limitBytes + 1);
    client.send(headOf('/v1/videos', apiKey, [`content-length: ${body.length}`]));
    await new Promise((resolve) => client.socket.write(body, resolve));
    client.socket.resume();
    expect(await client.closed).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('a client that asks whether its body is wanted', () => {
  const asking = async (path: string, lines: readonly string[]): Promise<WireClient> => {
    const client = await openWire(api.url);
    client.send(headOf(path, apiKey, ['expect: 100-continue', ...lines]));
    return client;
  };

  it.each([
    ['/v1/videos', ['content-length: 9000000'], '413'],
    ['/v1/messages', ['content-length: 9000000'], '413'],
    ['/v1/assets', ['content-length: 99999999999'], '413'],
    ['/v1/videos', ['content-length: 10', 'content-encoding: br'], '415'],
    ['/v1/messages', ['content-length: 10', 'authorization: Bearer sk-gw-none'], '401'],
    ['/v1/videos', ['content-length: 10', 'authorization: Bearer sk-gw-none'], '401'],
  ])('on %s with %j hears %s and no 100 Continue', async (path, lines, status) => {
    const client = await asking(path, lines);
    await eventually(() => {
      expect(client.text()).toContain('HTTP/1.1');
    });
    expect(client.text()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    client.socket.destroy();
  });

  it('is told to go on when it is', async () => {
    const client = await asking('/v1/videos/quote', [
      `content-length: ${quoted.length}`,
      'connection: close',
    ]);
    await eventually(() => {
      expect(client.text()).toMatch(/^HTTP\/1\.1 100 Continue/);
    });
    client.send(quoted);
    expect(statusOf(await client.closed)).toBe('200');
  });
});

describe('the slots of a key', () => {
  it.each(['/v1/videos', '/v1/videos/quote', '/v1/assets', '/v1/messages'])(
    'bound the requests on %s that are under way',
    async (path) => {
      const { apiKey: key } = await aKey();
      const open = await Promise.all(Array.from({ length: 3 }, () => openWire(api.url)));
      for (const client of open) {
        client.send(`${headOf('/v1/videos', key, ['content-length: 1000'])}{`);
      }
      let refused = '';
      await eventually(async () => {
        const client = await openWire(api.url);
        client.send(`${headOf(path, key, ['content-length: 2', 'connection: close'])}{}`);
        refused = await client.closed;
        expect(statusOf(refused)).toBe('429');
      });
      expect(refused).toContain('this key may have 3 requests running at once');
      expect(refused).toMatch(/\r\nretry-after: 1\r\n/i);
      for (const client of open) client.socket.destroy();
      await eventually(async () => {
        const client = await openWire(api.url);
        client.send(`${headOf(path, key, ['content-length: 2', 'connection: close'])}{}`);
        expect(statusOf(await client.closed)).not.toBe('429');
      });
    },
  );
});
