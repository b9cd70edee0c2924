import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { VideoResource } from '@gateway/contracts';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { eventually } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

/** A model of each further vendor format, and how the file of its task is found at the vendor. */
interface VendorUnderTest {
  readonly model: string;
  readonly resolution: string;
  /** Quota of one second. */
  readonly price: number;
  readonly fileUrl: (vendorTaskId: string) => Promise<string>;
}

let gateway: SuiteUnderTest;
let customer: Customer;
beforeAll(async () => {
  gateway = await openSuite();
  customer = await gateway.aCustomer(100_000);
});
afterAll(async () => {
  await gateway.close();
});

const vendors: readonly VendorUnderTest[] = [
  {
    model: 'sandbox-minimax',
    resolution: '768p',
    price: 80,
    async fileUrl(vendorTaskId) {
      const response = await fetch(
        `${gateway.suite.sandboxUrl}/v2/query/video_generation/${vendorTaskId}`,
        { headers: { authorization: `Bearer ${gateway.suite.secrets.sandbox_api_key}` } },
      );
      return ((await response.json()) as { task: { content: { url: string } } }).task.content.url;
    },
  },
];

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesAt = async (url: string): Promise<Buffer> =>
  Buffer.from(await (await fetch(url)).arrayBuffer());
const vendorTaskIdOf = async (taskId: string): Promise<string> =>
  (
    await gateway.database.pool.query<{ vendor_task_id: string }>(
      'SELECT vendor_task_id FROM task WHERE id = $1',
      [taskId],
    )
  ).rows[0]!.vendor_task_id;
const holdsOf = async (taskId: string): Promise<object[]> =>
  (
    await gateway.database.pool.query<object>(
      'SELECT state, charged_quota::int FROM hold WHERE task_id = $1',
      [taskId],
    )
  ).rows;

describe.each(vendors)('a video of $model', ({ model, resolution, price, fileUrl }) => {
  const create = (prompt: string, fields: object = {}): Promise<VideoResource> =>
    customer.create({ model, prompt, duration: 5, ...fields });

  it('succeeds with the very file of its vendor, billed to the second', async () => {
    const { id, portal_billing: reserved } = await create('a red balloon over Lisbon');
    expect(reserved).toMatchObject({ reserved_duration_seconds: 5, max_billing_quota: 5 * price });

    const done = await customer.until(id, 'succeeded');

    expect(done).toMatchObject({
      resolution,
      portal_billing: { billed_duration_seconds: 5, billed_quota: 5 * price },
    });
    const video = await bytesAt(done.content!.video_url);
    expect(sha256(video)).toBe(sha256(await bytesAt(await fileUrl(await vendorTaskIdOf(id)))));
    expect(await probeMp4(sourceFromBytes(video))).toMatchObject({
      container: 'mp4',
      seconds: expect.closeTo(5, 1),
    });
  });

  it.each([
    ['[fail] x', 'vendor_error'],
    ['[moderate] x', 'content_policy'],
    ['[moderate-input] x', 'content_policy'],
    ['[no-output] x', 'no_output'],
    ['[reject] x', 'invalid_request'],
  ])('for %j ends as failed, says why, and costs nothing', async (prompt, code) => {
    const { id } = await create(prompt);

    const ended = await customer.until(id, 'failed');

    expect(ended).toMatchObject({
      error: { code },
      portal_billing: { billed_duration_seconds: 0, billed_quota: 0 },
    });
    expect(ended).not.toHaveProperty('content');
  });

  it('whose creation got silence ends as submission_unknown, and its hold is given back', async () => {
    const { id } = await create('[lose-answer] x');

    expect(await customer.until(id, 'failed')).toMatchObject({
      error: { code: 'submission_unknown' },
      portal_billing: { billed_quota: 0 },
    });
    await eventually(
      async () => {
        expect(await holdsOf(id)).toEqual([{ state: 'closed', charged_quota: 0 }]);
      },
      { withinMs: 20_000 },
    );
  });
});

describe('what the format of MiniMax has no place for', () => {
  const body = { model: 'sandbox-minimax', prompt: 'x' };

  it.each<[string, object, string, string]>([
    ['a seed', { seed: 7 }, 'unsupported_parameter', 'seed'],
    ['sound', { generate_audio: true }, 'unsupported_parameter', 'generate_audio'],
    ['a last frame', { return_last_frame: true }, 'unsupported_parameter', 'return_last_frame'],
    [
      'a ratio without a picture to take it from',
      { ratio: 'adaptive' },
      'invalid_parameter',
      'ratio',
    ],
    ['a length that the vendor chooses', { duration: -1 }, 'invalid_parameter', 'duration'],
    ['another resolution', { resolution: '720p' }, 'invalid_parameter', 'resolution'],
  ])('is refused at creation: %s', async (_name, fields, code, param) => {
    const response = await customer.request('POST', '/v1/videos', { ...body, ...fields });

    expect(response).toMatchObject({ status: 400, body: { error: { code, param } } });
  });
});
