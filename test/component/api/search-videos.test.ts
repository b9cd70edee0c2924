import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { newId } from '@gateway/runtime';
import { createHolds, createTaskEndings } from '@gateway/store';
import { aNewTask, aQueuedTask, eventually } from '@gateway/testing';
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
  readonly data: { readonly id: string; readonly request?: { readonly prompt: string | null } }[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

async function anAccountWith(...prompts: readonly string[]) {
  const key = await api.aKey();
  const tasks: Awaited<ReturnType<typeof aQueuedTask>>[] = [];
  for (const [index, prompt] of prompts.entries()) {
    const { request: usual } = aNewTask(key.accountId);
    tasks.push(
      await aQueuedTask(api.database, key.accountId, {
        keyId: index === 0 ? key.keyId : newId('key'),
        request: { ...usual, prompt, metadata: { order: String(index), 'a.b': "it's" } },
      }),
    );
  }
  const get = (query: string) =>
    request(api.url).get(`/v1/videos?${query}`).set('x-api-key', key.apiKey);
  const page = async (query: string): Promise<Page> => (await get(query).expect(200)).body as Page;
  const found = async (query: string): Promise<number[]> =>
    (await page(query)).data.map(({ id }) => tasks.findIndex((task) => task.id === id));
  return { ...key, tasks, get, page, found };
}

describe('searching one’s videos', () => {
  it.each([
    ['words of the prompt', 'q=red', [2, 0]],
    ['all of the words, whatever their case', 'q=BALLOON+red', [0]],
    ['parts of words', 'q=ball', [1, 0]],
    ['words that mean something to a pattern', 'q=100%25_', [2]],
    ['metadata', 'metadata[order]=1', [1]],
    ['metadata, encoded', 'metadata%5Border%5D=1', [1]],
    ['all of the metadata', "metadata[order]=2&metadata[a.b]=it's", [2]],
    ['nothing', 'q=elephant', []],
    ['a word and a status', 'q=red&status=running', []],
    ['a word and a period', 'q=red&created_before=2020-01-01T00:00:00Z', []],
  ])('finds %s', async (_what, query, expected) => {
    const { found } = await anAccountWith(
      'A red Balloon over Lisbon',
      'the balloon is blue',
      'red, 100%_',
    );
    expect(await found(query)).toEqual(expected);
  });

  it('finds those of a key, and those whose id begins so', async () => {
    const { found, keyId, tasks } = await anAccountWith('one', 'two');
    expect(await found(`key=${keyId}`)).toEqual([0]);
    expect(await found(`key=${newId('key')}`)).toEqual([]);
    expect(await found(`id_prefix=${tasks[1]!.id.slice(0, -1)}`)).toContain(1);
    expect(await found(`id_prefix=${tasks[1]!.id}`)).toEqual([1]);
    expect(await found('id_prefix=video_0')).toEqual([1, 0]);
    expect(await found('id_prefix=video_7')).toEqual([]);
  });

  it('finds nothing of other accounts', async () => {
    await anAccountWith('a secret');
    const { found } = await anAccountWith('mine');
    expect(await found('q=secret')).toEqual([]);
  });

  it('goes page by page, forwards and back', async () => {
    const { page, tasks } = await anAccountWith('a', 'b', 'a', 'a', 'b');
    const ids = (indexes: readonly number[]) => indexes.map((index) => ({ id: tasks[index]!.id }));

    const first = await page('q=a&limit=2');
    expect(first).toMatchObject({ data: ids([3, 2]), has_more: true, last_id: tasks[2]!.id });
    const second = await page(`q=a&limit=2&after=${first.last_id!}`);
    expect(second).toMatchObject({ data: ids([0]), has_more: false });
    const back = await page(`q=a&limit=2&before=${second.first_id!}`);
    expect(back).toMatchObject({ data: ids([3, 2]), has_more: false });
  });

  it('looks through 500 tasks a page, and says how far it got', async () => {
    const { page, tasks } = await anAccountWith('a needle');
    const template = tasks[0]!.id;
    const copies = `(SELECT 'video_7' || lpad(n::text, 25, '0') AS id FROM generate_series(1, 600) n) c`;
    const copyOf = (table: string, column: string, more = '{}') =>
      api.database.pool.query(
        `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('${column}', c.id) || $2)).* FROM ${table} t, ${copies} WHERE t.${column} = $1`,
        [template, more],
      );
    await copyOf('hold', 'task_id');
    await copyOf(
      'task',
      'id',
      JSON.stringify({ request: { ...tasks[0]!.request, prompt: 'hay' } }),
    );

    const first = await page('q=needle');
    expect(first).toMatchObject({
      data: [],
      has_more: true,
      last_id: `video_7${'101'.padStart(25, '0')}`,
    });
    const second = await page(`q=needle&after=${first.last_id!}`);
    expect(second).toMatchObject({ data: [{ id: template }], has_more: false });
    const back = await page(`q=nothing&before=${template}`);
    expect(back).toMatchObject({
      data: [],
      has_more: true,
      first_id: `video_7${'500'.padStart(25, '0')}`,
    });
  });

  it('has two searches of an account running at once, and no more', async () => {
    const { get } = await anAccountWith('one');
    const client = await api.database.pool.connect();
    const statuses: number[] = [];
    try {
      await client.query('BEGIN; LOCK TABLE task');
      const searches = ['one', 'two', 'three'].map(async (word) => {
        statuses.push((await get(`q=${word}`)).status);
      });
      await eventually(() => {
        expect(statuses).toEqual([429]);
      });
      await client.query('ROLLBACK');
      await Promise.all(searches);
    } finally {
      client.release();
    }
    expect(statuses).toEqual([429, 200, 200]);
  });

  it.each([
    ['q', `q=${'a+'.repeat(9)}`],
    ['q', `q=${'a'.repeat(201)}`],
    ['q', 'q=%00'],
    ['q', 'q=a&q=b'],
    ['key', 'key=nonsense'],
    ['id_prefix', 'id_prefix=acct_0'],
    ['include', 'include=everything'],
    ['metadata[a]', 'metadata[a]=1&metadata[a]=2'],
    ['metadata', Array.from({ length: 9 }, (_unused, index) => `metadata[${index}]=1`).join('&')],
    ['metadata', 'metadata=1', 'unknown_parameter'],
    ['metadata[]', 'metadata[]=1', 'unknown_parameter'],
  ])('refuses a bad %s', async (param, query, code = 'invalid_parameter') => {
    const { get } = await anAccountWith();
    const { body } = await get(query).expect(400);
    expect(body).toMatchObject({ error: { code, param } });
  });
});

describe('what was asked for', () => {
  it('is shown with the video and in the list, to those who ask for it', async () => {
    const { apiKey, page } = await anAccountWith('unused');
    const { body: made } = await request(api.url)
      .post('/v1/videos')
      .set('x-api-key', apiKey)
      .send({
        model: 'sandbox-video',
        prompt: 'a red balloon',
        duration: 4,
        references: [
          { type: 'image', role: 'first_frame', url: 'https://example.com/balloon.png' },
        ],
      })
      .expect(200);
    const { id } = made as { id: string };
    expect(made).not.toHaveProperty('request');
    const read = (query: string) =>
      request(api.url).get(`/v1/videos/${id}${query}`).set('x-api-key', apiKey).expect(200);

    expect((await read('')).body).not.toHaveProperty('request');
    const { body } = await read('?include=request');
    expect(body).toMatchObject({
      request: {
        prompt: 'a red balloon',
        references: [
          { type: 'image', role: 'first_frame', url: 'https://example.com/balloon.png' },
        ],
        duration: 4,
        callback_url: null,
      },
    });
    expect((await page('include=request&limit=1')).data[0]).toMatchObject({
      id,
      request: { prompt: 'a red balloon' },
    });
    await request(api.url).get(`/v1/videos/${id}?include=all`).set('x-api-key', apiKey).expect(400);
  });

  it('goes with the task that is deleted', async () => {
    const { apiKey, accountId } = await anAccountWith();
    const { id } = await storiesOf(api.database, accountId).ended('failed');
    await createHolds(api.database).settle(id);
    await createTaskEndings(api.database).markDeleted(id, accountId);
    await request(api.url)
      .get(`/v1/videos/${id}?include=request`)
      .set('x-api-key', apiKey)
      .expect(404);
  });

  it('is removed by whatever ends a task that is private', async () => {
    const { apiKey, accountId } = await anAccountWith();
    const stories = storiesOf(api.database, accountId);
    const { request: usual } = aNewTask(accountId);
    const secret = { request: { ...usual, prompt: 'a secret', isPrivate: true as const } };
    const live = await stories.running(secret);
    const [done, kept] = [await stories.succeeded(3, secret), await stories.succeeded(3)];
    const cancelled = await stories.queued(secret);
    await createTaskEndings(api.database).cancelUnsubmitted(cancelled.id, accountId);

    const promptOf = async (id: string): Promise<string | null> => {
      const { body } = await request(api.url)
        .get(`/v1/videos/${id}?include=request`)
        .set('x-api-key', apiKey)
        .expect(200);
      return (body as { request: { prompt: string | null } }).request.prompt;
    };
    expect(await promptOf(live.id)).toBe('a secret');
    expect(await promptOf(done.id)).toBeNull();
    expect(await promptOf(cancelled.id)).toBeNull();
    expect(await promptOf(kept.id)).toBe(usual.prompt);
    const { rows } = await api.database.pool.query(
      `SELECT count(*)::int AS kept FROM task WHERE request::text LIKE '%a secret%' AND account_id = $1`,
      [accountId],
    );
    expect(rows).toEqual([{ kept: 1 }]);
  });
});

describe('STORE_PROMPTS=false', () => {
  it('makes every new task private', async () => {
    const quiet = await openApi({ storePrompts: false });
    try {
      const { apiKey } = await quiet.aKey();
      await request(quiet.url)
        .post('/v1/videos')
        .set('x-api-key', apiKey)
        .send({ model: 'sandbox-video', prompt: 'a secret' })
        .expect(200);
      const { rows } = await quiet.database.pool.query(
        `SELECT request ->> 'isPrivate' AS private FROM task`,
      );
      expect(rows).toEqual([{ private: 'true' }]);
    } finally {
      await quiet.close();
    }
  });
});
