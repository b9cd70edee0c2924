import { estimateByteTokens } from '../estimate.ts';
import { type Fields, isFields, lookUp } from '../json.ts';
import type { CompletionMemory, Finish, FinishReason, Usage } from '../neutral.ts';
import { known, readText } from '../values.ts';
import { usageOf } from '../wire/usage.ts';

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
  pause_turn: 'pause',
  model_context_window_exceeded: 'context_window',
  compaction: 'stop',
};

/**
 * Why the completion ended, from a message or a `message_delta`. `calls`: tools of the client that were
 * called.
 */
export function readFinish(fields: Fields, calls: number): Finish {
  const said = lookUp(reasons, readText(fields['stop_reason']) ?? '') ?? 'stop';
  const details = isFields(fields['stop_details']) ? fields['stop_details'] : {};
  const explanation = readText(details['explanation']) ?? readText(details['category']);
  return {
    reason: reasonFor(said, calls),
    ...known({
      stopSequence: readText(fields['stop_sequence']),
      explanation: said === 'refusal' ? explanation : undefined,
    }),
  };
}

const cleanEnds: readonly FinishReason[] = ['stop', 'stop_sequence', 'pause'];

/**
 * Agents look at the reason only: calls that say `stop` would end their loop, and `tool_calls`
 * without one would hang it.
 */
function reasonFor(said: FinishReason, calls: number): FinishReason {
  if (calls > 0 && cleanEnds.includes(said)) return 'tool_calls';
  return calls === 0 && said === 'tool_calls' ? 'stop' : said;
}

/** What the upstream reported, else our estimate. */
export const readUsage = (
  reported: unknown,
  { inputEstimate }: CompletionMemory,
  outputBytes: number,
): Usage =>
  usageOf('messages', reported) ?? {
    inputTokens: inputEstimate,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateByteTokens(outputBytes),
    reasoningTokens: 0,
    estimated: true,
  };
