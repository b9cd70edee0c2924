import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { VideoResource } from '@gateway/contracts';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from './harness.ts';

let gateway: SuiteUnderTest;
let receiver: Receiver;
let customer: Customer;
beforeAll(async () => {
  [gateway, receiver] = await Promise.all([openSuite(), openReceiver()]);
  customer = await gateway.aCustomer(100_000);
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const ownFormat = {
  model: 'sandbox-video',
  prompt: 'a red balloon over Lisbon',
  duration: 5,
  resolution: '480p',
  return_last_frame: true,
};
const industryFormat = {
  model: 'sandbox-video',
  resolution: '480p',
  aspect_ratio: '1:1',
  duration: 4,
  content: [
    { type: 'text', text: 'the same balloon, seen from above' },
    {
      type: 'image_url',
      image_url: { url: 'https://example.com/balloon.png' },
      role: 'reference_image',
    },
  ],
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesAt = async (url: string, headers: Record<string, string> = {}): Promise<Buffer> =>
  Buffer.from(await (await fetch(url, { headers })).arrayBuffer());

/** The file as the vendor itself hands it out for this task. */
async function vendorsFile(taskId: string): Promise<Buffer> {
  const { rows } = await gateway.database.pool.query<{ vendor_task_id: string }>(
    'SELECT vendor_task_id FROM task WHERE id = $1',
    [taskId],
  );
  const response = await fetch(
    `${gateway.suite.sandboxUrl}/api/v3/contents/generations/tasks/${rows[0]!.vendor_task_id}`,
    { headers: { authorization: `Bearer ${gateway.suite.secrets.sandbox_api_key}` } },
  );
  return bytesAt(((await response.json()) as { content: { video_url: string } }).content.video_url);
}

describe('a video from POST to the bill', () => {
  it.each([
    ['own', ownFormat, 5, 300],
    ['industry-style', industryFormat, 4, 240],
  ] as const)(
    'in the %s format succeeds, plays, is pushed in order and billed to the second',
    async (_format, body, seconds, quota) => {
      const url = `${receiver.url}/${seconds}`;
      const created = await customer.create({ ...body, callback_url: url });
      expect(created).toMatchObject({
        status: 'queued',
        portal_billing: { reserved_duration_seconds: seconds, max_billing_quota: quota },
      });

      const done = await customer.until(created.id, 'succeeded');

      expect(done.portal_billing).toMatchObject({
        billed_duration_seconds: seconds,
        billed_quota: quota,
      });
      const video = await bytesAt(done.content!.video_url);
      expect(sha256(video)).toBe(sha256(await vendorsFile(created.id)));
      expect(await probeMp4(sourceFromBytes(video))).toMatchObject({
        container: 'mp4',
        seconds: expect.closeTo(seconds, 1),
        videoCodec: expect.stringMatching(/^avc1/),
      });
      const part = await bytesAt(done.content!.video_url, { range: 'bytes=100-199' });
      expect(part.equals(video.subarray(100, 200))).toBe(true);
      if ('return_last_frame' in body) {
        expect((await bytesAt(done.content!.last_frame_url!)).subarray(0, 3).toString('hex')).toBe(
          'ffd8ff',
        );
      }

      const pushes = await eventually(
        () => {
          const own = receiver.pushes().filter(({ body: { id } }) => id === created.id);
          expect(own.map(({ body: { status } }) => status)).toEqual([
            'queued',
            'running',
            'succeeded',
          ]);
          return own;
        },
        { withinMs: 20_000 },
      );
      const judge = new Webhook(customer.callbackSecret);
      for (const { raw, headers } of pushes) {
        expect(() => judge.verify(raw, headers as Record<string, string>)).not.toThrow();
      }
      expect(pushes.map(({ headers }) => headers['x-gateway-sequence'])).toEqual(['1', '2', '3']);
      expect(pushes.at(-1)?.body).toEqual(
        (await customer.request('GET', `/v1/videos/${created.id}`)).body,
      );
    },
  );

  it.each([
    ['[fail] x', 'failed', 'vendor_error'],
    ['[moderate] x', 'failed', 'content_policy'],
    ['[no-output] x', 'failed', 'no_output'],
    ['[reject] x', 'failed', 'invalid_request'],
  ] as const)('for %j ends as %s, says why, and costs nothing', async (prompt, status, code) => {
    const { id } = await customer.create({ ...ownFormat, prompt, callback_url: receiver.url });

    const ended = await customer.until(id, status);

    expect(ended).toMatchObject({
      error: { code },
      portal_billing: { billed_duration_seconds: 0, billed_quota: 0 },
      completed_at: expect.any(String),
    });
    expect(ended).not.toHaveProperty('content');
    expect(ended).not.toHaveProperty('usage');
    await eventually(() => {
      expect(
        receiver
          .pushes()
          .filter(({ body }) => body.id === id)
          .at(-1)?.body,
      ).toMatchObject({ status, error: { code } });
    });
  });

  it('is told to who follows it, status by status, and stands in the list as it was quoted', async () => {
    const { body: quote } = await customer.request('POST', '/v1/videos/quote', ownFormat);
    const created = await customer.create({
      ...ownFormat,
      prompt: '[slow=1] followed',
      metadata: { story: 'followed' },
    });
    expect(quote).toMatchObject({
      object: 'video.quote',
      affordable: true,
      portal_billing: created.portal_billing,
    });

    const stream = await fetch(`${gateway.suite.baseUrl}/v1/videos/${created.id}/events`, {
      headers: { authorization: `Bearer ${customer.apiKey}`, accept: 'text/event-stream' },
    });
    const told = [...(await stream.text()).matchAll(/^id: (\d)\nevent: (\w+)\ndata: (.*)$/gm)].map(
      ([, id, event, data]) => ({ id, event, data: JSON.parse(data!) as VideoResource }),
    );

    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(told.map(({ id, event, data }) => [id, event, data.status])).toEqual([
      ['1', 'queued', 'queued'],
      ['2', 'running', 'running'],
      ['3', 'succeeded', 'succeeded'],
    ]);
    expect(told[2]?.data).toMatchObject({
      id: created.id,
      metadata: { story: 'followed' },
      portal_billing: { billed_duration_seconds: 5, billed_quota: 300 },
    });
    expect(
      (await probeMp4(sourceFromBytes(await bytesAt(told[2]!.data.content!.video_url)))).container,
    ).toBe('mp4');
    const { body: list } = await customer.request('GET', '/v1/videos?status=succeeded&limit=1');
    expect(list).toMatchObject({
      object: 'list',
      first_id: created.id,
      data: [{ id: created.id, status: 'succeeded' }],
    });
  });

  it('expires at its deadline and costs nothing', async () => {
    const { id } = await customer.create({
      ...ownFormat,
      model: 'sandbox-brief',
      prompt: '[slow=30] x',
    });

    expect(await customer.until(id, 'expired')).toMatchObject({
      error: { code: 'expired' },
      portal_billing: { billed_quota: 0 },
    });
  });

  it('whose response from the vendor was lost is rendered once and succeeds', async () => {
    const { id } = await customer.create({ ...ownFormat, prompt: '[lose-answer] only once' });

    await customer.until(id, 'succeeded');

    const stats = (await (await fetch(`${gateway.suite.sandboxUrl}/control/tasks`)).json()) as {
      tasks: unknown[];
    };
    expect(stats.tasks.filter((task) => JSON.stringify(task).includes('only once'))).toHaveLength(
      1,
    );
  });

  it('that the account cannot pay for is refused with 402', async () => {
    const poor = await gateway.aCustomer(299);

    const { status, body } = await poor.request('POST', '/v1/videos', ownFormat);

    expect([status, body]).toEqual([
      402,
      { error: expect.objectContaining({ code: 'insufficient_quota' }) },
    ]);
  });

  it('leaves books that an operator can verify, and every balance as the bills say', async () => {
    const { rows } = await gateway.database.pool.query<{ billed: number }>(
      'SELECT sum(billed_quota)::bigint AS billed FROM task WHERE account_id = $1',
      [customer.accountId],
    );

    const verified = await eventually(async () => {
      const run = await gateway.admin('billing', 'verify', '--grace', '0', '--json');
      expect(run.code).toBe(0);
      return run;
    });

    expect(JSON.parse(verified.output)).toMatchObject({ ok: true, violations: [] });
    expect(
      JSON.parse(
        (await gateway.admin('account', 'balance', '--account', customer.accountId, '--json'))
          .output,
      ),
    ).toMatchObject({ balance_quota: 100_000 - rows[0]!.billed, held_quota: 0 });
  });

  it('revokes a key on request within five seconds', async () => {
    const leaving = await gateway.aCustomer(100);
    expect((await leaving.request('GET', '/v1/videos/video_x')).status).toBe(404);
    await gateway.admin('key', 'revoke', '--id', leaving.keyId);

    await eventually(
      async () => {
        expect((await leaving.request('GET', '/v1/videos/video_x')).status).toBe(401);
      },
      { withinMs: 5_000 },
    );
  });

  it('never writes a key, token, secret or prompt to any log', async () => {
    const { id } = await customer.create(ownFormat);
    const { content } = await customer.until(id, 'succeeded');
    const token = new URL(content!.video_url).searchParams.get('token')!;
    await bytesAt(content!.video_url);

    const logs = ['api', 'billing', 'video-worker', 'callback-dispatcher', 'sandbox-vendor']
      .map((service) => gateway.suite.logs.read(service))
      .join('\n');

    expect(logs).toContain(id);
    for (const secret of [
      token,
      customer.apiKey,
      customer.callbackSecret,
      gateway.suite.serviceToken,
      gateway.suite.secrets.sandbox_api_key,
      'balloon over Lisbon',
    ]) {
      expect(logs).not.toContain(secret);
    }
  });
});
