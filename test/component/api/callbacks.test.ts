import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createCallbackRecords, createCallbacks } from '@gateway/store';
import { anAccount, aQueuedTask } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

const scopes = ['videos:write', 'videos:read', 'secrets:read'];

let api: ApiUnderTest;
let apiKey: string;
let accountId: string;
beforeAll(async () => {
  api = await openApi();
  ({ apiKey, accountId } = await api.aKey({ scopes }));
});
afterAll(() => api.close());

const missing = 'video_01m7z1mc2yfzz8gkvph7wn2q17';

async function ask(
  method: string,
  path: string,
  { key = apiKey, body }: { key?: string; body?: string } = {},
) {
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    headers: response.headers,
    body: JSON.parse(text) as Record<string, unknown> & {
      error?: { code: string; param: string | null };
      data: Record<string, unknown>[];
      callback: Record<string, unknown>;
    },
  };
}

const aTask = (callbackUrl: string | null = 'https://receiver.example/hook') =>
  aQueuedTask(api.database, accountId, { callbackUrl });

/** What the dispatcher writes: the challenge echoed, then the first push refused with 500. */
async function attempted(taskId: string): Promise<void> {
  const { claim } = createCallbacks(api.database);
  const { recordAttempt } = createCallbackRecords(api.database);
  const base = {
    durationMs: 12,
    trigger: 'auto',
    startedAt: new Date('2026-05-04T10:00:00Z'),
    remoteAddress: '192.0.2.7',
    attempt: 1,
  } as const;
  await claim({ callbackId: taskId, token: 't', forMs: 1_000, newChallenge: 'c' });
  await recordAttempt({
    callbackId: taskId,
    token: 't',
    progress: { kind: 'succeeded' },
    attempt: {
      ...base,
      id: newId('attempt'),
      sequence: null,
      attemptClass: 'success',
      httpStatus: 200,
      detail: null,
      answerExcerpt: '{}',
    },
  });
  expect(
    await claim({ callbackId: taskId, token: 't', forMs: 1_000, newChallenge: 'c' }),
  ).toMatchObject({
    snapshot: { pending: [{ sequence: 1 }] },
  });
  await recordAttempt({
    callbackId: taskId,
    token: 't',
    progress: { kind: 'stop', failures: 6, reason: 'exhausted' },
    attempt: {
      ...base,
      id: newId('attempt'),
      sequence: 1,
      attemptClass: 'http_error',
      httpStatus: 500,
      detail: 'returned 500',
      answerExcerpt: 'no',
    },
  });
}

describe('the delivery log of a video', () => {
  it('shows every attempt, newest first, and where pushing stands, without the address that was reached', async () => {
    const { id } = await aTask();
    await attempted(id);

    const { status, body, text } = await ask('GET', `/v1/videos/${id}/callbacks`);

    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      {
        object: 'callback_attempt',
        event: 'video.status_changed',
        sequence: 1,
        status: 'queued',
        message_id: `msg_${id.slice(6)}_1`,
        attempt: 1,
        trigger: 'auto',
        started_at: '2026-05-04T10:00:00.000Z',
        duration_ms: 12,
        outcome: 'http_error',
        http_status: 500,
        detail: 'returned 500',
        answer: 'no',
        next_attempt_at: null,
      },
      {
        event: 'callback.challenge',
        sequence: null,
        status: null,
        outcome: 'success',
        http_status: 200,
      },
    ]);
    expect(body.callback).toEqual({
      state: 'stopped',
      reason: 'exhausted',
      failures: 6,
      pending: 0,
      delivered_sequence: null,
      last_attempt_at: '2026-05-04T10:00:00.000Z',
      last_outcome: 'http_error',
      last_status: 500,
      next_attempt_at: null,
    });
    expect(text).not.toContain('192.0.2.7');
  });

  it('has pages', async () => {
    const { id } = await aTask();
    await attempted(id);
    const first = await ask('GET', `/v1/videos/${id}/callbacks?limit=1`);
    const second = await ask(
      'GET',
      `/v1/videos/${id}/callbacks?limit=1&after=${String(first.body['last_id'])}`,
    );
    const back = await ask(
      'GET',
      `/v1/videos/${id}/callbacks?limit=1&before=${String(second.body['first_id'])}`,
    );

    expect(
      [first, second, back].map(({ body }) => [
        body.data.map(({ event }) => event),
        body['has_more'],
      ]),
    ).toEqual([
      [['video.status_changed'], true],
      [['callback.challenge'], false],
      [['video.status_changed'], false],
    ]);
  });

  it('is empty before the first attempt, and says so of a task without a callback', async () => {
    expect((await ask('GET', `/v1/videos/${(await aTask()).id}/callbacks`)).body).toMatchObject({
      data: [],
      has_more: false,
      callback: { state: 'pending_verification', reason: null, pending: 1 },
    });
    expect((await ask('GET', `/v1/videos/${(await aTask(null)).id}/callbacks`)).body).toMatchObject(
      { data: [], callback: null },
    );
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'after=1',
    'before=video_01m7z1mc2yfzz8gkvph7wn2q17',
  ])('refuses %s', async (query) => {
    const { status, body } = await ask(
      'GET',
      `/v1/videos/${(await aTask()).id}/callbacks?${query}`,
    );

    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_parameter', param: query.split('=')[0] }),
    ]);
  });
});

describe('a redelivery over the api', () => {
  it('after a stop makes the newest status pending again, and returns where pushing stands', async () => {
    const { id } = await aTask();
    await attempted(id);

    const { status, body } = await ask('POST', `/v1/videos/${id}/callbacks/redeliver`);

    expect([status, body]).toEqual([
      200,
      {
        id,
        object: 'video.redelivery',
        callback: expect.objectContaining({ state: 'verified', reason: null, pending: 1 }),
        endpoints: [],
      },
    ]);
    expect(await createCallbacks(api.database).findAsked(10)).toContain(id);
  });

  it('of a task without a callback is a conflict', async () => {
    const { status, body } = await ask(
      'POST',
      `/v1/videos/${(await aTask(null)).id}/callbacks/redeliver`,
    );

    expect([status, body.error?.code]).toEqual([409, 'no_callback']);
  });

  it('needs the scope to write, the log the scope to read', async () => {
    const { id } = await aTask();
    const { apiKey: reading } = await api.aKey({ accountId, scopes: ['videos:read'] });
    const { apiKey: writing } = await api.aKey({ accountId, scopes: ['videos:write'] });

    expect(
      (await ask('POST', `/v1/videos/${id}/callbacks/redeliver`, { key: reading })).body.error
        ?.code,
    ).toBe('scope_missing');
    expect(
      (await ask('GET', `/v1/videos/${id}/callbacks`, { key: writing })).body.error?.code,
    ).toBe('scope_missing');
  });
});

describe('reading and rotating the secret', () => {
  it('needs the scope for secrets', async () => {
    const { apiKey } = await api.aKey({
      accountId,
      scopes: ['videos:write', 'videos:read', 'text', 'billing:read'],
    });
    for (const [method, path] of [
      ['GET', '/v1/callback-secret'],
      ['POST', '/v1/callback-secret/rotate'],
    ] as const) {
      expect((await ask(method, path, { key: apiKey })).body.error?.code).toBe('scope_missing');
    }
  });
});

describe('another account’s task', () => {
  it('gets the same bytes as one that does not exist', async () => {
    const { id: other } = await anAccount(api.database);
    const { id } = await aQueuedTask(api.database, other, {
      callbackUrl: 'https://receiver.example/',
    });

    for (const [method, path] of [
      ['GET', 'callbacks'],
      ['POST', 'callbacks/redeliver'],
    ] as const) {
      const theirs = await ask(method, `/v1/videos/${id}/${path}`);
      const none = await ask(method, `/v1/videos/${missing}/${path}`);
      expect([theirs.status, theirs.text]).toEqual([404, none.text]);
    }
    expect(await createCallbacks(api.database).findAsked(100)).not.toContain(id);
  });
});

describe('T-SIG: the callback secret over the api', () => {
  it('is shown, and rotated with an overlap in which the one before goes on', async () => {
    const { apiKey: key } = await api.aKey({ scopes });
    const before = await ask('GET', '/v1/callback-secret', { key });

    const rotated = await ask('POST', '/v1/callback-secret/rotate', {
      key,
      body: '{"overlap_seconds":600}',
    });

    expect(rotated.body).toEqual({
      object: 'callback_secret',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.any(String),
      previous: [{ created_at: before.body['created_at'], expires_at: expect.any(String) }],
    });
    expect(rotated.body['secret']).not.toBe(before.body['secret']);
    const [previous] = rotated.body['previous'] as { expires_at: string }[];
    expect(Math.abs(Date.parse(previous!.expires_at) - Date.now() - 600_000)).toBeLessThan(60_000);
    expect((await ask('GET', '/v1/callback-secret', { key })).text).toBe(rotated.text);
    expect(rotated.headers.get('cache-control')).toBe('no-store');
  });

  it('is rotated without a body, for a day; with an overlap of nothing at once; never more than five sign', async () => {
    const { apiKey: key } = await api.aKey({ scopes });
    for (let times = 0; times < 6; times += 1) {
      expect((await ask('POST', '/v1/callback-secret/rotate', { key })).status).toBe(200);
    }
    expect((await ask('GET', '/v1/callback-secret', { key })).body['previous']).toHaveLength(4);

    expect(
      (await ask('POST', '/v1/callback-secret/rotate', { key, body: '{"overlap_seconds":0}' }))
        .body['previous'],
    ).toEqual([]);
  });

  it.each([
    ['{"overlap_seconds":-1}', 'invalid_parameter'],
    ['{"overlap_seconds":"600"}', 'invalid_parameter'],
    ['{"overlap_seconds":604801}', 'invalid_parameter'],
    ['{"overlap":1}', 'unknown_parameter'],
    ['[]', 'invalid_parameter'],
    ['nonsense', 'invalid_json'],
  ])('refuses %s and changes nothing', async (body, code) => {
    const before = await ask('GET', '/v1/callback-secret');

    const refused = await ask('POST', '/v1/callback-secret/rotate', { body });

    expect([refused.status, refused.body.error?.code]).toEqual([400, code]);
    expect((await ask('GET', '/v1/callback-secret')).text).toBe(before.text);
  });

  it('T-LOG: is never in the log', async () => {
    const { secret } = (await ask('GET', '/v1/callback-secret')).body;

    expect(JSON.stringify(api.log.lines)).not.toContain(String(secret).slice(6));
  });
});
