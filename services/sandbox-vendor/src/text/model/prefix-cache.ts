import { createHash } from 'node:crypto';
import type { Segment } from './conversation.ts';
import { tokensOf } from './tokens.ts';

/**
 * Tokens of a prompt, split by what the cache had to do with them; `read` and `written` are parts
 * of `total`.
 */
export interface PromptTokens {
  readonly total: number;
  readonly read: number;
  readonly written: number;
  /** How long the written part is kept. */
  readonly writtenTtlMs: number;
}

export interface PrefixCache {
  /** Reads the longest known prefix before the last mark, and writes every marked one. */
  marked(model: string, segments: readonly Segment[]): PromptTokens;
  /** Reads the longest known prefix of a long prompt, and writes them all: nobody has to ask. */
  automatic(model: string, segments: readonly Segment[]): PromptTokens;
}

export const cacheTtlMs = { '5m': 300_000, '1h': 3_600_000 } as const;

/** Documented for automatic caching: from 1,024 tokens on, in steps of 128. */
const automaticMinTokens = 1_024;
const automaticStepTokens = 128;

interface Boundary {
  readonly key: string;
  readonly tokens: number;
  readonly ttlMs: number | undefined;
}

export const promptTokens = (segments: readonly Segment[]): number =>
  tokensOf(segments.reduce((sum, { characters }) => sum + characters, 0));

export function createPrefixCache({
  maxEntries,
  now,
}: {
  maxEntries: number;
  now: () => number;
}): PrefixCache {
  const entries = new Map<string, { expiresAtMs: number; ttlMs: number }>();
  const isKnown = ({ key }: Boundary): boolean => (entries.get(key)?.expiresAtMs ?? 0) > now();
  const put = (key: string, ttlMs: number): void => {
    entries.delete(key);
    entries.set(key, { expiresAtMs: now() + ttlMs, ttlMs });
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
  };
  const read = (boundaries: readonly Boundary[]): number => {
    const hit = boundaries.findLast(isKnown);
    if (hit === undefined) return 0;
    put(hit.key, entries.get(hit.key)?.ttlMs ?? 0); // using an entry renews it
    return hit.tokens;
  };
  return {
    marked(model, segments) {
      const boundaries = boundariesOf(model, segments);
      const last = boundaries.findLastIndex(({ ttlMs }) => ttlMs !== undefined);
      const known = read(boundaries.slice(0, last + 1));
      const writtenTtlMs = boundaries[last]?.ttlMs ?? 0;
      for (const { key, ttlMs } of boundaries) if (ttlMs !== undefined) put(key, ttlMs);
      return {
        total: promptTokens(segments),
        read: known,
        written: (boundaries[last]?.tokens ?? 0) - known,
        writtenTtlMs,
      };
    },
    automatic(model, segments) {
      const total = promptTokens(segments);
      if (total < automaticMinTokens) return { total, read: 0, written: 0, writtenTtlMs: 0 };
      const boundaries = boundariesOf(model, segments).filter(
        ({ tokens }) => tokens >= automaticMinTokens,
      );
      const known = read(boundaries);
      for (const { key } of boundaries) put(key, cacheTtlMs['5m']);
      return {
        total,
        read: Math.floor(known / automaticStepTokens) * automaticStepTokens,
        written: 0,
        writtenTtlMs: 0,
      };
    },
  };
}

function boundariesOf(model: string, segments: readonly Segment[]): readonly Boundary[] {
  let key = model;
  let characters = 0;
  return segments.map((segment) => {
    key = createHash('sha256').update(key).update('\0').update(segment.identity).digest('base64');
    characters += segment.characters;
    return { key, tokens: tokensOf(characters), ttlMs: segment.cacheTtlMs };
  });
}
