import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createCallbackDeliveries, createHolds } from '@gateway/store';
import { aQueuedTask, eventually } from '@gateway/testing';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

const adminToken = 'admin-token-for-tests';
const bearer = `Bearer ${adminToken}`;

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({ adminToken });
});
afterAll(async () => {
  await api.close();
});

interface Account {
  readonly id: string;
  readonly callback_secret: string;
}
interface Key {
  readonly id: string;
  readonly api_key: string;
  readonly prefix: string;
}

const get = (path: string) => request(api.url).get(`/admin/v1${path}`).set('authorization', bearer);
const post = (path: string, body?: object) =>
  request(api.url).post(`/admin/v1${path}`).set('authorization', bearer).send(body);
const anAccount = async (body: object = { name: 'Acme' }): Promise<Account> =>
  (await post('/accounts', body).expect(200)).body as Account;
const aKey = async (accountId: string, body: object = { name: 'k' }): Promise<Key> =>
  (await post(`/accounts/${accountId}/keys`, body).expect(200)).body as Key;
const balance = (apiKey: string, url = api.url) =>
  request(url).get('/v1/billing/balance').set('authorization', `Bearer ${apiKey}`);

const absent = 'acct_01h455vb4pex5vsknk084sn02q';
const everyRoute: readonly (readonly [
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
])[] = [
  ['post', '/accounts'],
  ['get', '/accounts'],
  ['get', `/accounts/${absent}`],
  ['patch', `/accounts/${absent}`],
  ['post', `/accounts/${absent}/keys`],
  ['get', `/accounts/${absent}/keys`],
  ['delete', '/keys/key_01h455vb4pex5vsknk084sn02q'],
  ['patch', '/keys/key_01h455vb4pex5vsknk084sn02q'],
  ['post', `/accounts/${absent}/top-ups`],
  ['post', `/accounts/${absent}/adjustments`],
  ['get', `/accounts/${absent}/ledger`],
  ['post', `/accounts/${absent}/callback-secret/rotate`],
  ['get', '/tasks'],
  ['get', '/videos/video_01h455vb4pex5vsknk084sn02q'],
  ['get', `/accounts/${absent}/usage`],
  ['get', '/videos/video_01h455vb4pex5vsknk084sn02q/tries'],
  ['get', '/videos/video_01h455vb4pex5vsknk084sn02q/callbacks'],
  ['post', '/videos/video_01h455vb4pex5vsknk084sn02q/callbacks/redeliver'],
  ['get', '/routes/gone'],
  ['post', '/routes/retry'],
  ['post', '/videos/video_01h455vb4pex5vsknk084sn02q/cancel'],
  ['get', '/journal'],
  ['get', '/queues'],
  ['get', '/billing/verify'],
];

describe('/admin/v1', () => {
  it.each(everyRoute)('is closed without the admin token: %s %s', async (method, path) => {
    const { apiKey } = await api.aKey();
    for (const authorization of [
      undefined,
      `Bearer ${apiKey}`,
      `Bearer ${adminToken}x`,
      `Basic ${adminToken}`,
      bearer.slice(0, -1),
    ]) {
      const asked = request(api.url)[method](`/admin/v1${path}`);
      const { status, body } = await (authorization === undefined
        ? asked
        : asked.set('authorization', authorization));

      expect([status, body]).toEqual([
        401,
        {
          error: {
            message: expect.any(String),
            type: 'authentication_error',
            code: 'invalid_admin_token',
            param: null,
          },
        },
      ]);
    }
  });

  it('returns 404 for a path it does not have, 405 with Allow for a method', async () => {
    expect((await get('/nothing')).body).toMatchObject({ error: { code: 'route_not_found' } });
    const refused = await request(api.url).put('/admin/v1/accounts').set('authorization', bearer);

    expect([refused.status, refused.get('allow')]).toEqual([405, 'GET, POST']);
  });

  it('is absent without ADMIN_TOKEN, with the bytes of any unknown route', async () => {
    const plain = await openApi();
    try {
      const withToken = await request(plain.url)
        .get('/admin/v1/accounts')
        .set('authorization', bearer);

      expect([withToken.status, withToken.body]).toEqual([
        404,
        {
          error: {
            message: 'GET /admin/v1/accounts does not exist',
            type: 'not_found_error',
            code: 'route_not_found',
            param: null,
          },
        },
      ]);
    } finally {
      await plain.close();
    }
  });

  it('puts no token, key or secret into the log', async () => {
    const account = await anAccount();
    const key = await aKey(account.id);
    await get('/nothing');
    const log = JSON.stringify(api.log.lines);

    expect(log).toContain('/admin/v1/accounts');
    for (const secret of [adminToken, key.api_key, account.callback_secret]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('accounts', () => {
  it('are made with quota and a callback secret, and are shown without it', async () => {
    const made = await post('/accounts', { name: 'Acme', quota: 500 });
    const { callback_secret: secret, ...account } = made.body as Account;

    expect([made.status, made.get('cache-control'), made.get('location')]).toEqual([
      200,
      'no-store',
      `/admin/v1/accounts/${account.id}`,
    ]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_/),
      object: 'account',
      active_videos_limit: null,
      suspended: false,
      suspended_at: null,
      name: 'Acme',
      balance_quota: 500,
      held_quota: 0,
      available_quota: 500,
      debt_quota: 0,
      active_videos: 0,
      active_keys: 0,
      created_at: expect.stringMatching(/Z$/),
    });
    expect((await get(`/accounts/${account.id}`)).body).toEqual(account);
    expect((await get('/billing/verify')).body).toMatchObject({ ok: true, violations: [] });
  });

  it('are listed newest first, page by page in both directions', async () => {
    const ids = [
      (await anAccount({ name: 'a' })).id,
      (await anAccount({ name: 'b' })).id,
      (await anAccount({ name: 'c' })).id,
    ];
    const idsOf = ({ body }: { body: unknown }): string[] =>
      (body as { data: { id: string }[] }).data.map(({ id }) => id);

    const newest = await get('/accounts?limit=2');
    expect([idsOf(newest), newest.body]).toEqual([
      [ids[2], ids[1]],
      expect.objectContaining({
        object: 'list',
        has_more: true,
        first_id: ids[2],
        last_id: ids[1],
      }),
    ]);
    expect(idsOf(await get(`/accounts?limit=1&after=${ids[1]!}`))).toEqual([ids[0]]);
    expect(idsOf(await get(`/accounts?limit=1&before=${ids[0]!}`))).toEqual([ids[1]]);
  });

  it.each([
    [{}, ['missing_parameter', 'name']],
    [{ name: '' }, ['invalid_parameter', 'name']],
    [{ name: ' ' }, ['invalid_parameter', 'name']],
    [{ name: 'a\u0000' }, ['invalid_parameter', 'name']],
    [{ name: 'a', quota: -1 }, ['invalid_parameter', 'quota']],
    [{ name: 'a', quota: 1.5 }, ['invalid_parameter', 'quota']],
    [{ name: 'a', quota: '5' }, ['invalid_parameter', 'quota']],
    [{ name: 'a', quotas: 5 }, ['unknown_parameter', 'quotas']],
    [[], ['invalid_parameter', null]],
  ])(
    'are refused with a body that is wrong, and nothing is left: %j',
    async (body, [code, param]) => {
      const before = await api.database.pool.query<{ count: number }>(
        'SELECT count(*) AS count FROM account',
      );
      const { status, body: response } = await post('/accounts', body);

      expect([status, response]).toEqual([
        400,
        { error: expect.objectContaining({ code, param }) },
      ]);
      expect((await api.database.pool.query('SELECT count(*) AS count FROM account')).rows).toEqual(
        before.rows,
      );
    },
  );

  it('name every violation of a body at once', async () => {
    const { body } = await post('/accounts', { quota: -1, colour: 'red' });

    expect(
      (body as { error: { details: { param: string }[] } }).error.details
        .map(({ param }) => param)
        .sort(),
    ).toEqual(['colour', 'name', 'quota']);
  });

  it('that do not exist are 404, and a query that is not known is 400', async () => {
    for (const id of [absent, 'x', '%00']) {
      expect((await get(`/accounts/${id}`)).body).toMatchObject({
        error: { code: 'account_not_found' },
      });
    }
    expect((await get('/accounts?page=2')).body).toMatchObject({
      error: { code: 'unknown_parameter', param: 'page' },
    });
    expect((await get('/accounts?limit=0&after=x')).body).toMatchObject({
      error: { code: 'invalid_parameter', param: 'limit' },
    });
    expect((await get('/accounts?after=video_1')).body).toMatchObject({
      error: { code: 'invalid_parameter', param: 'after' },
    });
  });
});

describe('keys', () => {
  it('are returned once with the key, and later without it', async () => {
    const { id } = await anAccount();
    const made = (
      await post(`/accounts/${id}/keys`, {
        name: 'production',
        scopes: ['billing:read'],
        models: ['sandbox-video'],
        expires_at: '2099-01-31T12:00:00Z',
        requests_per_minute: 7,
      })
    ).body as Key;
    const { api_key: apiKey, ...shown } = made;

    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      object: 'api_key',
      account_id: id,
      name: 'production',
      prefix: apiKey.slice(0, 12),
      scopes: ['billing:read'],
      models: ['sandbox-video'],
      requests_per_minute: 7,
      created_at: expect.any(String),
      expires_at: '2099-01-31T12:00:00.000Z',
      revoked_at: null,
      last_used_at: null,
    });
    const list = await get(`/accounts/${id}/keys`);
    expect(list.body).toMatchObject({ object: 'list', data: [shown], has_more: false });
    expect(list.text).not.toContain(apiKey);
    expect((await balance(apiKey)).status).toBe(200);
  });

  it('have every scope but that for secrets, and every model, unless asked otherwise', async () => {
    const { id } = await anAccount();

    expect(await aKey(id)).toMatchObject({
      scopes: ['videos:write', 'videos:read', 'text', 'billing:read'],
      models: null,
      requests_per_minute: null,
      expires_at: null,
    });
  });

  it.each([
    ['name', { name: 5 }],
    ['scopes', { name: 'a', scopes: [] }],
    ['scopes[0]', { name: 'a', scopes: ['admin'] }],
    ['models', { name: 'a', models: [] }],
    ['models[0]', { name: 'a', models: [''] }],
    ['expires_at', { name: 'a', expires_at: 'tomorrow' }],
    ['expires_at', { name: 'a', expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { name: 'a', expires_at: '2099-02-30T00:00:00Z' }],
    ['requests_per_minute', { name: 'a', requests_per_minute: 0 }],
    ['model', { name: 'a', model: 'x' }],
  ])('are refused when %s is wrong', async (param, body) => {
    const { id } = await anAccount();
    const { status, body: response } = await post(`/accounts/${id}/keys`, body);

    expect([status, response]).toMatchObject([400, { error: { param } }]);
    expect((await get(`/accounts/${id}/keys`)).body).toMatchObject({ data: [] });
  });

  it('are held to their models on /v1/videos', async () => {
    const { id } = await anAccount({ name: 'a', quota: 10_000 });
    const { api_key: apiKey } = await aKey(id, { name: 'a', models: ['another-model'] });
    const response = await request(api.url)
      .post('/v1/videos')
      .set('authorization', `Bearer ${apiKey}`)
      .send({ model: 'sandbox-video', prompt: 'a balloon' });

    expect([response.status, response.body]).toMatchObject([
      403,
      { error: { code: 'model_not_allowed' } },
    ]);
  });

  it('stop working on every replica within five seconds of being revoked', async () => {
    const second = await api.aReplica();
    const { id } = await anAccount();
    const key = await aKey(id);
    const statuses = async (): Promise<number[]> =>
      Promise.all([api.url, second].map(async (url) => (await balance(key.api_key, url)).status));
    expect(await statuses()).toEqual([200, 200]);

    const revoke = () =>
      request(api.url).delete(`/admin/v1/keys/${key.id}`).set('authorization', bearer);
    const revoked = await revoke();
    const at = performance.now();
    await eventually(
      async () => {
        expect(await statuses()).toEqual([401, 401]);
      },
      { withinMs: 8_000 },
    );

    expect(performance.now() - at).toBeLessThan(5_000);
    expect(revoked.body).toMatchObject({ id: key.id, revoked_at: expect.stringMatching(/Z$/) });
    const { revoked_at: first } = revoked.body as { revoked_at: string };
    expect((await revoke()).body).toMatchObject({ revoked_at: first });
    expect((await get(`/accounts/${id}`)).body).toMatchObject({ active_keys: 0 });
  });

  it('that do not exist cannot be revoked', async () => {
    for (const id of ['key_01h455vb4pex5vsknk084sn02q', 'x']) {
      expect(
        (await request(api.url).delete(`/admin/v1/keys/${id}`).set('authorization', bearer)).body,
      ).toMatchObject({ error: { code: 'key_not_found' } });
    }
  });
});

describe('top-ups', () => {
  it('add quota with their note, once under an Idempotency-Key', async () => {
    const { id } = await anAccount({ name: 'a', quota: 10 });
    const topUp = (quota: number) =>
      post(`/accounts/${id}/top-ups`, { quota, note: 'invoice 17' }).set(
        'idempotency-key',
        'invoice-17',
      );

    const responses = await Promise.all([topUp(5), topUp(5), topUp(5)]);
    expect(
      responses.map(({ body }) => (body as { added_quota: number }).added_quota).sort(),
    ).toEqual([0, 0, 5]);
    expect(
      responses.filter((response) => response.get('idempotency-replayed') === 'true'),
    ).toHaveLength(2);
    expect([(await topUp(6)).status, (await topUp(6)).body]).toMatchObject([
      409,
      { error: { code: 'idempotency_key_reused', param: 'Idempotency-Key' } },
    ]);
    const { body } = await get(`/accounts/${id}/ledger`);
    expect((body as { data: object[] }).data).toEqual([
      {
        id: expect.stringMatching(/^entry_/),
        object: 'ledger_entry',
        kind: 'top_up',
        task_id: null,
        quota: 5,
        balance_after: 15,
        held_after: 0,
        note: 'invoice 17',
        created_at: expect.any(String),
      },
      expect.objectContaining({
        kind: 'top_up',
        quota: 10,
        balance_after: 10,
        note: 'account created',
      }),
    ]);
  });

  it.each([
    [{}, 'quota'],
    [{ quota: 0 }, 'quota'],
    [{ quota: 1, note: 5 }, 'note'],
    [{ quota: 1, reason: 'x' }, 'reason'],
  ])('are refused with a body that is wrong: %j', async (body, param) => {
    const { id } = await anAccount();

    expect((await post(`/accounts/${id}/top-ups`, body)).body).toMatchObject({ error: { param } });
    expect((await get(`/accounts/${id}`)).body).toMatchObject({ balance_quota: 0 });
  });

  it('cannot take a balance beyond what JSON holds exactly', async () => {
    const { id } = await anAccount({ name: 'a', quota: 999_999_999_999_999 });
    const quota = 999_999_999_999_999;
    for (let times = 2; times <= 9; times += 1) {
      await post(`/accounts/${id}/top-ups`, { quota }).expect(200);
    }

    expect((await post(`/accounts/${id}/top-ups`, { quota })).body).toMatchObject({
      error: { code: 'invalid_parameter', param: 'quota' },
    });
  });
});

describe('callback secrets', () => {
  it('are rotated, and the one before signs on for a day', async () => {
    const account = await anAccount();
    const { body } = await post(`/accounts/${account.id}/callback-secret/rotate`);

    expect(body).toEqual({
      account_id: account.id,
      object: 'callback_secret',
      secret: expect.stringMatching(/^whsec_/),
      created_at: expect.any(String),
      previous: [{ created_at: expect.any(String), expires_at: expect.any(String) }],
    });
    expect((body as { secret: string }).secret).not.toBe(account.callback_secret);
    expect(
      (await post(`/accounts/${account.id}/callback-secret/rotate`, { overlap_seconds: -1 })).body,
    ).toMatchObject({ error: { param: 'overlap_seconds' } });
  });
});

describe('tasks', () => {
  it('of every account are listed and filtered', async () => {
    const { id: first } = await anAccount({ name: 'a', quota: 1_000 });
    const { id: second } = await anAccount({ name: 'b', quota: 1_000 });
    const queued = await aQueuedTask(api.database, first);
    const succeeded = await storiesOf(api.database, second).succeeded(3, { model: 'other-model' });
    const listed = async (query: string): Promise<string[]> =>
      ((await get(`/tasks?${query}`).expect(200)).body as { data: { id: string }[] }).data.map(
        ({ id }) => id,
      );

    expect(await listed('limit=2')).toEqual([succeeded.id, queued.id]);
    expect(await listed('status=queued')).toEqual([queued.id]);
    expect(await listed(`account=${second}`)).toEqual([succeeded.id]);
    expect(await listed('model=other-model')).toEqual([succeeded.id]);
    expect(await listed('provider=sandbox&limit=1')).toEqual([succeeded.id]);
    expect(await listed('provider=nobody')).toEqual([]);
    expect(await listed(`after=${succeeded.id}`)).toEqual([queued.id]);
    expect(await listed(`before=${queued.id}`)).toEqual([succeeded.id]);
    const { body } = await get('/tasks?status=queued');
    expect((body as { data: object[] }).data[0]).toEqual({
      id: queued.id,
      object: 'admin.task',
      account_id: first,
      request_id: 'req_test',
      model: 'sandbox-video',
      provider: 'sandbox',
      vendor_task_id: null,
      status: 'queued',
      step: 'submit',
      step_failures: 0,
      max_billing_quota: 50,
      billed_quota: null,
      error: null,
      age_seconds: expect.any(Number),
      created_at: expect.any(String),
      started_at: null,
      completed_at: null,
      expires_at: expect.any(String),
      deleted_at: null,
    });
  });

  it.each([
    ['status=done', 'status'],
    ['account=1', 'account'],
    ['state=queued', 'state'],
    ['model=a&model=b', 'model'],
  ])('are refused with a filter that is wrong: %s', async (query, param) => {
    expect((await get(`/tasks?${query}`)).body).toMatchObject({ error: { param } });
  });

  it('show their deliveries, and are pushed again on request', async () => {
    const { id } = await anAccount({ name: 'a', quota: 1_000 });
    const task = await aQueuedTask(api.database, id, { callbackUrl: 'http://127.0.0.1:9/hook' });
    const silent = await aQueuedTask(api.database, id);

    expect((await get(`/videos/${task.id}/callbacks`)).body).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
      callback: expect.objectContaining({ state: 'pending_verification' }),
      endpoints: [],
    });
    expect((await post(`/videos/${task.id}/callbacks/redeliver`)).body).toMatchObject({
      id: task.id,
      object: 'video.redelivery',
    });
    expect(await createCallbackDeliveries(api.database).summary(task.id)).toMatchObject({
      pendingPushes: 1,
    });
    expect((await post(`/videos/${silent.id}/callbacks/redeliver`)).body).toMatchObject({
      error: { code: 'no_callback' },
    });
    expect((await get('/videos/video_01h455vb4pex5vsknk084sn02q/callbacks')).body).toMatchObject({
      error: { code: 'task_not_found' },
    });
  });
});

describe('adjustments', () => {
  const adjust = (id: string, key: string, body: object) =>
    post(`/accounts/${id}/adjustments`, body).set('idempotency-key', key);

  it('give and take quota with their reason and task, once under an Idempotency-Key', async () => {
    const { id } = await anAccount({ name: 'a', quota: 1_000 });
    const task = await storiesOf(api.database, id).succeeded(3);
    await createHolds(api.database).settle(task.id);
    const body = { quota: -600, note: 'shown at a wrong price', task_id: task.id };

    const first = await adjust(id, 'ticket-17', body);
    const again = await adjust(id, 'ticket-17', body);

    expect(first.body).toEqual({
      object: 'adjustment',
      account_id: id,
      quota: -600,
      adjusted_quota: -600,
      note: 'shown at a wrong price',
      task_id: task.id,
      dry_run: false,
      before: { balance_quota: 970, held_quota: 0, available_quota: 970, debt_quota: 0 },
      after: { balance_quota: 370, held_quota: 0, available_quota: 370, debt_quota: 0 },
    });
    expect(first.get('idempotency-replayed')).toBeUndefined();
    expect(again.body).toMatchObject({ adjusted_quota: 0, after: { balance_quota: 370 } });
    expect(again.get('idempotency-replayed')).toBe('true');
    expect((await adjust(id, 'ticket-17', { ...body, note: 'another' })).body).toMatchObject({
      error: { code: 'idempotency_key_reused', param: 'Idempotency-Key' },
    });
    await adjust(id, 'ticket-18', { quota: 30, note: 'goodwill' }).expect(200);
    const { body: ledger } = await get(`/accounts/${id}/ledger?limit=2`);
    expect((ledger as { data: object[] }).data).toMatchObject([
      { kind: 'adjustment', task_id: null, quota: 30, balance_after: 400, note: 'goodwill' },
      { kind: 'adjustment', task_id: task.id, quota: -600, balance_after: 370 },
    ]);
  });

  it('change nothing in a dry run, and say what would come of it', async () => {
    const { id } = await anAccount({ name: 'a', quota: 10 });

    const { body } = await adjust(id, 'k', { quota: -4, note: 'why', dry_run: true });

    expect(body).toMatchObject({
      dry_run: true,
      before: { balance_quota: 10 },
      after: { balance_quota: 6 },
    });
    expect((await get(`/accounts/${id}`)).body).toMatchObject({ balance_quota: 10 });
  });

  it('take no more than is available', async () => {
    const { id } = await anAccount({ name: 'a', quota: 60 });
    await storiesOf(api.database, id).running();

    for (const more of [{}, { dry_run: true }]) {
      const { status, body } = await adjust(id, 'k', { quota: -11, note: 'why', ...more });
      expect([status, body]).toMatchObject([
        402,
        { error: { code: 'insufficient_quota', message: expect.stringContaining('takes 11') } },
      ]);
    }
    expect((await adjust(id, 'k', { quota: -10, note: 'why' })).status).toBe(200);
  });

  it.each([
    [{ quota: 1 }, 'note', 'missing_parameter'],
    [{ quota: 0, note: 'x' }, 'quota', 'invalid_parameter'],
    [{ quota: 1, note: ' ' }, 'note', 'invalid_parameter'],
    [{ quota: 1, note: 'x', task_id: 'x' }, 'task_id', 'invalid_parameter'],
    [{ quota: 1, note: 'x', dryrun: true }, 'dryrun', 'unknown_parameter'],
    [
      { quota: 1, note: 'x', task_id: 'video_01h455vb4pex5vsknk084sn02q' },
      'task_id',
      'task_not_found',
    ],
  ])('are refused with a body that is wrong: %j', async (body, param, code) => {
    const { id } = await anAccount();

    expect((await adjust(id, 'k', body)).body).toMatchObject({ error: { param, code } });
    expect((await get(`/accounts/${id}`)).body).toMatchObject({ balance_quota: 0 });
  });

  it('need a key', async () => {
    const { id } = await anAccount();

    expect((await post(`/accounts/${id}/adjustments`, { quota: 1, note: 'x' })).body).toMatchObject(
      { error: { code: 'missing_parameter', param: 'Idempotency-Key' } },
    );
  });
});

describe('tries', () => {
  it('tell operators to whom a task was sent, and customers nothing', async () => {
    const { id } = await anAccount({ name: 'a', quota: 1_000 });
    const task = await aQueuedTask(api.database, id);
    expect((await get(`/videos/${task.id}/tries`)).body).toEqual({ object: 'list', data: [] });

    const running = await storiesOf(api.database, id).running();

    expect((await get(`/videos/${running.id}/tries`)).body).toEqual({
      object: 'list',
      data: [
        {
          object: 'admin.task_try',
          number: 1,
          provider: running.vendor.provider,
          upstream_model: running.vendor.upstreamModel,
          vendor_task_id: 'vendor-1',
          submissions: 1,
          outcome: 'accepted',
          detail: null,
          vendor_cost: null,
          cost_source: null,
          vendor_currency: null,
          created_at: expect.any(String),
          submitted_at: expect.any(String),
          accepted_at: expect.any(String),
          ended_at: null,
          left_because: null,
        },
      ],
    });
    expect((await get('/videos/video_01h455vb4pex5vsknk084sn02q/tries')).body).toMatchObject({
      error: { code: 'task_not_found' },
    });
  });
});

describe('queues', () => {
  it('are counted without being touched', async () => {
    const { id } = await anAccount({ name: 'a', quota: 1_000 });
    const task = await aQueuedTask(api.database, id, { callbackUrl: 'http://127.0.0.1:9/hook' });
    await post(`/videos/${task.id}/callbacks/redeliver`).expect(200);
    const keysBefore = await eventually(async () => {
      const { body } = await get('/queues');
      expect((body as { data: object[] }).data).toContainEqual({
        object: 'queue',
        name: 'callback',
        waiting: expect.any(Number),
        active: 0,
        delayed: 0,
        failed: 0,
      });
      expect(
        (body as { data: { name: string; waiting: number }[] }).data.find(
          ({ name }) => name === 'callback',
        )!.waiting,
      ).toBeGreaterThan(0);
      return (await api.redis.keys(`${api.prefix}:*`)).sort();
    });
    const { body } = await get('/queues');

    expect((body as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual([
      'video',
      'callback',
      'billing',
      'metering',
    ]);
    expect((await api.redis.keys(`${api.prefix}:*`)).sort()).toEqual(keysBefore);
  });
});
