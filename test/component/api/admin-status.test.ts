import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createReplicaReports, type ReplicaReports } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { storiesOf } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

const adminToken = 'admin-token-for-tests';
const hour = { hash: 'a', since: '2026-01-01T00:00:00.000Z' } as const;

let api: ApiUnderTest;
let reports: ReplicaReports;
beforeAll(async () => {
  api = await openApi({ adminToken });
  reports = createReplicaReports(api.database);
});
afterAll(() => api.close());

interface Status {
  readonly answered_by: string;
  readonly providers: readonly { readonly provider: string }[];
  readonly replicas: readonly { readonly id: string; readonly service: string }[];
}

const status = (query = '') =>
  request(api.url).get(`/admin/v1/status${query}`).set('authorization', `Bearer ${adminToken}`);
const read = async (): Promise<Status> => (await status().expect(200)).body as Status;

const worker = (id: string, facts: Parameters<ReplicaReports['note']>[0]['facts']) =>
  reports.note({ id, service: 'video-worker', version: '9.9.9', facts });

describe('GET /admin/v1/status', () => {
  it('shows the replica that answers, with its configuration', async () => {
    await eventually(async () => {
      const { answered_by: own, replicas } = await read();
      expect(replicas.find(({ id }) => id === own)).toMatchObject({
        object: 'replica',
        service: 'api',
        configuration: { generation: 1, hash: 'fixed', refused: null },
      });
    });
  });

  it('adds up what the workers say: calls together, the worst of their breakers, what was refused', async () => {
    const refused = { hash: 'b', at: hour.since, problems: ['gateway.yaml:3 no such kind'] };
    await worker('worker-1', {
      configuration: { generation: 2, ...hour, refused },
      breakers: { sandbox: 'closed' },
      calls: { sandbox: 30 },
    });
    await worker('worker-2', { breakers: { sandbox: 'open' }, calls: { sandbox: 60 } });

    await eventually(async () => {
      const { providers, replicas } = await read();
      expect(providers.find(({ provider }) => provider === 'sandbox')).toMatchObject({
        configured: true,
        breaker: 'open',
        requests_per_second: { used: 1.5 },
      });
      expect(replicas.find(({ id }) => id === 'worker-1')).toMatchObject({
        version: '9.9.9',
        configuration: { generation: 2, hash: 'a', refused },
      });
    });
  });

  it('forgets a replica that left, and one that was not seen for long', async () => {
    await worker('worker-left', {});
    await worker('worker-gone', {});
    await reports.leave('worker-left');
    await api.database.pool.query(
      `UPDATE replica_report SET seen_at = now() - interval '1 minute' WHERE id = 'worker-gone'`,
    );
    const ids = (await reports.live()).map(({ id }) => id);

    expect(ids).not.toContain('worker-left');
    expect(ids).not.toContain('worker-gone');
    await api.database.pool.query(
      `UPDATE replica_report SET seen_at = now() - interval '1 hour' WHERE id = 'worker-gone'`,
    );
    await worker('worker-1', {});
    const { rows } = await api.database.pool.query(
      `SELECT FROM replica_report WHERE id = 'worker-gone'`,
    );
    expect(rows).toEqual([]);
  });

  it('counts slots, tasks that wait, and failures of the last hour by class', async () => {
    const { accountId } = await api.aKey({ quota: 100_000 });
    const stories = storiesOf(api.database, accountId);
    await stories.running();
    const failed = await stories.running();
    await api.database.pool.query(
      `UPDATE task_try SET outcome = 'unavailable', detail = 'HTTP 503', ended_at = now() WHERE task_id = $1`,
      [failed.id],
    );

    await eventually(async () => {
      const { providers } = await read();
      expect(providers.find(({ provider }) => provider === 'sandbox')).toMatchObject({
        slots: { taken: 2 },
        queue: { waiting: 0 },
        failures: [{ outcome: 'unavailable', count: 1, detail: 'HTTP 503' }],
      });
    });
  });

  it('takes no parameters, and serves nobody without the token', async () => {
    expect((await status('?provider=sandbox')).status).toBe(400);
    await request(api.url).get('/admin/v1/status').expect(401);
  });
});
