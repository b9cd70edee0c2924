export { parseDataUrl, type DataUrlRule, type DataUrlVerdict } from './data-url.ts';
export { openFileSystemStorage, type FileSystemStorageOptions } from './file-system-storage.ts';
export { MediaError, type MediaErrorCode } from './media-error.ts';
export {
  createMediaLinks,
  mediaTokenDefaults,
  parseTokenKeys,
  signMediaToken,
  verifyMediaToken,
  type MediaLinks,
  type MediaLinksOptions,
  type MediaTokenKey,
  type MediaTokenKeys,
  type MediaTokenVerdict,
  type MediaVariant,
  type SignMediaToken,
  type VerifyMediaToken,
} from './media-token.ts';
export { createFrameCutter, findDecoder, type Decoder, type FrameCutter } from './last-frame.ts';
export { probeAsset, type AssetProbe } from './probe-asset.ts';
export { probeImage, type ImageProbe, type ImageType } from './probe-image.ts';
export {
  sourceFromBytes,
  sourceFromStorage,
  withFileSource,
  type ProbeSource,
} from './probe-source.ts';
export { probeMp4, type VideoProbe } from './probe.ts';
export { decideRange, type BodyDecision, type RangeDecision, type RangeRequest } from './range.ts';
export {
  contentDisposition,
  serveMedia,
  type MediaObject,
  type ServedMedia,
  type ServeMedia,
} from './serve-media.ts';
export { canonicalMediaType, sniffBytes, sniffMediaType, type SniffedType } from './sniff.ts';
export type { S3StorageOptions } from './storage-s3.ts';
export {
  openS3Storage,
  openStorage,
  storageSettingSchemas,
  type StorageSettings,
} from './storage-settings.ts';
export {
  assertStorageKey,
  StorageError,
  type ByteRange,
  type ListedObject,
  type MediaStorage,
  type ObjectHead,
  type PutOptions,
  type ReadOptions,
  type StorageErrorCode,
  type StoredObject,
} from './storage.ts';
