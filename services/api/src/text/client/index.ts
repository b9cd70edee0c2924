export { Downstream, type Flow } from './client-stream.ts';
export { createOpenAnswers, type OpenAnswer, type OpenAnswers } from './open-completions.ts';
export { refusalBody } from './refusal-body.ts';
export { answerHeaders, eventStreamHeaders } from './response-headers.ts';
export { retryAdvice, sendError, sendFailure, sendWhole } from './send-response.ts';
export {
  createPassThroughEngine,
  createTranslatingEngine,
  silent,
  truncated,
  type StreamEngine,
} from './stream-engine.ts';
