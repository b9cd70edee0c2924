import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileSystemStorage, type MediaStorage, type PosterCutter } from '@gateway/media';
import { recordingLog } from '@gateway/testing';
import {
  createPosterMaker,
  type PosterOutcome,
} from '../../../services/video-worker/src/adapters/poster-maker.ts';

const bytes = Buffer.from('a video');
const task = { id: 'video_1', epoch: 3 };

let folder: string;
let storage: MediaStorage;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-posters-'));
  storage = await openFileSystemStorage({ folder });
  await storage.put('videos/a.mp4', Readable.from([bytes]), { maxBytes: 100 });
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** A poster that is all of the video. */
const whole: PosterCutter = async ({ sizeBytes, read }) =>
  Buffer.concat((await (await read({ start: 0, end: sizeBytes - 1 })).toArray()) as Buffer[]);
/** Never done: what it waits for is called off. */
const hanging = (_video: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });

const hangingPut: MediaStorage['put'] = (_key, content, { signal }) =>
  hanging(content, signal ?? new AbortController().signal);

async function make(parts: { readonly cut?: PosterCutter; readonly put?: MediaStorage['put'] }) {
  const outcomes: PosterOutcome[] = [];
  const log = recordingLog();
  const makePoster = createPosterMaker({
    storage: { read: storage.read, put: parts.put ?? storage.put },
    newSuffix: () => 'x',
    cut: parts.cut ?? whole,
    timeoutMs: 300,
    onPoster: (outcome) => outcomes.push(outcome),
    log,
  });
  const content = { storageKey: 'videos/a.mp4', sizeBytes: bytes.length };
  const poster = await makePoster(task, content, new AbortController().signal);
  return { poster, outcomes, said: log.lines.map(({ message }) => message) };
}

describe('making a poster', () => {
  it('stores what was cut from the stored video, under a name of its own', async () => {
    const { poster, outcomes, said } = await make({});

    expect(poster).toMatchObject({
      variant: 'poster',
      contentType: 'image/jpeg',
      storageKey: 'frames/video_1-3-poster-x.jpg',
      sizeBytes: bytes.length,
    });
    expect(await readdir(path.join(folder, 'frames'))).toEqual(['video_1-3-poster-x.jpg']);
    expect([outcomes, said]).toEqual([['made'], []]);
  });

  it.each([
    ['the picture', { cut: hanging }],
    ['the storage', { put: hangingPut }],
    ['nothing, but the cut fails', { cut: () => Promise.reject(new Error('no')) }],
    ['nothing, but the storage is full', { put: () => Promise.reject(new Error('full')) }],
  ])('holds nothing up by %s', async (_what, parts) => {
    const { poster, outcomes, said } = await make(parts);

    expect(poster).toBeUndefined();
    expect([outcomes, said]).toEqual([['failed'], ['poster not made']]);
  });
});
