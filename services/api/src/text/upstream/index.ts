export type { CallFailure } from './call-failure.ts';
export { carriedParts } from './carried-parts.ts';
export { callUpstream, type RunningCall } from './call-upstream.ts';
export { createUpstreamConnections, type UpstreamConnections } from './connections.ts';
export { createMediaRule, someFetchPrivately, type MediaRule } from './media-rule.ts';
export { checkRestrictedParts } from './refuse-restricted.ts';
export { mayBeEvents, type ResponseHead } from './response-head.ts';
export { beginsDocument } from './stream-opening.ts';
export type { CallOutcome, UpstreamCall } from './upstream-call.ts';
