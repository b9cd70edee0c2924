import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import request from 'supertest';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import { aQueuedTask } from '@gateway/testing';
import { aFinishedTask } from './finished-task.ts';
import { mediaKey, openApi, type ApiUnderTest } from './harness.ts';

const bytes = Buffer.from(Array.from({ length: 1_000 }, (_unused, index) => index % 251));
const frame = Buffer.from('a last frame');
const poster = Buffer.from('a first frame');
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

let api: ApiUnderTest;
let finished: string;
let queued: string;
let apiKey: string;
beforeAll(async () => {
  api = await openApi();
  const key = await api.aKey();
  apiKey = key.apiKey;
  queued = (await aQueuedTask(api.database, key.accountId)).id;
  finished = await aFinishedTask(api, key.accountId, { content: bytes, lastFrame: frame, poster });
});
afterAll(async () => {
  await api.close();
});

const tokenFor = (
  videoId: string,
  variant: 'content' | 'last-frame' | 'poster' = 'content',
  now = new Date(),
): string =>
  signMediaToken({
    keys: parseTokenKeys(`k1:${mediaKey}`),
    variant,
    videoId,
    now,
    ttlSeconds: 86_400,
    bucketSeconds: 900,
  });

const get = (path: string) =>
  request(api.url)
    .get(path)
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        done(null, Buffer.concat(chunks));
      });
    });

describe('GET /v1/videos/{id}/content', () => {
  it('serves exactly the stored bytes, with the headers of a file that never changes', async () => {
    const response = await get(`/v1/videos/${finished}/content?token=${tokenFor(finished)}`);

    expect(response.status).toBe(200);
    expect(sha256(response.body as Buffer)).toBe(sha256(bytes));
    expect(response.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': '1000',
      etag: `"${sha256(bytes)}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
    });
    expect(response.headers['cache-control']).toMatch(/^private/);
  });

  it('serves one range, resumes with a new token and the old ETag, and refuses a range outside the file', async () => {
    const first = await get(`/v1/videos/${finished}/content?token=${tokenFor(finished)}`).set(
      'range',
      'bytes=0-399',
    );
    const rest = await get(
      `/v1/videos/${finished}/content?token=${tokenFor(finished, 'content', new Date(Date.now() - 1_000_000))}`,
    ).set({ range: 'bytes=400-', 'if-range': first.headers['etag']! });
    const outside = await request(api.url)
      .get(`/v1/videos/${finished}/content?token=${tokenFor(finished)}`)
      .set('range', 'bytes=1000-');

    expect([first.status, first.headers['content-range']]).toEqual([206, 'bytes 0-399/1000']);
    expect([rest.status, rest.headers['content-range']]).toEqual([206, 'bytes 400-999/1000']);
    expect(Buffer.concat([first.body as Buffer, rest.body as Buffer]).equals(bytes)).toBe(true);
    expect([outside.status, outside.headers['content-range']]).toEqual([416, 'bytes */1000']);
    expect(outside.body).toMatchObject({ error: { code: 'range_not_satisfiable' } });
  });

  it('responds to HEAD without a body', async () => {
    const response = await request(api.url).head(
      `/v1/videos/${finished}/content?token=${tokenFor(finished)}`,
    );

    expect([response.status, response.headers['content-length'], response.text]).toEqual([
      200,
      '1000',
      undefined,
    ]);
  });

  it('serves the last frame under its own token', async () => {
    const response = await get(
      `/v1/videos/${finished}/last-frame?token=${tokenFor(finished, 'last-frame')}`,
    );

    expect([response.status, response.headers['content-type']]).toEqual([200, 'image/jpeg']);
    expect((response.body as Buffer).equals(frame)).toBe(true);
  });

  it('serves the poster under its own token, as the task shows it alone and in a list', async () => {
    const read = async (path: string): Promise<unknown> =>
      (await request(api.url).get(path).set('authorization', `Bearer ${apiKey}`)).body;
    const one = (await read(`/v1/videos/${finished}`)) as { content: { poster_url: string } };
    const list = (await read('/v1/videos?status=succeeded')) as { data: unknown[] };
    const address = new URL(one.content.poster_url);

    const response = await get(`${address.pathname}${address.search}`);
    const kept = await request(api.url)
      .get(`${address.pathname}${address.search}`)
      .set('if-none-match', response.headers['etag']!);

    expect(list.data).toEqual([one]);
    expect((response.body as Buffer).equals(poster)).toBe(true);
    expect([response.status, response.headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'image/jpeg',
        'content-disposition': expect.stringContaining(`${finished}-poster.jpg`),
        etag: `"${sha256(poster)}"`,
        'cache-control': expect.stringMatching(/^private, no-transform, max-age=\d+/),
      }),
    ]);
    expect(kept.status).toBe(304);
  });

  it.each([
    ['another file of the video', 'last-frame'],
    ['a vendor that makes a video from it', 'source-content'],
  ] as const)('opens no poster by the token of %s', async (_whose, variant) => {
    const token = signMediaToken({
      keys: parseTokenKeys(`k1:${mediaKey}`),
      variant,
      videoId: finished,
      now: new Date(),
      ttlSeconds: 86_400,
      bucketSeconds: 900,
    });

    const response = await request(api.url).get(`/v1/videos/${finished}/poster?token=${token}`);

    expect([response.status, response.body]).toEqual([
      403,
      { error: expect.objectContaining({ code: 'invalid_token' }) },
    ]);
  });

  it('opens by its token alone: an API key neither helps nor harms', async () => {
    const without = await request(api.url)
      .get(`/v1/videos/${finished}/content`)
      .set('authorization', `Bearer ${apiKey}`);
    const beside = await get(`/v1/videos/${finished}/content?token=${tokenFor(finished)}`).set(
      'authorization',
      'Bearer nonsense',
    );

    expect([without.status, (without.body as { error: { code: string } }).error.code]).toEqual([
      401,
      'missing_token',
    ]);
    expect(beside.status).toBe(200);
  });

  it.each([
    [
      'a token of another variant',
      () => `token=${tokenFor(finished, 'last-frame')}`,
      403,
      'invalid_token',
    ],
    ['a token of another task', () => `token=${tokenFor(queued)}`, 403, 'invalid_token'],
    [
      'two tokens',
      () => `token=${tokenFor(finished)}&token=${tokenFor(finished)}`,
      403,
      'invalid_token',
    ],
    ['garbage', () => 'token=abc', 403, 'invalid_token'],
    [
      'an expired token',
      () => `token=${tokenFor(finished, 'content', new Date(Date.now() - 90_000_000))}`,
      403,
      'token_expired',
    ],
  ])('refuses %s', async (_name, query, status, code) => {
    const response = await request(api.url).get(`/v1/videos/${finished}/content?${query()}`);

    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ error: { code } });
  });

  it('is not ready while the task is not finished, and gone after its retention', async () => {
    const early = await request(api.url).get(
      `/v1/videos/${queued}/content?token=${tokenFor(queued)}`,
    );
    await api.database.pool.query(
      `UPDATE media SET purged_at = now() WHERE task_id = $1 AND variant = 'last-frame'`,
      [finished],
    );
    const purged = await request(api.url).get(
      `/v1/videos/${finished}/last-frame?token=${tokenFor(finished, 'last-frame')}`,
    );

    expect([early.status, early.body]).toEqual([
      404,
      { error: expect.objectContaining({ code: 'content_not_ready' }) },
    ]);
    expect([purged.status, purged.body]).toEqual([
      410,
      { error: expect.objectContaining({ code: 'content_purged' }) },
    ]);
  });

  it('never writes a token to the log', () => {
    expect(JSON.stringify(api.log.lines)).not.toMatch(/k1\.\d+\./);
  });
});
