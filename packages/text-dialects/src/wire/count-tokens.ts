import { GatewayError } from '@gateway/domain';
import { estimateTextTokens, estimateTokens, type Weigh } from '../estimate.ts';
import { isFields } from '../json.ts';
import { readMessagesRequest } from '../messages/read-request.ts';
import { readResponsesRequest } from '../responses/read-request.ts';

/**
 * Tokens of a request of any dialect, or of an embeddings request, estimated without the upstream,
 * also for `POST /v1/messages/count_tokens`. Rather too many than too few: a client that counts too few
 * overflows the model late. Takes what an upstream would refuse: the count is asked while a request is
 * made.
 * `weigh` says how long a text of the body was before it was shortened.
 */
export function countTokensLocally(body: Record<string, unknown>, weigh?: Weigh): number {
  const { input, messages } = body;
  if (input === undefined) return messagesTokens(body, weigh);
  // Whoever sends both pays for both: a field that the upstream ignores makes no prompt cheaper.
  const own = isOfResponses(body) ? responsesTokens(body) : inputTokens(input);
  return own + (messages === undefined ? 0 : messagesTokens(body, weigh));
}

/** Embeddings have no items and none of these fields. */
const isOfResponses = ({ input, instructions, tools, text }: Record<string, unknown>): boolean =>
  [instructions, tools, text].some((field) => (field ?? null) !== null) ||
  (Array.isArray(input) && input.some(isFields));

function responsesTokens(body: Record<string, unknown>): number {
  try {
    return estimateTokens(readResponsesRequest(body).request);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const { instructions, input, tools, text } = body;
    return estimateTextTokens(JSON.stringify({ instructions, input, tools, text }, withoutMedia()));
  }
}

function messagesTokens(body: Record<string, unknown>, weigh?: Weigh): number {
  try {
    return estimateTokens(readMessagesRequest(body).request, weigh);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const { system, messages, tools } = body;
    const text = JSON.stringify({ system, messages, tools }, withoutMedia(weigh));
    return estimateTextTokens(text, weigh);
  }
}

/** Of an embeddings request: texts, or texts that the client has made tokens of. */
function inputTokens(input: unknown): number {
  if (typeof input === 'string') return estimateTextTokens(input);
  if (!Array.isArray(input)) return 1;
  return (input as unknown[]).reduce((sum: number, one) => sum + inputTokens(one), 0);
}

/** As many characters as a picture has tokens. */
const insteadOfMedia = 'x'.repeat(5_000);
const mediaFields: ReadonlySet<string> = new Set(['data', 'url', 'file_data', 'image_url']);

/** Pictures and files do not count by their length. */
const withoutMedia =
  (weigh: Weigh = ({ length }) => length) =>
  (key: string, value: unknown): unknown =>
    mediaFields.has(key) && typeof value === 'string' && weigh(value) > insteadOfMedia.length
      ? insteadOfMedia
      : value;
