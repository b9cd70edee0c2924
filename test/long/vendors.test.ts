/** @workers 3: it promises no times. */
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
  /** Whether the vendor can be asked for a submission whose response was lost. */
  readonly isFound?: true;
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

/** What a vendor says under this path, asked with our key. */
async function said<Body>(
  path: string,
  { scheme = 'Bearer', ...headers }: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const { sandboxUrl, secrets } = gateway.suite;
  const response = await fetch(`${sandboxUrl}${path}`, {
    headers: { authorization: `${scheme} ${secrets.sandbox_api_key}`, ...headers },
  });
  return (await response.json()) as Body;
}

const vendors: readonly VendorUnderTest[] = [
  {
    model: 'sandbox-fal',
    resolution: '720p',
    price: 120,
    async fileUrl(vendorTaskId) {
      const slash = vendorTaskId.lastIndexOf('/');
      const { video } = await said<{ video: { url: string } }>(
        `/fal/${vendorTaskId.slice(0, slash)}/requests/${vendorTaskId.slice(slash + 1)}`,
        { scheme: 'Key' },
      );
      return video.url;
    },
  },
  {
    model: 'sandbox-luma',
    resolution: '720p',
    price: 100,
    async fileUrl(vendorTaskId) {
      const { output } = await said<{ output: [{ url: string }] }>(
        `/luma/v1/generations/${vendorTaskId}`,
      );
      return output[0].url;
    },
  },
  {
    model: 'sandbox-runway',
    resolution: '720p',
    price: 120,
    async fileUrl(vendorTaskId) {
      const { output } = await said<{ output: [string] }>(`/runway/v1/tasks/${vendorTaskId}`, {
        'x-runway-version': '2024-11-06',
      });
      return output[0];
    },
  },
  {
    model: 'sandbox-xai',
    resolution: '720p',
    price: 140,
    async fileUrl(vendorTaskId) {
      const { video } = await said<{ video: { url: string } }>(`/xai/v1/videos/${vendorTaskId}`);
      return video.url;
    },
  },
  {
    model: 'sandbox-dashscope',
    resolution: '720p',
    price: 100,
    async fileUrl(vendorTaskId) {
      const { output } = await said<{ output: { video_url: string } }>(
        `/dashscope/api/v1/tasks/${vendorTaskId}`,
      );
      return output.video_url;
    },
  },
  {
    model: 'sandbox-google-omni',
    resolution: '720p',
    price: 130,
    async fileUrl(vendorTaskId) {
      const { steps } = await said<{ steps: { content: { uri?: string }[] }[] }>(
        `/google-omni/v1beta/interactions/${vendorTaskId}`,
        { 'x-goog-api-key': gateway.suite.secrets.sandbox_api_key },
      );
      return steps.flatMap(({ content }) => content.flatMap(({ uri }) => uri ?? []))[0]!;
    },
  },
  {
    model: 'sandbox-vidu',
    resolution: '720p',
    price: 75,
    async fileUrl(vendorTaskId) {
      const { creations } = await said<{ creations: [{ url: string }] }>(
        `/vidu/ent/v2/tasks/${vendorTaskId}/creations`,
        { scheme: 'Token' },
      );
      return creations[0].url;
    },
  },
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
  {
    model: 'sandbox-kling',
    resolution: '720p',
    price: 90,
    async fileUrl(vendorTaskId) {
      const response = await fetch(
        `${gateway.suite.sandboxUrl}/kling/tasks?task_ids=${vendorTaskId}`,
        { headers: { authorization: `Bearer ${gateway.suite.secrets.sandbox_api_key}` } },
      );
      const { data } = (await response.json()) as { data: [{ outputs: [{ url: string }] }] };
      return data[0].outputs[0].url;
    },
    isFound: true,
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

describe.each(vendors)(
  'a video of $model',
  ({ model, resolution, price, fileUrl, isFound = false }) => {
    const create = (prompt: string, fields: object = {}): Promise<VideoResource> =>
      customer.create({ model, prompt, duration: 5, ...fields });

    it('succeeds with the very file of its vendor, billed to the second', async () => {
      const { id, portal_billing: reserved } = await create('a red balloon over Lisbon');
      expect(reserved).toMatchObject({
        reserved_duration_seconds: 5,
        max_billing_quota: 5 * price,
      });

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

    if (isFound) {
      it('whose creation got silence is found at the vendor, and succeeds', async () => {
        const { id } = await create('[lose-answer] x');

        expect(await customer.until(id, 'succeeded')).toMatchObject({
          portal_billing: { billed_quota: 5 * price },
        });
      });
      return;
    }
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
  },
);

describe('a file that is part of the response of its vendor', () => {
  it('is copied out of it, and billed as any other', async () => {
    const { id } = await customer.create({
      model: 'sandbox-google-omni',
      prompt: '[inline] x',
      duration: 5,
    });

    const done = await customer.until(id, 'succeeded');

    expect(done.portal_billing).toMatchObject({ billed_quota: 5 * 130 });
    const video = await bytesAt(done.content!.video_url);
    expect(await probeMp4(sourceFromBytes(video))).toMatchObject({ container: 'mp4' });
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
