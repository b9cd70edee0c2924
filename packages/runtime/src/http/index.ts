export { failureOf } from './failure-of.ts';
export { createHealth, type Health, type HealthCheck } from './health.ts';
export { createHttpApp, endServerSpan, sendError } from './http-app.ts';
export { httpServerPart } from './http-server.ts';
export { requestIdOf } from './request-id.ts';
