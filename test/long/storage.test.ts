/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { eventually, openTestS3, type TestS3 } from '@gateway/testing';
import { openSuite, posters, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

let s3: TestS3;
let gateway: SuiteUnderTest;
let customer: Customer;
beforeAll(async () => {
  s3 = await openTestS3();
  gateway = await openSuite({ storage: s3.settings, moreEnv: { 'video-worker': posters } });
  customer = await gateway.aCustomer(100_000);
});
afterAll(async () => {
  await gateway.close();
  await s3.close();
});

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const body = {
  model: 'sandbox-video',
  prompt: 'a paper boat',
  duration: 4,
  resolution: '480p',
  return_last_frame: true,
};
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const fetchBytes = async (
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; bytes: Buffer }> => {
  const response = await fetch(url, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};
const objectsOf = (taskId: string): string[] =>
  [...s3.bucket.objects.keys()].filter((key) => key.includes(taskId));

describe('a gateway that keeps its media in a bucket', () => {
  it('makes a video that is stored there, plays, and is served from there in whole and in part', async () => {
    const created = await customer.create(body);
    const { content } = await customer.until(created.id, 'succeeded');

    const whole = await fetchBytes(content!.video_url);
    const half = Math.floor(whole.bytes.length / 2);
    const again = (await customer.request('GET', `/v1/videos/${created.id}`)).body as {
      content: { video_url: string };
    };
    const rest = await fetchBytes(again.content.video_url, {
      range: `bytes=${half}-`,
      'if-range': whole.headers.get('etag')!,
    });

    expect(
      objectsOf(created.id)
        .map((key) => key.split('/')[0])
        .sort(),
    ).toEqual(['frames', 'frames', 'videos']);
    expect(whole.headers.get('etag')).toBe(`"${sha256(whole.bytes)}"`);
    expect(rest.status).toBe(206);
    expect(sha256(Buffer.concat([whole.bytes.subarray(0, half), rest.bytes]))).toBe(
      sha256(whole.bytes),
    );
    expect(await probeMp4(sourceFromBytes(whole.bytes))).toMatchObject({
      container: 'mp4',
      seconds: expect.closeTo(4, 1),
    });
    expect((await fetchBytes(content!.last_frame_url!)).bytes.subarray(0, 3).toString('hex')).toBe(
      'ffd8ff',
    );
    const poster = await fetchBytes(content!.poster_url!);
    expect(poster.headers.get('content-type')).toBe('image/jpeg');
    expect(poster.headers.get('etag')).toBe(`"${sha256(poster.bytes)}"`);
  });

  it('waits with a task while the bucket refuses, at no cost to it, and finishes it afterwards', async () => {
    s3.faults = {
      refuse: {
        operations: ['PutObject', 'CreateMultipartUpload'],
        status: 507,
        code: 'XMinioStorageFull',
      },
    };
    const refused = (): number =>
      s3.requests.filter(({ operation }) => operation === 'PutObject').length;
    const before = refused();
    const created = await customer.create(body);
    await eventually(
      () => {
        expect(refused()).toBeGreaterThan(before);
      },
      { withinMs: 20_000 },
    );
    expect((await customer.request('GET', `/v1/videos/${created.id}`)).body).toMatchObject({
      status: 'running',
    });

    s3.faults = {};

    expect(await customer.until(created.id, 'succeeded')).toMatchObject({
      portal_billing: { billed_duration_seconds: 4 },
    });
  });

  it('says 503 and not 500 while a file cannot be read', async () => {
    const created = await customer.create(body);
    const { content } = await customer.until(created.id, 'succeeded');
    s3.faults = { refuse: { operations: ['GetObject'], status: 403, code: 'AccessDenied' } };

    const response = await fetch(content!.video_url);
    s3.faults = {};

    expect([response.status, await response.json()]).toEqual([
      503,
      { error: expect.objectContaining({ code: 'upstream_unavailable' }) },
    ]);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await fetch(content!.video_url)).status).toBe(200);
  });

  it('shows no link, returns 410 and has no object left once the retention time is over', async () => {
    const created = await customer.create(body);
    const { content } = await customer.until(created.id, 'succeeded');
    expect(objectsOf(created.id)).toHaveLength(3);
    await gateway.database.pool.query(
      `UPDATE task SET completed_at = completed_at - retention_days * interval '1 day' WHERE id = $1`,
      [created.id],
    );

    const response = await eventually(async () => {
      const gone = await fetch(content!.video_url);
      expect(gone.status).toBe(410);
      return gone;
    });

    expect(await response.json()).toEqual({
      error: expect.objectContaining({ code: 'content_purged' }),
    });
    expect((await fetch(content!.last_frame_url!)).status).toBe(410);
    expect((await fetch(content!.poster_url!)).status).toBe(410);
    const shown = (await customer.request('GET', `/v1/videos/${created.id}`)).body;
    expect(shown).toMatchObject({
      status: 'succeeded',
      usage: expect.anything(),
      portal_billing: { billed_duration_seconds: 4 },
    });
    expect(shown).not.toHaveProperty('content');
    await eventually(() => {
      expect(objectsOf(created.id)).toEqual([]);
    });
    await eventually(async () => {
      expect((await gateway.admin('billing', 'verify', '--grace', '0', '--json')).code).toBe(0);
    });
  });

  it('removes the objects of a task that its customer deletes', async () => {
    const created = await customer.create(body);
    await customer.until(created.id, 'succeeded');

    expect((await customer.request('DELETE', `/v1/videos/${created.id}`)).status).toBe(200);

    await eventually(() => {
      expect(objectsOf(created.id)).toEqual([]);
    });
  });

  it('T-LOG never writes a token, a signature, a secret or the bytes of a data URL to any log', async () => {
    const created = await customer.create({
      ...body,
      references: [{ type: 'image', role: 'reference_image', url: `data:image/png;base64,${png}` }],
    });
    const { content } = await customer.until(created.id, 'succeeded');
    s3.faults = { cutAfterBytes: 100 };
    await fetch(content!.video_url)
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
    s3.faults = {
      refuse: { operations: ['GetObject'], status: 403, code: 'SignatureDoesNotMatch' },
    };
    await fetch(content!.video_url);
    s3.faults = {};

    const logs = ['api', 'billing', 'video-worker', 'callback-dispatcher']
      .map((service) => gateway.suite.logs.read(service))
      .join('\n');

    expect(logs).toContain('a media file could not be read to the end');
    expect(logs).toContain(created.id);
    const token = new URL(content!.video_url).searchParams.get('token')!;
    for (const secret of [
      token,
      token.split('.')[2]!,
      s3.secretAccessKey,
      s3.accessKeyId,
      customer.apiKey,
      png.slice(0, 40),
      'AWS4-HMAC-SHA256',
    ]) {
      expect(logs).not.toContain(secret);
    }
    expect(logs).not.toMatch(/(?:X-Amz-)?Signature=(?!\[redacted\])/i);
  });
});
