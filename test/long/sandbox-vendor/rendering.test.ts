/** @workers 3: it promises no times. */
import { describe, expect, it } from '@jest/globals';
import { createCanvas, GlobalFonts, loadImage } from '@napi-rs/canvas';
import { font } from '../../../services/sandbox-vendor/src/render/fonts.ts';
import { createFrames } from '../../../services/sandbox-vendor/src/render/frames.ts';
import { normaliseMp4 } from '../../../services/sandbox-vendor/src/render/mp4-normalise.ts';
import {
  blend,
  planesFromRgba,
  rgbaFromPlanes,
  spriteFromRgba,
} from '../../../services/sandbox-vendor/src/render/planes.ts';
import { renderVideo } from '../../../services/sandbox-vendor/src/render/render-video.ts';
import {
  clockText,
  lengthText,
  wrapText,
} from '../../../services/sandbox-vendor/src/render/text-layout.ts';
import {
  frameFormat,
  ratios,
  renderKey,
  type VideoSpec,
} from '../../../services/sandbox-vendor/src/render/video-spec.ts';
import { nalKindsOf, readMp4, secondsOf } from '../../unit/sandbox-vendor/ark-client.ts';

const aSpec = (fields: Partial<VideoSpec> = {}): VideoSpec => ({
  prompt: 'A fox in the snow',
  seconds: 4,
  ratio: '16:9',
  resolution: '480p',
  watermark: false,
  quality: 'fast',
  ...fields,
});

/** Mean distance of two pictures in one channel, 0–255. */
function distance(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) {
    sum += Math.abs((one[index] ?? 0) - (other[index] ?? 0));
  }
  return sum / one.length;
}

describe('a rendered video', () => {
  it.each([
    { ratio: '16:9', seconds: 5, quality: 'standard', width: 848, height: 480, samples: 60 },
    { ratio: '9:16', seconds: 4, quality: 'fast', width: 144, height: 256, samples: 16 },
    { ratio: '3:4', seconds: 7.5, quality: 'fast', width: 192, height: 256, samples: 30 },
    { ratio: '21:9', seconds: 1, quality: 'fast', width: 336, height: 144, samples: 4 },
  ] as const)(
    'at $ratio and $seconds s in $quality quality has its size and exactly that length',
    async ({ ratio, seconds, quality, width, height, samples }) => {
      const { mp4 } = await renderVideo(aSpec({ ratio, seconds, quality }));

      const movie = await readMp4(mp4);

      expect(secondsOf(movie)).toBeCloseTo(seconds, 4);
      expect(movie.tracks[0]).toMatchObject({ nb_samples: samples, video: { width, height } });
      expect(movie.tracks[0]?.codec).toMatch(/^avc1\.42/);
      expect(movie.isProgressive).toBe(true);
    },
  );

  it('has whole frames where its index says they are, with a key frame every two seconds', async () => {
    const { mp4 } = await renderVideo(aSpec({ seconds: 5, quality: 'standard' }));

    const frames = nalKindsOf(mp4);

    const [picture, keyPicture] = [1, 5]; // NAL unit types of H.264
    expect(frames.map((kinds) => kinds.at(-1))).toEqual(
      Array.from({ length: 60 }, (_none, index) => (index % 24 === 0 ? keyPicture : picture)),
    );
  });

  it('has 720 lines where they are asked for, and that length too', async () => {
    const { mp4, lastFrame } = await renderVideo(
      aSpec({ seconds: 3, quality: 'standard', resolution: '720p' }),
    );

    const movie = await readMp4(mp4);
    const still = await loadImage(Buffer.from(lastFrame));

    expect(secondsOf(movie)).toBeCloseTo(3, 4);
    expect(movie.tracks[0]).toMatchObject({ nb_samples: 24, video: { width: 1280, height: 720 } });
    expect([still.width, still.height]).toEqual([1280, 720]);
  });

  it('is the same to the byte for the same description, whenever it is made', async () => {
    const [one, two] = [await renderVideo(aSpec()), await renderVideo(aSpec())];

    expect(Buffer.compare(one.mp4, two.mp4)).toBe(0);
    expect(Buffer.compare(one.lastFrame, two.lastFrame)).toBe(0);
    const { created } = await readMp4(one.mp4);
    expect(created.getTime()).toBe(Date.UTC(1904, 0, 1));
  });

  it('has a last frame that shows the end, not the beginning', async () => {
    const spec = aSpec({ quality: 'standard', seconds: 2 });
    const { width, height } = frameFormat(spec);

    const still = await loadImage(Buffer.from((await renderVideo(spec)).lastFrame));
    const canvas = createCanvas(width, height);
    canvas.getContext('2d').drawImage(still, 0, 0);
    const shown = canvas.getContext('2d').getImageData(0, 0, width, height).data;
    const frames = createFrames(spec);
    const first = rgbaFromPlanes(frames.frame(0));
    const last = rgbaFromPlanes(frames.frame(frames.count - 1));

    expect([still.width, still.height]).toEqual([width, height]);
    expect(distance(shown, last)).toBeLessThan(2);
    expect(distance(shown, first)).toBeGreaterThan(5);
  });

  it('moves from frame to frame, and differs by prompt, watermark and label', () => {
    const frameOf = (fields: Partial<VideoSpec>, index = 0): Uint8Array =>
      createFrames(aSpec({ quality: 'standard', ...fields }))
        .frame(index)
        .bytes.slice();
    const usual = frameOf({});

    expect(distance(usual, frameOf({}, 6))).toBeGreaterThan(1);
    for (const fields of [
      { prompt: 'A fox in the snow!' },
      { watermark: true },
      { resolution: '720p' },
    ]) {
      expect(distance(usual, frameOf(fields))).toBeGreaterThan(0.01);
    }
    expect(distance(usual, frameOf({}))).toBe(0);
  });

  it('brings its own fonts, so that text shows on a machine without any', () => {
    createFrames(aSpec());

    expect(GlobalFonts.families.map(({ family }) => family)).toEqual(
      expect.arrayContaining(['Sandbox bold', 'Sandbox regular', 'Sandbox world']),
    );
  });

  it.each(['雪', 'か', '한', 'ع', 'ש', 'अ', 'ไ', 'ಕ', 'Ж', 'ሀ', '→'])(
    'has a picture of %s, and no empty box',
    (character) => {
      const pictureOf = (text: string): number[] => {
        const context = createCanvas(48, 48).getContext('2d');
        context.font = font('bold', 32);
        context.fillText(text, 4, 36);
        return [...context.getImageData(0, 0, 48, 48).data];
      };
      const unassigned = '\u{e123}';

      expect(distance(pictureOf(character), pictureOf(' '))).toBeGreaterThan(0.5);
      expect(pictureOf(character)).not.toEqual(pictureOf(unassigned));
    },
  );

  it('has one name per picture: what cannot be seen does not count', () => {
    const long = 'word '.repeat(300);

    expect(renderKey(aSpec({ prompt: ' A  fox\nin the snow ' }))).toBe(renderKey(aSpec()));
    expect(renderKey(aSpec({ prompt: `${long} one` }))).toBe(
      renderKey(aSpec({ prompt: `${long} two` })),
    );
    const others = [
      { prompt: 'B' },
      { seconds: 5 },
      { ratio: '1:1' },
      { resolution: '720p' },
      { watermark: true },
      { quality: 'standard' },
    ] as const;
    expect(new Set([aSpec(), ...others.map(aSpec)].map(renderKey)).size).toBe(7);
  });

  it.each(ratios)('is drawn at %s in whole macroblocks', (ratio) => {
    for (const [quality, resolution] of [
      ['standard', '480p'],
      ['standard', '720p'],
      ['fast', '720p'],
    ] as const) {
      const { width, height } = frameFormat({ ratio, quality, resolution });
      const [across = 0, down = 0] = ratio.split(':').map(Number);
      const exact = (Math.min(width, height) * Math.max(across, down)) / Math.min(across, down);
      expect([width % 16, height % 16]).toEqual([0, 0]);
      expect(Math.abs(Math.max(width, height) - exact)).toBeLessThan(8);
    }
  });

  it.each([
    ['360p', 480],
    ['480p', 480],
    ['480P', 480],
    ['standard', 480],
    ['540p', 720],
    ['720p', 720],
    ['1080p', 720],
    ['2k', 720],
    ['4k', 720],
  ])('asked for %s has %s lines', (resolution, lines) => {
    expect(frameFormat({ ratio: '16:9', quality: 'standard', resolution }).height).toBe(lines);
    expect(frameFormat({ ratio: '9:16', quality: 'standard', resolution }).width).toBe(lines);
  });
});

describe('text in the picture', () => {
  const wrap = (text: string, maxLines = 9): readonly string[] =>
    wrapText(text, { maxWidth: 10, maxLines }, (line) => line.length);

  it.each([
    ['', []],
    ['short', ['short']],
    ['one two three four', ['one two', 'three four']],
    ['abcdefghijklmnop', ['abcdefghij', 'klmnop']],
    ['a abcdefghijklmnop b', ['a', 'abcdefghij', 'klmnop b']],
  ])('breaks %j into %j', (text, lines) => {
    expect(wrap(text)).toEqual(lines);
  });

  it('ends in an ellipsis when it does not fit', () => {
    expect(wrap('one two three four five six seven', 2)).toEqual(['one two', 'three fou…']);
    expect(wrap('aaaaaaaaaa bbbbbbbbbb cc', 1)).toEqual(['aaaaaaaaa…']);
  });

  it('shows times as a clock does', () => {
    expect([0, 3.25, 59.96, 61].map(clockText)).toEqual(['0:00.0', '0:03.3', '1:00.0', '1:01.0']);
    expect([5, 75, 7.5].map(lengthText)).toEqual(['0:05', '1:15', '0:07.5']);
  });
});

describe('pictures in planes', () => {
  const square = (size: number, pixel: readonly number[]) => ({
    width: size,
    height: size,
    data: Uint8Array.from({ length: size * size * 4 }, (_none, index) => pixel[index % 4] ?? 0),
  });

  it.each([[[255, 255, 255, 255]], [[0, 0, 0, 255]], [[200, 30, 90, 255]], [[10, 220, 60, 255]]])(
    'keep the colour %j',
    (pixel) => {
      const back = rgbaFromPlanes(planesFromRgba(square(2, pixel)));

      expect(distance(back, square(2, pixel).data)).toBeLessThan(3);
    },
  );

  it.each([
    [-3, -3, 4],
    [1, 1, 36],
    [6, 6, 4],
    [8, 0, 0],
    [0, -6, 0],
    [-60, 60, 0],
  ])('take a sprite at %i, %i on %i pixels and cut off the rest', (x, y, touched) => {
    const target = planesFromRgba(square(8, [0, 0, 0, 255]));
    const sprite = spriteFromRgba(square(6, [255, 255, 255, 255]));

    blend(target, sprite, { x, y });

    expect(target.bytes.subarray(0, 64).filter((luma) => luma === 235)).toHaveLength(touched);
    expect(target.bytes.subarray(0, 64).filter((luma) => luma === 16)).toHaveLength(64 - touched);
  });

  it('mix by opacity', () => {
    const target = planesFromRgba(square(2, [0, 0, 0, 255]));

    blend(target, spriteFromRgba(square(2, [255, 255, 255, 128])), { x: 0, y: 0 });

    expect([...target.bytes.subarray(0, 4)]).toEqual([125, 125, 125, 125]);
  });
});

describe('making an MP4 repeatable', () => {
  it('refuses a file that is cut off', async () => {
    const { mp4 } = await renderVideo(aSpec({ seconds: 1 }));

    expect(() => normaliseMp4(mp4.subarray(0, mp4.length - 1))).toThrow('broken MP4');
    expect(() => normaliseMp4(mp4.subarray(0, 24))).toThrow('without mdat');
  });
});
