export { hopByHopHeaders } from './hop-by-hop-headers.ts';
export type { Reservation } from './reservation.ts';
export type { StoredResponses } from './stored-responses.ts';
export { matchTextPath, textRoutes, type TextPath } from './text-path.ts';
export { identityOf, openTextRequest, type OnException, type TextRequest } from './text-request.ts';
export { openTrace, type TextTrace, type TextTracing } from './trace.ts';
