import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';
import { headOf, openWire, type WireClient } from './text-wire.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({
    bodyBytes: { process: 2_000_000, account: 1_000_000 },
    requestsPerMinute: 1_000,
  });
});
afterAll(async () => {
  await api.close();
});
beforeEach(async () => {
  await isUnderWay(0);
});

const aKey = async (): Promise<string> =>
  (await api.aKey({ scopes: ['videos:write', 'text'] })).apiKey;

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${api.opsUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(name));
  return Number(line?.split(' ').at(-1));
}

/** Announces a body and sends none of it. */
async function announce(path: string, apiKey: string, sizeBytes: number): Promise<WireClient> {
  const client = await openWire(api.url);
  client.send(headOf(path, apiKey, [`content-length: ${sizeBytes}`]));
  return client;
}

/** The metrics are up to a second old. */
const shows = (name: string, value: number) =>
  eventually(
    async () => {
      expect(await metric(name)).toBe(value);
    },
    { everyMs: 50 },
  );
const isUnderWay = (sizeBytes: number) => shows('gateway_body_bytes', sizeBytes);
const refusals = 'gateway_body_refusals_total{whose="account"';

describe('the bytes of bodies under way', () => {
  it.each(['/v1/videos', '/v1/messages'])(
    'of one account are bounded on %s, and leave others alone',
    async (path) => {
      const [apiKey, other] = [await aKey(), await aKey()];
      const before = await metric(refusals);
      const first = await announce('/v1/videos', apiKey, 600_000);
      await isUnderWay(600_000);

      const askedAt = performance.now();
      const refused = await (await announce(path, apiKey, 500_000)).closed;
      expect(refused).toMatch(/^HTTP\/1\.1 429 /);
      // Whoever repeats it at once costs everybody else less.
      expect(performance.now() - askedAt).toBeGreaterThan(450);
      expect(refused).toContain('would have 1100000 bytes with this one; they may have 1000000');
      expect(refused).toMatch(/\r\nretry-after: 1\r\n/i);
      await shows(refusals, before + 1);

      const taken = await announce(path, other, 500_000);
      await isUnderWay(1_100_000);
      for (const client of [first, taken]) client.socket.destroy();
      await isUnderWay(0);
    },
  );

  it('in chunks count as they come', async () => {
    const apiKey = await aKey();
    const first = await announce('/v1/videos', apiKey, 600_000);
    await isUnderWay(600_000);
    const client = await openWire(api.url);
    client.send(headOf('/v1/messages', apiKey, ['transfer-encoding: chunked']));
    for (let sent = 0; sent < 5; sent += 1) client.send(`186a0\r\n${' '.repeat(100_000)}\r\n`);
    expect(await client.closed).toMatch(/^HTTP\/1\.1 429 /);
    first.socket.destroy();
  });

  it.each([
    ['/v1/videos', '"code":"overloaded"'],
    ['/v1/messages', '"type":"api_error"'],
  ])('of all accounts are bounded on %s, those of small bodies last', async (path, says) => {
    const open = await Promise.all(
      [await aKey(), await aKey()].map((apiKey) => announce('/v1/videos', apiKey, 900_000)),
    );
    await isUnderWay(1_800_000);
    const apiKey = await aKey();
    const refused = await (await announce(path, apiKey, 300_000)).closed;
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toContain(says);
    const small = await announce(path, apiKey, 131_072);
    await isUnderWay(1_931_072);
    for (const client of [...open, small]) client.socket.destroy();
  });

  it.each(['/v1/videos', '/v1/messages'])(
    'of a large one are read at the pace of its account on %s',
    async (path) => {
      const paced = await openApi({
        bodyBytes: { process: 4_000_000, account: 2_000_000, accountPerSecond: 1_000_000 },
      });
      try {
        const { apiKey } = await paced.aKey({ scopes: ['videos:write', 'text'] });
        const beginMs = performance.now();
        const client = await openWire(paced.url);
        client.send(
          `${headOf(path, apiKey, ['content-length: 900000', 'connection: close'])}${' '.repeat(900_000)}`,
        );
        expect(await client.closed).toMatch(/^HTTP\/1\.1 400 /);
        // Less what may come at once.
        expect(performance.now() - beginMs).toBeGreaterThan(500);
      } finally {
        await paced.close();
      }
    },
  );

  it('are free again when a body did not arrive in time', async () => {
    const slow = await openApi({ bodyTimeoutMs: 300 });
    try {
      const { apiKey } = await slow.aKey();
      const client = await openWire(slow.url);
      client.send(`${headOf('/v1/videos', apiKey, ['content-length: 500000'])}{"model":`);
      const text = await client.closed;
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(text).toContain('did not arrive within 300 ms');
      const metrics = await (await fetch(`${slow.opsUrl}/metrics`)).text();
      expect(metrics).toMatch(/^gateway_body_bytes\{[^}]*\} 0$/m);
    } finally {
      await slow.close();
    }
  });
});
