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

const ask = (method: 'get' | 'post', path: string, body?: object) =>
  request(api.url)
    [method](`/admin/v1${path}`)
    .set('authorization', 'Bearer admin-token-for-tests')
    .send(body);

interface Listed {
  readonly data: readonly { readonly id: string }[];
  readonly last_id: string | null;
  readonly has_more: boolean;
}
const idsOf = async (query: string): Promise<string[]> =>
  ((await ask('get', `/callbacks${query}`).expect(200)).body as Listed).data.map(({ id }) => id);

const change = (id: string, to: string) =>
  api.database.pool.query(`UPDATE callback SET ${to} WHERE task_id = $1`, [id]);

/** An account with a task in each state, oldest first. */
async function anAccount() {
  const { accountId } = await api.aKey();
  const stories = storiesOf(api.database, accountId);
  const hook = { callbackUrl: 'https://receiver.example:8443/hook?secret=s3cret' };
  const made = async (to: string): Promise<string> => {
    const { id } = await stories.queued(hook);
    await change(id, to);
    return id;
  };
  return {
    accountId,
    delivered: await made(`state = 'verified', verified_at = now(), settled_sequence = 1`),
    pending: await made(`state = 'unverified'`),
    failing: await made(`state = 'verified', verified_at = now(), failures = 3`),
    stopped: await made(
      `state = 'stopped', stop_reason = 'exhausted', failures = 6, due_at = NULL`,
    ),
  };
}

describe('the callbacks of all accounts', () => {
  it('are listed with whose they are and where they stand, and without the path of the address', async () => {
    const first = await anAccount();
    const second = await anAccount();

    const { body, text } = await ask('get', '/callbacks?limit=6').expect(200);

    expect((body as Listed).data.map(({ id }) => id)).toEqual([
      second.stopped,
      second.failing,
      second.pending,
      second.delivered,
      first.stopped,
      first.failing,
    ]);
    expect((body as Listed).data[0]).toEqual({
      id: second.stopped,
      object: 'admin.callback',
      account_id: second.accountId,
      origin: 'https://receiver.example:8443',
      state: 'stopped',
      reason: 'exhausted',
      failures: 6,
      pending: 1,
      last_attempt_at: null,
      last_outcome: null,
      last_status: null,
      next_attempt_at: null,
    });
    expect(text).not.toContain('s3cret');
  });

  it('are found by state and account, page by page in both directions', async () => {
    const first = await anAccount();
    const second = await anAccount();

    for (const state of ['delivered', 'pending', 'failing', 'stopped'] as const) {
      const [newest, older] = await idsOf(`?state=${state}`);
      expect([newest, older]).toEqual([second[state], first[state]]);
      expect(await idsOf(`?state=${state}&limit=1&after=${second[state]}`)).toEqual([first[state]]);
      expect(await idsOf(`?state=${state}&limit=1&before=${first[state]}`)).toEqual([
        second[state],
      ]);
      expect(await idsOf(`?state=${state}&account=${first.accountId}`)).toEqual([first[state]]);
    }
    expect(await idsOf(`?account=${first.accountId}`)).toHaveLength(4);
    expect(await idsOf('?account=acct_01h455vb4pex5vsknk084sn02q')).toEqual([]);
  });

  it('are found in trouble however many others are newer, and of other states a page says how far it looked', async () => {
    const { accountId, stopped, delivered } = await anAccount();
    const stories = storiesOf(api.database, accountId);
    for (let made = 0; made < 100; made += 1) {
      await stories.queued({ callbackUrl: 'https://receiver.example/hook' });
    }

    expect((await idsOf('?state=stopped'))[0]).toBe(stopped);
    const { body } = await ask('get', '/callbacks?state=delivered').expect(200);
    expect(body).toMatchObject({ data: [], has_more: true });
    const { last_id: last } = body as Listed;
    expect((await idsOf(`?state=delivered&after=${last ?? ''}`))[0]).toBe(delivered);
  });

  it('of deleted tasks are shown as long as their rows are there, but not in the list of their account', async () => {
    const { accountId } = await api.aKey();
    const { id } = await storiesOf(api.database, accountId).succeeded(3, {
      callbackUrl: 'https://receiver.example/hook',
    });
    await change(id, `state = 'stopped', stop_reason = 'gone', due_at = NULL`);
    await api.database.pool.query(`UPDATE task SET deleted_at = now() WHERE id = $1`, [id]);

    expect(await idsOf(`?account=${accountId}&state=stopped`)).toEqual([]);
    expect((await idsOf('?state=stopped'))[0]).toBe(id);
  });

  it.each([
    ['state=lost', 'state'],
    ['account=1', 'account'],
    ['after=x', 'after'],
    ['limit=101', 'limit'],
    ['colour=red', 'colour'],
  ])('refuse %s', async (query, param) => {
    expect((await ask('get', `/callbacks?${query}`).expect(400)).body).toMatchObject({
      error: { param },
    });
  });
});

describe('an operator has callbacks delivered again', () => {
  const journalOf = async (accountId: string): Promise<object[]> =>
    ((await ask('get', `/journal?account=${accountId}`).expect(200)).body as { data: object[] })
      .data;
  const redeliver = (body: object) => ask('post', '/callbacks/redeliver', body);

  it('of one task, with an entry in the journal', async () => {
    const { accountId, stopped } = await anAccount();

    await ask('post', `/videos/${stopped}/callbacks/redeliver`).expect(200);

    expect(await journalOf(accountId)).toMatchObject([
      { via: 'api', action: 'callback.redeliver', subject: stopped, details: {} },
    ]);
    expect(await createCallbackDeliveries(api.database).summary(stopped)).toMatchObject({
      state: 'unverified',
      stopReason: null,
    });
  });

  it('of one account, after it was said how many, and not of others', async () => {
    const other = await anAccount();
    const { accountId, stopped } = await anAccount();
    const asked = { state: 'stopped', account: accountId };

    const { body: count } = await redeliver({ ...asked, dry_run: true }).expect(200);
    expect(count).toMatchObject({ redelivered: 1, video_ids: [stopped], dry_run: true });
    expect(await journalOf(accountId)).toEqual([]);
    const { body } = await redeliver(asked).expect(200);

    expect(body).toMatchObject({ object: 'callback.redelivery', video_ids: [stopped] });
    expect(await journalOf(accountId)).toMatchObject([{ subject: stopped }]);
    expect(await journalOf(other.accountId)).toEqual([]);
    expect(await idsOf(`?state=stopped&account=${other.accountId}`)).toEqual([other.stopped]);
    expect((await redeliver(asked).expect(200)).body).toMatchObject({ redelivered: 0 });
  });

  it('of all accounts, step by step', async () => {
    const first = await anAccount();
    const second = await anAccount();

    const { body } = await redeliver({ state: 'failing', limit: 1 }).expect(200);
    expect(body).toMatchObject({ video_ids: [second.failing], has_more: true });
    const { body: next } = await redeliver({ state: 'failing', limit: 1, after: second.failing });

    expect(next).toMatchObject({ video_ids: [first.failing] });
    expect(await journalOf(first.accountId)).toHaveLength(1);
  });

  it('in one request at a time', async () => {
    await anAccount();
    await eventually(async () => {
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => redeliver({ state: 'pending' })),
      );
      const statuses = responses.map(({ status }) => status);
      expect(statuses).toContain(200);
      expect(statuses).toContain(429);
    });
  });

  it.each([
    [{}, 'state'],
    [{ state: 'lost' }, 'state'],
    [{ state: 'stopped', account: 'x' }, 'account'],
    [{ state: 'stopped', limit: 101 }, 'limit'],
    [{ state: 'stopped', colour: 'red' }, 'colour'],
  ])('not for %j', async (body, param) => {
    expect((await redeliver(body).expect(400)).body).toMatchObject({ error: { param } });
  });

  it('not without the token', async () => {
    await request(api.url).get('/admin/v1/callbacks').expect(401);
    await request(api.url).post('/admin/v1/callbacks/redeliver').send({}).expect(401);
  });
});
