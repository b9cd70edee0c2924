import type { Completion, Part } from '../model/completion.ts';
import type { PromptTokens } from '../model/prefix-cache.ts';
import { cacheTtlMs } from '../model/prefix-cache.ts';
import type { ThinkingSigner } from '../model/signature.ts';
import { piecesOf, tokensOfText } from '../model/tokens.ts';
import type { StreamStep } from '../stream.ts';

/** A completion with what stands around it. */
export interface MessageFrame {
  readonly id: string;
  readonly model: string;
  readonly completion: Completion;
  readonly prompt: PromptTokens;
  readonly showsThinking: boolean;
  readonly tellsUsage: boolean;
  readonly signer: ThinkingSigner;
}

const stopReasons = {
  end: 'end_turn',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
  calls: 'tool_use',
  refusal: 'refusal',
} as const satisfies Record<Completion['finish'], string>;

const ending = ({ completion: { finish, stopSequence } }: MessageFrame): object => ({
  stop_reason: stopReasons[finish],
  stop_sequence: stopSequence ?? null,
  stop_details:
    finish === 'refusal'
      ? {
          type: 'refusal',
          category: 'general_harms',
          explanation: 'The sandbox was told to refuse.',
        }
      : null,
});

const inputUsage = ({ prompt: { total, read, written } }: MessageFrame): object => ({
  input_tokens: total - read - written,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
});

const fullUsage = (frame: MessageFrame): object => ({
  ...inputUsage(frame),
  cache_creation: {
    ephemeral_5m_input_tokens:
      frame.prompt.writtenTtlMs === cacheTtlMs['1h'] ? 0 : frame.prompt.written,
    ephemeral_1h_input_tokens:
      frame.prompt.writtenTtlMs === cacheTtlMs['1h'] ? frame.prompt.written : 0,
  },
  output_tokens: frame.completion.tokens.output,
  output_tokens_details: { thinking_tokens: frame.completion.tokens.thinking },
  server_tool_use: null,
  service_tier: 'standard',
});

/** The whole message, as it is returned without streaming. */
export function writeMessage(frame: MessageFrame): object {
  return {
    id: frame.id,
    type: 'message',
    role: 'assistant',
    model: frame.model,
    content: frame.completion.parts.map((part) => blockOf(part, frame)),
    ...ending(frame),
    ...(frame.tellsUsage && { usage: fullUsage(frame) }),
  };
}

function blockOf(part: Part, { showsThinking, signer }: MessageFrame): object {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  if (part.kind === 'call') {
    return { type: 'tool_use', id: part.id, name: part.name, input: inputOf(part.argumentsText) };
  }
  const thinking = showsThinking ? part.text : '';
  return { type: 'thinking', thinking, signature: signer.sign(thinking) };
}

/**
 * Arguments that were cut off are no object any more, and a message that is whole cannot show half
 * of one.
 */
function inputOf(argumentsText: string): unknown {
  try {
    return JSON.parse(argumentsText);
  } catch {
    return {};
  }
}

/** One event on the wire; every client needs the line with its name. */
export const eventText = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const step = (type: string, fields: object = {}, tokens = 0): StreamStep => ({
  wire: eventText(type, { type, ...fields }),
  tokens,
});

export const pingText = eventText('ping', { type: 'ping' });

/** The events of a stream, in the order in which the vendor sends them. */
export function* writeEvents(frame: MessageFrame): Generator<StreamStep> {
  const { id, model, completion, tellsUsage } = frame;
  const started = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(tellsUsage && {
      usage: { ...fullUsage(frame), output_tokens: 1, output_tokens_details: undefined },
    }),
  };
  yield step('message_start', { message: started });
  for (const [index, part] of completion.parts.entries()) {
    yield step('content_block_start', { index, content_block: emptyBlock(part) });
    if (index === 0) yield step('ping');
    for (const { delta, tokens } of deltasOf(part, frame)) {
      yield step('content_block_delta', { index, delta }, tokens);
    }
    yield step('content_block_stop', { index });
  }
  const usage = {
    ...inputUsage(frame),
    output_tokens: completion.tokens.output,
    output_tokens_details: { thinking_tokens: completion.tokens.thinking },
  };
  yield step('message_delta', { delta: ending(frame), ...(tellsUsage && { usage }) });
  yield step('message_stop');
}

function emptyBlock(part: Part): object {
  if (part.kind === 'text') return { type: 'text', text: '' };
  if (part.kind === 'call') return { type: 'tool_use', id: part.id, name: part.name, input: {} };
  return { type: 'thinking', thinking: '', signature: '' };
}

interface Delta {
  readonly delta: object;
  readonly tokens: number;
}

/** Arguments are sent in pieces so short that no client sees them whole by luck. */
const argumentsPieceLength = 8;

function* deltasOf(part: Part, { showsThinking, signer }: MessageFrame): Generator<Delta> {
  if (part.kind === 'text') {
    for (const { text, tokens } of piecesOf(part.text)) {
      yield { delta: { type: 'text_delta', text }, tokens };
    }
  } else if (part.kind === 'call') {
    yield {
      delta: { type: 'input_json_delta', partial_json: '' },
      tokens: tokensOfText(part.name),
    };
    for (const { text, tokens } of piecesOf(part.argumentsText, argumentsPieceLength)) {
      yield { delta: { type: 'input_json_delta', partial_json: text }, tokens };
    }
  } else {
    if (showsThinking) {
      for (const { text, tokens } of piecesOf(part.text)) {
        yield { delta: { type: 'thinking_delta', thinking: text }, tokens };
      }
    }
    yield {
      delta: { type: 'signature_delta', signature: signer.sign(showsThinking ? part.text : '') },
      tokens: showsThinking ? 0 : tokensOfText(part.text),
    };
  }
}
