export type { CallFailure } from './call-failure.ts';
export { callRoute, type CallOutcome, type RouteCall, type RunningCall } from './call-upstream.ts';
export { createUpstreams, type Upstreams } from './connections.ts';
export { mayBeEvents, type Head } from './response-head.ts';
export { beginsDocument } from './stream-opening.ts';
