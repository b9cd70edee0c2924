import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { aQueuedTask } from '@gateway/testing';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
let accountId: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey, accountId } = await api.aKey({ scopes: ['videos:read'] }));
});
afterAll(async () => {
  await api.close();
});

interface Page {
  readonly object: string;
  readonly data: { readonly id: string; readonly created_at: string }[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const get = (query = '', key = apiKey) =>
  request(api.url).get(`/v1/videos${query}`).set('authorization', `Bearer ${key}`);
const page = async (query = '', key = apiKey): Promise<Page> =>
  (await get(query, key).expect(200)).body as Page;
const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);
const aReader = () => api.aKey({ scopes: ['videos:read'] });

describe('GET /v1/videos', () => {
  it('lists the tasks of the account, newest first, each as it is read by itself', async () => {
    const stories = storiesOf(api.database, accountId);
    const [oldest, middle, newest] = [
      await stories.succeeded(3),
      await stories.ended('failed'),
      await stories.queued({
        request: { ...(await stories.queued()).request, metadata: { order: '7' } },
      }),
    ];

    const response = await get();

    expect(response.status).toBe(200);
    expect(response.get('cache-control')).toBe('no-store');
    const body = response.body as Page;
    expect(body).toMatchObject({
      object: 'list',
      has_more: false,
      first_id: newest.id,
      last_id: oldest.id,
    });
    expect(idsOf(body).filter((id) => [oldest.id, middle.id, newest.id].includes(id))).toEqual([
      newest.id,
      middle.id,
      oldest.id,
    ]);
    expect(body.data[0]).toMatchObject({ queue_position: 2, metadata: { order: '7' } });
    const withoutTokens = (value: unknown): string =>
      JSON.stringify(value).replaceAll(/token=[^"]+/g, 'token=');
    for (const item of body.data) {
      const { body: alone } = await request(api.url)
        .get(`/v1/videos/${item.id}`)
        .set('x-api-key', apiKey);
      expect(withoutTokens(item)).toBe(withoutTokens(alone));
    }
  });

  it('is empty for an account without tasks', async () => {
    const { apiKey: other } = await aReader();

    expect(await page('', other)).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it('is read page by page, forwards and backwards, while tasks are created', async () => {
    const reader = await aReader();
    const made: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      made.unshift((await aQueuedTask(api.database, reader.accountId)).id);
    }
    const newest = await page('?limit=2', reader.apiKey);
    await aQueuedTask(api.database, reader.accountId);
    const older = await page(`?limit=2&after=${newest.last_id}`, reader.apiKey);
    await aQueuedTask(api.database, reader.accountId);
    const oldest = await page(`?limit=2&after=${older.last_id}`, reader.apiKey);
    const back = await page(`?limit=1&before=${older.first_id}`, reader.apiKey);
    const between = await page(`?after=${made[0]}&before=${made[4]}`, reader.apiKey);

    expect([...idsOf(newest), ...idsOf(older), ...idsOf(oldest)]).toEqual(made);
    expect([newest.has_more, older.has_more, oldest.has_more]).toEqual([true, true, false]);
    expect([idsOf(back), back.has_more]).toEqual([[made[1]], true]);
    expect(idsOf(between)).toEqual(made.slice(1, 4));
  });

  it('picks by status, by model and by time', async () => {
    const reader = await aReader();
    const stories = storiesOf(api.database, reader.accountId);
    const done = await stories.succeeded(2);
    const waiting = await stories.queued({ model: 'another-model' });
    const idsWith = async (query: string) => idsOf(await page(query, reader.apiKey));
    const [first, second] = [done.createdAt.toISOString(), waiting.createdAt.toISOString()];

    expect(await idsWith('?status=succeeded')).toEqual([done.id]);
    expect(await idsWith('?status=running')).toEqual([]);
    expect(await idsWith('?model=another-model')).toEqual([waiting.id]);
    expect(await idsWith('?model=another-model&status=succeeded')).toEqual([]);
    expect(await idsWith(`?created_after=${second}`)).toEqual([waiting.id]);
    expect(await idsWith(`?created_before=${second}`)).toEqual([done.id]);
    expect(await idsWith(`?created_after=${first.replace('Z', '%2B00:00')}`)).toEqual([
      waiting.id,
      done.id,
    ]);
    expect(
      await idsWith(`?created_after=${first.replace('Z', '+00:00')}&created_before=${second}`),
    ).toEqual([done.id]);
    expect(await idsWith(`?created_after=${Math.floor(done.createdAt.getTime() / 1_000)}`)).toEqual(
      [waiting.id, done.id],
    );
    expect(
      await idsWith(`?created_before=${Math.floor(done.createdAt.getTime() / 1_000)}`),
    ).toEqual([]);
    expect(await idsWith(`?created_after=${Math.floor(Date.now() / 1_000) + 60}`)).toEqual([]);
  });

  it('finds a task by its time although an Idempotency-Key had kept its id for a day', async () => {
    const reader = await aReader();
    const task = await aQueuedTask(api.database, reader.accountId);
    await api.database.pool.query(
      `UPDATE task SET created_at = created_at + interval '24 hours' WHERE id = $1`,
      [task.id],
    );
    const dayLater = new Date(task.createdAt.getTime() + 86_400_000).toISOString();

    expect(idsOf(await page(`?created_after=${dayLater}`, reader.apiKey))).toEqual([task.id]);
    expect(idsOf(await page(`?created_before=${dayLater}`, reader.apiKey))).toEqual([]);
  });

  it('shows nothing of another account: its ids are as good as those that nobody has', async () => {
    const reader = await aReader();
    const own = await aQueuedTask(api.database, reader.accountId);
    const foreign = (await aQueuedTask(api.database, accountId)).id;
    const nobodys = `${foreign.slice(0, -1)}${foreign.endsWith('0') ? '1' : '0'}`;

    expect(idsOf(await page('', reader.apiKey))).toEqual([own.id]);
    for (const id of [foreign, nobodys]) {
      expect(idsOf(await page(`?after=${id}`, reader.apiKey))).toEqual([own.id]);
      expect(idsOf(await page(`?before=${id}`, reader.apiKey))).toEqual([]);
    }
  });

  it('leaves deleted tasks out, and pages on from one', async () => {
    const reader = await aReader();
    const stories = storiesOf(api.database, reader.accountId);
    const [kept, gone] = [await stories.ended('failed'), await stories.ended('failed')];
    await api.database.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [gone.id]);

    expect(idsOf(await page('', reader.apiKey))).toEqual([kept.id]);
    expect(idsOf(await page(`?after=${gone.id}`, reader.apiKey))).toEqual([kept.id]);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['after=17', 'after'],
    ['before=key_01m7z1mc2yfzz8gkvph7wn2q17', 'before'],
    ['status=done', 'status'],
    ['status=queued,running', 'status'],
    ['model=%00', 'model'],
    [`model=${'x'.repeat(201)}`, 'model'],
    ['created_after=yesterday', 'created_after'],
    ['created_after=2026-02-30T00:00:00Z', 'created_after'],
    ['created_after=2026-01-01', 'created_after'],
    ['created_after=2026-01-01T00:00:00', 'created_after'],
    ['created_before=-1', 'created_before'],
    ['created_before=999999999999', 'created_before'],
  ])('refuses %s', async (query, param) => {
    const response = await get(`?${query}`);

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      error: { code: 'invalid_parameter', param, message: expect.stringContaining(param) },
    });
  });

  it('names every parameter that is wrong or unknown, and lets ?beta=true pass', async () => {
    const { status, body } = await get('?order=asc&limit=0&status=x');

    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: {
        code: 'unknown_parameter',
        param: 'order',
        details: [{ param: 'order' }, { param: 'limit' }, { param: 'status' }],
      },
    });
    await get('?beta=true').expect(200);
    await get('?__proto__=x').expect(400);
  });

  it('needs the scope videos:read, and another method than GET and POST is refused with Allow', async () => {
    const { apiKey: writer } = await api.aKey({ scopes: ['videos:write'] });

    expect((await get('', writer)).body).toMatchObject({ error: { code: 'scope_missing' } });
    const refused = await request(api.url).put('/v1/videos').set('x-api-key', apiKey);
    expect([refused.status, refused.get('allow')]).toEqual([405, 'GET, POST']);
  });
});
