import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTaskMoves } from '@gateway/store';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let accountId: string;
const taskIds: string[] = [];
beforeAll(async () => {
  api = await openApi({ adminToken: 'admin-token-for-tests' });
  ({ accountId } = await api.aKey({ quota: 100_000 }));
  const moves = createTaskMoves(api.database);
  for (const kind of ['late_success', 'orphan', 'late_success'] as const) {
    const { id } = await storiesOf(api.database, accountId).ended('expired');
    await moves.recordExposure({
      taskId: id,
      kind,
      provider: 'sandbox',
      vendorTaskId: `vendor-${id}`,
      detail: 'late',
      cost: { amount: '0.1', currency: 'USD', source: 'calculated' },
    });
    taskIds.unshift(id);
  }
});
afterAll(() => api.close());

interface Exposures {
  readonly data: readonly { readonly id: string; readonly task_id: string }[];
  readonly last_id: string;
  readonly has_more: boolean;
}

const get = (query: string) =>
  request(api.url)
    .get(`/admin/v1/exposures${query}`)
    .set('authorization', 'Bearer admin-token-for-tests');
const list = async (query = ''): Promise<Exposures> =>
  (await get(query).expect(200)).body as Exposures;
const tasksOf = ({ data }: Exposures): string[] => data.map(({ task_id: id }) => id);

describe('GET /admin/v1/exposures', () => {
  it('shows whose work it was, where, how long, how it was found and what it costs', async () => {
    expect((await list()).data[0]).toMatchObject({
      object: 'exposure',
      kind: 'late_success',
      account_id: accountId,
      task_id: taskIds[0],
      provider: 'sandbox',
      model: 'sandbox-video',
      vendor_task_id: `vendor-${taskIds[0]}`,
      seconds: expect.any(Number),
      detail: 'late',
      vendor_cost: '0.1',
      vendor_currency: 'USD',
    });
  });

  it('is read page by page, newest first, in both directions', async () => {
    const first = await list('?limit=2');
    expect([tasksOf(first), first.has_more]).toEqual([taskIds.slice(0, 2), true]);
    const second = await list(`?limit=2&after=${first.last_id}`);
    expect([tasksOf(second), second.has_more]).toEqual([taskIds.slice(2), false]);
    const back = await list(`?limit=1&before=${second.last_id}`);
    expect([tasksOf(back), back.has_more]).toEqual([[taskIds[1]], true]);
  });

  it('takes filters: kind, provider, account and task', async () => {
    const { accountId: other } = await api.aKey();

    expect(tasksOf(await list('?kind=orphan'))).toEqual([taskIds[1]]);
    expect(tasksOf(await list('?provider=elsewhere'))).toEqual([]);
    expect(tasksOf(await list(`?account=${accountId}`))).toEqual(taskIds);
    expect(tasksOf(await list(`?account=${other}`))).toEqual([]);
    expect(tasksOf(await list(`?task=${taskIds[2]}`))).toEqual([taskIds[2]]);
  });

  it.each(['kind=lost', 'account=x', 'task=x', 'after=x', 'limit=0', 'colour=red'])(
    'refuses %s by its name',
    async (query) => {
      const { status, body } = await get(`?${query}`);

      expect([status, (body as { error: { param: string } }).error.param]).toEqual([
        400,
        query.split('=')[0],
      ]);
    },
  );
});
