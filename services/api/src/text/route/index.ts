export { createAnswerRequest } from './complete-request.ts';
export { createCountTokens } from './count-tokens.ts';
