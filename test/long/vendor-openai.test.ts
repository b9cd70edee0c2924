/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { createCanvas } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { eventually } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

let gateway: SuiteUnderTest;
let customer: Customer;
beforeAll(async () => {
  gateway = await openSuite({
    moreProviders: `  sandbox-openai:
    kind: openai-videos
    base_url: \${SANDBOX_URL}/v1
    api_key: \${SANDBOX_API_KEY}
    max_concurrent: 20
    requests_per_second: 100
    poll_seconds: { first: 0.25, max: 1 }
`,
    moreModels: `  sandbox-sora:
    kind: video
    provider: sandbox-openai
    upstream_model: sora-2-pro
    second_quota: { 720p: 100, 1080p: 220 }
    duration: { min: 4, max: 12, default: 4 }
    ratio: { allowed: ["16:9", "9:16"], default: "16:9" }
    resolution: { allowed: [720p, 1080p], default: 720p }
    frames: [first_frame]
    last_frame: extract
    expires_after_seconds: 3600
`,
    moreEnv: { 'video-worker': { FFMPEG_PATH: ffmpeg.path } },
  });
  customer = await gateway.aCustomer(100_000);
});
afterAll(() => gateway.close());

const aVideo = (fields: object): object => ({
  model: 'sandbox-sora',
  prompt: 'a red balloon',
  ...fields,
});
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesAt = async (url: string, headers: Record<string, string> = {}): Promise<Buffer> =>
  Buffer.from(await (await fetch(url, { headers })).arrayBuffer());
const keyOfVendor = (): Record<string, string> => ({
  authorization: `Bearer ${gateway.suite.secrets.sandbox_api_key}`,
});

/** The id that the vendor knows the task by. */
async function vendorTaskId(taskId: string): Promise<string> {
  const { rows } = await gateway.database.pool.query<{ vendor_task_id: string }>(
    'SELECT vendor_task_id FROM task WHERE id = $1',
    [taskId],
  );
  return rows[0]!.vendor_task_id;
}

describe('a video from a vendor of the OpenAI videos format', () => {
  it("succeeds with the vendor's own file, which needed the key, with its last frame cut from it, and is billed to the second", async () => {
    const image = createCanvas(720, 1280).toBuffer('image/png');
    const { id } = await customer.create(
      aVideo({
        duration: 8,
        ratio: '9:16',
        return_last_frame: true,
        references: [{ type: 'image', url: `data:image/png;base64,${image.toString('base64')}` }],
      }),
    );

    const done = await customer.until(id, 'succeeded');

    const vendorsUrl = `${gateway.suite.sandboxUrl}/v1/videos/${await vendorTaskId(id)}/content`;
    const video = await bytesAt(done.content!.video_url);
    expect((await fetch(vendorsUrl)).status).toBe(401);
    expect(sha256(video)).toBe(sha256(await bytesAt(vendorsUrl, keyOfVendor())));
    expect(await probeMp4(sourceFromBytes(video))).toMatchObject({
      container: 'mp4',
      seconds: expect.closeTo(8, 1),
    });
    expect((await bytesAt(done.content!.last_frame_url!)).subarray(0, 3).toString('hex')).toBe(
      'ffd8ff',
    );
    expect(done).toMatchObject({
      ratio: '9:16',
      resolution: '720p',
      portal_billing: { billed_duration_seconds: 8, billed_quota: 800 },
    });
    const { inputs } = (await (
      await fetch(`${gateway.suite.sandboxUrl}/control/tasks/${await vendorTaskId(id)}`)
    ).json()) as { inputs: object[] };
    expect(inputs).toMatchObject([
      { role: 'first_frame', content_type: 'image/png', sha256: sha256(image) },
    ]);
  });

  it('is billed for the length that was really made', async () => {
    const { id } = await customer.create(aVideo({ duration: 8, prompt: '[actual=3] x' }));

    expect(await customer.until(id, 'succeeded')).toMatchObject({
      portal_billing: { billed_duration_seconds: 3, billed_quota: 300 },
    });
  });

  it.each([
    ['[fail] x', 'vendor_error'],
    ['[moderate] x', 'content_policy'],
    ['[moderate-input] x', 'content_policy'],
    ['[no-output] x', 'no_output'],
    ['[reject] x', 'invalid_request'],
  ])('for %j fails, says %s, and costs nothing', async (prompt, code) => {
    const { id } = await customer.create(aVideo({ prompt }));

    const ended = await customer.until(id, 'failed');

    expect(ended).toMatchObject({
      error: { code },
      portal_billing: { billed_duration_seconds: 0, billed_quota: 0 },
    });
    expect(ended).not.toHaveProperty('content');
  });

  it('whose response was lost ends as submission_unknown, is never sent again, and costs the customer nothing', async () => {
    const { id } = await customer.create(aVideo({ prompt: '[lose-answer] only once' }));

    expect(await customer.until(id, 'failed')).toMatchObject({
      error: { code: 'submission_unknown' },
      portal_billing: { billed_quota: 0 },
    });
    const { data } = JSON.parse(
      (await bytesAt(`${gateway.suite.sandboxUrl}/v1/videos?limit=100`, keyOfVendor())).toString(),
    ) as { data: { prompt: string }[] };
    expect(data.filter(({ prompt }) => prompt.includes('only once'))).toHaveLength(1);
    const { rows } = await gateway.database.pool.query(
      'SELECT kind FROM exposure WHERE task_id = $1',
      [id],
    );
    expect(rows).toEqual([{ kind: 'submission_unknown' }]);
  });

  it('survives broken polls and a download that fails at first', async () => {
    const { id } = await customer.create(aVideo({ prompt: '[poll-errors=3] [file-errors=1] x' }));

    await customer.until(id, 'succeeded');
  });

  it('that the format cannot ask for is refused, by field', async () => {
    const refused = async (fields: object): Promise<object> => {
      const { status, body } = await customer.request('POST', '/v1/videos', aVideo(fields));
      const { code, param } = (body as { error: { code: string; param: string } }).error;
      return { status, code, param };
    };

    expect(await refused({ duration: 5 })).toEqual({
      status: 400,
      code: 'invalid_parameter',
      param: 'duration',
    });
    expect(await refused({ seed: 7 })).toEqual({
      status: 400,
      code: 'unsupported_parameter',
      param: 'seed',
    });
    expect(await refused({ watermark: true })).toEqual({
      status: 400,
      code: 'unsupported_parameter',
      param: 'watermark',
    });
    expect(
      await refused({ references: [{ type: 'image', url: 'https://example.com/a.png' }] }),
    ).toEqual({ status: 400, code: 'unsupported_parameter', param: 'references[0].url' });
  });

  it('leaves books that an operator can verify', async () => {
    await eventually(async () => {
      const run = await gateway.admin('billing', 'verify', '--grace', '0', '--json');
      expect(JSON.parse(run.output)).toMatchObject({ ok: true, violations: [] });
    });
  });
});
