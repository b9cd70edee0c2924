import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTaskMoves } from '@gateway/store';
import { aResult, contentOf, storiesOf, won } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

const adminToken = 'admin-token-for-tests';
let api: ApiUnderTest;
let priced: string;
beforeAll(async () => {
  api = await openApi({ adminToken });
  priced = await api.aReplica((usual) => ({
    ...usual,
    quotaPerCurrency: new Map([['USD', 100]]),
  }));
});
afterAll(() => api.close());

const margin = (query = '', url = priced) =>
  request(url).get(`/admin/v1/margin${query}`).set('authorization', `Bearer ${adminToken}`);

describe('GET /admin/v1/margin', () => {
  it('shows revenue, costs and margin by day, model and provider, and exposure one by one', async () => {
    const { id } = await api.aKey({ quota: 1_000 }).then(({ accountId }) => ({ id: accountId }));
    const stories = storiesOf(api.database, id);
    const moves = createTaskMoves(api.database);
    won(
      await moves.move(await stories.running(), 'stored', {
        changes: { step: 'done', result: aResult, billed: { seconds: 5, quota: 50 } },
        media: [],
        cost: { amount: '0.35', currency: 'USD', source: 'reported' },
      }),
    );
    const expired = await stories.ended('expired');
    await moves.recordExposure({
      taskId: expired.id,
      kind: 'late_success',
      provider: expired.vendor.provider,
      vendorTaskId: 'vendor-1',
      detail: 'late',
      cost: { amount: '0.1', currency: 'USD', source: 'calculated' },
    });

    const { status, headers, body } = await margin();

    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    const sums = {
      videos: 1,
      videos_without_cost: 0,
      revenue_quota: 50,
      costs: [{ currency: 'USD', cost: '0.35', exposure: '0.1' }],
      cost_quota: 45,
      margin_quota: 5,
    };
    expect(body).toMatchObject({
      object: 'list',
      data: [{ object: 'margin', model: 'sandbox-video', provider: 'sandbox', ...sums }],
      total: sums,
      exposures: [{ object: 'exposure', task_id: expired.id, vendor_cost: '0.1' }],
      has_more_exposures: false,
    });
    expect((await margin('', api.url)).body).toMatchObject({ total: { margin_quota: null } });
  });

  it.each([
    ['?from=yesterday', 'from'],
    ['?from=2026-01-01&to=2026-12-31', 'from'],
    ['?from=2026-03-02&to=2026-03-01', 'from'],
    ['?day=2026-03-02', 'day'],
    ['?from=2026-03-02%00', 'from'],
  ])('refuses %s, and names %s', async (query, param) => {
    const { status, body } = await margin(query);

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { param } });
  });

  it('is for operators only', async () => {
    const { apiKey } = await api.aKey();

    const refused = await request(priced).get('/admin/v1/margin').set('x-api-key', apiKey);

    expect(refused.status).toBe(401);
  });

  it('shows customers nothing of a cost', async () => {
    const { apiKey, accountId } = await api.aKey({ quota: 1_000 });
    const running = await storiesOf(api.database, accountId).running();
    const task = won(
      await createTaskMoves(api.database).move(running, 'stored', {
        changes: { step: 'done', result: aResult, billed: { seconds: 5, quota: 50 } },
        media: [contentOf(running)],
        cost: { amount: '0.123456', currency: 'XTS', source: 'reported' },
      }),
    );

    for (const path of [`/v1/videos/${task.id}`, '/v1/videos', `/v1/videos/${task.id}/events`]) {
      const { text } = await request(priced).get(path).set('x-api-key', apiKey);
      expect(text).not.toMatch(/0\.123456|XTS|cost/);
    }
  });
});
