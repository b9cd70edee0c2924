import type { Request } from 'express';

/** A client that accepts anything gets JSON. A HEAD request for a stream would never end. */
export const wantsStream = (request: Request): boolean =>
  request.method === 'GET' &&
  request.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
