import { type Fields, lookUp, wordsOf } from '../json.ts';
import type { CompletionMemory, Finish, FinishReason, UpstreamFailure } from '../neutral.ts';

/**
 * Also words of the other dialect and of single vendors, which leak. Anything else is a plain stop.
 */
const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  length: 'length',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  content_filter: 'refusal',
  sensitive: 'refusal',
  refusal: 'refusal',
  SAFETY: 'refusal',
  stop_sequence: 'stop_sequence',
  model_context_window_exceeded: 'context_window',
};

const failures: Readonly<Record<string, UpstreamFailure>> = {
  error: {
    status: 502,
    code: 'server_error',
    message: 'The upstream failed while it was responding.',
  },
  network_error: {
    status: 502,
    code: 'server_error',
    message: 'The upstream failed while it was responding.',
  },
  abort: { status: 502, code: 'truncated', message: 'The upstream broke off its completion.' },
  insufficient_system_resource: {
    status: 529,
    code: 'overloaded',
    message: 'The upstream has no resources left to finish its completion.',
  },
};

/** The failure that a choice's finish reason tells, or undefined when it tells a proper end. */
export const failureOfChoice = (choice: Fields): UpstreamFailure | undefined => {
  const word = wordsOf(choice['finish_reason']);
  return word === undefined ? undefined : lookUp(failures, word);
};

export interface Delivered {
  /** Tool calls in the completion. */
  readonly calls: number;
  /** The model's own words where it refused. */
  readonly refusal: string;
}

/**
 * Why a choice ended, or undefined while it has not: some vendors send an empty reason on every
 * chunk.
 */
export function finishOfChoice(
  choice: Fields,
  delivered: Delivered,
  memory: CompletionMemory,
): Finish | undefined {
  const word = wordsOf(choice['finish_reason']);
  if (word === undefined) return undefined;
  const reason = lookUp(reasons, word) ?? 'stop';
  if (reason === 'length' || reason === 'context_window') return { reason };
  if (reason === 'refusal') return refusalOf(delivered);
  if (delivered.calls > 0) return { reason: 'tool_calls' };
  if (delivered.refusal !== '') return refusalOf(delivered);
  const stopSequence = matchedStop(choice, memory);
  if (stopSequence !== undefined) return { reason: 'stop_sequence', stopSequence };
  return { reason: reason === 'tool_calls' ? 'stop' : reason };
}

const refusalOf = ({ refusal }: Delivered): Finish => ({
  reason: 'refusal',
  ...(refusal !== '' && { explanation: refusal }),
});

/** Self-hosted servers tell which stop sequence matched; they also put token numbers there. */
function matchedStop(choice: Fields, { stops }: CompletionMemory): string | undefined {
  const told = [choice['stop_reason'], choice['matched_stop']];
  return stops.find((stop) => told.includes(stop));
}
