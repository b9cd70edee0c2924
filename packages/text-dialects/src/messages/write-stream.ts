import { estimateByteTokens } from '../estimate.ts';
import type {
  CompletionIdentity,
  CompletionMemory,
  Finish,
  StreamWriter,
  TextEvent,
  Usage,
} from '../neutral.ts';
import { writeFailureEvent } from '../wire/write-failure.ts';
import { messageId } from './marker.ts';
import { stopFields } from './stop-reason.ts';
import { createBlocks, eventText } from './stream-blocks.ts';

interface State {
  started: boolean;
  over: boolean;
  calls: number;
  /** Told so far, for upstreams that report no tokens. */
  outputBytes: number;
  finish: Finish;
  usage: Usage | undefined;
}

/** Told without a message that has begun; everything else begins one. */
const silent: ReadonlySet<TextEvent['type']> = new Set([
  'start',
  'source',
  'usage',
  'finish',
  'failure',
  'end',
]);

/**
 * Writes a completion as the events of the messages dialect: one block open at a time, indexes without
 * a gap, `message_delta` and `message_stop` only at the proper end. After a failure or the end
 * nothing more is written.
 */
export function createMessagesStreamWriter({
  memory,
  identity,
}: {
  memory: CompletionMemory;
  identity: CompletionIdentity;
}): StreamWriter {
  const state: State = {
    started: false,
    over: false,
    calls: 0,
    outputBytes: 0,
    finish: { reason: 'stop' },
    usage: undefined,
  };
  const blocks = createBlocks();

  const begin = (id: string, usage: Usage | undefined): string => {
    if (state.started) return '';
    state.started = true;
    return messageStart({
      id: messageId(id, identity.newSuffix),
      model: identity.model,
      usage,
      inputEstimate: memory.inputEstimate,
    });
  };
  const delta = (type: 'text' | 'thinking' | 'tool_use', text: string): string => {
    state.outputBytes += Buffer.byteLength(text);
    return blocks.delta(type, text);
  };
  const note = (news: Partial<State>): string => {
    Object.assign(state, news);
    return '';
  };
  const writers: {
    readonly [Type in TextEvent['type']]: (event: Extract<TextEvent, { type: Type }>) => string;
  } = {
    start: ({ id, usage }) => begin(id, usage),
    text: ({ text }) => delta('text', text),
    source: ({ source }) => blocks.cite(source),
    reasoning: ({ text }) => delta('thinking', text),
    reasoning_signature: ({ signature }) => blocks.sign(signature),
    reasoning_redacted: ({ data }) => blocks.whole({ type: 'redacted_thinking', data }),
    tool_start: ({ id, name }) =>
      note({ calls: state.calls + 1 }) + blocks.open('tool_use', { id, name, input: {} }),
    tool_arguments: ({ text }) => delta('tool_use', text),
    tool_end: () => blocks.closeTool(),
    usage: ({ usage }) => note({ usage }),
    finish: ({ finish }) => note({ finish }),
    failure: ({ failure }) =>
      note({ over: true }) + blocks.close() + writeFailureEvent({ dialect: 'messages', failure }),
    end: () =>
      note({ over: true }) + begin('', undefined) + blocks.close() + messageEnd(state, memory),
  };
  return {
    write(event) {
      if (state.over) return '';
      // Nearly all events are texts: they go first, past the table.
      if (event.type === 'text') return begin('', undefined) + delta('text', event.text);
      const opening = silent.has(event.type) ? '' : begin('', undefined);
      return opening + (writers[event.type] as (event: TextEvent) => string)(event);
    },
  };
}

interface MessageStart {
  readonly id: string;
  readonly model: string;
  readonly usage: Usage | undefined;
  readonly inputEstimate: number;
}

/**
 * Meters of some clients look at these figures only. The output is 0: they add the final one to it.
 */
function messageStart({ id, model, usage, inputEstimate }: MessageStart): string {
  return eventText('message_start', {
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage?.inputTokens ?? inputEstimate,
        cache_creation_input_tokens: usage?.cacheWriteTokens ?? 0,
        cache_read_input_tokens: usage?.cachedInputTokens ?? 0,
        output_tokens: 0,
      },
    },
  });
}

/** Cumulative figures, which replace those of `message_start` in the clients. */
function messageEnd(
  { finish, calls, usage, outputBytes }: State,
  { inputEstimate }: CompletionMemory,
): string {
  const { stop_details: details, ...stop } = stopFields(finish, calls);
  const figures: Usage = usage ?? {
    inputTokens: inputEstimate,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: estimateByteTokens(outputBytes),
    reasoningTokens: 0,
    estimated: true,
  };
  const written = eventText('message_delta', {
    delta: details === null ? stop : { ...stop, stop_details: details },
    usage: {
      input_tokens: figures.inputTokens,
      cache_creation_input_tokens: figures.cacheWriteTokens,
      cache_read_input_tokens: figures.cachedInputTokens,
      output_tokens: figures.outputTokens,
      output_tokens_details: { thinking_tokens: figures.reasoningTokens },
    },
  });
  return written + eventText('message_stop', {});
}
