import type { Completion, Part } from '../model/completion.ts';
import type { PromptTokens } from '../model/prefix-cache.ts';
import { piecesOf, tokensOfText } from '../model/tokens.ts';
import type { StreamStep } from '../stream.ts';

/** A completion with what stands around it. */
export interface CompletionFrame {
  readonly id: string;
  readonly model: string;
  readonly createdSeconds: number;
  readonly completion: Completion;
  readonly prompt: PromptTokens;
  /** How many choices there are. */
  readonly choices: number;
  readonly tellsUsage: boolean;
  /** The client asked for usage in the stream. */
  readonly includesUsage: boolean;
  /** Calls in the shape from before tools. */
  readonly legacyCalls: boolean;
}

const finishReasons = {
  end: 'stop',
  length: 'length',
  'stop-sequence': 'stop',
  calls: 'tool_calls',
  refusal: 'content_filter',
} as const satisfies Record<Completion['finish'], string>;

const finishReasonOf = ({ completion: { finish }, legacyCalls }: CompletionFrame): string =>
  legacyCalls && finish === 'calls' ? 'function_call' : finishReasons[finish];

function usageOf({ prompt, completion: { tokens }, choices }: CompletionFrame): object {
  const completion = tokens.output * choices;
  return {
    prompt_tokens: prompt.total,
    completion_tokens: completion,
    total_tokens: prompt.total + completion,
    prompt_tokens_details: { cached_tokens: prompt.read, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: tokens.thinking * choices,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

const textOfKind = (parts: readonly Part[], kind: 'thinking' | 'text'): string =>
  parts.map((part) => (part.kind === kind ? part.text : '')).join('');
const callsIn = (parts: readonly Part[]): readonly Extract<Part, { kind: 'call' }>[] =>
  parts.filter((part) => part.kind === 'call');

/** The whole completion, as it is returned without streaming. */
export function writeCompletion(frame: CompletionFrame): object {
  const { id, model, createdSeconds, choices, tellsUsage } = frame;
  return {
    id,
    object: 'chat.completion',
    created: createdSeconds,
    model,
    choices: Array.from({ length: choices }, (_none, index) => ({
      index,
      message: messageOf(frame),
      logprobs: null,
      finish_reason: finishReasonOf(frame),
    })),
    ...(tellsUsage && { usage: usageOf(frame) }),
    service_tier: 'default',
    system_fingerprint: 'fp_sandbox',
  };
}

function messageOf({ completion: { parts }, legacyCalls }: CompletionFrame): object {
  const [text, thinking, calls] = [
    textOfKind(parts, 'text'),
    textOfKind(parts, 'thinking'),
    callsIn(parts),
  ];
  const [first] = calls;
  return {
    role: 'assistant',
    content: text === '' && first !== undefined ? null : text,
    refusal: null,
    annotations: [],
    ...(thinking !== '' && { reasoning_content: thinking }),
    ...(first !== undefined &&
      (legacyCalls
        ? { function_call: functionOf(first) }
        : {
            tool_calls: calls.map((call) => ({
              id: call.id,
              type: 'function',
              function: functionOf(call),
            })),
          })),
  };
}

const functionOf = ({ name, argumentsText }: { name: string; argumentsText: string }): object => ({
  name,
  arguments: argumentsText,
});

export const dataText = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
export const pingText = ': ping\n\n';

/** The chunks of a stream, in the order in which the vendor sends them. */
export function* writeChunks(frame: CompletionFrame): Generator<StreamStep> {
  const { id, model, createdSeconds, choices, completion, includesUsage, tellsUsage } = frame;
  const withUsage = includesUsage && tellsUsage;
  const common = {
    id,
    object: 'chat.completion.chunk',
    created: createdSeconds,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_sandbox',
  };
  const step = (fields: object, tokens = 0): StreamStep => ({
    wire: dataText({ ...common, ...(withUsage && { usage: null }), ...fields }),
    tokens,
  });
  for (let index = 0; index < choices; index += 1) {
    const choice = (delta: object, finishReason: string | null = null): object => ({
      choices: [{ index, delta, logprobs: null, finish_reason: finishReason }],
    });
    yield step(
      choice({
        role: 'assistant',
        content:
          completion.finish === 'calls' && textOfKind(completion.parts, 'text') === '' ? null : '',
        refusal: null,
      }),
    );
    for (const { delta, tokens } of deltasOf(frame)) yield step(choice(delta), tokens);
    yield step(choice({}, finishReasonOf(frame)));
  }
  if (withUsage) yield step({ choices: [], usage: usageOf(frame) });
  yield { wire: 'data: [DONE]\n\n', tokens: 0 };
}

interface Delta {
  readonly delta: object;
  readonly tokens: number;
}

/** Arguments are sent in pieces so short that no client sees them whole by luck. */
const argumentsPieceLength = 8;

function* deltasOf({ completion: { parts }, legacyCalls }: CompletionFrame): Generator<Delta> {
  let calls = 0;
  for (const part of parts) {
    if (part.kind === 'call') {
      yield* callDeltas(part, legacyCalls ? undefined : calls);
      calls += 1;
    } else {
      const field = part.kind === 'text' ? 'content' : 'reasoning_content';
      for (const { text, tokens } of piecesOf(part.text)) {
        yield { delta: { [field]: text }, tokens };
      }
    }
  }
}

/**
 * Id and name come once, with the first fragment; the index with every one. Without an index it is
 * a call in the old shape.
 */
function* callDeltas(
  { id, name, argumentsText }: Extract<Part, { kind: 'call' }>,
  index: number | undefined,
): Generator<Delta> {
  const delta = (call: object, fragment: object): object =>
    index === undefined
      ? { function_call: fragment }
      : { tool_calls: [{ index, ...call, function: fragment }] };
  yield {
    delta: delta({ id, type: 'function' }, { name, arguments: '' }),
    tokens: tokensOfText(name),
  };
  for (const { text, tokens } of piecesOf(argumentsText, argumentsPieceLength)) {
    yield { delta: delta({}, { arguments: text }), tokens };
  }
}
