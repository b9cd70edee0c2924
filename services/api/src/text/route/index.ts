export { createCompleteRequest } from './complete-request.ts';
export { createCountTokens } from './count-tokens.ts';
