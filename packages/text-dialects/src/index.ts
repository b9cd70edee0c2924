export * from './neutral.ts';
export { UpstreamFailureError } from './upstream-failure.ts';
export { createSseParser, type SseParser } from './wire/sse-parser.ts';
export { readTopLevel, type TopLevel, type ValueSpan } from './wire/body-spans.ts';
export { rewriteAnswerModel, rewriteRequestBody, type BodyChanges } from './wire/rewrite-body.ts';
export { withoutForeignThinking } from './wire/foreign-thinking.ts';
export {
  createPassThroughScanner,
  type PassThroughOptions,
  type PassThroughScanner,
} from './wire/pass-through.ts';
export { readAnswerUsage, usageOf } from './wire/usage.ts';
export { readUpstreamFailure, type FailedAnswer } from './wire/read-failure.ts';
export {
  gatewayErrorBody,
  pingEvent,
  writeFailure,
  writeFailureEvent,
  type FailureToWrite,
  type WrittenFailure,
} from './wire/write-failure.ts';
export { countTokensLocally } from './wire/count-tokens.ts';
export {
  chatQuirksFor,
  createStreamTranslator,
  gatherAnswer,
  passThroughMemory,
  replayAnswer,
  translateAnswer,
  translateRequest,
} from './translate.ts';
export type { AnswerTranslation, StreamTranslator, Translation, Upstream } from './translate.ts';
export { estimateTextTokens, estimateTokens } from './estimate.ts';
export { createAnswerFilter, filterAnswer, type AnswerFilter } from './filters.ts';
export {
  chatQuirksOf,
  chatVendorNames,
  type ChatQuirks,
  type ChatQuirksWish,
} from './chat/quirks.ts';
export { chatQuirksSchema } from './chat/quirks-schema.ts';
export { readChatAnswer } from './chat/read-answer.ts';
export { readChatRequest } from './chat/read-request.ts';
export { createChatStreamReader } from './chat/read-stream.ts';
export { writeChatAnswer } from './chat/write-answer.ts';
export { writeChatRequest } from './chat/write-request.ts';
export { createChatStreamWriter } from './chat/write-stream.ts';
export {
  messagesQuirksOf,
  messagesVendorNames,
  type MessagesQuirks,
  type MessagesQuirksWish,
} from './messages/quirks.ts';
export { messagesQuirksSchema } from './messages/quirks-schema.ts';
export { readMessagesAnswer } from './messages/read-answer.ts';
export { readMessagesRequest } from './messages/read-request.ts';
export { createMessagesStreamReader } from './messages/read-stream.ts';
export { writeMessagesAnswer } from './messages/write-answer.ts';
export { writeMessagesRequest } from './messages/write-request.ts';
export { createMessagesStreamWriter } from './messages/write-stream.ts';
