import type { CostRules, PollPace, TokenPrice, VideoPrice } from '@gateway/domain';
import type { MediaKind } from './media-kind.ts';
import type { Retiring } from './retirement.ts';
import type { ForwardLists } from './text-forwarding.ts';
import type { VideoOption } from './video-options.ts';
import type { FrameRole, OptionalField } from './video-fields.ts';
import type { VideoModelBounds } from './video-vendors.ts';

/** `private`: from inside a network of the operator's, so that addresses must be public. */
export const fetchesMediaChoices = ['public', 'private'] as const;
export type FetchesMedia = (typeof fetchesMediaChoices)[number];

/** A text provider's kind is the dialect it speaks. */
export const textProviderKinds = ['messages', 'chat', 'responses'] as const;
export type TextProviderKind = (typeof textProviderKinds)[number];

/** A vendor as the operator configured it. */
export interface ProviderSettings {
  readonly name: string;
  /** Names the adapter that speaks with it. */
  readonly kind: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Tasks at the vendor at once, over all replicas. */
  readonly maxConcurrent: number;
  /** Control calls to the vendor, over all replicas. */
  readonly requestsPerSecond: number;
  readonly pace: PollPace;
}

/**
 * Where a model's last frame comes from: its vendor, the video itself (the worker needs a decoder),
 * or nowhere.
 */
export const lastFrames = ['vendor', 'extract', 'none'] as const;
export type LastFrame = (typeof lastFrames)[number];

/** One provider and upstream model that can serve a video model. */
export interface VideoRoute extends Retiring {
  /** `<provider>/<upstream model>`: in logs and metrics. */
  readonly name: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** Share of the new tasks among the routes that are no fallback. */
  readonly weight: number;
  /** Gets a task only when no other route can have it. */
  readonly fallback: boolean;
  /** What the vendor asks for; undefined: not known. */
  readonly cost?: CostRules;
  /** What the vendor can be asked for with this upstream model. */
  readonly bounds: VideoModelBounds;
}

/** What customers ask for by name. Its price is the same on every route. */
export interface VideoModel extends Retiring {
  readonly name: string;
  /** At least one. */
  readonly routes: readonly VideoRoute[];
  /** A task that its vendor is too busy for changes its route after this time. */
  readonly busyAfterSeconds: number;
  /** Whether a task that its vendor failed to render, and does not charge for, changes its route. */
  readonly retryFailed: boolean;
  readonly price: VideoPrice;
  readonly duration: {
    readonly min: number;
    readonly max: number;
    readonly default: number;
    readonly auto: boolean;
  };
  readonly ratio: Choice;
  readonly resolution: Choice;
  readonly references: { readonly image: number; readonly video: number; readonly audio: number };
  readonly frames: readonly FrameRole[];
  readonly generateAudioByDefault: boolean;
  readonly mediaOnly: boolean;
  readonly unsupported: readonly OptionalField[];
  /** What may be asked for beside the usual. */
  readonly options: readonly VideoOption[];
  /** Left out: from the vendor, if it gives one. */
  readonly lastFrame?: LastFrame;
  readonly promptMaxCharacters: number;
  readonly expiresAfterSeconds: number;
  readonly retentionDays: number;
}

export interface Choice {
  readonly allowed: readonly string[];
  readonly default: string;
}

/**
 * Overrides of what is known of a vendor, in the file's own spelling; checked against the dialect's
 * schema.
 */
export type Quirks = Readonly<Record<string, unknown>>;

/** A text upstream as the operator configured it. */
export interface TextProvider {
  readonly name: string;
  readonly kind: TextProviderKind;
  /** Whose known differences apply; `generic` when nothing is known of the host. */
  readonly vendor: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Requests at the vendor at once, over all replicas; undefined: as many as come. */
  readonly maxConcurrent: number | undefined;
  readonly connectTimeoutMs: number;
  /** From the request to the first byte of a streamed response. */
  readonly firstByteTimeoutMs: number;
  /** Between two bytes of a response. */
  readonly idleTimeoutMs: number;
  /** The whole of an answer that is not streamed. */
  readonly responseTimeoutMs: number;
  /** What its pass-through carries although it is refused by default. */
  readonly forward: ForwardLists;
  /** Where it fetches images and documents from that a request names by address. */
  readonly fetchesMedia: FetchesMedia;
  readonly quirks: Quirks;
}

/** One vendor and upstream model that can serve a model name. */
export interface TextRoute {
  /**
   * `<provider>/<upstream model>`: in headers, logs, metrics and circuits. Kept, since each request
   * looks it up several times.
   */
  readonly name: string;
  readonly provider: string;
  readonly upstreamModel: string;
  /** Share of the requests among the routes that are no fallback. */
  readonly weight: number;
  /** Asked only when every other route has failed. */
  readonly fallback: boolean;
  readonly quirks: Quirks;
}

export interface TextModel extends Retiring {
  readonly name: string;
  readonly displayName: string;
  readonly maxOutputTokens: number | undefined;
  readonly contextTokens: number | undefined;
  /** Most tokens of a completion for which quota is set aside before it is known. */
  readonly holdOutputTokens: number;
  /** Undefined: text is metered and costs nothing. */
  readonly tokenPrice: TokenPrice | undefined;
  readonly routes: readonly TextRoute[];
}

export interface Limits {
  /** Of a key that has none of its own. */
  readonly defaultKey: { readonly requestsPerMinute: number; readonly concurrentRequests: number };
  readonly defaultAccount: { readonly activeVideos: number; readonly assetBytes: number };
  /** Largest asset, and largest file in a `data:` URL, in bytes. */
  readonly assetBytes: Readonly<Record<MediaKind, number>>;
}

/** The operator's file, checked, with defaults filled in and secrets resolved. */
export interface Configuration {
  /** The video vendors. */
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  /** The video models. */
  readonly models: ReadonlyMap<string, VideoModel>;
  readonly textProviders: ReadonlyMap<string, TextProvider>;
  readonly textModels: ReadonlyMap<string, TextModel>;
  readonly limits: Limits;
  /** Quota that one unit of a currency is worth, by the currency: for margins. */
  readonly quotaPerCurrency: ReadonlyMap<string, number>;
}
