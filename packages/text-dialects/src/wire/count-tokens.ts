import { GatewayError } from '@gateway/domain';
import { estimateTextTokens, estimateTokens } from '../estimate.ts';
import { readMessagesRequest } from '../messages/read-request.ts';

/**
 * Tokens of a messages request, estimated without the upstream, for `POST
 * /v1/messages/count_tokens`. Rather too many than too few: a client that counts too few overflows
 * the model late. Takes what an upstream would refuse: the count is asked while a request is made.
 */
export function countTokensLocally(body: Record<string, unknown>): number {
  try {
    return estimateTokens(readMessagesRequest(body).request);
  } catch (error) {
    if (!GatewayError.is(error)) throw error;
    const { system, messages, tools } = body;
    return estimateTextTokens(JSON.stringify({ system, messages, tools }, withoutMedia));
  }
}

/** As many characters as a picture has tokens. */
const insteadOfMedia = 'x'.repeat(5_000);
const mediaFields: ReadonlySet<string> = new Set(['data', 'url', 'file_data']);

/** Pictures and files do not count by their length. */
const withoutMedia = (key: string, value: unknown): unknown =>
  mediaFields.has(key) && typeof value === 'string' && value.length > insteadOfMedia.length
    ? insteadOfMedia
    : value;
