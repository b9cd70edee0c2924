import type { MediaKind } from '@gateway/contracts';

/**
 * What may be sent as an asset or a `data:` URL: files whose first bytes prove their type. No SVG:
 * it is a program.
 */
export const assetTypes = {
  image: ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/bmp'],
  video: ['video/mp4', 'video/quicktime'],
  audio: ['audio/mpeg', 'audio/wav'],
} as const satisfies Readonly<Record<MediaKind, readonly string[]>>;

export type AssetType = (typeof assetTypes)[MediaKind][number];

export const assetKindOf = (type: AssetType): MediaKind =>
  type.slice(0, type.indexOf('/')) as MediaKind;
