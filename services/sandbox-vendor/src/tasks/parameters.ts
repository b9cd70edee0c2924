import type { Ratio } from '../render/video-spec.ts';

export const resolutions = ['480p', '720p', '1080p', '4k'] as const;
export type Resolution = (typeof resolutions)[number];

/** What a task was asked to be, with nothing left open. */
export interface Parameters {
  readonly resolution: Resolution;
  /** What the picture says of a resolution that is none of these. */
  readonly drawnResolution?: string;
  readonly ratio: Ratio;
  readonly seconds: number;
  readonly seed: number;
  readonly watermark: boolean;
  readonly returnLastFrame: boolean;
  readonly serviceTier: 'default' | 'flex';
  readonly expiresAfterSeconds: number;
  readonly priority: number;
  /** Fields that are shown again as they came, or with the vendor's default. */
  readonly echo: Readonly<Record<string, unknown>>;
}
