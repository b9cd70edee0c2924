export { hopByHopHeaders } from './hop-by-hop-headers.ts';
export { matchTextPath, textRoutes, type Operation, type TextPath } from './text-path.ts';
export { identityOf, openTextRequest, type TextRequest } from './text-request.ts';
export { openTrace, type TextTrace, type TextTracing } from './trace.ts';
