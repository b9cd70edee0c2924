import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createHolds, createLedger } from '@gateway/store';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let reader: string;
let accountId: string;
let taskId: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey: reader, accountId } = await api.aKey({ scopes: ['billing:read'], quota: 1_000 }));
  taskId = (await storiesOf(api.database, accountId).succeeded(3)).id;
  await createHolds(api.database).settle(taskId);
});
afterAll(async () => {
  await api.close();
});

interface Page {
  readonly data: { readonly id: string; readonly kind: string }[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const get = (query = '', key = reader) =>
  request(api.url).get(`/v1/billing/ledger${query}`).set('authorization', `Bearer ${key}`);
const page = async (query = '', key = reader): Promise<Page> =>
  (await get(query, key)).body as Page;
const kindsOf = ({ data }: Page): string[] => data.map(({ kind }) => kind);

describe('GET /v1/billing/ledger', () => {
  it('lists every movement of the account, newest first', async () => {
    const response = await get();

    expect(response.status).toBe(200);
    expect(response.get('cache-control')).toBe('no-store');
    const common = {
      id: expect.stringMatching(/^entry_[0-9a-f]{32}$/),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect(response.body).toEqual({
      object: 'list',
      has_more: false,
      first_id: expect.any(String),
      last_id: expect.any(String),
      data: [
        {
          ...common,
          kind: 'release',
          task_id: taskId,
          quota: 20,
          balance_after: 970,
          held_after: 0,
        },
        {
          ...common,
          kind: 'charge',
          task_id: taskId,
          quota: 30,
          balance_after: 970,
          held_after: 20,
        },
        {
          ...common,
          kind: 'hold',
          task_id: taskId,
          quota: 50,
          balance_after: 1_000,
          held_after: 50,
        },
        {
          ...common,
          kind: 'top_up',
          task_id: null,
          quota: 1_000,
          balance_after: 1_000,
          held_after: 0,
        },
      ],
    });
    const { data, first_id: first, last_id: last } = response.body as Page;
    expect([first, last]).toEqual([data[0]!.id, data[3]!.id]);
  });

  it('is read page by page, forwards and backwards', async () => {
    const newest = await page('?limit=2');
    const older = await page(`?limit=2&after=${newest.last_id}`);
    const back = await page(`?limit=1&before=${older.first_id}`);

    expect([kindsOf(newest), newest.has_more]).toEqual([['release', 'charge'], true]);
    expect([kindsOf(older), older.has_more]).toEqual([['hold', 'top_up'], false]);
    expect([kindsOf(back), back.has_more]).toEqual([['charge'], true]);
    expect(kindsOf(await page(`?after=${newest.first_id}&before=${older.last_id}`))).toEqual([
      'charge',
      'hold',
    ]);
    expect(await page(`?after=${older.last_id}`)).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
    expect(kindsOf(await page(`?before=${newest.first_id}`))).toEqual([]);
  });

  it('loses and repeats nothing while entries are added between two pages', async () => {
    const { apiKey, accountId: busy } = await api.aKey({ scopes: ['billing:read'], quota: 1 });
    for (let number = 0; number < 6; number += 1) {
      await createLedger(api.database).topUp(busy, 1, 'x');
    }
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { data, last_id: last, has_more: more } = await page(`?limit=2${after}`, apiKey);
      seen.push(...data.map(({ id }) => id));
      await createLedger(api.database).topUp(busy, 1, 'meanwhile');
      if (!more) break;
      after = `&after=${last}`;
    }

    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
  });

  it('shows nothing of another account, not even by its cursor', async () => {
    const { apiKey } = await api.aKey({ scopes: ['billing:read'], quota: 5 });
    const foreign = (await page()).first_id;

    expect(kindsOf(await page('', apiKey))).toEqual(['top_up']);
    for (const [param, id] of [
      ['before', foreign],
      ['after', foreign],
      ['after', `entry_${'0'.repeat(32)}`],
    ]) {
      const { status, body } = await get(`?${param}=${id}`, apiKey);
      expect([status, body]).toMatchObject([400, { error: { code: 'invalid_parameter', param } }]);
    }
  });

  it('shows ids that say nothing of how many entries there are', async () => {
    const { apiKey, accountId: quiet } = await api.aKey({ scopes: ['billing:read'], quota: 1 });
    for (let number = 0; number < 20; number += 1) {
      await createLedger(api.database).topUp(quiet, 1, 'x');
    }
    const ids = (await page('?limit=100', apiKey)).data.map(({ id }) => id);

    expect(new Set(ids).size).toBe(21);
    expect([...ids].sort()).not.toEqual(ids);
    expect([...ids].sort().reverse()).not.toEqual(ids);
    // ids that were shown stay
    expect((await page('?limit=100', apiKey)).data.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['limit=1.5', 'limit'],
    ['after=17', 'after'],
    ['before=video_1', 'before'],
    ['after=entry_1&after=entry_2', 'after'],
  ])('refuses %s', async (query, param) => {
    const response = await get(`?${query}`);

    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ error: { code: 'invalid_parameter', param } });
  });

  it('needs the scope billing:read, and only takes GET', async () => {
    const { apiKey } = await api.aKey({ scopes: ['videos:read'] });

    expect((await get('', apiKey)).status).toBe(403);
    expect(
      (await request(api.url).post('/v1/billing/ledger').set('authorization', `Bearer ${reader}`))
        .status,
    ).toBe(405);
  });
});
