import { chmod, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { createFrameCutter, findDecoder, probeImage } from '@gateway/media';
import { anMp4 } from './mp4-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'decoders-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;

async function aProgram(name: string, script: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

describe('the decoder', () => {
  it('is the one that is named, or the first ffmpeg of the search path, or none', async () => {
    expect(await findDecoder({ programPath: ffmpeg.path, searchPath: '' })).toEqual({
      program: ffmpeg.path,
    });
    expect(
      await findDecoder({
        programPath: undefined,
        searchPath: `${folder}:${path.dirname(ffmpeg.path)}`,
      }),
    ).toEqual({ program: ffmpeg.path });
    expect(await findDecoder({ programPath: undefined, searchPath: folder })).toBeUndefined();
    await expect(
      findDecoder({
        programPath: path.join(folder, 'no-such'),
        searchPath: path.dirname(ffmpeg.path),
      }),
    ).rejects.toThrow(/no-such does not work/);
  });
});

describe('cutting a last frame', () => {
  // A folder of its own: other processes cut videos in the system's one at any time.
  let temporaryFolder: string;
  beforeEach(async () => {
    temporaryFolder = await mkdtemp(path.join(folder, 'cutting-'));
  });
  afterEach(async () => {
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  const cutter = async (program = ffmpeg.path, timeoutMs = 30_000) =>
    createFrameCutter({ decoder: { program }, timeoutMs, maxBytes: 1_000_000, temporaryFolder });

  it('gives the last picture of the video, in its size', async () => {
    const cut = await cutter();

    const [short, long] = [
      await cut(Readable.from([await anMp4(3)]), never),
      await cut(Readable.from([await anMp4(25)]), never),
    ];

    expect([probeImage(short), probeImage(long)]).toEqual([
      { mediaType: 'image/jpeg', width: 64, height: 48 },
      { mediaType: 'image/jpeg', width: 64, height: 48 },
    ]);
    // Each picture of these videos is brighter than the one before: the last ones differ.
    expect(short.equals(long)).toBe(false);
  });

  it('removes what a killed process left behind, not what another one may be working on', async () => {
    const [left, recent] = ['gateway-last-frame-left', 'gateway-last-frame-now'].map((name) =>
      path.join(temporaryFolder, name),
    );
    await Promise.all([mkdir(left!), mkdir(recent!)]);
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    await utimes(left!, twoHoursAgo, twoHoursAgo);

    await cutter();

    expect(await readdir(temporaryFolder)).toEqual([path.basename(recent!)]);
    await rm(recent!, { recursive: true });
  });

  it.each([
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n')],
  ])('refuses %s', async (_what, bytes) => {
    await expect((await cutter())(Readable.from([bytes]), never)).rejects.toMatchObject({
      name: 'MediaError',
      code: 'unreadable_video',
    });
  });

  it('ends a decoder that hangs, and passes on who calls it off', async () => {
    const hangs = await aProgram('hangs', 'exec sleep 60');
    const called = new AbortController();
    const work = (await cutter(hangs))(Readable.from([Buffer.alloc(10)]), called.signal);
    called.abort(new Error('called off'));

    await expect(work).rejects.toThrow();
    await expect(
      (await cutter(hangs, 200))(Readable.from([Buffer.alloc(10)]), never),
    ).rejects.toMatchObject({
      code: 'unreadable_video',
      message: expect.stringContaining('200 ms'),
    });
  });

  it('tells the decoder nothing of our environment', async () => {
    const shows = await aProgram('shows', 'for last; do :; done; /usr/bin/env > "$last"');

    const said = (await (await cutter(shows))(Readable.from([Buffer.alloc(10)]), never)).toString();

    expect(said).not.toMatch(/TEST_DATABASE_URL|HOME=/);
  });
});
