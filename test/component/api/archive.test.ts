import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDataKeeping } from '@gateway/store';
import { aTaskLongOver } from '../../integration/store/long-ago.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let key: { readonly apiKey: string; readonly accountId: string };
let taskId: string;
const dayAgo = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** What a customer sees of the task, before and after it moved. */
let seen: Record<'before' | 'after', Record<string, unknown>>;
const paths = (id: string): Record<string, string> => ({
  task: `/v1/videos/${id}`,
  list: '/v1/videos?status=succeeded&model=sandbox-video',
  search: '/v1/videos?status=succeeded&q=balloon&include=request',
  events: `/v1/videos/${id}/events`,
  timeline: `/v1/videos/${id}/timeline`,
  log: `/v1/videos/${id}/callbacks`,
  page: `/v1/videos/${id}/callbacks?limit=1`,
  usage: `/v1/usage?from=${dayAgo(202)}&to=${dayAgo(198)}`,
  ledger: '/v1/billing/ledger',
});

async function ask(method: string, path: string, apiKey = key.apiKey) {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return {
    status: response.status,
    body: (await response.json()) as { error?: { code: string }; data?: unknown[] },
  };
}

const all = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(paths(taskId)).map(
        async ([name, path]) => [name, await ask('GET', path)] as const,
      ),
    ),
  );

beforeAll(async () => {
  api = await openApi();
  key = await api.aKey({ scopes: ['videos:write', 'videos:read', 'usage:read', 'billing:read'] });
  taskId = await aTaskLongOver(api.database, key.accountId);
  const before = await all();
  expect(await createDataKeeping(api.database).archiveTasks({ days: 100, limit: 10 })).toBe(1);
  seen = { before, after: await all() };
});
afterAll(() => api.close());

describe('an archived task', () => {
  it.each(Object.keys(paths('')))('is as it was for who asks for its %s', (name) => {
    expect(seen.before[name]).toMatchObject({ status: 200 });
    expect(seen.after[name]).toEqual(seen.before[name]);
  });

  it('is listed as it was, and not shown to others', async () => {
    expect(seen.before['list']).toMatchObject({ body: { data: [{ id: taskId }] } });
    const { apiKey } = await api.aKey();
    for (const path of ['task', 'events', 'timeline', 'log'].map(
      (name) => paths(taskId)[name] ?? '',
    )) {
      await expect(ask('GET', path, apiKey)).resolves.toMatchObject({
        status: 404,
        body: { error: { code: 'task_not_found' } },
      });
    }
  });

  it('cannot be cancelled, and nothing is delivered again', async () => {
    await expect(ask('POST', `/v1/videos/${taskId}/cancel`)).resolves.toMatchObject({
      status: 409,
      body: { error: { code: expect.not.stringMatching('not_found') } },
    });
    await expect(ask('POST', `/v1/videos/${taskId}/callbacks/redeliver`)).resolves.toMatchObject({
      status: 409,
      body: {
        error: { code: 'no_callback', message: expect.stringContaining('the task is archived') },
      },
    });
  });

  it('can be deleted, once, and still costs what it did', async () => {
    await expect(ask('DELETE', `/v1/videos/${taskId}`)).resolves.toMatchObject({ status: 200 });
    await expect(ask('DELETE', `/v1/videos/${taskId}`)).resolves.toMatchObject({ status: 404 });
    await expect(ask('GET', `/v1/videos/${taskId}`)).resolves.toMatchObject({ status: 404 });
    await expect(ask('GET', paths(taskId)['usage'] ?? '')).resolves.toEqual(seen.before['usage']);
  });
});
