/**
 * The text lane, the HTTP path of text requests, outside Express. ARCHITECTURE.md, "One text
 * request", lists the files that one request passes through.
 */
export { buildTextLane } from './build-lane.ts';
export { refusalBody } from './client/index.ts';
export { textRoutes } from './request/index.ts';
export { createRequestLines, type RequestLines } from './hot-path/index.ts';
