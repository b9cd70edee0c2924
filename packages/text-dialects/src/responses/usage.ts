import type { Fields } from '../json.ts';
import type { Usage } from '../neutral.ts';

/** `usage` of a Response object, whose input includes what was read from and written to a cache. */
export function responseUsage(usage: Usage): Fields {
  const input = usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}
