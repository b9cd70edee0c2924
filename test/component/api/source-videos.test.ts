import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import request from 'supertest';
import type { Configuration, NewTask, VideoModel } from '@gateway/contracts';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import {
  createHolds,
  createRetention,
  createTaskCreation,
  createTaskEndings,
} from '@gateway/store';
import { aNewTask, aQueuedTask } from '@gateway/testing';
import { aFinishedTask } from './finished-task.ts';
import { mediaKey, openApi, type ApiUnderTest } from './harness.ts';

const bytes = Buffer.from('the bytes of a film');
const frame = Buffer.from('its last picture');
const absent = 'video_01m7z1mc2yfzz8gkvph7wn2q17';

let api: ApiUnderTest;
let pricedUrl: string;
beforeAll(async () => {
  api = await openApi({ publicBaseUrl: 'http://127.0.0.1:9' });
  pricedUrl = await api.aReplica(withInputSeconds);
});
afterAll(async () => {
  await api.close();
});

const withInputSeconds = (usual: Configuration): Configuration => ({
  ...usual,
  models: new Map(
    [...usual.models].map(([name, model]): [string, VideoModel] => [
      name,
      {
        ...model,
        price: { ...model.price, rules: { outputSecond: 60, inputSecond: { video: 50 } } },
      },
    ]),
  ),
});

/** An account with a finished video, and perhaps without a last frame of it. */
async function aStory({ hasFrame = true } = {}) {
  const customer = await api.aKey({ quota: 10_000 });
  const id = await aFinishedTask(api, customer.accountId, { content: bytes, lastFrame: frame });
  await createHolds(api.database).settle(id);
  if (!hasFrame) {
    await api.database.pool.query(
      `DELETE FROM media WHERE task_id = $1 AND variant = 'last-frame'`,
      [id],
    );
  }
  return { ...customer, id };
}

const body = (references: object[]): object => ({
  model: 'sandbox-video',
  prompt: 'x',
  resolution: '480p',
  duration: 5,
  references,
});
const post = (apiKey: string, sent: object, url = api.url, at = '/v1/videos') =>
  request(url).post(at).set('x-api-key', apiKey).send(sent);
const create = (apiKey: string, reference: object) => post(apiKey, body([reference]));
const video = (url: string): object => ({ type: 'video', url });
const taskOf = async (id: string): Promise<NewTask> => {
  const { rows } = await api.database.pool.query<NewTask>(
    'SELECT request FROM task WHERE id = $1',
    [id],
  );
  return rows[0]!;
};
const idIn = (response: { body: unknown }): string => (response.body as { id: string }).id;

describe('a video made from an own finished one', () => {
  it.each<[string, object, string, object]>([
    [
      'its file',
      { type: 'video' },
      'reference_video',
      { variant: 'content', mediaType: 'video/mp4' },
    ],
    [
      'its last frame as the first',
      { type: 'image', role: 'first_frame' },
      'first_frame',
      { variant: 'last-frame', mediaType: 'image/jpeg' },
    ],
    [
      'its last frame as a picture',
      { type: 'image', role: 'reference_image' },
      'reference_image',
      { variant: 'last-frame' },
    ],
  ])('gets %s', async (_case, reference, role, source) => {
    const { id, apiKey } = await aStory();

    const created = await create(apiKey, { ...reference, url: id });

    expect(created.status).toBe(200);
    expect((await taskOf(idIn(created))).request.references).toEqual([
      {
        kind: (reference as { type: string }).type,
        role,
        source: expect.objectContaining({ type: 'task', taskId: id, ...source }),
      },
    ]);
  });

  it('is one in the other format, too, and may be meant twice', async () => {
    const { id, apiKey } = await aStory();

    const created = await post(apiKey, {
      model: 'sandbox-video',
      content: [
        { type: 'text', text: 'x' },
        { type: 'video_url', video_url: { url: id }, role: 'reference_video' },
        { type: 'image_url', image_url: { url: id }, role: 'reference_image' },
      ],
    });

    expect(created.status).toBe(200);
    expect((await taskOf(idIn(created))).request.references).toMatchObject([
      { source: { variant: 'content' } },
      { source: { variant: 'last-frame' } },
    ]);
  });

  it('is priced by the length that is known of it, and nothing is fetched', async () => {
    const { id, apiKey } = await aStory();

    const { body: quote } = await post(apiKey, body([video(id)]), pricedUrl, '/v1/videos/quote');

    expect(quote).toMatchObject({ portal_billing: { max_billing_quota: 5 * 60 + 5 * 50 } });
  });

  it('is found again by its Idempotency-Key when the other was deleted since', async () => {
    const { id, apiKey } = await aStory();
    const once = () => create(apiKey, video(id)).set('idempotency-key', 'once');
    const first = await once();
    await request(api.url).delete(`/v1/videos/${id}`).set('x-api-key', apiKey);

    const again = await once();

    expect([again.status, idIn(again)]).toEqual([200, idIn(first)]);
  });
});

describe('a video that cannot be made from another', () => {
  it('is told the same of another account’s and of none', async () => {
    const { id } = await aStory();
    const thief = await api.aKey({ quota: 10_000 });
    const rows = await api.rows();

    const stolen = await create(thief.apiKey, video(id));
    const missing = await create(thief.apiKey, video(absent));
    const nonsense = await create(thief.apiKey, video('video_x'));

    expect(stolen.status).toBe(404);
    expect(stolen.body).toMatchObject({
      error: { code: 'task_not_found', param: 'references[0].url' },
    });
    expect(stolen.text.replaceAll(/req_[0-9a-z]+/g, '')).toBe(
      missing.text.replaceAll(/req_[0-9a-z]+/g, ''),
    );
    expect(nonsense.body).toMatchObject({ error: { code: 'task_not_found' } });
    expect(await api.rows()).toEqual(rows);
  });

  it.each<[string, () => Promise<{ id: string; apiKey: string }>, object, RegExp]>([
    [
      'is not finished',
      async () => {
        const customer = await api.aKey({ quota: 10_000 });
        return { ...customer, id: (await aQueuedTask(api.database, customer.accountId)).id };
      },
      { type: 'video' },
      /is not finished; wait/,
    ],
    [
      'was cancelled',
      async () => {
        const customer = await api.aKey({ quota: 10_000 });
        const { id } = await aQueuedTask(api.database, customer.accountId);
        await createTaskEndings(api.database).cancelUnsubmitted(id, customer.accountId);
        return { ...customer, id };
      },
      { type: 'video' },
      /has no video: it was cancelled/,
    ],
    [
      'was purged',
      async () => {
        const story = await aStory();
        await endRetention(story.id);
        return story;
      },
      { type: 'video' },
      /files were removed after their retention time/,
    ],
    [
      'was deleted',
      async () => {
        const story = await aStory();
        await request(api.url).delete(`/v1/videos/${story.id}`).set('x-api-key', story.apiKey);
        return story;
      },
      { type: 'video' },
      /which was deleted/,
    ],
    [
      'has no picture',
      () => aStory({ hasFrame: false }),
      { type: 'image', role: 'first_frame' },
      /made without return_last_frame/,
    ],
    ['is no sound', () => aStory(), { type: 'audio' }, /no reference of type audio/],
  ])('is refused where that one %s', async (_case, story, reference, message) => {
    const { id, apiKey } = await story();

    const refused = await post(
      apiKey,
      body([
        { ...reference, url: id },
        ...('type' in reference && reference.type === 'audio'
          ? [{ type: 'image', role: 'reference_image', url: id }]
          : []),
      ]),
    );

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: {
        code: 'invalid_parameter',
        param: 'references[0].url',
        message: expect.stringMatching(message),
      },
    });
  });
});

async function endRetention(id: string): Promise<void> {
  await api.database.pool.query(
    `UPDATE task SET completed_at = now() - interval '400 days' WHERE id = $1`,
    [id],
  );
  expect(await createRetention(api.database).purgeDue(1_000)).toContain(id);
}

const filesOf = (id: string): Promise<string[]> =>
  readdir(path.join(api.storageDir, 'videos')).then((names) =>
    names.filter((name) => name.startsWith(id)),
  );

/** As a vendor fetches it, or as whoever was given a customer's address. */
const fetchFile = (id: string, variant: 'content' | 'source-content') =>
  fetch(
    `${api.url}/v1/videos/${id}/content?token=${signMediaToken({ keys: parseTokenKeys(`k1:${mediaKey}`), variant, videoId: id, now: new Date(), ttlSeconds: 86_400, bucketSeconds: 900 })}`,
  );

describe('the file of a video that another is made from', () => {
  it('is the vendor’s until that one is over, and nobody else’s once it is deleted', async () => {
    const { id, apiKey, accountId } = await aStory();
    const made = idIn(await create(apiKey, video(id)));

    const deleted = await request(api.url).delete(`/v1/videos/${id}`).set('x-api-key', apiKey);

    expect(deleted.status).toBe(200);
    expect((await fetchFile(id, 'content')).status).toBe(404);
    const served = await fetchFile(id, 'source-content');
    expect([served.status, Buffer.from(await served.arrayBuffer())]).toEqual([200, bytes]);
    expect(await filesOf(id)).toHaveLength(1);
    const { findDeleted, forget } = createTaskEndings(api.database);
    expect(await findDeleted({ limit: 10, taskId: id })).toEqual([]);
    await forget(id);

    await createTaskEndings(api.database).cancelUnsubmitted(made, accountId);

    expect((await fetchFile(id, 'source-content')).status).toBe(404);
    expect(await findDeleted({ limit: 10, taskId: id })).toMatchObject([{ taskId: id }]);
  });

  it('stays when its retention time ends meanwhile, and goes afterwards', async () => {
    const { id, apiKey, accountId } = await aStory();
    const made = idIn(await create(apiKey, video(id)));
    const { findPurged } = createRetention(api.database);
    const purged = async (): Promise<string[]> =>
      (await findPurged({ limit: 1_000 })).map(({ taskId }) => taskId);

    await endRetention(id);

    expect((await fetchFile(id, 'content')).status).toBe(410);
    expect((await fetchFile(id, 'source-content')).status).toBe(200);
    expect(await purged()).not.toContain(id);

    await createTaskEndings(api.database).cancelUnsubmitted(made, accountId);

    expect((await fetchFile(id, 'source-content')).status).toBe(410);
    expect(await purged()).toContain(id);
  });

  it('that goes between the look at it and the writing of the task keeps it from being written', async () => {
    for (const go of [
      (id: string, accountId: string) => createTaskEndings(api.database).markDeleted(id, accountId),
      (id: string) => endRetention(id),
    ]) {
      const { id, accountId } = await aStory();
      const plain = aNewTask(accountId);
      const source = {
        type: 'task' as const,
        taskId: id,
        variant: 'content' as const,
        key: `videos/${id}-1.mp4`,
        mediaType: 'video/mp4',
        sizeBytes: bytes.length,
        sha256: 'x',
      };
      const draft: NewTask = {
        ...plain,
        request: {
          ...plain.request,
          references: [{ kind: 'video', role: 'reference_video', source }],
        },
      };
      const holds = createHolds(api.database);
      await holds.take(accountId, [
        { task_id: draft.id, account_id: accountId, quota: 50, seconds: 5, second_quota: 10 },
      ]);
      const { insertTask } = createTaskCreation(api.database);
      await go(id, accountId);

      await expect(insertTask(draft, undefined)).resolves.toBeUndefined();
      await expect(
        insertTask(draft, { accountId, key: 'too late', bodyHash: new Uint8Array(32) }),
      ).resolves.toBeUndefined();
      await expect(holds.release(draft.id)).resolves.toBe(true);
    }
  });
});
