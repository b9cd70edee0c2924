import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await api.close();
});

interface Page {
  readonly data: { readonly id: string; readonly state: string }[];
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** One task in each state, oldest first: delivered, pending, failing, stopped; and one without. */
async function anAccount() {
  const key = await api.aKey();
  const stories = storiesOf(api.database, key.accountId);
  const hook = { callbackUrl: 'https://receiver.example/hook' };
  const tasks = [];
  for (let index = 0; index < 4; index += 1) tasks.push(await stories.queued(hook));
  await stories.queued();
  const [delivered, pending, failing, stopped] = tasks.map(({ id }) => id) as [
    string,
    string,
    string,
    string,
  ];
  const change = (id: string, to: string) =>
    api.database.pool.query(`UPDATE callback SET ${to} WHERE task_id = $1`, [id]);
  await api.database.pool.query(
    `UPDATE callback_push SET state = 'delivered', settled_at = now() WHERE task_id = $1`,
    [delivered],
  );
  await change(delivered, `state = 'verified', verified_at = now(), settled_sequence = 1`);
  await change(failing, `state = 'verified', verified_at = now(), failures = 3`);
  await change(
    stopped,
    `state = 'stopped', stop_reason = 'exhausted', failures = 6, due_at = NULL`,
  );
  const get = (query = '') =>
    request(api.url).get(`/v1/callbacks${query}`).set('x-api-key', key.apiKey);
  const redeliver = (body: object) =>
    request(api.url).post('/v1/callbacks/redeliver').set('x-api-key', key.apiKey).send(body);
  return { ...key, delivered, pending, failing, stopped, get, redeliver };
}

describe('the callbacks of an account', () => {
  it('are listed with where they stand, newest task first', async () => {
    const { get, delivered, pending, failing, stopped } = await anAccount();
    const { body } = await get().expect(200);
    expect(body).toMatchObject({
      data: [
        { id: stopped, state: 'stopped', reason: 'exhausted', failures: 6 },
        { id: failing, state: 'failing', failures: 3, pending: 1 },
        { id: pending, state: 'pending', pending: 1 },
        {
          id: delivered,
          object: 'video.callback',
          callback_url: 'https://receiver.example/hook',
          state: 'delivered',
          pending: 0,
        },
      ],
      has_more: false,
    });
  });

  it.each(['delivered', 'pending', 'failing', 'stopped'] as const)(
    'are found by their state: %s',
    async (state) => {
      const account = await anAccount();
      const { body } = await account.get(`?state=${state}`).expect(200);
      expect((body as Page).data).toMatchObject([{ id: account[state], state }]);
    },
  );

  it('are pages', async () => {
    const { get, stopped, failing } = await anAccount();
    const first = (await get('?limit=1').expect(200)).body as Page;
    expect(first).toMatchObject({ data: [{ id: stopped }], has_more: true, last_id: stopped });
    const { body: second } = await get(`?limit=1&after=${stopped}`).expect(200);
    expect(second).toMatchObject({ data: [{ id: failing }], has_more: true });
    const { body: back } = await get(`?limit=1&before=${failing}`).expect(200);
    expect(back).toMatchObject({ data: [{ id: stopped }], has_more: false });
  });

  it('are nobody else’s', async () => {
    await anAccount();
    const { apiKey } = await api.aKey();
    const { body } = await request(api.url)
      .get('/v1/callbacks')
      .set('x-api-key', apiKey)
      .expect(200);
    expect(body).toMatchObject({ data: [], last_id: null, has_more: false });
  });

  it.each(['?state=lost', '?after=x', '?colour=red'])('refuse %s', async (query) => {
    const { get } = await anAccount();
    await get(query).expect(400);
  });
});

describe('redelivering many', () => {
  it('says how many first, and then has them pushed again', async () => {
    const { get, redeliver, stopped, failing } = await anAccount();
    const { body: count } = await redeliver({ state: 'stopped', dry_run: true }).expect(200);
    expect(count).toMatchObject({ redelivered: 1, video_ids: [stopped], dry_run: true });
    expect((await get('?state=stopped').expect(200)).body).toMatchObject({
      data: [{ id: stopped }],
    });

    const { body } = await redeliver({ state: 'stopped' }).expect(200);
    expect(body).toMatchObject({
      object: 'callback.redelivery',
      redelivered: 1,
      video_ids: [stopped],
      has_more: false,
    });
    expect((await get('?state=stopped').expect(200)).body).toMatchObject({ data: [] });
    const { rows } = await api.database.pool.query(
      `SELECT manual_at IS NOT NULL AS asked, state FROM callback WHERE task_id = ANY($1) ORDER BY task_id`,
      [[failing, stopped]],
    );
    expect(rows).toEqual([
      { asked: false, state: 'verified' },
      { asked: true, state: 'unverified' },
    ]);
    expect((await redeliver({ state: 'stopped' }).expect(200)).body).toMatchObject({
      redelivered: 0,
    });
  });

  it('goes on behind the last one', async () => {
    const { redeliver, accountId, stopped } = await anAccount();
    await api.database.pool.query(
      `UPDATE callback SET state = 'stopped', stop_reason = 'gone', due_at = NULL WHERE task_id IN (SELECT id FROM task WHERE account_id = $1)`,
      [accountId],
    );
    const { body } = await redeliver({ state: 'stopped', limit: 1 }).expect(200);
    expect(body).toMatchObject({ video_ids: [stopped], last_id: stopped, has_more: true });
    const { body: rest } = await redeliver({ state: 'stopped', after: stopped }).expect(200);
    expect(rest).toMatchObject({ redelivered: 3, has_more: false });
  });

  it.each([
    [{}, 'state'],
    [{ state: 'lost' }, 'state'],
    [{ state: 'stopped', limit: 101 }, 'limit'],
    [{ state: 'stopped', after: 'x' }, 'after'],
    [{ state: 'stopped', colour: 'red' }, 'colour'],
  ])('refuses %j', async (body, param) => {
    const { redeliver } = await anAccount();
    const response = await redeliver(body).expect(400);
    expect(response.body).toMatchObject({ error: { param } });
  });

  it('needs the scope videos:write', async () => {
    const { accountId } = await anAccount();
    const { apiKey } = await api.aKey({ accountId, scopes: ['videos:read'] });
    await request(api.url)
      .post('/v1/callbacks/redeliver')
      .set('x-api-key', apiKey)
      .send({ state: 'stopped' })
      .expect(403);
  });
});
