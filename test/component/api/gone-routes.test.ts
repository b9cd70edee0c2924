import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Configuration } from '@gateway/contracts';
import { createGoneModels, createTaskReads } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

const bearer = 'Bearer admin-token-for-tests';
const gone = { provider: 'sandbox', upstreamModel: 'gone-1' } as const;
const pause = { firstMs: 600_000, maxMs: 600_000 } as const;

let api: ApiUnderTest;
let url: string;
let apiKey: string;
beforeAll(async () => {
  api = await openApi({ adminToken: 'admin-token-for-tests' });
  url = await api.aReplica(withTwoRoutes);
  ({ apiKey } = await api.aKey({ quota: 1_000_000 }));
});
afterAll(() => api.close());

/** Nearly all of the weight is on the one that its vendor will not have. */
function withTwoRoutes(usual: Configuration): Configuration {
  const model = usual.models.get('sandbox-video')!;
  const [route] = model.routes;
  const routes = [
    { ...route!, ...gone, name: 'sandbox/gone-1', weight: 1_000_000 },
    { ...route!, weight: 1 },
  ];
  return { ...usual, models: new Map([['sandbox-video', { ...model, routes }]]) };
}

async function upstreamOfNew(): Promise<string | undefined> {
  const { body } = await request(url)
    .post('/v1/videos')
    .set('authorization', `Bearer ${apiKey}`)
    .send({ model: 'sandbox-video', prompt: 'a red balloon' })
    .expect(200);
  const task = await createTaskReads(api.database).find((body as { id: string }).id);
  return task?.vendor.upstreamModel;
}

const admin = (path: string) => `/admin/v1/routes/${path}`;
const retry = (body: object) =>
  request(url).post(admin('retry')).set('authorization', bearer).send(body);

describe('a route whose vendor has no such model', () => {
  it('gets no new task, is shown to the operator, and gets tasks again when asked to', async () => {
    expect(await upstreamOfNew()).toBe('gone-1');
    await createGoneModels(api.database).heard(gone, { taskId: 'x', detail: '404', pause });

    await eventually(async () => {
      expect(await upstreamOfNew()).toBe('sandbox-video');
    });
    const { body } = await request(url).get(admin('gone')).set('authorization', bearer).expect(200);
    expect((body as { data: object[] }).data).toMatchObject([
      { object: 'admin.gone_route', upstream_model: 'gone-1', refusals: 1, detail: '404' },
    ]);

    const named = { provider: 'sandbox', upstream_model: 'gone-1' };
    expect((await retry(named).expect(200)).body).toMatchObject({ ...named, was_gone: true });
    expect((await retry(named).expect(200)).body).toMatchObject({ was_gone: false });
    await eventually(async () => {
      expect(await upstreamOfNew()).toBe('gone-1');
    });
  });

  it('gets new tasks all the same where there is no other', async () => {
    await createGoneModels(api.database).heard(
      { provider: 'sandbox', upstreamModel: 'sandbox-video' },
      { taskId: 'x', detail: '404', pause },
    );
    await createGoneModels(api.database).heard(gone, { taskId: 'x', detail: '404', pause });

    await eventually(async () => {
      expect(await upstreamOfNew()).toBe('gone-1');
    });
  });

  it('is named with both its names, or nothing happens', async () => {
    const { status, body } = await retry({ provider: 'sandbox' });

    expect([status, body]).toMatchObject([
      400,
      { error: { code: 'missing_parameter', param: 'upstream_model' } },
    ]);
  });
});
