export { breakerGauge, createTextMetrics, openCompletionsGauge } from './metrics.ts';
export { keepWhenComplete } from './keep-response.ts';
export { recordRequest, type RecordPorts } from './record-request.ts';
export { usageOrEstimate } from './usage-record.ts';
export { createUsageSoFar } from './usage-so-far.ts';
export { createUnrecordedRequests, type UnrecordedRequests } from './unrecorded-requests.ts';
