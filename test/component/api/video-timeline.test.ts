import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { newId } from '@gateway/runtime';
import { createHolds, createTaskEndings } from '@gateway/store';
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

interface Moment {
  readonly name: string;
  readonly at: string;
  readonly status: string | null;
  readonly quota: number | null;
}

const timeline = (id: string, key = apiKey) =>
  request(api.url).get(`/v1/videos/${id}/timeline`).set('x-api-key', key);
const moments = async (id: string): Promise<Moment[]> =>
  ((await timeline(id).expect(200)).body as { data: Moment[] }).data;
const callback = { callbackUrl: 'https://receiver.example/hook' };

describe('the timeline of a task', () => {
  it('names what has happened so far, and nothing else', async () => {
    const { id } = await storiesOf(api.database, accountId).queued();
    expect((await moments(id)).map(({ name }) => name)).toEqual(['held', 'queued']);
  });

  it('goes from the hold to the charge and the push, in the order of time', async () => {
    const { id } = await storiesOf(api.database, accountId).succeeded(3, callback);
    await createHolds(api.database).settle(id);
    await api.database.pool.query(
      `UPDATE callback_push SET state = 'delivered', settled_at = now() + interval '1 second' WHERE task_id = $1 AND status = 'succeeded'`,
      [id],
    );

    const found = await moments(id);

    expect(found.map(({ name }) => name)).toEqual([
      'held',
      'queued',
      'admitted',
      'submitted',
      'running',
      'stored',
      'ended',
      'charged',
      'released',
      'pushed',
    ]);
    expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).sort());
    expect(found.filter(({ status }) => status !== null)).toMatchObject([
      { name: 'ended', status: 'succeeded' },
      { name: 'pushed', status: 'succeeded' },
    ]);
  });

  it('says how much was held, charged and given back', async () => {
    const { id } = await storiesOf(api.database, accountId).succeeded(3);
    await createHolds(api.database).settle(id);
    const { rows } = await api.database.pool.query<{ held: number; charged: number }>(
      'SELECT quota AS held, charged_quota AS charged FROM hold WHERE task_id = $1',
      [id],
    );
    const [{ held, charged } = { held: 0, charged: 0 }] = rows;
    expect(charged).toBeGreaterThan(0);
    expect(charged).toBeLessThan(held);

    const sums = (await moments(id)).filter(({ quota }) => quota !== null);

    expect(sums.map(({ name, quota }) => [name, quota])).toEqual([
      ['held', held],
      ['charged', charged],
      ['released', held - charged],
    ]);
  });

  it('says that a hold was released, and that a cancellation was asked for', async () => {
    const stories = storiesOf(api.database, accountId);
    const failed = await stories.ended('failed');
    await createHolds(api.database).settle(failed.id);
    const [held] = await moments(failed.id);
    expect(held?.quota).toBeGreaterThan(0);
    expect((await moments(failed.id)).at(-1)).toMatchObject({
      name: 'released',
      quota: held?.quota,
    });

    const running = await stories.running();
    await createTaskEndings(api.database).requestCancel(running.id, accountId);
    expect((await moments(running.id)).at(-1)).toMatchObject({ name: 'cancel_requested' });
  });

  it('is nobody else’s', async () => {
    const { id } = await storiesOf(api.database, accountId).queued();
    const stranger = await api.aKey();
    await timeline(id, stranger.apiKey).expect(404);
    await timeline(newId('task')).expect(404);
    await timeline('nonsense').expect(404);
    await timeline(id, (await api.aKey({ accountId, scopes: ['text'] })).apiKey).expect(403);
  });
});
