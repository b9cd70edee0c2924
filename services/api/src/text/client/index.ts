export { ClientStream, type Flow } from './client-stream.ts';
export {
  createOpenCompletions,
  type OpenCompletion,
  type OpenCompletions,
} from './open-completions.ts';
export { refusalBody } from './refusal-body.ts';
export { refuseUnknownPath } from './refuse-unknown-path.ts';
export { eventStreamHeaders, forwardHeaders } from './response-headers.ts';
export {
  retryAdvice,
  sendGatewayError,
  sendResponse,
  sendUpstreamFailure,
} from './send-response.ts';
export {
  createPassThroughEngine,
  createTranslatingEngine,
  silent,
  truncated,
  type StreamEngine,
} from './stream-engine.ts';
