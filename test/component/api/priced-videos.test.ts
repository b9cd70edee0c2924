import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Configuration, VideoModel } from '@gateway/contracts';
import type { QuotaRules } from '@gateway/domain';
import { createLedger } from '@gateway/store';
import { openPeer, type Peer } from '@gateway/testing';
import { anMp4, box } from '../../integration/media/mp4-files.ts';
import { send, wav } from './asset-files.ts';
import { nothing, openApi, type ApiUnderTest } from './harness.ts';

const rules: QuotaRules = {
  outputSecond: { '480p': 60, '720p': 100, '1080p': 220 },
  audioSecond: 20,
  inputSecond: { video: 50, audio: 0 },
  reference: { image: 2, video: 10 },
  minimum: 80,
};

let api: ApiUnderTest;
let files: Peer;
let urls: Readonly<Record<'priced' | 'assumed' | 'clips' | 'factors' | 'usual', string>>;
let clip: Buffer;
/** The same, with its length beyond what is read at first. */
let farClip: Buffer;
beforeAll(async () => {
  clip = await anMp4(24);
  const firstBytes = clip.readUInt32BE(0);
  const gap = box('free', Buffer.alloc(200_000));
  farClip = Buffer.concat([clip.subarray(0, firstBytes), gap, clip.subarray(firstBytes)]);
  files = await openPeer((received, response) => {
    serve(received.path, received.headers.range, response);
  });
  api = await openApi();
  urls = {
    usual: api.url,
    priced: await api.aReplica(priced(rules)),
    assumed: await api.aReplica(priced({ ...rules, inputSecondAssumed: 30 })),
    factors: await api.aReplica(priced({ outputSecond: 61, factor: { flex: 0.5, draft: 0.4 } })),
    clips: await api.aReplica(priced({ clip: { 5: 300, 15: 900 } })),
  };
});
afterAll(async () => {
  expect(await createLedger(api.database).verify({ graceSeconds: 60 })).toEqual([]);
  await api.close();
  await files.close();
});

const priced =
  (changed: QuotaRules) =>
  (usual: Configuration): Configuration => ({
    ...usual,
    models: new Map(
      [...usual.models].map(([name, model]): [string, VideoModel] => [
        name,
        { ...model, price: { ...model.price, rules: changed } },
      ]),
    ),
  });

type Answer = Parameters<Parameters<typeof openPeer>[0]>[1];

/** A clip of 2.4 seconds, in parts or as a whole; or something else. */
function serve(path: string, range: string | undefined, response: Answer): void {
  if (path.startsWith('/hangs')) return;
  const bytes = path.startsWith('/text')
    ? Buffer.from('no film')
    : path.startsWith('/far')
      ? farClip
      : clip;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined || path.startsWith('/whole')) {
    response.end(bytes);
    return;
  }
  const last = Math.min(Number(to), bytes.length - 1);
  response
    .writeHead(206, { 'content-range': `bytes ${from}-${last}/${bytes.length}` })
    .end(bytes.subarray(Number(from), last + 1));
}

const body = { model: 'sandbox-video', prompt: 'x', resolution: '480p', duration: 5 };
const at = (path: string) => ({ type: 'video', url: `${files.url}${path}` });
const post = (where: keyof typeof urls, apiKey: string, more: object, path = '/v1/videos') =>
  request(urls[where])
    .post(path)
    .set('x-api-key', apiKey)
    .send({ ...body, ...more });
const itemsFor = (seconds: number): object[] => [
  { kind: 'output_second', quantity: 5, unit_quota: 60, quota: 300 },
  { kind: 'input_second_video', quantity: seconds, unit_quota: 50, quota: seconds * 50 },
  { kind: 'reference_video', quantity: 1, unit_quota: 10, quota: 10 },
];

describe('a video whose references are priced', () => {
  it.each(['/clip.mp4', '/whole.mp4', '/far.mp4'])(
    'costs the measured seconds of %s, rounded up, the same in quote, hold and task',
    async (path) => {
      const { apiKey, accountId } = await api.aKey({ quota: 1_000 });
      const more = { references: [at(path)] };

      const quoted = await post('priced', apiKey, more, '/v1/videos/quote');
      const created = await post('priced', apiKey, more);

      const billing = {
        billing_mode: 'per_second',
        second_quota: 60,
        reserved_duration_seconds: 5,
        max_billing_quota: 460,
        items: itemsFor(3),
      };
      expect(quoted.body).toMatchObject({ portal_billing: billing, affordable: true });
      expect((created.body as { portal_billing: unknown }).portal_billing).toEqual(billing);
      const read = await request(api.url)
        .get(`/v1/videos/${(created.body as { id: string }).id}`)
        .set('x-api-key', apiKey);
      expect((read.body as { portal_billing: unknown }).portal_billing).toEqual(billing);
      const listed = await request(api.url).get('/v1/videos').set('x-api-key', apiKey);
      expect((listed.body as { data: unknown[] }).data).toMatchObject([
        { portal_billing: billing },
      ]);
      const { rows } = await api.database.pool.query(
        `SELECT quota, price -> 'items' AS items FROM hold WHERE account_id = $1`,
        [accountId],
      );
      expect(rows).toEqual([{ quota: 460, items: itemsFor(3) }]);
    },
  );

  it.each([
    ['/text', 'it is no video file that says how long it is'],
    ['/hangs', 'it was not read in time'],
  ])('is refused for a reference at %s, which it names, and nothing is held', async (path, why) => {
    const { apiKey, accountId } = await api.aKey({ quota: 1_000 });

    const refused = await post('priced', apiKey, {
      references: [at('/clip.mp4'), at(path)],
    }).set('idempotency-key', 'order-1');

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: { code: 'invalid_parameter', param: 'references[1].url' },
    });
    expect((refused.body as { error: { message: string } }).error.message).toContain(why);
    const { rows } = await api.database.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toEqual([]);
    const repeated = await post('assumed', apiKey, { references: [at('/clip.mp4')] }).set(
      'idempotency-key',
      'order-1',
    );
    expect(repeated.status).toBe(200);
  });

  it('costs the assumed seconds where a reference cannot be measured and the price gives them', async () => {
    const { apiKey } = await api.aKey({ quota: 10_000 });

    const { body: quote } = await post(
      'assumed',
      apiKey,
      { references: [at('/text')] },
      '/v1/videos/quote',
    );

    expect(quote).toMatchObject({
      portal_billing: { max_billing_quota: 300 + 1_500 + 10, items: itemsFor(30) },
    });
  });

  it('costs the length that an asset of its own has, without any request', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000 });
    const { body: asset } = await send(`${api.url}/v1/assets`, {
      method: 'POST',
      body: new Uint8Array(clip),
      headers: { 'content-type': 'video/mp4' },
      apiKey,
    });
    const before = files.received.length;

    const { body: quote } = await post(
      'priced',
      apiKey,
      { references: [{ type: 'video', url: asset.id }] },
      '/v1/videos/quote',
    );

    expect(quote).toMatchObject({ portal_billing: { items: itemsFor(3) } });
    expect(files.received).toHaveLength(before);
  });

  it('measures no kind whose seconds are free, and shows no items that are seconds × rate', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000 });
    const before = files.received.length;
    const sound = { type: 'audio', url: `data:audio/wav;base64,${wav.toString('base64')}` };
    const picture = { type: 'image', url: `${files.url}/picture.png`, role: 'reference_image' };

    const { body: quote } = await post(
      'priced',
      apiKey,
      { references: [picture, sound], generate_audio: true },
      '/v1/videos/quote',
    );
    const { body: plain } = await post('priced', apiKey, {}, '/v1/videos/quote');

    expect(quote).toMatchObject({
      portal_billing: { second_quota: 80, max_billing_quota: 300 + 100 + 2 },
    });
    expect((plain as { portal_billing: unknown }).portal_billing).toEqual({
      billing_mode: 'per_second',
      second_quota: 60,
      reserved_duration_seconds: 5,
      max_billing_quota: 300,
    });
    expect(files.received).toHaveLength(before);
  });

  it('is not measured at all at a plain price', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000 });
    const before = files.received.length;

    const created = await post('usual', apiKey, { references: [at('/clip.mp4')] });

    expect(created.body).toMatchObject({ portal_billing: { max_billing_quota: 300 } });
    expect(files.received).toHaveLength(before);
  });
});

describe('a video that is sold by its length', () => {
  it('costs the next longer clip, and has no rate of a second', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000 });

    const { body: created } = await post('clips', apiKey, { duration: 6 });

    expect(created).toMatchObject({
      portal_billing: {
        second_quota: 0,
        reserved_duration_seconds: 6,
        max_billing_quota: 900,
        items: [{ kind: 'clip', quantity: 1, unit_quota: 900, quota: 900 }],
      },
    });
  });

  it('is refused to an account that has one unit less, and nothing is created', async () => {
    const { apiKey } = await api.aKey({ quota: 899 });
    const before = await api.rows();

    const refused = await post('clips', apiKey, { duration: 6 });

    expect(refused.status).toBe(402);
    expect(refused.body).toMatchObject({ error: { code: 'insufficient_quota' } });
    expect(await api.rows()).toEqual({ ...nothing, ...before });
  });
});

describe('a video with options', () => {
  it.each<[string, object, object, number]>([
    ['flex', { service_tier: 'flex' }, { service_tier: 'flex' }, 152],
    ['a draft', { draft: true }, { draft: true, resolution: '480p' }, 122],
    ['a priority, which costs nothing', { priority: 7 }, { priority: 7 }, 305],
    ['the usual tier, said', { service_tier: 'standard' }, { service_tier: 'standard' }, 305],
  ])('costs what goes with %s, and shows it', async (_case, options, shown, quota) => {
    const { apiKey } = await api.aKey({ quota: 1_000 });

    const quoted = await post('factors', apiKey, options, '/v1/videos/quote');
    const created = await post('factors', apiKey, options);

    const expected = { ...shown, portal_billing: { max_billing_quota: quota } };
    expect(quoted.body).toMatchObject(expected);
    expect(created.body).toMatchObject(expected);
    const read = await request(api.url)
      .get(`/v1/videos/${(created.body as { id: string }).id}?include=request`)
      .set('x-api-key', apiKey);
    // What was asked for is enough to ask for it again.
    expect(read.body).toMatchObject({ ...expected, request: shown });
  });

  it('shows none that was not sent', async () => {
    const { apiKey } = await api.aKey({ quota: 1_000 });

    const { body: created } = await post('factors', apiKey, {});

    for (const field of ['service_tier', 'draft', 'priority', 'task']) {
      expect(created).not.toHaveProperty(field);
    }
  });

  it.each(['/v1/videos', '/v1/videos/quote'])(
    'is refused of a model without them, at %s',
    async (path) => {
      const { apiKey } = await api.aKey({ quota: 1_000 });

      const { status, body: refusal } = await post(
        'usual',
        apiKey,
        { model: 'sandbox-minimax', resolution: '768p', draft: true },
        path,
      );

      expect(status).toBe(400);
      expect(refusal).toMatchObject({ error: { code: 'unsupported_parameter', param: 'draft' } });
    },
  );
});
