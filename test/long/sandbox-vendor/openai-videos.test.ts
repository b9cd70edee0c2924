/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createCanvas } from '@napi-rs/canvas';
import OpenAI, { toFile } from 'openai';
import { probeMp4, sourceFromBytes } from '@gateway/media';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';

let vendor: RunningSandbox;
let client: OpenAI;

beforeAll(async () => {
  vendor = await startSandboxVendor();
  client = new OpenAI({ apiKey: vendor.apiKey, baseURL: `${vendor.url}/v1`, maxRetries: 0 });
});
afterAll(() => vendor.stop());
afterEach(async () => {
  await fetch(`${vendor.url}/control/reset`, { method: 'POST' });
});

// The service of this API has ended; its format lives on, and its client is the judge.
/* eslint-disable @typescript-eslint/no-deprecated -- see above */
const create = (prompt: string, more: object = {}): Promise<OpenAI.Video> =>
  client.videos.create({ model: 'sora-2', prompt, seconds: '4', size: '1280x720', ...more });
const until = (id: string, status: string): Promise<OpenAI.Video> =>
  eventually(async () => {
    const video = await client.videos.retrieve(id);
    expect(video.status).toBe(status);
    return video;
  });
const bytesOf = async (response: Response): Promise<Buffer> =>
  Buffer.from(await response.arrayBuffer());
const png = (width: number, height: number): Buffer =>
  createCanvas(width, height).toBuffer('image/png');

describe('the official OpenAI client on the sandbox’s videos', () => {
  it('creates one, sees it completed, and downloads a real video of that length', async () => {
    const created = await create('a red balloon', { seconds: '8', size: '720x1280' });
    expect(created).toMatchObject({
      id: expect.stringMatching(/^video_/),
      object: 'video',
      model: 'sora-2',
      status: 'queued',
      progress: 0,
      seconds: '8',
      size: '720x1280',
      error: null,
      completed_at: null,
    });

    const done = await until(created.id, 'completed');
    const bytes = await bytesOf(await client.videos.downloadContent(created.id));

    expect(done).toMatchObject({
      id: created.id,
      progress: 100,
      completed_at: expect.any(Number),
      expires_at: expect.any(Number),
      prompt: 'a red balloon',
    });
    expect(await probeMp4(sourceFromBytes(bytes))).toMatchObject({
      container: 'mp4',
      seconds: expect.closeTo(8, 1),
    });
  });

  it('uploads a first frame, which the vendor has byte for byte', async () => {
    const image = png(1280, 720);
    const { id } = await create('moving', {
      input_reference: await toFile(image, 'frame.png', { type: 'image/png' }),
    });

    const seen = (await (await fetch(`${vendor.url}/control/tasks/${id}`)).json()) as {
      inputs: object[];
    };

    expect(seen.inputs).toEqual([
      {
        type: 'image_url',
        role: 'first_frame',
        via: 'data',
        content_type: 'image/png',
        size_bytes: image.length,
        sha256: createHash('sha256').update(image).digest('hex'),
      },
    ]);
  });

  it('lists them page by page, newest first, and deletes one that has ended', async () => {
    const [one, two, three] = [
      await create('one'),
      await create('two'),
      await create('[stall] three'),
    ];
    await until(one.id, 'completed');

    const newest = await client.videos.list({ limit: 2 });
    const listed: string[] = [];
    for await (const { id } of client.videos.list({ limit: 2 })) listed.push(id);
    const deleted = await client.videos.delete(one.id);

    expect(newest).toMatchObject({ data: [{ id: three.id }, { id: two.id }], has_more: true });
    expect(listed).toEqual([three.id, two.id, one.id]);
    expect(deleted).toEqual({ id: one.id, object: 'video.deleted', deleted: true });
    await expect(client.videos.retrieve(one.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.videos.delete(three.id)).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    ['[fail] x', 'failed', 'server_error'],
    ['[moderate] x', 'failed', 'moderation_blocked'],
    ['[expire] x', 'expired', 'expired'],
  ])('sees %j end as %s for %s', async (prompt, status, code) => {
    const { id } = await create(prompt);

    expect(await until(id, status)).toMatchObject({ error: { code, message: expect.any(String) } });
    await expect(client.videos.downloadContent(id)).rejects.toMatchObject({ status: 404 });
  });

  it('sees [no-output] completed, with a file that has expired already', async () => {
    const { id } = await create('[no-output] x');

    expect((await until(id, 'completed')).expires_at).toBeLessThanOrEqual(
      Math.ceil(Date.now() / 1_000),
    );
    await expect(client.videos.downloadContent(id)).rejects.toMatchObject({ status: 404 });
  });

  it('sees the length that was really rendered with [actual=], and a longer run with [slow=]', async () => {
    const [short, slow] = [await create('[actual=2] x'), await create('[slow=60] x')];

    expect(await until(short.id, 'completed')).toMatchObject({ seconds: '2' });
    expect(
      (
        await probeMp4(
          sourceFromBytes(await bytesOf(await client.videos.downloadContent(short.id))),
        )
      ).seconds,
    ).toBeCloseTo(2, 0);
    await until(slow.id, 'in_progress');
    await expect(client.videos.downloadContent(slow.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is told what is wrong, by field', async () => {
    const wrong = async (more: object): Promise<object> =>
      create('x', more).then(
        () => ({}),
        (thrown: unknown) => {
          const { status, param, code } = thrown as InstanceType<typeof OpenAI.APIError>;
          return { status, param, code };
        },
      );

    expect(await wrong({ seconds: '5' })).toEqual({
      status: 400,
      param: 'seconds',
      code: 'invalid_value',
    });
    expect(await wrong({ size: '1920x1080' })).toEqual({
      status: 400,
      param: 'size',
      code: 'invalid_value',
    });
    expect(await wrong({ model: 'sora-3' })).toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    expect(await wrong({ seed: '7' })).toEqual({
      status: 400,
      param: 'seed',
      code: 'unknown_parameter',
    });
    expect(
      await wrong({
        input_reference: await toFile(png(64, 64), 'frame.png', { type: 'image/png' }),
      }),
    ).toEqual({ status: 400, param: 'input_reference', code: 'invalid_value' });
    expect(await wrong({ prompt: '[reject] x' })).toEqual({
      status: 400,
      param: 'prompt',
      code: 'invalid_value',
    });
    expect(await wrong({ prompt: '[moderate-input] x' })).toMatchObject({
      status: 400,
      code: 'moderation_blocked',
    });
    expect(await wrong({ prompt: '[overdue] x' })).toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    });
  });

  it('loses the response to [lose-answer] and has the video all the same', async () => {
    await expect(create('[lose-answer] x')).rejects.toThrow(/connection/i);

    expect((await client.videos.list()).data).toMatchObject([{ prompt: '[lose-answer] x' }]);
  });

  it('meets as many broken polls as [poll-errors=] says', async () => {
    const { id } = await create('[poll-errors=2] x');

    await expect(client.videos.retrieve(id)).rejects.toMatchObject({ status: 500 });
    await expect(client.videos.retrieve(id)).rejects.toMatchObject({ status: 502 });
    await until(id, 'completed');
  });

  it('needs the key on every route, that of the file too', async () => {
    const { id } = await create('x');
    await until(id, 'completed');

    for (const path of ['', `/${id}`, `/${id}/content`]) {
      expect((await fetch(`${vendor.url}/v1/videos${path}`)).status).toBe(401);
      expect(
        (
          await fetch(`${vendor.url}/v1/videos${path}`, {
            headers: { authorization: 'Bearer wrong' },
          })
        ).status,
      ).toBe(401);
      expect(
        (
          await fetch(`${vendor.url}/v1/videos${path}`, {
            headers: { authorization: `Bearer ${vendor.apiKey}` },
          })
        ).status,
      ).toBe(200);
    }
  });
});
