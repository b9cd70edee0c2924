import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import { font } from './fonts.ts';
import { planesFromRgba, spriteFromRgba, type Planes, type Sprite } from './planes.ts';
import { clockText, lengthText, wrapText } from './text-layout.ts';
import { frameFormat, type FrameFormat, type VideoSpec } from './video-spec.ts';

/** A shape that wanders over the picture on a closed curve. */
export interface Wanderer {
  readonly sprite: Sprite;
  readonly turns: readonly [number, number];
  readonly phase: number;
}

/** Everything that is drawn once for a video; frames are put together from it. */
export interface Scene {
  readonly format: FrameFormat;
  readonly background: Planes;
  readonly wanderers: readonly Wanderer[];
  readonly caption: { readonly sprite: Sprite; readonly x: number; readonly y: number };
  readonly progress: Sprite;
  readonly glyphs: ReadonlyMap<string, Sprite>;
  /** Where the clock starts. */
  readonly clock: { readonly x: number; readonly y: number };
}

type Draw = (context: SKRSContext2D) => void;

const even = (value: number): number => Math.max(2, 2 * Math.ceil(value / 2));

function draw(
  width: number,
  height: number,
  paint: Draw,
): { width: number; height: number; data: Uint8ClampedArray } {
  const canvas = createCanvas(even(width), even(height));
  const context = canvas.getContext('2d');
  paint(context);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  return { width: canvas.width, height: canvas.height, data };
}

/** A number from the text, so that each prompt has its own colours and stays the same. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  }
  return hash;
}

/** Draws the still parts and the moving shapes of one video. */
export function drawScene(spec: VideoSpec): Scene {
  const format = frameFormat(spec);
  const { width, height } = format;
  const unit = Math.min(width, height) / 432;
  const hue = hashOf(spec.prompt) % 360;
  const textPixels = Math.round(20 * unit);
  const margin = Math.round(28 * unit);
  const caption = drawCaption(spec, { width: width - 2 * margin, height, unit });
  return {
    format,
    background: planesFromRgba(
      draw(width, height, paintBackground(spec, { hue, unit, margin, ...format })),
    ),
    wanderers: [
      { sprite: orb(Math.round(190 * unit), hue + 40), turns: [1, 2], phase: 0 },
      { sprite: orb(Math.round(120 * unit), hue + 170), turns: [2, 1], phase: 2 },
      { sprite: orb(Math.round(70 * unit), hue + 290), turns: [3, 2], phase: 4 },
    ],
    caption: { sprite: caption, x: margin, y: Math.round((height - caption.height) / 2) },
    progress: spriteFromRgba(
      draw(width, 6 * unit, (context) => {
        context.fillStyle = 'rgba(255,255,255,0.85)';
        context.fillRect(0, 0, width, height);
      }),
    ),
    glyphs: drawGlyphs(textPixels),
    clock: { x: margin, y: height - margin - textPixels },
  };
}

interface Backdrop extends FrameFormat {
  readonly hue: number;
  readonly unit: number;
  readonly margin: number;
}

function paintBackground(spec: VideoSpec, { width, height, hue, unit, margin }: Backdrop): Draw {
  return (context) => {
    const sky = context.createLinearGradient(0, 0, width, height);
    sky.addColorStop(0, `hsl(${hue} 62% 20%)`);
    sky.addColorStop(0.55, `hsl(${hue + 45} 55% 32%)`);
    sky.addColorStop(1, `hsl(${hue + 90} 60% 44%)`);
    context.fillStyle = sky;
    context.fillRect(0, 0, width, height);
    context.fillStyle = 'rgba(255,255,255,0.8)';
    context.textBaseline = 'top';
    context.font = font('bold', Math.round(16 * unit));
    context.fillText('sandbox', margin, margin);
    context.font = font('regular', Math.round(16 * unit));
    context.textAlign = 'right';
    context.fillText(
      `${spec.resolution} · ${spec.ratio} · ${lengthText(spec.seconds)}`,
      width - margin,
      margin,
    );
    if (spec.watermark) {
      context.fillText('AI generated', width - margin, height - margin - Math.round(16 * unit));
    }
  };
}

function orb(diameter: number, hue: number): Sprite {
  return spriteFromRgba(
    draw(diameter, diameter, (context) => {
      const middle = diameter / 2;
      const light = context.createRadialGradient(
        middle * 0.75,
        middle * 0.7,
        0,
        middle,
        middle,
        middle,
      );
      light.addColorStop(0, `hsla(${hue} 95% 78% / 0.95)`);
      light.addColorStop(0.8, `hsla(${hue} 80% 58% / 0.85)`);
      light.addColorStop(1, `hsla(${hue} 80% 50% / 0)`);
      context.fillStyle = light;
      context.fillRect(0, 0, diameter, diameter);
    }),
  );
}

/** The prompt on a dark panel, so that it can be read whatever moves behind it. */
function drawCaption(
  spec: VideoSpec,
  { width, height, unit }: { width: number; height: number; unit: number },
): Sprite {
  const pixels = Math.round(27 * unit);
  const lineHeight = Math.round(pixels * 1.35);
  const padding = Math.round(18 * unit);
  const maxLines = Math.max(2, Math.floor((height - 190 * unit) / lineHeight));
  const ruler = createCanvas(2, 2).getContext('2d');
  ruler.font = font('bold', pixels);
  const box = { maxWidth: width - 2 * padding, maxLines };
  const lines = wrapText(
    spec.prompt === '' ? '(no prompt)' : spec.prompt,
    box,
    (line) => ruler.measureText(line).width,
  );
  const wide = Math.max(...lines.map((line) => ruler.measureText(line).width)) + 2 * padding;
  return spriteFromRgba(
    draw(Math.min(width, wide), lines.length * lineHeight + 2 * padding, (context) => {
      context.fillStyle = 'rgba(10,12,24,0.62)';
      context.beginPath();
      context.roundRect(0, 0, context.canvas.width, context.canvas.height, 14 * unit);
      context.fill();
      context.fillStyle = '#ffffff';
      context.textBaseline = 'middle';
      context.font = font('bold', pixels);
      lines.forEach((line, index) => {
        context.fillText(line, padding, padding + (index + 0.5) * lineHeight);
      });
    }),
  );
}

const clockCharacters = '0123456789:./ ';

function drawGlyphs(pixels: number): ReadonlyMap<string, Sprite> {
  const widthOf = (character: string): number =>
    Math.round(pixels * (/\d/.test(character) ? 0.7 : 0.42));
  return new Map(
    Array.from(clockCharacters, (character) => [
      character,
      spriteFromRgba(
        draw(widthOf(character), pixels * 1.3, (context) => {
          context.fillStyle = '#ffffff';
          context.textBaseline = 'top';
          context.textAlign = 'center';
          context.font = font('bold', pixels);
          context.fillText(character, context.canvas.width / 2, 0);
        }),
      ),
    ]),
  );
}

/**
 * What the clock says in this frame: the time at the frame's end, so that the last one shows the
 * whole length.
 */
export const clockAt = (frame: number, spec: VideoSpec, { framesPerSecond }: FrameFormat): string =>
  `${clockText((frame + 1) / framesPerSecond)} / ${lengthText(spec.seconds)}`;
