import type { Finish, FinishReason } from '../neutral.ts';

const words: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  stop_sequence: 'stop_sequence',
  refusal: 'refusal',
  context_window: 'model_context_window_exceeded',
  pause: 'pause_turn',
};

/** Ends that an agent must see as they are, whatever calls came before. */
const overriding: ReadonlySet<FinishReason> = new Set([
  'length',
  'refusal',
  'context_window',
  'pause',
]);

export interface StopFields {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: {
    readonly type: 'refusal';
    readonly category: null;
    readonly explanation: string | null;
  } | null;
}

/**
 * Why a completion ended. Agents go on only after `tool_use`, and only when there was a call: what was
 * delivered counts, not what was reported.
 */
export function stopFields(
  { reason, stopSequence, explanation }: Finish,
  calls: number,
): StopFields {
  const told = overriding.has(reason)
    ? words[reason]
    : calls > 0
      ? words.tool_calls
      : words[reason === 'tool_calls' ? 'stop' : reason];
  return {
    stop_reason: told,
    stop_sequence: told === 'stop_sequence' ? (stopSequence ?? null) : null,
    stop_details:
      reason === 'refusal'
        ? { type: 'refusal', category: null, explanation: explanation ?? null }
        : null,
  };
}
