import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { newId } from '@gateway/runtime';
import { createDataKeeping, createRouteChanges, createTaskMoves } from '@gateway/store';
import { withPlace } from '@gateway/testing';
import { aTaskLongOver } from '../../integration/store/long-ago.ts';
import { storiesOf, won, type Stories } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let accountId: string;
let stories: Stories;
beforeAll(async () => {
  api = await openApi({ adminToken: 'admin-token-for-tests' });
  ({ accountId } = await api.aKey({ quota: 1_000_000 }));
  stories = storiesOf(api.database, accountId);
});
afterAll(() => api.close());

const bearer = 'Bearer admin-token-for-tests';
const get = (path: string) => request(api.url).get(`/admin/v1${path}`).set('authorization', bearer);
const idsOf = async (query: string): Promise<string[]> =>
  (
    (await get(`/tasks?account=${accountId}&${query}`).expect(200)).body as {
      data: { id: string }[];
    }
  ).data.map(({ id }) => id);
const age = (taskId: string, column: string, seconds: number) =>
  api.database.pool.query(
    `UPDATE task SET ${column} = now() - make_interval(secs => $2) WHERE id = $1`,
    [taskId, seconds],
  );

describe('one task, as its operator sees it', () => {
  it('shows status, events, tries with their routes, hold, callback and exposure', async () => {
    const moves = createTaskMoves(api.database);
    const sent = await stories.submitting({ callbackUrl: 'https://receiver.example/hook' });
    const { taskId: _none, ...vendor } = sent.vendor;
    const [left] = await createRouteChanges(api.database).changeRoutes([
      {
        task: sent,
        to: { ...vendor, provider: 'second' },
        because: 'refused',
        outcome: 'unavailable',
        detail: 'no credit',
      },
    ]);
    const again = won(await moves.claimSubmission(await withPlace(api.database, left!)));
    won(
      await moves.move(again, 'accepted', { changes: { step: 'poll', vendorTaskId: 'vendor-7' } }),
    );
    await moves.recordExposure({
      taskId: sent.id,
      kind: 'orphan',
      provider: vendor.provider,
      vendorTaskId: 'vendor-6',
      detail: 'found by an audit',
    });

    const { body } = await get(`/videos/${sent.id}`).expect(200);

    expect(body).toMatchObject({
      id: sent.id,
      object: 'admin.task',
      account_id: accountId,
      status: 'running',
      step: 'poll',
      provider: 'second',
      vendor_task_id: 'vendor-7',
      upstream_model: vendor.upstreamModel,
      age_seconds: expect.any(Number),
      archived: false,
      hold: { quota: 50, state: 'open', charged_quota: null, closed_at: null },
      events: [
        { sequence: 1, status: 'queued' },
        { sequence: 2, status: 'running' },
      ],
      tries: [
        {
          provider: vendor.provider,
          outcome: 'unavailable',
          left_because: 'refused',
          detail: 'no credit',
        },
        { provider: 'second', vendor_task_id: 'vendor-7', outcome: 'accepted', ended_at: null },
      ],
      callback: { state: 'pending_verification', pending: 2 },
      exposures: [{ kind: 'orphan', vendor_task_id: 'vendor-6', vendor_cost: null }],
    });
    // Nothing of what the customer wrote.
    expect(JSON.stringify(body)).not.toContain(sent.request.prompt);
  });

  it('shows a finished one with what was charged, and the same once it is archived', async () => {
    const taskId = await aTaskLongOver(api.database, accountId);
    const { body: before } = await get(`/videos/${taskId}`).expect(200);
    expect(before).toMatchObject({ archived: false, hold: { state: 'closed' } });
    expect((before as { tries: object[] }).tries).not.toHaveLength(0);
    await createDataKeeping(api.database).archiveTasks({ days: 100, limit: 10 });

    const { body: after } = await get(`/videos/${taskId}`).expect(200);

    const { age_seconds: _age, ...rest } = before as Record<string, unknown>;
    expect(after).toMatchObject({ ...rest, archived: true });
    expect(await idsOf(`id=${taskId}`)).toEqual([taskId]);
  });

  it.each(['video_01h455vb4pex5vsknk084sn02q', 'nothing'])('is not found: %s', async (id) => {
    expect((await get(`/videos/${id}`).expect(404)).body).toMatchObject({
      error: { code: 'task_not_found' },
    });
  });
});

describe('the list of tasks', () => {
  it('shows those that nobody gets on with, and no others', async () => {
    const fine = await stories.running();
    const late = await stories.running();
    await age(late.id, 'expires_at', 5);
    const failing = await stories.running();
    await api.database.pool.query('UPDATE task SET step_failures = 3 WHERE id = $1', [failing.id]);
    const unresolved = await stories.submitting();
    await age(unresolved.id, 'submitting_at', 400);
    const over = await stories.ended('failed');
    await age(over.id, 'expires_at', 5);

    const stuck = await idsOf('stuck=true');

    expect(stuck).toEqual([unresolved.id, failing.id, late.id]);
    expect(await idsOf('stuck=false')).toContain(fine.id);
    expect(await idsOf('stuck=true&status=queued')).toEqual([unresolved.id]);
  });

  it('shows those that are older than asked for', async () => {
    const old = await stories.queued({ id: newId('task', Date.now() - 7_300_000) });
    const young = await stories.queued();
    await age(old.id, 'created_at', 7_300);

    const found = await idsOf('older_than=2h&status=queued');

    expect(found).toContain(old.id);
    expect(found).not.toContain(young.id);
    expect(await idsOf('older_than=7500&status=queued')).not.toContain(old.id);
  });

  it('shows one by its id', async () => {
    const { id } = await stories.queued();

    expect(await idsOf(`id=${id}`)).toEqual([id]);
  });

  it.each([
    ['id=1', 'id'],
    ['stuck=yes', 'stuck'],
    ['older_than=2w', 'older_than'],
    ['older_than=99999999d', 'older_than'],
  ])('refuses a filter that is wrong: %s', async (query, param) => {
    expect((await get(`/tasks?${query}`).expect(400)).body).toMatchObject({
      error: { code: 'invalid_parameter', param },
    });
  });
});

describe('the usage of an account', () => {
  it('is what the account itself sees', async () => {
    await stories.succeeded(3);
    const { apiKey } = await api.aKey({ accountId, scopes: ['billing:read'] });
    const own = await request(api.url).get('/v1/usage').set('authorization', `Bearer ${apiKey}`);

    const { body } = await get(`/accounts/${accountId}/usage`).expect(200);

    expect(body).toEqual(own.body);
    const { data } = body as { data: { seconds: number }[] };
    expect(data.some(({ seconds }) => seconds >= 3)).toBe(true);
    expect((await get(`/accounts/${accountId}/usage?model=none`)).body).toMatchObject({ data: [] });
    await get('/accounts/acct_01h455vb4pex5vsknk084sn02q/usage').expect(404);
    expect((await get(`/accounts/${accountId}/usage?from=x`).expect(400)).body).toMatchObject({
      error: { param: 'from' },
    });
  });
});
