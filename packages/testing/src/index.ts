export { eventually } from './eventually.ts';
export { anAccount, aNewTask, aQueuedTask, withPlace } from './factories.ts';
export { fixedConfiguration } from './fixed-configuration.ts';
export { type CollectedSpan, openOtlpCollector, type OtlpCollector } from './otlp-collector.ts';
export {
  type Respond,
  openPeer,
  openReceiver,
  type Peer,
  type Received,
  type Receiver,
} from './peer.ts';
export { archivedIdOf, type History, loadHistory } from './history.ts';
export { recordingLog } from './recording-log.ts';
export type { S3Operation } from './s3-operations.ts';
export { openTestS3, type TestS3 } from './s3-server.ts';
export { scrapeAnew } from './scrape.ts';
export {
  asService,
  openTestDatabase,
  type TestDatabase,
  testRedis,
  testRolePasswords,
} from './test-database.ts';
export { wideBounds } from './wide-bounds.ts';
export { openWire, type Side, type Wire } from './wire.ts';
export { type Guard, type Unguarded, withoutGuard } from './without-guard.ts';
