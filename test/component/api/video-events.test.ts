import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { get as httpGet, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import request from 'supertest';
import type { VideoResource } from '@gateway/contracts';
import { createAccounts, createTaskMoves } from '@gateway/store';
import { eventually, scrapeAnew, withPlace } from '@gateway/testing';
import { end, storiesOf, succeed, won, type Stories } from '../../integration/store/stories.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
let stories: Stories;
beforeAll(async () => {
  api = await openApi({ streams: { pingMs: 200, perKey: 2 } });
  const key = await api.aKey({ scopes: ['videos:read'] });
  apiKey = key.apiKey;
  stories = storiesOf(api.database, key.accountId);
});
afterAll(async () => {
  await api.close();
});

interface Event {
  readonly id: number;
  readonly event: string;
  readonly data: VideoResource;
}
interface Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  text(): string;
  events(): Event[];
  /** True once the server has ended the response in order. */
  ended(): boolean;
  leave(): void;
}

function eventsIn(text: string): Event[] {
  return [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)\n$/gm)].map(
    ([, id, event, data]) => ({
      id: Number(id),
      event: event!,
      data: JSON.parse(data!) as VideoResource,
    }),
  );
}

async function follow(taskId: string, headers: Record<string, string> = {}): Promise<Stream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpGet(
      `${api.url}/v1/videos/${taskId}/events`,
      { agent: false, headers: { 'x-api-key': apiKey, accept: 'text/event-stream', ...headers } },
      resolve,
    ).on('error', reject);
  });
  let text = '';
  let ended = false;
  response
    .setEncoding('utf8')
    .on('data', (chunk: string) => {
      text += chunk;
    })
    .on('end', () => {
      ended = true;
    })
    .on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events: () => eventsIn(text),
    ended: () => ended,
    leave: () => {
      response.destroy();
    },
  };
}

const statuses = (stream: Stream): (string | number)[][] =>
  stream.events().map(({ id, event }) => [id, event]);
const untilEnded = (stream: Stream) =>
  eventually(() => {
    expect(stream.ended()).toBe(true);
  });
const openStreams = async (): Promise<string | undefined> =>
  /^gateway_event_streams(?:\{[^}]*\})? (\d+)$/m.exec(await scrapeAnew(api.opsUrl))?.[1];
const withoutTokens = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/token=[^"]+/g, 'token=')) as unknown;

describe('GET /v1/videos/{id}/events', () => {
  it('returns the history of a task as a list', async () => {
    const task = await stories.succeeded(3);

    const response = await request(api.url)
      .get(`/v1/videos/${task.id}/events`)
      .set('x-api-key', apiKey);

    const event = (sequence: number, status: string) => ({
      object: 'video.event',
      sequence,
      status,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect([response.status, response.get('cache-control'), response.get('vary')]).toEqual([
      200,
      'no-store',
      'accept',
    ]);
    expect(response.body).toEqual({
      object: 'list',
      data: [event(1, 'queued'), event(2, 'running'), event(3, 'succeeded')],
      has_more: false,
    });
  });

  it('streams a task from its first status to its last, each with the resource as it then was, and ends', async () => {
    const moves = createTaskMoves(api.database);
    const task = await stories.queued();
    const stream = await follow(task.id);
    expect([
      stream.status,
      stream.headers['content-type'],
      stream.headers['x-accel-buffering'],
      stream.headers['content-encoding'],
    ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no', undefined]);
    await eventually(() => {
      expect(statuses(stream)).toEqual([[1, 'queued']]);
    });
    expect(stream.events()[0]?.data).toMatchObject({
      id: task.id,
      status: 'queued',
      queue_position: expect.any(Number),
    });

    const submitting = won(await moves.claimSubmission(await withPlace(api.database, task)));
    const running = won(
      await moves.move(submitting, 'accepted', {
        changes: { step: 'poll', vendorTaskId: 'vendor-1' },
      }),
    );
    await eventually(() => {
      expect(statuses(stream)).toEqual([
        [1, 'queued'],
        [2, 'running'],
      ]);
    });
    won(await succeed(moves, running, 3));
    await untilEnded(stream);

    expect(statuses(stream)).toEqual([
      [1, 'queued'],
      [2, 'running'],
      [3, 'succeeded'],
    ]);
    const { body } = await request(api.url).get(`/v1/videos/${task.id}`).set('x-api-key', apiKey);
    expect(withoutTokens(stream.events()[2]?.data)).toEqual(withoutTokens(body));
  });

  it('tells what happened at once, and of an older status what was known then', async () => {
    const task = await stories.ended('failed');

    const stream = await follow(task.id);
    await untilEnded(stream);

    expect(statuses(stream)).toEqual([
      [1, 'queued'],
      [2, 'running'],
      [3, 'failed'],
    ]);
    expect(
      stream
        .events()
        .map(({ data }) => [data.status, data.error?.code, data.completed_at === undefined]),
    ).toEqual([
      ['queued', undefined, true],
      ['running', undefined, true],
      ['failed', 'vendor_error', false],
    ]);
  });

  it('goes on behind Last-Event-ID, and is a 204 when nothing will follow', async () => {
    const task = await stories.succeeded(2);
    const stream = await follow(task.id, { 'last-event-id': '2' });
    await untilEnded(stream);

    expect(statuses(stream)).toEqual([[3, 'succeeded']]);
    expect((await follow(task.id, { 'last-event-id': '3' })).status).toBe(204);
  });

  it('speaks in a long silence', async () => {
    const stream = await follow((await stories.running()).id);

    await eventually(() => {
      expect(stream.text().match(/^: keep-alive$/gm)?.length).toBeGreaterThanOrEqual(2);
    });
    stream.leave();
  });

  it('lets a key have so many streams and no more, and frees everything when a client leaves', async () => {
    const task = await stories.running();
    await eventually(async () => {
      expect(await openStreams()).toBe('0');
    });
    const [first, second] = await Promise.all([follow(task.id), follow(task.id)]);
    const refused = await follow(task.id);
    expect([
      refused.status,
      refused.headers['retry-after'],
      refused.headers['content-type'],
    ]).toEqual([429, '5', 'application/json; charset=utf-8']);
    expect(await openStreams()).toBe('2');

    first.leave();
    const third = await eventually(async () => {
      const stream = await follow(task.id);
      expect(stream.status).toBe(200);
      return stream;
    });
    won(await end(createTaskMoves(api.database), task, 'failed'));
    await Promise.all([untilEnded(second), untilEnded(third)]);

    await eventually(async () => {
      expect(await openStreams()).toBe('0');
    });
  });

  it('ends within five seconds of the revocation of its key', async () => {
    const other = await api.aKey({ scopes: ['videos:read'] });
    const stream = await follow((await storiesOf(api.database, other.accountId).running()).id, {
      'x-api-key': other.apiKey,
    });
    await createAccounts(api.database).revokeKey(other.keyId);

    await eventually(
      () => {
        expect(stream.ended()).toBe(true);
      },
      { withinMs: 6_500 },
    );
  });

  it('ends when the task is deleted', async () => {
    const task = await stories.running();
    const stream = await follow(task.id);
    await eventually(() => {
      expect(stream.events()).toHaveLength(2);
    });
    // Deleted between two polls: its last status was never seen.
    const client = await api.database.pool.connect();
    await client.query('BEGIN');
    won(await end(createTaskMoves({ ...api.database, pool: client as never }), task, 'failed'));
    await client.query('UPDATE task SET deleted_at = now() WHERE id = $1', [task.id]);
    await client.query('COMMIT');
    client.release();

    await untilEnded(stream);
    expect(stream.events()).toHaveLength(2);
  });

  it('shows another account’s task as little as a missing one, and refuses what it does not know', async () => {
    const other = await api.aKey({ scopes: ['videos:read'] });
    const { id } = await stories.queued();
    const [foreign, missing, malformed] = await Promise.all([
      follow(id, { 'x-api-key': other.apiKey }),
      follow('video_01m7z1mc2yfzz8gkvph7wn2q17'),
      follow('x'),
    ]);
    const wrong = await follow(id, { 'last-event-id': 'two' });
    await eventually(() => {
      expect([foreign, missing, malformed, wrong].map((stream) => stream.ended())).toEqual([
        true,
        true,
        true,
        true,
      ]);
    });

    expect([foreign.status, missing.status, malformed.status]).toEqual([404, 404, 404]);
    expect(missing.text()).toBe(foreign.text());
    expect([wrong.status, JSON.parse(wrong.text())]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'invalid_parameter', param: 'Last-Event-ID' }) },
    ]);
    const head = await request(api.url)
      .head(`/v1/videos/${id}/events`)
      .set({ 'x-api-key': apiKey, accept: 'text/event-stream' });
    expect(head.status).toBe(200);
  });

  it('is ended in order when the service stops', async () => {
    const stream = await follow((await stories.running()).id);
    await eventually(() => {
      expect(stream.events()).toHaveLength(2);
    });

    await api.stopApi();

    // A stream that the drain has to cut does not end in order.
    expect(stream.ended()).toBe(true);
  });
});
