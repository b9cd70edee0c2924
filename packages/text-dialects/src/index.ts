export { chatVendorNames } from './chat/choose-quirks.ts';
export { chatQuirksSchema } from './chat/quirks-schema.ts';
export { readChatRequest } from './chat/read-request.ts';
export { writeChatCompletion } from './chat/write-completion.ts';
export { createChatStreamWriter } from './chat/write-stream.ts';
export { estimateByteTokens } from './estimate.ts';
export { filterCompletion } from './filters.ts';
export { type MediaAddress, mediaAddressesOf } from './media-addresses.ts';
export { messagesQuirksOf, messagesVendorNames } from './messages/choose-quirks.ts';
export { messagesQuirksSchema } from './messages/quirks-schema.ts';
export type { MessagesQuirks } from './messages/quirks.ts';
export { readMessagesCompletion } from './messages/read-completion.ts';
export { createMessagesStreamReader } from './messages/read-stream.ts';
export { writeMessagesRequest } from './messages/write-request.ts';
export {
  changeResponse,
  hideThoughts,
  type PassedResponse,
  type ResponseChanges,
} from './responses/passing-response.ts';
export { responsesVendorNames } from './responses/quirks.ts';
export { responsesQuirksSchema } from './responses/quirks-schema.ts';
export { replayResponse, responseOfStream } from './responses/replay.ts';
export {
  itemsToKeep,
  referencesIn,
  type References,
  type Referred,
  withReferred,
} from './responses/references.ts';
export type {
  CompletionIdentity,
  CompletionMemory,
  Dialect,
  SseEvent,
  TextEvent,
  TextRequest,
  UpstreamFailure,
  UpstreamFailureCode,
  Usage,
} from './neutral.ts';
export {
  createStreamTranslator,
  gatherCompletion,
  passThroughMemory,
  replayCompletion,
  type StreamTranslator,
  translateCompletion,
  translateRequest,
  translateShortened,
  type Translation,
} from './translate.ts';
export { chatQuirksFor, passToResponses, type Upstream } from './upstream-sides.ts';
export { UpstreamFailureError } from './upstream-failure.ts';
export {
  applyEdits,
  type Edit,
  editedPieces,
  endOfString,
  readTopLevel,
} from './wire/body-spans.ts';
export { countTokensLocally } from './wire/count-tokens.ts';
export { withoutForeignThinking } from './wire/foreign-thinking.ts';
export {
  createPassThroughScanner,
  type PassThroughOptions,
  type PassThroughScanner,
} from './wire/pass-through.ts';
export { mostTokensOf } from './wire/picture-tokens.ts';
export { readUpstreamFailure } from './wire/read-failure.ts';
export { type BodyChanges, requestEdits, rewriteCompletionModel } from './wire/rewrite-body.ts';
export { createSseParser } from './wire/sse-parser.ts';
export { readCompletionUsage, readEmbeddingsUsage, usageOf } from './wire/usage.ts';
export {
  clientsRecoverFrom,
  gatewayErrorBody,
  pingEvent,
  writeFailure,
  writeFailureEvent,
} from './wire/write-failure.ts';
