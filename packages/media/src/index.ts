export {
  judgeDataUrl,
  parseDataUrl,
  readDataUrl,
  type DataUrlRule,
  type DataUrlVerdict,
  type ReadDataUrl,
} from './data-url.ts';
export { openFileSystemStorage } from './file-system-storage.ts';
export { createFileRemover, type FileRemover, type Removal } from './file-remover.ts';
export { MediaError } from './media-error.ts';
export {
  createMediaLinks,
  mediaTokenDefaults,
  parseTokenKeys,
  signMediaToken,
  verifyMediaToken,
  type MediaTokenKeys,
  type MediaTokenVerdict,
  type VerifyMediaToken,
} from './media-token.ts';
export { findDecoder, type Decoder } from './decoder.ts';
export { createFrameCutter, type FrameCutter } from './last-frame.ts';
export { refuseForeignStorage, withOwner, type OwnedStorage } from './owned-storage.ts';
export {
  createSeenKeys,
  filedFolders,
  findMissing,
  mostMissing,
  type NamedFile,
  type SeenKeys,
} from './missing-files.ts';
export { createPosterCutter, type PosterCutter } from './poster.ts';
export { probeAsset } from './probe-asset.ts';
export { probeImage } from './probe-image.ts';
export {
  sourceFromBytes,
  sourceFromStorage,
  withFileSource,
  type ProbeSource,
} from './probe-source.ts';
export { probeMp4 } from './probe.ts';
export { decideRange, type RangeDecision, type RangeRequest } from './range.ts';
export { serveMedia, type MediaObject, type ServedMedia, type ServeMedia } from './serve-media.ts';
export { canonicalMediaType, sniffBytes, sniffMediaType } from './sniff.ts';
export type { S3StorageOptions } from './storage-s3.ts';
export {
  openS3Storage,
  openStorage,
  storageSettingSchemas,
  type StorageSettings,
} from './storage-settings.ts';
export {
  findOwnership,
  readOwner,
  takeSample,
  writeOwner,
  type InstallationFacts,
  type Ownership,
} from './storage-owner.ts';
export { StorageError, type MediaStorage, type StoredObject } from './storage.ts';
