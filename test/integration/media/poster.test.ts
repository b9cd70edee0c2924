import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import ffmpeg from '@ffmpeg-installer/ffmpeg';
import { createPosterCutter, probeImage } from '@gateway/media';
import { eventually } from '@gateway/testing';
import { anMp4, box } from './mp4-files.ts';

let folder: string;
let temporaryFolder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'posters-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  temporaryFolder = await mkdtemp(path.join(folder, 'cutting-'));
});
afterEach(async () => {
  expect(await readdir(temporaryFolder)).toEqual([]);
});

const never = new AbortController().signal;
const cutter = (program = ffmpeg.path) =>
  createPosterCutter({ decoder: { program }, temporaryFolder });

/** A video in memory, and which parts of it were read. */
function videoOf(bytes: Buffer) {
  const reads: [number, number][] = [];
  const read = ({ start, end }: { readonly start: number; readonly end: number }) => {
    reads.push([start, end]);
    return Promise.resolve(Readable.from([bytes.subarray(start, end + 1)]));
  };
  return { reads, sizeBytes: bytes.length, read };
}

/** A video of one second as ffmpeg draws it. */
async function drawn(picture: string, ...more: readonly string[]): Promise<Buffer> {
  const file = path.join(folder, `${Math.random()}.mp4`);
  const input = ['-f', 'lavfi', '-i', picture, '-t', '1', '-pix_fmt', 'yuv420p'];
  await promisify(execFile)(ffmpeg.path, ['-loglevel', 'error', ...input, ...more, file]);
  return readFile(file);
}

async function aProgram(name: string, script: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

describe('cutting a poster', () => {
  it('gives the first picture, in its size where that is small', async () => {
    const cut = await cutter();

    const [short, long] = [
      await cut(videoOf(await anMp4(1)), never),
      await cut(videoOf(await anMp4(25)), never),
    ];

    expect(probeImage(short)).toEqual({ mediaType: 'image/jpeg', width: 64, height: 48 });
    // Each picture of these videos is brighter than the one before.
    expect(long.equals(short)).toBe(true);
  });

  it.each([
    ['wide', 'testsrc2=s=1280x720', 480, 270],
    ['high', 'testsrc2=s=720x1280', 270, 480],
    ['of odd sides', 'testsrc2=s=1000x562', 480, 270],
  ])('makes a picture small that is %s', async (_what, picture, width, height) => {
    const poster = await (await cutter())(videoOf(await drawn(picture)), never);

    expect(probeImage(poster)).toEqual({ mediaType: 'image/jpeg', width, height });
    expect(poster.length).toBeLessThanOrEqual(30_000);
  });

  it('makes a picture coarser that would be a large file', async () => {
    const noise = await drawn('nullsrc=s=540x960:r=2,geq=random(1)*255:128:128');

    const poster = await (await cutter())(videoOf(noise), never);

    expect(poster.length).toBeGreaterThan(1_000);
    expect(poster.length).toBeLessThanOrEqual(30_000);
  });

  it.each([
    ['end', []],
    ['beginning', ['-movflags', '+faststart']],
  ])('reads the ends alone of a large file with its index at the %s', async (_where, more) => {
    const file = await drawn('testsrc2=s=320x180', ...more);
    const hole = box('free', Buffer.alloc(40_000_000));
    const at = more.length === 0 ? file.indexOf('moov') - 4 : file.length;
    const large = videoOf(Buffer.concat([file.subarray(0, at), hole, file.subarray(at)]));

    const poster = await (await cutter())(large, never);

    expect(probeImage(poster)).toMatchObject({ width: 320, height: 180 });
    expect(large.reads).toEqual([
      [0, 8_388_607],
      [large.sizeBytes - 8_388_608, large.sizeBytes - 1],
    ]);
  });

  it.each([
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n')],
  ])('refuses %s', async (_what, bytes) => {
    await expect((await cutter())(videoOf(bytes), never)).rejects.toMatchObject({
      name: 'MediaError',
      code: 'unreadable_video',
    });
  });

  it('ends a decoder that hangs when it is called off, and passes on why, or what reading threw', async () => {
    const hangs = await aProgram('hangs', 'exec sleep 60');
    const video = videoOf(Buffer.alloc(10));
    const called = new AbortController();
    const work = (await cutter(hangs))(video, called.signal);
    called.abort(new Error('called off'));

    await expect(work).rejects.toThrow('called off');
    const read = (): Promise<Readable> => Promise.reject(new Error('away'));
    await expect((await cutter())({ sizeBytes: 10, read }, never)).rejects.toThrow('away');
  });

  it('is done for two videos at a time, and not for one that is called off while it waits', async () => {
    const runs = path.join(folder, 'runs');
    await mkdir(runs);
    const hangs = await aProgram('counted', `/usr/bin/touch ${runs}/$$; exec sleep 60`);
    const cut = await cutter(hangs);
    const called = new AbortController();
    const all = Array.from({ length: 5 }, () => cut(videoOf(Buffer.alloc(10)), called.signal));
    const ended = Promise.allSettled(all);
    await eventually(async () => {
      expect(await readdir(runs)).toHaveLength(2);
    });
    called.abort(new Error('called off'));

    expect((await ended).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(await readdir(runs)).toHaveLength(2);
  });

  it('removes what a killed process left behind, not what another one may be working on', async () => {
    const [left, recent] = ['gateway-poster-left', 'gateway-poster-now'].map((name) =>
      path.join(temporaryFolder, name),
    );
    await Promise.all([mkdir(left!), mkdir(recent!)]);
    const twoHoursAgo = Date.now() / 1_000 - 7_200;
    await utimes(left!, twoHoursAgo, twoHoursAgo);

    await cutter();

    expect(await readdir(temporaryFolder)).toEqual([path.basename(recent!)]);
    await rm(recent!, { recursive: true });
  });
});
