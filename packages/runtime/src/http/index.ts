export { failureOf } from './failure-of.ts';
export { createHealth, type Health, type HealthCheck } from './health.ts';
export { createHttpApp, endServerSpan, noteCaller, noteRequests, sendError } from './http-app.ts';
export { httpServerPart } from './http-server.ts';
export { opsServer } from './ops-server.ts';
export { logFailure } from './log-failure.ts';
export { createPeerAddress, networkOf, type PeerAddress } from './peer-address.ts';
export { requestIdOf } from './request-id.ts';
export { share } from './share.ts';
