export { createBatches, type BatchBounds, type BatchRefusal, type Waiting } from './batches.ts';
export { createSharedClock, type SharedClock } from './clock/index.ts';
export {
  openConfiguration,
  perVersion,
  type LiveConfiguration,
  type WatchOptions,
} from './configuration/index.ts';
export { countUnexpected, guarded, isUnexpected, runAs, type FaultPlace } from './faults/index.ts';
export {
  createHealth,
  createHttpApp,
  createPeerAddress,
  endServerSpan,
  failureOf,
  httpServerPart,
  logFailure,
  networkOf,
  noteCaller,
  noteRequests,
  opsServer,
  requestIdOf,
  sendError,
  share,
  type Health,
  type HealthCheck,
  type PeerAddress,
} from './http/index.ts';
export {
  boundHeapGrowth,
  crashPointChannel,
  crashPoints,
  intervalPart,
  openCollector,
  reached,
  replicaReportPart,
  runService,
  startAll,
  type CrashPointName,
  type Part,
  type Service,
} from './lifecycle/index.ts';
export {
  createLogger,
  isoTime,
  openRequestLines,
  redact,
  type LoggerOptions,
  type RequestLines,
} from './logging/index.ts';
export {
  Counter,
  Gauge,
  Histogram,
  createFileDeletions,
  createHistogram,
  createMetrics,
  httpDuration,
  dueWorkGauges,
  poolGauges,
  sampledGauges,
  version,
  type HttpDuration,
  type Registry,
  type Series,
} from './metrics/index.ts';
export {
  asGroupMember,
  createGroupService,
  mergeMetrics,
  mergeReadiness,
  processNumber,
} from './processes/index.ts';
export {
  SettingsError,
  environmentExample,
  loadSettings,
  readSentinels,
  settingSchemas,
  settingsDocument,
  settingsExitCode,
  type ServiceSettings,
  type SettingsSchema,
  type ShownSchema,
} from './settings/index.ts';
export {
  currentContext,
  errorType,
  inSpan,
  openTracing,
  readTraceparent,
  runWith,
  spanFields,
  tracingPlan,
  tracingSettingSchemas,
  writeTraceparent,
  type FaultScope,
  type LogContext,
  type Span,
  type SpanAttributes,
  type SpanStart,
  type Tracing,
  type TracingSettings,
} from './tracing/index.ts';
export { newId, newTypeId } from './ids.ts';
export type { Log } from './log.ts';
export { createOpenItems, type OpenItems, type Placed } from './open-items.ts';
