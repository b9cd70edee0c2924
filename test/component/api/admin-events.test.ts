import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createHolds, createTaskEndings } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { storiesOf } from '../../integration/store/stories.ts';
import { followEvents } from './event-stream.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let replica: string;
const adminToken = 'admin-token-for-tests';
beforeAll(async () => {
  api = await openApi({ adminToken, streams: { lookMs: 20, perKey: 2, pingMs: 100 } });
  replica = await api.aReplica();
});
afterAll(async () => {
  await api.close();
});

const bearer = { authorization: `Bearer ${adminToken}` };
const follow = (headers: Readonly<Record<string, string>> = bearer, url = api.url) =>
  followEvents(`${url}/admin/v1/events`, headers);
const json = (query = '') => request(api.url).get(`/admin/v1/events${query}`).set(bearer);
const stories = async () => storiesOf(api.database, (await api.aKey()).accountId);
const jump = (positions: number) =>
  api.database.pool.query(
    `SELECT setval('task_event_serial_seq', nextval('task_event_serial_seq') + $1::int)`,
    [positions],
  );

/** A browser that signed in; its cookie. */
async function aSession(): Promise<{ readonly cookie: string; readonly 'x-gateway-console': '1' }> {
  const response = await request(api.url)
    .post('/admin/v1/session')
    .set({ ...bearer, 'x-gateway-console': '1' })
    .expect(200);
  const [cookie = ''] = response.get('set-cookie') ?? [];
  return { cookie: cookie.split(';')[0] ?? '', 'x-gateway-console': '1' };
}

describe('the events of all accounts', () => {
  it('tell each status of every task once, on every replica, and nothing that customers wrote', async () => {
    const streams = [await follow(), await follow(await aSession(), replica)];
    const [first, second] = [
      await (await stories()).succeeded(3),
      await (await stories()).ended('failed'),
    ];

    for (const stream of streams) {
      await eventually(() => {
        expect(stream.statuses(first.id)).toEqual(['queued', 'running', 'succeeded']);
        expect(stream.statuses(second.id)).toEqual(['queued', 'running', 'failed']);
      });
      expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(stream.received()[0]).toMatchObject({ event: 'ready', data: {} });
      expect(stream.text()).not.toContain('prompt');
      const { data } = stream.received().findLast(({ data: { task } }) => task?.id === first.id)!;
      expect(data).toMatchObject({
        object: 'admin.task_event',
        sequence: 3,
        status: 'succeeded',
        task: {
          id: first.id,
          object: 'admin.task',
          account_id: first.accountId,
          status: 'succeeded',
          step: 'done',
          provider: first.vendor.provider,
          vendor_task_id: expect.any(String),
        },
      });
      stream.close();
    }
  });

  it('go on at another replica where a stream broke off, for any operator', async () => {
    const own = await stories();
    const stream = await follow();
    const before = await own.queued();
    await eventually(() => {
      expect(stream.statuses(before.id)).toEqual(['queued']);
    });
    stream.close();
    const missed = await own.queued();

    const { id } = stream.received().at(-1)!;
    const again = await follow({ ...(await aSession()), 'last-event-id': id }, replica);
    await eventually(() => {
      expect(again.statuses(missed.id)).toEqual(['queued']);
    });
    expect(again.received()[0]?.event).toBe('ready');
    again.close();
  });

  it('see an event that is committed behind a newer one, and tell no other one again', async () => {
    const own = await stories();
    const stream = await follow();
    const late = await own.queued();
    const client = await api.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(
        `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 2, 'running')`,
        [late.id],
      );
      const newer = await own.queued();
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

  it('say that too much has happened, or that a position is not theirs, and go on from now', async () => {
    const { body: longAgo } = await json().expect(200);
    const { apiKey } = await api.aKey();
    const { body: ofAnAccount } = await request(api.url).get('/v1/events').set('x-api-key', apiKey);
    await jump(6_000);
    const task = await (await stories()).queued();
    for (const { last_id: lastId } of [longAgo, ofAnAccount] as { last_id: string }[]) {
      const stream = await follow({ ...bearer, 'last-event-id': lastId });
      await eventually(() => {
        expect(stream.received()[0]?.event).toBe('reset');
        expect(stream.statuses(task.id)).toEqual(['queued']);
      });
      stream.close();
      expect((await json(`?after=${lastId}`).expect(200)).body).toMatchObject({
        data: [],
        reset: true,
      });
    }
  });

  it('are pages for those who cannot follow, with tasks that were deleted', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { body: begin } = await json().expect(200);
    const { id } = await storiesOf(api.database, accountId).succeeded(3);
    await createHolds(api.database).settle(id);
    await createTaskEndings(api.database).markDeleted(id, accountId);
    const { last_id: lastId } = begin as { last_id: string };

    const { body } = await json(`?after=${lastId}`).expect(200);

    const { data, reset } = body as { data: { status: string; task: object }[]; reset: boolean };
    expect(reset).toBe(false);
    expect(data.filter(({ task }) => 'id' in task && task.id === id)).toMatchObject([
      { status: 'queued' },
      { status: 'running' },
      { status: 'succeeded', task: { deleted_at: expect.any(String) } },
    ]);
    // What operators may go on from is no position of an account.
    const { body: foreign } = await request(api.url)
      .get(`/v1/events?after=${lastId}`)
      .set('x-api-key', apiKey);
    expect(foreign).toMatchObject({ reset: true });
  });

  it('keep the line open, to so many streams of an operator and as long as the session is', async () => {
    const session = await aSession();
    const [one, two] = [await follow(session), await follow(session)];
    expect((await follow(session)).response.status).toBe(429);
    // Another session has its own.
    const other = await follow(await aSession());
    expect(other.response.status).toBe(200);
    await eventually(() => {
      expect(one.text()).toContain(': keep-alive');
    });
    two.close();
    await eventually(async () => {
      const third = await follow(session);
      third.close();
      expect(third.response.status).toBe(200);
    });

    await request(api.url).delete('/admin/v1/session').set(session).expect(200);

    await eventually(() => {
      expect(one.hasEnded()).toBe(true);
    });
    expect(other.hasEnded()).toBe(false);
    other.close();
    expect((await follow(session)).response.status).toBe(401);
  });

  it.each(['?after=x', '?after=1&after=2', '?colour=red'])('refuse %s', async (query) => {
    await json(query).expect(400);
  });

  it('are for operators alone', async () => {
    const { apiKey } = await api.aKey();
    expect((await follow({})).response.status).toBe(401);
    expect((await follow({ authorization: `Bearer ${apiKey}` })).response.status).toBe(401);
  });
});

describe('a client that reads nothing', () => {
  it('is cut off, with a word, however much happens, and others go on', async () => {
    const patient = await openApi({ adminToken, streams: { lookMs: 20, pingMs: 5_000 } });
    const { hostname, port } = new URL(patient.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.pause();
    socket.write(
      `GET /admin/v1/events HTTP/1.1\r\nhost: gateway\r\nauthorization: ${bearer.authorization}\r\naccept: text/event-stream\r\n\r\n`,
    );
    const reader = await follow(bearer, patient.url);
    const { accountId } = await patient.aKey();
    const { id } = await storiesOf(patient.database, accountId).queued();
    const isSaid = (): boolean =>
      patient.log.lines.some(
        ({ message }) => message === 'event stream cut off: its client does not read',
      );

    // What the two ends of a connection hold for each other has to be full first.
    for (let last = 1; !isSaid(); last += 2_000) {
      expect(last).toBeLessThan(40_000);
      await patient.database.pool.query(
        `INSERT INTO task_event (task_id, sequence, status) SELECT $1, $2::int + n, 'running' FROM generate_series(1, 2000) n`,
        [id, last],
      );
      await eventually(() => {
        if (!reader.text().includes(`"sequence":${last + 2_000},`)) throw new Error('not yet');
      });
    }

    expect(reader.hasEnded()).toBe(false);
    reader.close();
    socket.destroy();
    await patient.close();
  });
});
