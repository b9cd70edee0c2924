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
  /** As it was asked for, and as the picture says it; `frameFormat` says what is drawn. */
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
 * Pixel sizes of the ratios, landscape first, by the length of their shorter side: multiples of 16,
 * because the encoder works in whole macroblocks and pads the rest with a visible strip. So 480 lines
 * of 16:9 are 848 wide, 5 less than the ratio says.
 */
const landscape = {
  144: { '16:9': [256, 144], '1:1': [192, 192], '4:3': [256, 192], '21:9': [336, 144] },
  480: { '16:9': [848, 480], '1:1': [480, 480], '4:3': [640, 480], '21:9': [1120, 480] },
  720: { '16:9': [1280, 720], '1:1': [720, 720], '4:3': [960, 720], '21:9': [1680, 720] },
} as const satisfies Record<number, Record<string, readonly [number, number]>>;

const swapped = { '9:16': '16:9', '3:4': '4:3' } as const;
/** Fewer where a frame is larger, so that each second of a video costs about the same. */
const framesPerSecond = { 144: 4, 480: 12, 720: 8 } as const;

/** Lines that are drawn: 480 or 720. What is larger is drawn in 720, so that nobody waits for it. */
function linesOf({
  resolution,
  quality,
}: Pick<VideoSpec, 'resolution' | 'quality'>): 144 | 480 | 720 {
  if (quality === 'fast') return 144;
  const lines = Number(
    /^(\d+)p$/i.exec(resolution)?.[1] ?? (/^\d+k$/i.test(resolution) ? 720 : 480),
  );
  return lines > 480 ? 720 : 480;
}

/** Pixel size and frame rate of what is really drawn. */
export function frameFormat(
  spec: Pick<VideoSpec, 'ratio' | 'resolution' | 'quality'>,
): FrameFormat {
  const { ratio } = spec;
  const lines = linesOf(spec);
  const sizes = landscape[lines];
  const rate = framesPerSecond[lines];
  if (ratio === '9:16' || ratio === '3:4') {
    const [height, width] = sizes[swapped[ratio]];
    return { width, height, framesPerSecond: rate };
  }
  const [width, height] = sizes[ratio];
  return { width, height, framesPerSecond: rate };
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
