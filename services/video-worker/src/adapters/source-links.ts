import type { SourceVariant } from '@gateway/contracts';
import { mediaTokenDefaults, signMediaToken, type MediaTokenKeys } from '@gateway/media';

export interface SourceLinksOptions {
  /** Of the api as vendors reach it, without the version. */
  readonly baseUrl: string;
  readonly keys: MediaTokenKeys;
  readonly now: () => Date;
}

/** Where a vendor fetches what lies in our storage. */
export interface SourceLinks {
  readonly asset: (assetId: string) => string;
  /** A file of a finished video. */
  readonly video: (taskId: string, variant: SourceVariant) => string;
}

/**
 * Signed addresses for vendors. Two retries of a submission within a quarter of an hour name the same
 * one.
 */
export function createSourceLinks({ baseUrl, keys, now }: SourceLinksOptions): SourceLinks {
  const root = baseUrl.replace(/\/+$/, '');
  const token = (videoId: string, variant: 'asset' | `source-${SourceVariant}`): string =>
    signMediaToken({ keys, variant, videoId, now: now(), ...mediaTokenDefaults });
  return {
    asset: (assetId) => `${root}/v1/assets/${assetId}/content?token=${token(assetId, 'asset')}`,
    video: (taskId, variant) =>
      `${root}/v1/videos/${taskId}/${variant}?token=${token(taskId, `source-${variant}`)}`,
  };
}
