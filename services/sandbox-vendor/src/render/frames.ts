import { blend, type Planes, type Sprite } from './planes.ts';
import { clockAt, drawScene } from './scene.ts';
import type { FrameFormat, VideoSpec } from './video-spec.ts';

export interface Frames {
  readonly format: FrameFormat;
  readonly count: number;
  /** Frame `index` from 0; the next call overwrites it. */
  frame(index: number): Planes;
}

/**
 * A shape comes back to where it started after so long, so short and long videos move at the same
 * pace.
 */
const secondsPerTurn = 6;

/** The frames of one video, put together one at a time. */
export function createFrames(spec: VideoSpec): Frames {
  const scene = drawScene(spec);
  const { format, background } = scene;
  const count = Math.max(1, Math.round(spec.seconds * format.framesPerSecond));
  const picture: Planes = { ...background, bytes: new Uint8Array(background.bytes.length) };

  const frame = (index: number): Planes => {
    picture.bytes.set(background.bytes);
    const angle = (index / format.framesPerSecond / secondsPerTurn) * 2 * Math.PI;
    for (const { sprite, turns, phase } of scene.wanderers) {
      const across = (1 + Math.cos(angle * turns[0] + phase)) / 2;
      const down = (1 + Math.sin(angle * turns[1] + phase)) / 2;
      blend(picture, sprite, {
        x: Math.round(across * (format.width - sprite.width)),
        y: Math.round(down * (format.height - sprite.height)),
      });
    }
    blend(picture, scene.caption.sprite, scene.caption);
    writeText(picture, clockAt(index, spec, format), { glyphs: scene.glyphs, ...scene.clock });
    const done = Math.round((format.width * (index + 1)) / count);
    blend(picture, scene.progress, {
      x: done - scene.progress.width,
      y: format.height - scene.progress.height,
    });
    return picture;
  };
  return { format, count, frame };
}

interface Pen {
  readonly glyphs: ReadonlyMap<string, Sprite>;
  readonly x: number;
  readonly y: number;
}

function writeText(picture: Planes, text: string, { glyphs, x, y }: Pen): void {
  let at = x;
  for (const character of text) {
    const glyph = glyphs.get(character);
    if (glyph === undefined) continue;
    blend(picture, glyph, { x: at, y });
    at += glyph.width;
  }
}
