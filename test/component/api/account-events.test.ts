import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createHolds, createTaskEndings } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { storiesOf } from '../../integration/store/stories.ts';
import { followEvents } from './event-stream.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({ streams: { lookMs: 20, perKey: 2, pingMs: 100 } });
});
afterAll(async () => {
  await api.close();
});

const follow = (apiKey: string, headers: Readonly<Record<string, string>> = {}) =>
  followEvents(`${api.url}/v1/events`, { 'x-api-key': apiKey, ...headers });

const json = (apiKey: string, query = '') =>
  request(api.url).get(`/v1/events${query}`).set('x-api-key', apiKey);

describe('the events of an account', () => {
  it('tell each status of each of its tasks once, and nothing of others', async () => {
    const { apiKey, accountId } = await api.aKey();
    const stranger = await api.aKey();
    const stream = await follow(apiKey);
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/);

    const stories = storiesOf(api.database, accountId);
    const theirs = await storiesOf(api.database, stranger.accountId).queued();
    const [first, second] = [await stories.succeeded(3), await stories.ended('failed')];

    await eventually(() => {
      expect(stream.statuses(first.id)).toEqual(['queued', 'running', 'succeeded']);
      expect(stream.statuses(second.id)).toEqual(['queued', 'running', 'failed']);
    });
    expect(stream.received()[0]).toMatchObject({ event: 'ready', data: {} });
    expect(stream.text()).not.toContain(theirs.id);
    const { data } = stream.received().find(({ event }) => event === 'running')!;
    expect(data).toMatchObject({
      object: 'video.event',
      sequence: 2,
      status: 'running',
      video: { id: first.id, object: 'video', status: 'running' },
    });
    stream.close();
  });

  it('go on where a stream broke off, without a gap', async () => {
    const { apiKey, accountId } = await api.aKey();
    const stories = storiesOf(api.database, accountId);
    const stream = await follow(apiKey);
    const before = await stories.queued();
    await eventually(() => {
      expect(stream.statuses(before.id)).toEqual(['queued']);
    });
    stream.close();
    const missed = await stories.queued();

    const { id } = stream.received().at(-1)!;
    const again = await follow(apiKey, { 'last-event-id': id });
    await eventually(() => {
      expect(again.statuses(missed.id)).toEqual(['queued']);
    });
    const later = await stories.queued();
    await eventually(() => {
      expect(again.statuses(later.id)).toEqual(['queued']);
    });
    again.close();
  });

  it('say that too much has happened, and then go on from now', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { body: long } = await json(apiKey).expect(200);
    const { last_id: longAgo } = long as { last_id: string };
    await api.database.pool.query(
      `SELECT setval('task_event_serial_seq', nextval('task_event_serial_seq') + 6000)`,
    );
    const task = await storiesOf(api.database, accountId).queued();
    const stream = await follow(apiKey, { 'last-event-id': longAgo });
    await eventually(() => {
      expect(stream.received()[0]?.event).toBe('reset');
      expect(stream.statuses(task.id)).toEqual(['queued']);
    });
    stream.close();
    expect((await json(apiKey, `?after=${longAgo}`).expect(200)).body).toMatchObject({
      data: [],
      reset: true,
    });
  });

  it('keep the id of a quiet account fresh while much happens to others', async () => {
    const [{ apiKey, accountId }, other] = [await api.aKey(), await api.aKey()];
    const jump = () =>
      api.database.pool.query(
        `SELECT setval('task_event_serial_seq', nextval('task_event_serial_seq') + 3500)`,
      );
    const stream = await follow(apiKey);
    await jump();
    const { id: own } = await storiesOf(api.database, accountId).queued();
    await eventually(() => {
      expect(stream.statuses(own)).toEqual(['queued']);
    });
    await jump();
    await storiesOf(api.database, other.accountId).queued();
    await eventually(() => {
      expect(stream.received().at(-1)).toMatchObject({ event: 'ready' });
    });
    const resetAfter = async (position: string): Promise<unknown> =>
      ((await json(apiKey, `?after=${position}`).expect(200)).body as { reset: boolean }).reset;
    expect(await resetAfter(stream.received()[0]!.id)).toBe(true);
    expect(await resetAfter(stream.received().at(-1)!.id)).toBe(false);
    stream.close();
  });

  it('are counted by ids that tell nothing, and count for one account', async () => {
    const [{ apiKey, accountId }, stranger] = [await api.aKey(), await api.aKey()];
    const idOf = async (key: string): Promise<string> =>
      ((await json(key).expect(200)).body as { last_id: string }).last_id;
    const [one, same] = [await idOf(apiKey), await idOf(apiKey)];
    await storiesOf(api.database, accountId).queued();

    expect(one).toMatch(/^[A-Za-z0-9_-]{48}$/);
    expect(one).not.toBe(same);
    const after = async (key: string) => (await json(key, `?after=${one}`).expect(200)).body;
    expect(await after(apiKey)).toMatchObject({ reset: false, data: [{ status: 'queued' }] });
    expect(await after(stranger.apiKey)).toMatchObject({ reset: true, data: [] });
  });

  it('begin anew where the database is an older one', async () => {
    const { apiKey } = await api.aKey();
    const { pool } = api.database;
    await pool.query(
      `SELECT setval('task_event_serial_seq', nextval('task_event_serial_seq') + 3000)`,
    );
    await storiesOf(api.database, (await api.aKey()).accountId).queued();
    const { body } = await json(apiKey).expect(200);
    await pool.query('DELETE FROM task_event WHERE serial = (SELECT max(serial) FROM task_event)');

    const { last_id: ahead } = body as { last_id: string };
    const { body: then } = await json(apiKey, `?after=${ahead}`).expect(200);

    expect(then).toMatchObject({ reset: true });
  });

  it('see an event that is committed behind a newer one', async () => {
    const { apiKey, accountId } = await api.aKey();
    const stories = storiesOf(api.database, accountId);
    const stream = await follow(apiKey);
    const client = await api.database.pool.connect();
    const late = await stories.queued();
    await eventually(() => {
      expect(stream.statuses(late.id)).toEqual(['queued']);
    });
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 2, 'running')`,
        [late.id],
      );
      const newer = await stories.queued();
      await eventually(() => {
        expect(stream.statuses(newer.id)).toEqual(['queued']);
      });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    await eventually(() => {
      expect(stream.statuses(late.id)).toEqual(['queued', 'running']);
    });
    stream.close();
  });

  it('are pages for those who cannot follow', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { body: begin } = await json(apiKey).expect(200);
    const { id } = await storiesOf(api.database, accountId).succeeded(3);
    const { last_id: lastId } = begin as { last_id: string };
    const { body } = await json(apiKey, `?after=${lastId}`).expect(200);
    expect(body).toMatchObject({
      reset: false,
      data: [
        { status: 'queued', video: { id } },
        { status: 'running', video: { id } },
        { status: 'succeeded', video: { id } },
      ],
    });
  });

  it('say nothing of a task that was deleted', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { body } = await json(apiKey).expect(200);
    const { id } = await storiesOf(api.database, accountId).succeeded(3);
    await createHolds(api.database).settle(id);
    await createTaskEndings(api.database).markDeleted(id, accountId);
    const { last_id: lastId } = body as { last_id: string };
    expect((await json(apiKey, `?after=${lastId}`).expect(200)).body).toMatchObject({ data: [] });
  });

  it('keep the line open, to so many streams of a key and as long as the key is good', async () => {
    const { apiKey, keyId } = await api.aKey();
    const [one, two] = [await follow(apiKey), await follow(apiKey)];
    expect((await follow(apiKey)).response.status).toBe(429);
    await eventually(() => {
      expect(one.text()).toContain(': keep-alive');
    });
    two.close();
    await eventually(async () => {
      const third = await follow(apiKey);
      third.close();
      expect(third.response.status).toBe(200);
    });
    await api.database.pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId]);
    await eventually(() => {
      expect(one.hasEnded()).toBe(true);
    });
  });

  it('end for a key that may read videos no longer', async () => {
    const { apiKey, keyId } = await api.aKey();
    const stream = await follow(apiKey);
    await eventually(() => {
      expect(stream.text()).toContain(': keep-alive');
    });

    await api.database.pool.query(`UPDATE api_key SET scopes = '{text}' WHERE id = $1`, [keyId]);

    await eventually(() => {
      expect(stream.hasEnded()).toBe(true);
    });
  });

  it.each(['?after=x', '?after=4711', '?after=1&after=2', '?colour=red'])(
    'refuse %s',
    async (query) => {
      const { apiKey } = await api.aKey();
      await json(apiKey, query).expect(400);
    },
  );
});
