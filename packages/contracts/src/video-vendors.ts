import type { FrameRole, OptionalField, VideoProviderKind } from './configuration.ts';
import { openaiVideosFormat, type VideoFormat } from './video-format.ts';

/**
 * What a wire format, or one model behind it, can be asked for: the operator's models are held
 * against it. Left out: no bound.
 */
export interface VideoModelBounds {
  /** Whole seconds; `auto`: the vendor may choose. */
  readonly duration?: { readonly min: number; readonly max: number; readonly auto: boolean };
  readonly ratios?: readonly string[];
  readonly resolutions?: readonly string[];
  readonly references?: { readonly image: number; readonly video: number; readonly audio: number };
  readonly frames?: readonly FrameRole[];
  /** Of a format that has no words for every length and picture between the bounds. */
  readonly format?: VideoFormat;
  readonly promptMaxCharacters?: number;
  /** False: every request needs a text. */
  readonly mediaOnly?: boolean;
  /** False: the vendor never gives a last frame. */
  readonly lastFrame?: boolean;
  /** Fields that the format has no place for: no model of it takes them. */
  readonly unsupported?: readonly OptionalField[];
}

interface VideoVendor extends VideoModelBounds {
  /** Narrower bounds of models that are known by the vendor's name for them. */
  readonly upstreamModels?: Readonly<Record<string, VideoModelBounds>>;
}

/** Every kind of video provider, with what its format can carry. */
const videoVendors: Readonly<Record<VideoProviderKind, VideoVendor>> = {
  ark: {},
  minimax: {
    duration: { min: 4, max: 15, auto: false },
    ratios: ['adaptive', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16'],
    resolutions: ['480p', '768p', '2k'],
    references: { image: 9, video: 3, audio: 3 },
    promptMaxCharacters: 7_000,
    mediaOnly: false,
    lastFrame: false,
    unsupported: ['seed', 'generate_audio'],
    upstreamModels: {
      'MiniMax-H3': { resolutions: ['768p', '2k'] },
      'MiniMax-H3-Max': {
        resolutions: ['480p', '768p'],
        duration: { min: 5, max: 15, auto: false },
      },
    },
  },
  'openai-videos': {
    resolutions: Object.keys(openaiVideosFormat.sizes),
    references: { image: 0, video: 0, audio: 0 },
    frames: ['first_frame'],
    format: openaiVideosFormat,
    mediaOnly: false,
    lastFrame: false,
    unsupported: ['seed', 'watermark', 'generate_audio'],
  },
};

/** What a model of this kind of provider can be asked for. */
export function videoModelBounds(kind: VideoProviderKind, upstreamModel: string): VideoModelBounds {
  const { upstreamModels = {}, ...bounds } = videoVendors[kind];
  return {
    ...bounds,
    ...(Object.hasOwn(upstreamModels, upstreamModel) ? upstreamModels[upstreamModel] : undefined),
  };
}
