import { lookUp } from '../json.ts';
import type { FinishReason, Usage } from '../neutral.ts';

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  context_window: 'length',
  tool_calls: 'tool_calls',
  refusal: 'content_filter',
  pause: 'stop',
};

/** `finish_reason` of the chat dialect; `legacy` for clients that sent `functions`. */
export const chatFinishReason = (reason: FinishReason, legacy: boolean): string =>
  legacy && reason === 'tool_calls' ? 'function_call' : reasons[reason];

/** `usage` of the chat dialect, whose prompt includes what was read from and written to a cache. */
export function chatUsage(usage: Usage): Record<string, unknown> {
  const prompt = usage.inputTokens + usage.cachedInputTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      audio_tokens: 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/**
 * Ids of the chat dialect keep the upstream's behind their own beginning, so that one finds the
 * other.
 */
export const chatCompletionId = (id: string): string =>
  id.startsWith('chatcmpl') ? id : `chatcmpl-${id.replace(/^msg_/, '')}`;

const tiers: Readonly<Record<string, string>> = {
  standard: 'default',
  default: 'default',
  priority: 'priority',
  flex: 'flex',
};

/** Only what the upstream said, in the words of this dialect. */
export function serviceTierOf({ serviceTier }: Usage): { service_tier?: string } {
  const tier = lookUp(tiers, serviceTier ?? '');
  return tier === undefined ? {} : { service_tier: tier };
}
