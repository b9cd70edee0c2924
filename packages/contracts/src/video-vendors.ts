import type { MediaKind } from './media-kind.ts';
import type { FrameRole, OptionalField } from './video-fields.ts';
import type { VideoFormat } from './video-format.ts';
import type { VendorOptions } from './video-options.ts';

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
  /** What the format can say beside the usual; left out: nothing, other than for the other bounds. */
  readonly options?: VendorOptions;
  /** Fields that the format has no place for: no model of it takes them. */
  readonly unsupported?: readonly OptionalField[];
}

/** What a vendor's format can carry. */
export interface VideoVendorBounds extends VideoModelBounds {
  /** Narrower bounds of models that are known by the vendor's name for them. */
  readonly upstreamModels?: Readonly<Record<string, VideoModelBounds>>;
}

/**
 * Every kind of video provider that the file may name, with its bounds. The vendors live above this
 * package, which is why whoever reads a configuration hands them in.
 */
export type VideoVendors = Readonly<Record<string, VideoVendorBounds>>;

/** What a model of this vendor can be asked for. */
export function videoModelBounds(
  { upstreamModels = {}, ...bounds }: VideoVendorBounds,
  upstreamModel: string,
): VideoModelBounds {
  return {
    ...bounds,
    ...(Object.hasOwn(upstreamModels, upstreamModel) ? upstreamModels[upstreamModel] : undefined),
  };
}

/** What a vendor's wire format can express; a table of each vendor. */
export interface VendorCapabilities {
  /**
   * Tokens in a prompt that this vendor reads as parameters, which could change what was priced.
   */
  readonly promptFlags: RegExp | undefined;
  /** Kinds of reference that may come inline, as a `data:` URL. */
  readonly inlineKinds: readonly MediaKind[];
  /** Kinds of reference that may come as an address; all when left out. */
  readonly urlKinds?: readonly MediaKind[];
  /**
   * Most bytes, before base64, that one request may carry inline; what bodies usually hold when
   * left out.
   */
  readonly inlineMaxBytes?: number;
  /** False for a vendor that never gives a last frame. */
  readonly lastFrame?: boolean;
  /** Of a format that has no words for every length and picture that a model allows. */
  readonly format?: VideoFormat;
  /** What can be asked for beside the usual, of models that offer it. */
  readonly options?: VendorOptions;
  /** Audio references need an image or a video beside them. */
  readonly audioNeedsPicture: boolean;
  /** The ratio `adaptive` follows a reference, and is refused without one. */
  readonly adaptiveNeedsReference?: boolean;
}
