import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

const proxied = (from: string) => ({ 'x-forwarded-for': `203.0.113.9, ${from}` });
const adminToken = 'admin-token-for-tests';
const messages = [{ role: 'user', content: 'hi' }];

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({
    adminToken,
    edge: { trustedProxies: '127.0.0.0/8', unknownKeysPerMinute: 5 },
  });
});
afterAll(async () => {
  await api.close();
});

const lineOf = (requestId: string): Promise<Readonly<Record<string, unknown>>> =>
  eventually(() => {
    const line = api.log.lines.find(({ fields }) => fields['requestId'] === requestId);
    if (line === undefined) throw new Error(`no line of ${requestId}`);
    return line.fields;
  });

describe('the access line of a request', () => {
  it.each([
    ['served', 'get', '/v1/videos', 200],
    ['refused for its scope', 'get', '/v1/billing/balance', 403],
    ['refused for its scope', 'post', '/v1/messages', 403],
    ['refused for what it asks', 'get', '/v1/videos/x', 404],
  ] as const)('that is %s says who made it: %s %s', async (_how, method, path, status) => {
    const { apiKey, keyId, accountId } = await api.aKey();
    const id = `line-${path.replaceAll('/', '-')}`;

    await request(api.url)
      [method](path)
      .set({ 'x-api-key': apiKey, 'x-request-id': id, ...proxied('198.51.100.1') })
      .expect(status);

    const line = await lineOf(id);
    expect(line).toMatchObject({ accountId, keyId, peer: '198.51.100.1', status });
    expect(JSON.stringify(line)).not.toContain(apiKey);
  });

  it.each(['/v1/videos', '/v1/messages'])(
    'of a stranger says where it came from, and nobody’s name: %s',
    async (path) => {
      const id = `stranger-${path.replaceAll('/', '-')}`;
      await request(api.url)
        .post(path)
        .set({ 'x-request-id': id, ...proxied('198.51.100.2') })
        .expect(401);

      const line = await lineOf(id);
      expect(line).toMatchObject({ peer: '198.51.100.2', status: 401 });
      expect([line['accountId'], line['keyId']]).toEqual([undefined, undefined]);
    },
  );
});

describe('an address that guesses keys', () => {
  const guess = (key: string, from: string, path = '/v1/videos') =>
    request(api.url)
      .get(path)
      .set({ authorization: `Bearer ${key}`, ...proxied(from) });
  const invented = (index: number): string => `sk-gw-${String(index).padStart(43, 'x')}`;

  it('is refused before the database is asked, while a known key of its own passes', async () => {
    const from = '198.51.100.3';
    const { apiKey } = await api.aKey();
    expect((await guess(apiKey, from)).status).toBe(200);
    for (let index = 0; index < 5; index += 1) {
      expect((await guess(invented(index), from)).status).toBe(401);
    }

    const refused = await guess(invented(5), from);
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { error: { code: 'rate_limit_exceeded', message: expect.stringContaining('unknown API') } },
    ]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await guess(apiKey, from)).status).toBe(200);
    // somebody else's address is another matter
    expect((await guess(invented(5), '198.51.100.4')).status).toBe(401);
  });

  it('is counted over the text lane, too', async () => {
    const from = '198.51.100.5';
    for (let index = 10; index < 15; index += 1) {
      await guess(invented(index), from).expect(401);
    }

    const { status, body } = await request(api.url)
      .post('/v1/chat/completions')
      .set({ authorization: `Bearer ${invented(15)}`, ...proxied(from) })
      .send({ model: 'sandbox-chat', messages });

    expect([status, body]).toMatchObject([429, { error: { code: 'rate_limit_exceeded' } }]);
  });
});

describe('every response', () => {
  it.each([
    ['get', '/v1/videos', 401],
    ['get', '/nowhere', 404],
    ['get', '/openapi.json', 200],
    ['get', '/docs', 200],
    ['get', '/livez', 200],
    ['post', '/v1/messages', 401],
    ['post', '/v1/chat/completions', 401],
  ] as const)('is taken for what it says it is: %s %s', async (method, path, status) => {
    const { headers } = await request(api.url)[method](path).expect(status);

    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('an address that guesses the admin token', () => {
  const ask = (token: string, from: string) =>
    request(api.url)
      .get('/admin/v1/accounts')
      .set({ authorization: `Bearer ${token}`, ...proxied(from) });

  it('is refused unread after the tries of a minute, the right token included', async () => {
    const from = '198.51.100.40';
    for (let index = 0; index < 5; index += 1) await ask(`wrong-${index}`, from).expect(401);
    const { headers } = await ask(adminToken, from).expect(429);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await request(api.url)
      .get('/admin/v1/accounts')
      .set({ cookie: `gateway_operator=${'a'.repeat(43)}`, ...proxied(from) })
      .expect(429);
    await ask(adminToken, '198.51.100.41').expect(200);
  });

  it('does not lock out who has shown the right one there', async () => {
    const from = '198.51.100.42';
    await ask(adminToken, from).expect(200);
    for (let index = 0; index < 7; index += 1) await ask(`wrong-${index}`, from).expect(401);
    await ask(adminToken, from).expect(200);
  });
});
