/**
 * The text lane, the HTTP path of text requests, outside Express. ARCHITECTURE.md, "One text
 * request", lists the files that one request passes through.
 */
export { buildTextLane } from './build-lane.ts';
export { refusalBody, refuseUnknownPath } from './client/index.ts';
export {
  matchTextPath,
  textRoutes,
  type Reservation,
  type StoredResponses,
} from './request/index.ts';
export { createDeadlines, type Deadlines } from './hot-path/index.ts';
