import { createHash } from 'node:crypto';

/** Picture ratios the sandbox draws; every other spelling is refused before it comes here. */
export const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'] as const;
export type Ratio = (typeof ratios)[number];

export type Quality = 'standard' | 'fast';

/**
 * Everything that decides the bytes of one video: the same description always renders to the same
 * bytes.
 */
export interface VideoSpec {
  readonly prompt: string;
  readonly seconds: number;
  readonly ratio: Ratio;
  /** Shown in the picture only; the sandbox draws small pictures whatever is asked. */
  readonly resolution: string;
  readonly watermark: boolean;
  readonly quality: Quality;
}

/** A finished MP4 and its last frame as a JPEG. */
export interface RenderedVideo {
  readonly mp4: Uint8Array;
  readonly lastFrame: Uint8Array;
}

export interface FrameFormat {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
}

/**
 * Pixel sizes of the longer-side-first ratios: exact ratios, and multiples of 16, because the
 * encoder works in whole macroblocks and pads the rest with a visible strip.
 */
const landscape = {
  standard: { '16:9': [768, 432], '1:1': [576, 576], '4:3': [640, 480], '21:9': [896, 384] },
  fast: { '16:9': [256, 144], '1:1': [192, 192], '4:3': [256, 192], '21:9': [336, 144] },
} as const satisfies Record<Quality, Record<string, readonly [number, number]>>;

const swapped = { '9:16': '16:9', '3:4': '4:3' } as const;
const framesPerSecond = { standard: 12, fast: 4 } as const satisfies Record<Quality, number>;

/** Pixel size and frame rate of what is really drawn. */
export function frameFormat({ ratio, quality }: Pick<VideoSpec, 'ratio' | 'quality'>): FrameFormat {
  if (ratio === '9:16' || ratio === '3:4') {
    const [height, width] = landscape[quality][swapped[ratio]];
    return { width, height, framesPerSecond: framesPerSecond[quality] };
  }
  const [width, height] = landscape[quality][ratio];
  return { width, height, framesPerSecond: framesPerSecond[quality] };
}

/** Longer prompts do not fit the picture; cut here, prompts that look the same share one render. */
const shownPromptCharacters = 600;

/** The description with only what can be seen in the picture. */
export function visibleSpec(spec: VideoSpec): VideoSpec {
  const prompt = spec.prompt.replace(/\s+/g, ' ').trim();
  const characters = Array.from(prompt);
  const shown =
    characters.length > shownPromptCharacters
      ? `${characters.slice(0, shownPromptCharacters).join('')}…`
      : prompt;
  return { ...spec, prompt: shown };
}

/** One name per distinct video. */
export function renderKey(spec: VideoSpec): string {
  const { prompt, seconds, ratio, resolution, watermark, quality } = visibleSpec(spec);
  return createHash('sha256')
    .update(JSON.stringify([prompt, seconds, ratio, resolution, watermark, quality]))
    .digest('hex');
}
