export * from './eventually.ts';
export * from './factories.ts';
export * from './fixed-configuration.ts';
export * from './peer.ts';
export * from './recording-log.ts';
export { openTestS3, type S3Faults, type TestS3 } from './s3-server.ts';
export type { S3Operation } from './s3-operations.ts';
export * from './test-database.ts';
export * from './without-guard.ts';
