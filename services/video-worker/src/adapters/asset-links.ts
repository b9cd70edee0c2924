import { mediaTokenDefaults, signMediaToken, type MediaTokenKeys } from '@gateway/media';

export interface AssetLinksOptions {
  /** Of the api as vendors reach it, without the version. */
  readonly baseUrl: string;
  readonly keys: MediaTokenKeys;
  readonly now: () => Date;
}

/**
 * Signed addresses of assets, for vendors. Two retries of a submission within a quarter of an hour
 * name the same one.
 */
export function createAssetLinks({
  baseUrl,
  keys,
  now,
}: AssetLinksOptions): (assetId: string) => string {
  const root = baseUrl.replace(/\/+$/, '');
  return (assetId) =>
    `${root}/v1/assets/${assetId}/content?token=${signMediaToken({ keys, variant: 'asset', videoId: assetId, now: now(), ...mediaTokenDefaults })}`;
}
