/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

let gateway: SuiteUnderTest;
let customer: Customer;
beforeAll(async () => {
  gateway = await openSuite();
  customer = await gateway.aCustomer(100_000);
});
afterAll(async () => {
  await gateway.close();
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const sha256 = createHash('sha256').update(png).digest('hex');
const common = { model: 'sandbox-video', resolution: '480p', duration: 4 };

interface VendorTask {
  readonly prompt: string;
  readonly inputs: readonly { readonly via: string; readonly url?: string }[];
}

async function inputsOf(prompt: string): Promise<VendorTask['inputs']> {
  const { tasks } = (await (await fetch(`${gateway.suite.sandboxUrl}/control/tasks`)).json()) as {
    tasks: VendorTask[];
  };
  return tasks.find((task) => task.prompt === prompt)?.inputs ?? [];
}

describe('an image that was uploaded', () => {
  it('reaches the vendor byte for byte in videos of both formats, as does one in a data: URL, and is removed', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'cat.png');
    const uploaded = await fetch(`${gateway.suite.baseUrl}/v1/assets`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${customer.apiKey}` },
    });
    const asset = (await uploaded.json()) as { id: string; sha256: string };
    expect([uploaded.status, asset.sha256]).toEqual([200, sha256]);

    const tasks = await Promise.all([
      customer.create({
        ...common,
        prompt: 'format one',
        references: [{ type: 'image', role: 'first_frame', url: asset.id }],
      }),
      customer.create({
        ...common,
        content: [
          { type: 'text', text: 'format two' },
          { type: 'image_url', image_url: { asset_id: asset.id }, role: 'reference_image' },
        ],
      }),
      customer.create({
        ...common,
        prompt: 'inline',
        references: [
          {
            type: 'image',
            role: 'first_frame',
            url: `data:image/png;base64,${png.toString('base64')}`,
          },
        ],
      }),
    ]);
    for (const { id } of tasks) await customer.until(id, 'succeeded');

    const received = { content_type: 'image/png', size_bytes: png.length, sha256 };
    const url = `${gateway.suite.baseUrl}/v1/assets/${asset.id}/content`;
    expect(await inputsOf('format one')).toEqual([
      { ...received, type: 'image_url', role: 'first_frame', via: 'url', url },
    ]);
    expect(await inputsOf('format two')).toEqual([
      { ...received, type: 'image_url', role: 'reference_image', via: 'url', url },
    ]);
    expect(await inputsOf('inline')).toEqual([
      { ...received, type: 'image_url', role: 'first_frame', via: 'data' },
    ]);
    expect((await customer.request('DELETE', `/v1/assets/${asset.id}`)).status).toBe(200);
    expect((await customer.request('GET', `/v1/assets/${asset.id}`)).status).toBe(404);
  });
});

describe('a finished video', () => {
  it('is extended, and gives the first frame of another, although it is deleted meanwhile', async () => {
    const { id } = await customer.create({
      ...common,
      prompt: 'the first',
      draft: true,
      service_tier: 'standard',
    });
    await customer.until(id, 'succeeded');
    const framed = await customer.create({ ...common, prompt: 'framed', return_last_frame: true });
    const { content } = await customer.until(framed.id, 'succeeded');
    const film = await bytesAt((await customer.until(id, 'succeeded')).content?.video_url);
    const picture = await bytesAt(content?.last_frame_url);

    const extended = await customer.create({
      ...common,
      prompt: 'and then',
      task: 'extend',
      references: [{ type: 'video', url: id }],
    });
    const continued = await customer.create({
      ...common,
      prompt: 'from there',
      references: [{ type: 'image', role: 'first_frame', url: framed.id }],
    });
    for (const source of [id, framed.id]) {
      expect((await customer.request('DELETE', `/v1/videos/${source}`)).status).toBe(200);
    }
    for (const task of [extended, continued]) await customer.until(task.id, 'succeeded');

    const at = (source: string, file: string): string =>
      `${gateway.suite.baseUrl}/v1/videos/${source}/${file}`;
    expect(await inputsOf('and then')).toMatchObject([
      { role: 'reference_video', via: 'url', url: at(id, 'content'), sha256: hashOf(film) },
    ]);
    expect(await inputsOf('from there')).toMatchObject([
      { role: 'first_frame', url: at(framed.id, 'last-frame'), sha256: hashOf(picture) },
    ]);
    expect(extended).toMatchObject({ task: 'extend', ratio: 'adaptive' });
  });
});

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function bytesAt(url: string | undefined): Promise<Buffer> {
  const response = await fetch(url ?? '');
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}
