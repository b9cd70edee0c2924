import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reference, Task } from '@gateway/contracts';
import { openFileSystemStorage, parseTokenKeys, verifyMediaToken } from '@gateway/media';
import { createSourceLinks } from '../../../services/video-worker/src/adapters/source-links.ts';
import { createSubmissionBuilder } from '../../../services/video-worker/src/adapters/submission-builder.ts';
import { aTask } from '../contracts/samples.ts';

const keys = parseTokenKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
const now = new Date('2026-01-01T12:00:00Z');
const other = 'video_01m7z1mc2yfzz8gkvph7wn2q17';
const assetId = 'asset_01m7z1mc2yfzz8gkvph7wn2q17';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-submission-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The submission of a task with these references, to a vendor that can fetch from us or cannot. */
async function submissionOf(
  references: readonly Reference[],
  { canFetch, request = {} }: { canFetch: boolean; request?: Partial<Task['request']> },
) {
  const storage = await openFileSystemStorage({ folder });
  await storage.put('some/file', Readable.from([Buffer.from('bytes')]), { maxBytes: 10 });
  const build = createSubmissionBuilder({
    storage,
    links: createSourceLinks({ baseUrl: 'https://gateway.example/', keys, now: () => now }),
    deliveryTo: () => ({
      canFetch,
      capabilities: { promptFlags: undefined, inlineKinds: ['image'], audioNeedsPicture: false },
    }),
  });
  const task = aTask();
  return build({ ...task, request: { ...task.request, ...request, references } });
}

const stored = { key: 'some/file', mediaType: 'image/jpeg', sizeBytes: 5, sha256: 'x' };
const frame: Reference = {
  kind: 'image',
  role: 'first_frame',
  source: { type: 'task', taskId: other, variant: 'last-frame', ...stored },
};

describe('what a vendor is sent', () => {
  it('names a signed address of another video’s file, which only a vendor gets', async () => {
    const { references } = await submissionOf([frame], { canFetch: true });

    const url = new URL(references[0]?.url ?? '');
    expect(url.href).toMatch(`https://gateway.example/v1/videos/${other}/last-frame?token=`);
    const verify = (variant: 'last-frame' | 'source-last-frame' | 'source-content') =>
      verifyMediaToken({
        keys,
        token: url.searchParams.get('token') ?? '',
        variant,
        videoId: other,
        now,
        maxTtlSeconds: 86_400,
      }).ok;
    expect(verify('source-last-frame')).toBe(true);
    expect(verify('last-frame')).toBe(false);
    expect(verify('source-content')).toBe(false);
  });

  it('has the bytes of a file that its vendor cannot fetch', async () => {
    const { references } = await submissionOf([frame], { canFetch: false });

    expect(references).toEqual([
      {
        kind: 'image',
        role: 'first_frame',
        url: `data:image/jpeg;base64,${Buffer.from('bytes').toString('base64')}`,
      },
    ]);
  });

  it('names an asset as an asset, and an address as it was written', async () => {
    const { references } = await submissionOf(
      [
        { ...frame, source: { type: 'asset', assetId, ...stored } },
        { ...frame, source: { type: 'url', url: 'https://files.example/cat.png' } },
      ],
      { canFetch: true },
    );

    expect(references.map(({ url }) => url.replace(/token=.*/, ''))).toEqual([
      `https://gateway.example/v1/assets/${assetId}/content?`,
      'https://files.example/cat.png',
    ]);
  });

  it('has the options that were asked for, and no others', async () => {
    const { draft, priority, ...rest } = await submissionOf([], {
      canFetch: true,
      request: { draft: true, priority: 3 },
    });

    expect([draft, priority]).toEqual([true, 3]);
    expect(rest).not.toHaveProperty('serviceTier');
    expect(rest).not.toHaveProperty('task');
  });
});
