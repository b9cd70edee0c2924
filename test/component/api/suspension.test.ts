import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';
import { png } from './asset-files.ts';

const adminToken = 'admin-token-for-tests';
const scopes = ['videos:write', 'videos:read', 'text', 'billing:read'];
const video = { model: 'sandbox-video', prompt: 'a red balloon' };
const messages = [{ role: 'user', content: 'hi' }];

let api: ApiUnderTest;
let second: string;
beforeAll(async () => {
  // without Redis: a suspension has to reach every replica all the same
  api = await openApi({ adminToken, redisUrl: 'redis://127.0.0.1:1' });
  second = await api.aReplica();
});
afterAll(async () => {
  await api.close();
});

const change = (accountId: string, body: object) =>
  request(api.url)
    .patch(`/admin/v1/accounts/${accountId}`)
    .set('authorization', `Bearer ${adminToken}`)
    .send(body);

/** What begins new work, as a key of the account asks for it. */
const newWork: Readonly<Record<string, (url: string, apiKey: string) => request.Test>> = {
  'a video': (url, apiKey) => request(url).post('/v1/videos').set('x-api-key', apiKey).send(video),
  'an asset': (url, apiKey) =>
    request(url)
      .post('/v1/assets')
      .set('x-api-key', apiKey)
      .set('content-type', 'image/png')
      .send(png),
  'a message': (url, apiKey) =>
    request(url)
      .post('/v1/messages')
      .set({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' })
      .send({ model: 'sandbox-chat', max_tokens: 5, messages }),
  'a token count': (url, apiKey) =>
    request(url)
      .post('/v1/messages/count_tokens')
      .set({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' })
      .send({ model: 'sandbox-chat', messages }),
  'a chat completion': (url, apiKey) =>
    request(url)
      .post('/v1/chat/completions')
      .set('authorization', `Bearer ${apiKey}`)
      .send({ model: 'sandbox-chat', messages }),
};

async function refused(url: string, apiKey: string): Promise<void> {
  for (const ask of Object.values(newWork)) {
    const { status, text } = await ask(url, apiKey);
    expect([status, text]).toEqual([403, expect.stringContaining('suspended this account')]);
  }
}

describe('a suspended account', () => {
  it('begins nothing new on any replica within five seconds, and goes on when it is resumed', async () => {
    // as many videos as are asked for while nothing refuses them
    const { apiKey, accountId } = await api.aKey({ scopes, quota: 10_000_000 });
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [api.url, second].map(async (url) => (await newWork['a video']!(url, apiKey)).status),
      );
    expect(await statuses()).toEqual([200, 200]);

    const suspended = await change(accountId, { suspended: true });
    expect(suspended.body).toMatchObject({ id: accountId, suspended: true });
    const { suspended_at: at } = suspended.body as { suspended_at: string };
    await eventually(
      async () => {
        expect(await statuses()).toEqual([403, 403]);
      },
      { withinMs: 5_000 },
    );
    await refused(api.url, apiKey);
    await refused(second, apiKey);
    expect((await change(accountId, { suspended: true })).body).toMatchObject({
      suspended_at: at,
    });
    expect(api.log.lines).toContainEqual(
      expect.objectContaining({ message: 'account suspended', fields: { accountId } }),
    );

    expect((await change(accountId, { suspended: false })).body).toMatchObject({
      suspended: false,
      suspended_at: null,
    });
    await eventually(
      async () => {
        expect(await statuses()).toEqual([200, 200]);
      },
      { withinMs: 5_000 },
    );
  });

  it('is told what to do', async () => {
    const { apiKey, accountId } = await api.aKey({ scopes });
    await change(accountId, { suspended: true }).expect(200);

    const { status, body } = await newWork['a video']!(api.url, apiKey);

    expect([status, body]).toEqual([
      403,
      {
        error: {
          message: expect.stringContaining('Ask the operator'),
          type: 'permission_error',
          code: 'account_suspended',
          param: null,
        },
      },
    ]);
  });

  it('reads and cancels what it has, and asks for prices', async () => {
    const { apiKey, accountId } = await api.aKey({ scopes });
    const running = await newWork['a video']!(api.url, apiKey);
    const { id } = running.body as { id: string };
    const other = await api.aKey({ scopes, accountId });
    await change(accountId, { suspended: true }).expect(200);
    // a key that no replica has seen: it reads the account anew
    const key = other.apiKey;
    const get = (path: string) => request(api.url).get(path).set('x-api-key', key);

    expect((await get(`/v1/videos/${id}`)).body).toMatchObject({ status: 'queued' });
    for (const path of ['/v1/videos', '/v1/assets', '/v1/models', '/v1/billing/balance']) {
      expect((await get(path)).status).toBe(200);
    }
    expect(
      (await request(api.url).post('/v1/videos/quote').set('x-api-key', key).send(video)).status,
    ).toBe(200);
    const cancelled = await request(api.url).post(`/v1/videos/${id}/cancel`).set('x-api-key', key);
    expect([cancelled.status, cancelled.body]).toMatchObject([200, { status: 'cancelled' }]);
  });

  it.each([
    [{}, null],
    [{ suspended: 'yes' }, 'suspended'],
    [{ suspended: true, title: 'x' }, 'title'],
  ])('is not made by a body that is wrong: %j', async (body, param) => {
    const { accountId } = await api.aKey();

    expect((await change(accountId, body)).body).toMatchObject({ error: { param } });
    expect((await change(accountId, { suspended: false })).body).toMatchObject({
      suspended_at: null,
    });
  });

  it('exists', async () => {
    expect(
      (await change('acct_01h455vb4pex5vsknk084sn02q', { suspended: true })).body,
    ).toMatchObject({ error: { code: 'account_not_found' } });
  });
});
