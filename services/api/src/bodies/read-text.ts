import {
  createTextRequestReader,
  restrictedPartsOf,
  type TextRequestHead,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import {
  mediaAddressesOf,
  rewriteRequestBody,
  withoutForeignThinking,
} from '@gateway/text-dialects';
import { parseJson, type JsonBounds } from './judge.ts';
import type { InspectCommand, Inspection, RenderCommand, TextOperation } from './text-commands.ts';

/**
 * Tools' schemas are the deepest part of honest requests, at about twenty levels; 100,000 messages
 * have half a million values.
 */
export const textBounds: JsonBounds = { maxDepth: 64, maxValues: 1_000_000 };

const reader = createTextRequestReader();

/** Those that do not depend on the dialect. */
const readers: Partial<Record<TextOperation, (body: unknown) => TextRequestHead>> = {
  count_tokens: reader.countTokens,
  embed: reader.embeddings,
};

/** Throws what the contract of the dialect says. */
export function inspectParsed(
  parsed: Record<string, unknown>,
  { dialect, operation, media }: InspectCommand,
): Inspection {
  const isCount = operation === 'count_tokens';
  const read = readers[operation] ?? reader[dialect];
  return {
    head: read(parsed),
    // Counting costs nothing.
    restricted: isCount ? undefined : restrictedPartsOf(dialect, parsed),
    media: media ? mediaAddressesOf(parsed) : undefined,
  };
}

/** The bytes for an upstream of the same dialect; the same Buffer when nothing changes. */
export function passOn(
  bytes: Buffer,
  { dialect, upstream, addUsage }: RenderCommand,
  model: unknown,
): Buffer {
  const own = dialect === 'messages' ? withoutForeignThinking(bytes, upstream) : bytes;
  // The body names its model once, or it would have been refused: when that is the upstream's
  // own name, nothing needs looking for.
  if (!addUsage && model === upstream.model) return own;
  return rewriteRequestBody(own, {
    model: upstream.model,
    isJudged: true,
    ...(addUsage && { includeUsage: true }),
  });
}

export function parseObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_json', 'the body must be one JSON object');
  }
  return value as Record<string, unknown>;
}
