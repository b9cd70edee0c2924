import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createCallbackDeliveries } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({ adminToken: 'admin-token-for-tests' });
});
afterAll(() => api.close());

const ask = (method: 'get' | 'post' | 'patch', path: string, body?: object) =>
  request(api.url)
    [method](`/admin/v1${path}`)
    .set('authorization', 'Bearer admin-token-for-tests')
    .send(body);
const journalOf = async (accountId: string): Promise<object[]> =>
  (
    (await ask('get', `/journal?account=${accountId}`).expect(200)).body as {
      data: object[];
    }
  ).data;
const hook = { callbackUrl: 'https://receiver.example/hook' };

describe('an operator cancels the task of a customer', () => {
  it('at once where no vendor was asked for it, with event, push and journal', async () => {
    const { accountId } = await api.aKey();
    const { id } = await storiesOf(api.database, accountId).queued(hook);

    const { body } = await ask('post', `/videos/${id}/cancel`).expect(200);

    expect(body).toMatchObject({
      id,
      status: 'cancelled',
      billed_quota: 0,
      events: [{ status: 'queued' }, { status: 'cancelled' }],
    });
    expect(await createCallbackDeliveries(api.database).summary(id)).toMatchObject({
      pendingPushes: 2,
    });
    expect(await journalOf(accountId)).toMatchObject([
      { object: 'admin.action', via: 'api', action: 'task.cancel', subject: id, details: {} },
    ]);
    // Once: a second one changes nothing, and is told what there is.
    await ask('post', `/videos/${id}/cancel`).expect(200);
    expect(await journalOf(accountId)).toHaveLength(1);
  });

  it('by a request that its vendor has to grant', async () => {
    const { accountId } = await api.aKey();
    const { id } = await storiesOf(api.database, accountId).running();

    // Nobody works here: the request stands.
    const { body } = await ask('post', `/videos/${id}/cancel`).expect(504);

    expect(body).toMatchObject({ error: { code: 'upstream_timeout' } });
    expect((await ask('get', `/videos/${id}`)).body).toMatchObject({
      status: 'running',
      cancel_requested_at: expect.any(String),
    });
    expect(await journalOf(accountId)).toMatchObject([{ action: 'task.cancel', subject: id }]);
  });

  it('not when it is over, and not when there is none', async () => {
    const { accountId } = await api.aKey();
    const { id } = await storiesOf(api.database, accountId).ended('failed');

    expect((await ask('post', `/videos/${id}/cancel`).expect(409)).body).toMatchObject({
      error: { code: 'not_cancellable' },
    });
    await ask('post', '/videos/video_01h455vb4pex5vsknk084sn02q/cancel').expect(404);
    expect(await journalOf(accountId)).toEqual([]);
  });
});

describe('an operator changes a key', () => {
  it('with what the body names, on every replica within five seconds', async () => {
    const { apiKey, keyId, accountId } = await api.aKey({ scopes: ['videos:read'] });
    const read = () => request(api.url).get('/v1/videos').set('authorization', `Bearer ${apiKey}`);
    await read().expect(200);

    const { body } = await ask('patch', `/keys/${keyId}`, {
      scopes: ['billing:read'],
      requests_per_minute: 700,
    }).expect(200);

    expect(body).toMatchObject({
      id: keyId,
      name: 'test',
      scopes: ['billing:read'],
      models: null,
      requests_per_minute: 700,
    });
    await eventually(async () => {
      await read().expect(403);
    });
    const renamed = await ask('patch', `/keys/${keyId}`, {
      name: 'farm',
      models: ['sandbox-video'],
      requests_per_minute: null,
    });
    expect(renamed.body).toMatchObject({
      name: 'farm',
      scopes: ['billing:read'],
      models: ['sandbox-video'],
      requests_per_minute: null,
    });
    expect(await journalOf(accountId)).toMatchObject([
      { action: 'key.change', details: { name: 'farm', requests_per_minute: null } },
      { action: 'key.change', subject: keyId, details: { requests_per_minute: 700 } },
    ]);
  });

  it.each([
    [{}, null],
    [{ scopes: ['all'] }, 'scopes[0]'],
    [{ requests_per_minute: 0 }, 'requests_per_minute'],
    [{ expires_at: null }, 'expires_at'],
    [{ name: '' }, 'name'],
  ])('not with a body that is wrong: %j', async (body, param) => {
    const { keyId } = await api.aKey();

    expect((await ask('patch', `/keys/${keyId}`, body).expect(400)).body).toMatchObject({
      error: { param },
    });
  });

  it('not when it is revoked, nor one that there is not', async () => {
    const { keyId, accountId } = await api.aKey();
    await request(api.url)
      .delete(`/admin/v1/keys/${keyId}`)
      .set('authorization', 'Bearer admin-token-for-tests')
      .expect(200);

    for (const id of [keyId, 'key_01h455vb4pex5vsknk084sn02q']) {
      expect((await ask('patch', `/keys/${id}`, { name: 'x' }).expect(404)).body).toMatchObject({
        error: { code: 'key_not_found' },
      });
    }
    expect(await journalOf(accountId)).toEqual([]);
  });
});

describe('an operator changes an account', () => {
  it('with what the body names, and the journal says so', async () => {
    const { accountId } = await api.aKey();
    await ask('patch', `/accounts/${accountId}`, { suspended: true }).expect(200);

    const { body } = await ask('patch', `/accounts/${accountId}`, { name: 'Acme Films' });

    expect(body).toMatchObject({ id: accountId, name: 'Acme Films', suspended: true });
    expect(await journalOf(accountId)).toMatchObject([
      { action: 'account.change', subject: accountId, details: { name: 'Acme Films' } },
      { action: 'account.change', details: { suspended: true } },
    ]);
    await ask('patch', `/accounts/${accountId}`, {}).expect(400);
  });

  it('whose number of unfinished videos it limits, within five seconds', async () => {
    const { accountId, apiKey } = await api.aKey({ quota: 10_000_000 });
    const create = () =>
      request(api.url)
        .post('/v1/videos')
        .set('authorization', `Bearer ${apiKey}`)
        .send({ model: 'sandbox-video', prompt: 'a red balloon' });
    await create().expect(200);

    const { body } = await ask('patch', `/accounts/${accountId}`, { active_videos_limit: 1 });

    expect(body).toMatchObject({ active_videos: 1, active_videos_limit: 1 });
    await eventually(async () => {
      const { headers } = await create().expect(429);
      expect(headers['x-ratelimit-limit']).toBe('1');
    });
    await ask('patch', `/accounts/${accountId}`, { active_videos_limit: null }).expect(200);
    await eventually(async () => {
      await create().expect(200);
    });
    await ask('patch', `/accounts/${accountId}`, { active_videos_limit: 0 }).expect(400);
  });
});

describe('the journal', () => {
  it('is read page by page, newest first, over all accounts or one', async () => {
    const { accountId } = await api.aKey();
    for (const name of ['a', 'b', 'c']) await ask('patch', `/accounts/${accountId}`, { name });
    const page = async (query: string) =>
      (await ask('get', `/journal?${query}`).expect(200)).body as {
        data: { id: string; details: { name: string } }[];
        has_more: boolean;
      };

    const first = await page('limit=2');
    const rest = await page(`account=${accountId}&after=${first.data.at(-1)!.id}`);

    expect(first.data.map(({ details }) => details.name)).toEqual(['c', 'b']);
    expect(first.has_more).toBe(true);
    expect(rest.data.map(({ details }) => details.name)).toEqual(['a']);
    await ask('get', '/journal?after=x').expect(400);
    await ask('get', '/journal?account=x').expect(400);
  });
});
