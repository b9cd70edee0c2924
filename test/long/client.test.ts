/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ApiError,
  ConnectionError,
  FileChangedError,
  GatewayClient,
  newIdempotencyKey,
  OperatorClient,
  verifyCallback,
  type ClientOptions,
  type Download,
  type Video,
  type VideoEvent,
} from '@gateway/client';
import { createTaskMoves } from '@gateway/store';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import { openFaultProxy, type FaultProxy } from '../e2e/fault-proxy.ts';
import { openSuite, posters, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

let gateway: SuiteUnderTest;
let proxy: FaultProxy;
let receiver: Receiver;
let customer: Customer;
let client: GatewayClient;
const clientOf = (options: Partial<ClientOptions> = {}): GatewayClient =>
  new GatewayClient({ baseUrl: `${proxy.url}/v1/`, apiKey: customer.apiKey, ...options });

beforeAll(async () => {
  [proxy, receiver] = await Promise.all([openFaultProxy(), openReceiver()]);
  // Signed addresses lead through the proxy too.
  gateway = await openSuite({
    moreEnv: { api: { PUBLIC_BASE_URL: proxy.url }, 'video-worker': posters },
  });
  proxy.leadTo(gateway.suite.baseUrl);
  customer = await gateway.aCustomer(1_000_000);
  client = clientOf();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
  await proxy.close();
});
beforeEach(() => {
  proxy.seen.length = 0;
});

const balloon = {
  model: 'sandbox-video',
  prompt: 'a red balloon',
  duration: 4,
  resolution: '480p',
  return_last_frame: true,
} as const;
const slowBalloon = { ...balloon, prompt: '[slow=30] a red balloon' };
/** With a key that may see what signs pushes. */
async function aClientWithSecrets(): Promise<GatewayClient> {
  const { output } = await gateway.admin(
    ...['key', 'create', '--account', customer.accountId, '--name', 'secrets'],
    ...['--scopes', 'videos:read,secrets:read', '--json'],
  );
  return clientOf({ apiKey: (JSON.parse(output) as { api_key: string }).api_key });
}
const calls = (part: string): string[] =>
  proxy.seen.map(({ call }) => call).filter((call) => call.includes(part));
const allOf = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};
const bytesOf = async (download: Download): Promise<Buffer> => Buffer.concat(await allOf(download));
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('the client', () => {
  let made: Video;
  beforeAll(async () => {
    made = await client.videos.createAndWait({ ...balloon, callback_url: receiver.url });
  });

  it('quotes, creates, waits with progress and shows the bill', async () => {
    const quote = await client.videos.quote(balloon);
    const before = await client.balance();
    const progress: string[] = [];

    const video = await client.videos.createAndWait(balloon, {
      onProgress: ({ status }) => progress.push(status),
    });

    expect(video).toMatchObject({
      status: 'succeeded',
      portal_billing: {
        max_billing_quota: quote.portal_billing.max_billing_quota,
        billed_quota: quote.portal_billing.max_billing_quota,
      },
    });
    expect([...new Set(progress)]).toEqual(['queued', 'running', 'succeeded']);
    await eventually(async () => {
      const { available_quota: available } = await client.balance();
      expect(available).toBe(before.available_quota - quote.portal_billing.max_billing_quota);
    });
    expect(await allOf(client.ledger())).not.toHaveLength(0);
    expect((await client.usage()).object).toBe('list');
  });

  it('reads, lists over pages and deletes', async () => {
    const second = await client.videos.createAndWait(balloon);
    const listed = await allOf(client.videos.list({ status: 'succeeded' }));

    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([made.id, second.id]));
    expect(await client.videos.get(made.id)).toMatchObject({ id: made.id, status: 'succeeded' });
    expect(await client.videos.delete(second.id)).toMatchObject({ deleted: true });
    await expect(client.videos.get(second.id)).rejects.toMatchObject({ code: 'task_not_found' });
  });

  it('reads one page with one call, and goes on behind it', async () => {
    await client.videos.createAndWait(balloon);
    const whole = (await allOf(client.videos.list())).map(({ id }) => id);
    proxy.seen.length = 0;

    const first = await client.videos.list({}, { perPage: 1 }).page();
    const next = await client.videos
      .list({}, { perPage: 1, after: first.last_id ?? undefined })
      .page();

    expect(calls('GET /v1/videos?')).toHaveLength(2);
    expect(first.has_more).toBe(true);
    expect([...first.data, ...next.data].map(({ id }) => id)).toEqual(whole.slice(0, 2));
  });

  it('follows events from the first or from behind one', async () => {
    const statuses = ({ status }: VideoEvent): string => status;

    const all = await allOf(client.videos.events(made.id));
    const later = await allOf(client.videos.events(made.id, { after: 1 }));

    expect(all.map(statuses)).toEqual(['queued', 'running', 'succeeded']);
    expect(later.map(statuses)).toEqual(['running', 'succeeded']);
    expect(await allOf(client.videos.events(made.id, { after: 3 }))).toEqual([]);
  });

  it('downloads the video, its last frame and its poster', async () => {
    const video = await client.videos.download(made.id);
    const progress: number[] = [];
    const frame = await client.videos.download(made.id, {
      file: 'last_frame',
      onProgress: ({ bytes }) => progress.push(bytes),
    });

    expect(`"${sha256(await bytesOf(video))}"`).toBe(video.etag);
    expect(video.contentType).toBe('video/mp4');
    const picture = Buffer.from(await new Response(frame.stream()).arrayBuffer());
    expect(picture.length).toBe(frame.size);
    expect(progress.at(-1)).toBe(frame.size);
    const poster = await client.videos.download(made.id, { file: 'poster' });
    expect(`"${sha256(await bytesOf(poster))}"`).toBe(poster.etag);
    expect(poster.contentType).toBe('image/jpeg');
  });

  it('cancels', async () => {
    const { id } = await client.videos.create({ ...balloon, prompt: '[rate-limited] a balloon' });

    expect(await client.videos.cancel(id)).toMatchObject({ status: 'cancelled' });
    await expect(client.videos.cancel(made.id)).rejects.toMatchObject({
      status: 409,
      code: 'not_cancellable',
    });
  });

  it('uploads with progress, lists and deletes assets, and makes a video from one', async () => {
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const progress: { bytes: number; size: number }[] = [];

    const asset = await client.assets.upload(new Blob([picture], { type: 'image/png' }), {
      name: 'cat.png',
      onProgress: (each) => progress.push(each),
    });
    const plain = await client.assets.upload(Uint8Array.from(picture));

    expect(asset).toMatchObject({ name: 'cat.png', kind: 'image', sha256: sha256(picture) });
    expect(progress.at(-1)).toEqual({ bytes: picture.length, size: picture.length });
    expect((await allOf(client.assets.list())).map(({ id }) => id)).toEqual([plain.id, asset.id]);
    expect(await client.assets.get(asset.id)).toEqual(asset);
    const video = await client.videos.createAndWait({
      ...balloon,
      references: [{ type: 'image', role: 'first_frame', url: asset.id }],
    });
    expect(video.status).toBe('succeeded');
    expect(await client.assets.delete(plain.id)).toMatchObject({ deleted: true });
  });

  it('lists models, and reads one', async () => {
    const models = await allOf(client.models.list());

    expect(models.map(({ id }) => id)).toContain('sandbox-video');
    expect(await client.models.get('sandbox-video')).toMatchObject({ kind: 'video' });
  });

  it('shows pushes, has them pushed again, and verifies them', async () => {
    const attempts = await eventually(async () => {
      const all = await allOf(client.callbacks.list(made.id));
      expect(all.some(({ status }) => status === 'succeeded')).toBe(true);
      return all;
    });
    const { callbacks } = await aClientWithSecrets();
    const { secret } = await callbacks.secret();

    const push = receiver.pushes().find(({ body }) => body.id === made.id)!;
    expect(attempts[0]).toMatchObject({ object: 'callback_attempt' });
    expect(await verifyCallback({ body: push.raw, headers: push.headers }, secret!)).toMatchObject({
      id: made.id,
    });
    expect(await client.callbacks.redeliver(made.id)).toMatchObject({
      object: 'video.redelivery',
    });
    const rotated = await callbacks.rotateSecret({ overlapSeconds: 0 });
    expect(rotated.secret).not.toBe(secret);
    await expect(
      client.webhooks.verify({ body: push.raw, headers: push.headers }, rotated.secret!),
    ).rejects.toThrow('No signature');
  });

  it('throws what the gateway has said', async () => {
    const wrong = client.videos.create({ ...balloon, duration: 60 });

    await expect(wrong).rejects.toBeInstanceOf(ApiError);
    await expect(wrong).rejects.toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      param: 'duration',
      details: [{ param: 'duration' }],
      requestId: expect.any(String),
    });
    expect(calls('POST /v1/videos')).toHaveLength(1);
  });

  it('ends every kind of call when its signal says so', async () => {
    const { id } = await client.videos.create(slowBalloon);
    const reason = new Error('enough');
    const aborted = { signal: AbortSignal.abort(reason) };
    const later = new AbortController();
    const waiting = client.videos.wait(id, { signal: later.signal });
    const following = allOf(client.videos.events(id, { signal: later.signal }));
    setImmediate(() => {
      later.abort(reason);
    });

    await expect(waiting).rejects.toBe(reason);
    await expect(following).rejects.toBe(reason);
    await expect(client.videos.create(balloon, aborted)).rejects.toBe(reason);
    await expect(client.balance(aborted)).rejects.toBe(reason);
    await expect(client.videos.download(made.id, aborted)).rejects.toBe(reason);
    await expect(allOf(client.videos.list({}, aborted))).rejects.toBe(reason);
  });
});

describe('when something breaks, the client', () => {
  it('makes one video of a creation whose response was lost, twice', async () => {
    const before = await client.balance();
    const lost = { kind: 'lose response' } as const;
    proxy.spoil('POST /v1/videos', lost, lost);

    const video = await client.videos.create(slowBalloon);

    const keys = proxy.seen
      .filter(({ call }) => call === 'POST /v1/videos')
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    const after = await client.balance();
    expect(after.held_quota - before.held_quota).toBe(video.portal_billing.max_billing_quota);
  });

  it('makes two videos of two creations', async () => {
    const [one, other] = [await client.videos.create(balloon), await client.videos.create(balloon)];

    expect(one.id).not.toBe(other.id);
  });

  it('waits for as long as a 503 says, and repeats', async () => {
    proxy.spoil('GET /v1/billing', {
      kind: 'refuse',
      status: 503,
      headers: { 'retry-after': '1' },
    });
    const startedAt = performance.now();

    expect((await client.balance()).object).toBe('balance');
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  it('gives up after its number of repetitions, and at once when told to wait for long', async () => {
    const busy = { kind: 'refuse', status: 503 } as const;
    proxy.spoil('GET /v1/billing', busy, busy);
    await expect(clientOf({ retries: 1 }).balance()).rejects.toMatchObject({ status: 503 });
    expect(calls('GET /v1/billing')).toHaveLength(2);

    proxy.spoil('GET /v1/billing', { ...busy, headers: { 'retry-after': '3600' } });
    await expect(client.balance()).rejects.toMatchObject({ retryAfterMs: 3_600_000 });

    await expect(
      clientOf({ baseUrl: 'http://127.0.0.1:9', retries: 1 }).balance(),
    ).rejects.toBeInstanceOf(ConnectionError);
  });

  it('goes on with a download where the connection broke, as often as it does', async () => {
    const { id } = await client.videos.createAndWait(balloon);
    proxy.spoil(
      `GET /v1/videos/${id}/content`,
      { kind: 'cut', afterBytes: 1_000 },
      { kind: 'cut', afterBytes: 1_500 },
    );

    const download = await client.videos.download(id);
    const bytes = await bytesOf(download);

    expect(`"${sha256(bytes)}"`).toBe(download.etag);
    const parts = proxy.seen.filter(({ call }) => call.includes('/content'));
    expect(parts.map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=1000-',
      'bytes=2500-',
    ]);
    expect(parts.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    expect(parts.slice(1).map(({ headers }) => headers['if-match'])).toEqual([
      download.etag,
      download.etag,
    ]);
  });

  it('goes on with what an earlier program has downloaded, unless the file is another', async () => {
    const { id } = await client.videos.createAndWait(balloon);
    const whole = await client.videos.download(id);
    const bytes = await bytesOf(whole);
    const { etag, size } = whole;

    const rest = await bytesOf(await client.videos.download(id, { offset: 500, etag }));
    expect(Buffer.concat([bytes.subarray(0, 500), rest]).equals(bytes)).toBe(true);
    expect(await bytesOf(await client.videos.download(id, { offset: size, etag }))).toHaveLength(0);
    await expect(
      client.videos.download(id, { offset: 500, etag: '"another"' }),
    ).rejects.toBeInstanceOf(FileChangedError);
  });

  it('follows events behind the last one when the stream breaks', async () => {
    const { id } = await client.videos.create(balloon);
    proxy.spoil(`GET /v1/videos/${id}/events`, { kind: 'cut', afterBytes: 900 });

    const events = await allOf(client.videos.events(id));

    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(calls('/events').length).toBeGreaterThan(1);
  });

  it('polls where no more streams are allowed', async () => {
    const { id } = await client.videos.create(balloon);
    const full = { kind: 'refuse', status: 429 } as const;
    proxy.spoil(`GET /v1/videos/${id}/events`, full);

    const video = await clientOf({ retries: 0 }).videos.wait(id);

    expect(video.status).toBe('succeeded');
  });

  it('takes a deletion for done whose response was lost', async () => {
    const { id } = await client.videos.createAndWait(balloon);
    proxy.spoil(`DELETE /v1/videos/${id}`, { kind: 'lose response' });

    expect(await client.videos.delete(id)).toEqual({ id, object: 'video.deleted', deleted: true });
  });

  it('does not upload twice when a response was lost, and does after a refusal', async () => {
    const bytes = new Blob([
      Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64'),
    ]);
    const count = async (): Promise<number> => (await allOf(client.assets.list())).length;
    const before = await count();
    proxy.spoil('POST /v1/assets', { kind: 'lose response' });
    await expect(client.assets.upload(bytes)).rejects.toBeInstanceOf(ConnectionError);
    expect(await count()).toBe(before + 1);

    proxy.spoil('POST /v1/assets', { kind: 'refuse', status: 503 });
    await client.assets.upload(bytes, { onProgress: () => undefined });
    expect(await count()).toBe(before + 2);
  });

  it('adds an operator’s quota once when the response was lost, and reads the oldest videos first', async () => {
    const operator = new OperatorClient({
      baseUrl: proxy.url,
      adminToken: gateway.suite.adminToken,
    });
    const { id } = await operator.accounts.create({ name: 'Acme', quota: 100 });
    proxy.spoil(`POST /admin/v1/accounts/${id}/top-ups`, { kind: 'lose response' });

    await operator.accounts.topUp(id, { quota: 50 }, { idempotencyKey: newIdempotencyKey() });

    expect(await operator.accounts.get(id)).toMatchObject({ balance_quota: 150 });
    expect(calls('/top-ups')).toHaveLength(2);

    await client.videos.create(balloon);
    await client.videos.create(balloon);
    const ids = (await allOf(operator.videos.list({ account: customer.accountId }))).map(
      (video) => video.id,
    );
    const first = await operator.videos.oldest({ account: customer.accountId }, { perPage: 1 });
    expect(ids.length).toBeGreaterThan(1);
    expect(first.data.map((video) => video.id)).toEqual(ids.slice(-1));
  });

  it('follows for an operator what happens in all accounts, and goes on where a stream breaks', async () => {
    const operator = new OperatorClient({
      baseUrl: proxy.url,
      adminToken: gateway.suite.adminToken,
    });
    const ended = new AbortController();
    proxy.spoil('GET /admin/v1/events', { kind: 'cut', afterBytes: 900 });
    const told: string[] = [];
    let position: string | undefined;
    const following = (async () => {
      for await (const event of operator.events({ signal: ended.signal })) {
        told.push(`${event.task.id} ${event.sequence} ${event.status}`);
        position = event.position;
      }
    })();
    const { id } = await client.videos.createAndWait(balloon);

    await eventually(() => {
      expect(told.filter((line) => line.startsWith(id))).toEqual([
        `${id} 1 queued`,
        `${id} 2 running`,
        `${id} 3 succeeded`,
      ]);
    });
    expect(calls('GET /admin/v1/events').length).toBeGreaterThan(1);
    ended.abort(new Error('enough'));
    await expect(following).rejects.toThrow('enough');
    expect(position).toMatch(/^[\w-]{48}$/);

    let isReset = false;
    const foreign = operator.events({
      after: 'A'.repeat(48),
      onReset: () => {
        isReset = true;
      },
    });
    await foreign.next();
    await foreign.return();
    expect(isReset).toBe(true);
  });

  it('shows an operator how everything stands, and vendor work that nobody is billed for', async () => {
    const operator = new OperatorClient({
      baseUrl: proxy.url,
      adminToken: gateway.suite.adminToken,
    });
    const { id } = await client.videos.create(balloon);
    const exposure = {
      taskId: id,
      provider: 'sandbox',
      vendorTaskId: 'cgt-1',
      detail: 'found by a test',
      cost: undefined,
    };
    const moves = createTaskMoves(gateway.database);
    await moves.recordExposure({ ...exposure, kind: 'orphan' });
    await moves.recordExposure({ ...exposure, kind: 'watch_ended', vendorTaskId: 'cgt-2' });

    const status = await eventually(
      async () => {
        const read = await operator.status();
        const services = new Set(read.replicas.map(({ service }) => service));
        expect(services).toContain('video-worker');
        return read;
      },
      { withinMs: 30_000 },
    );
    const found = await allOf(operator.exposures({ account: customer.accountId }, { perPage: 1 }));
    const orphans = await allOf(operator.exposures({ kind: 'orphan', task: id }));

    expect(status.providers.map(({ provider }) => provider)).toContain('sandbox');
    expect(status.replicas.map((replica) => replica.id)).toContain(status.answered_by);
    expect(found.map(({ kind }) => kind)).toEqual(['watch_ended', 'orphan']);
    expect(orphans.map((each) => each.vendor_task_id)).toEqual(['cgt-1']);
  });
});
