import {
  createTextRequestReader,
  restrictedPartsOf,
  type TextRequestHead,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import {
  type Edit,
  editedPieces,
  mediaAddressesOf,
  requestEdits,
  withoutForeignThinking,
} from '@gateway/text-dialects';
import { parseJson, type JsonBounds } from './judge.ts';
import { inFewPieces } from './memory.ts';
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

/** The bytes without what an upstream of the same dialect would refuse; mostly the same Buffer. */
export const ownThinkingIn = (bytes: Buffer, { dialect, upstream }: RenderCommand): Buffer =>
  dialect === 'messages' ? withoutForeignThinking(bytes, upstream) : bytes;

/** What an upstream of the same dialect is told otherwise than the client said it. */
export function passingEdits(
  bytes: Buffer,
  { upstream, addUsage }: RenderCommand,
  model: unknown,
): readonly Edit[] {
  // The body names its model once, or it would have been refused: when that is the upstream's
  // own name, nothing needs looking for.
  if (!addUsage && model === upstream.model) return [];
  return requestEdits(bytes, {
    model: upstream.model,
    isJudged: true,
    ...(addUsage && { includeUsage: true }),
  });
}

/** The body with them, in as few pieces as there can be without a copy of what is long. */
export const editedInPieces = (bytes: Buffer, edits: readonly Edit[]): readonly Buffer[] =>
  edits.length === 0 ? [bytes] : inFewPieces(editedPieces(bytes, edits));

export function parseObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_json', 'the body must be one JSON object');
  }
  return value as Record<string, unknown>;
}
