import {
  createChatStreamWriter,
  createMessagesStreamReader,
  messagesQuirksOf,
  readChatRequest,
  writeMessagesRequest,
  type CompletionIdentity,
  type CompletionMemory,
  type MessagesQuirks,
  type SseEvent,
  type TextEvent,
  type TextRequest,
} from '@gateway/text-dialects';
import type { Chunk, Delta } from './chat-grammar.ts';

export type Body = Record<string, unknown>;

export interface ToldBlock extends Body {
  readonly id: string;
  readonly tool_use_id: string;
  readonly cache_control?: Body;
}

export interface ToldBody extends Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly ToldBlock[] }[];
  readonly tools?: readonly { readonly name: string; readonly input_schema: Body }[];
  readonly tool_choice?: Body;
  readonly system?: readonly { readonly text: string }[];
  readonly output_config?: { readonly format?: { readonly schema: Body } };
  readonly metadata?: { readonly user_id: string };
}

export const hello = { role: 'user', content: 'Hello' };

/** A chat request with as little as it takes. */
export const aRequest = (fields: Body = {}): Body => ({ model: 'm', messages: [hello], ...fields });

export const read = (fields: Body): TextRequest => readChatRequest(aRequest(fields)).request;

export const aModel = (model = 'claude-sonnet-4-5', overrides: Body = {}): MessagesQuirks =>
  messagesQuirksOf({ vendor: 'anthropic', model, overrides });

interface Upstream {
  readonly model?: string;
  readonly vendor?: string;
  readonly overrides?: Body;
  readonly maxOutputTokens?: number;
}

/** The chat request as the upstream gets it. */
export function translate(
  fields: Body,
  {
    model = 'claude-sonnet-4-5',
    vendor = 'anthropic',
    overrides = {},
    maxOutputTokens,
  }: Upstream = {},
) {
  const quirks = messagesQuirksOf({ vendor, model, overrides });
  const { request, dropped } = readChatRequest(aRequest(fields));
  const written = writeMessagesRequest(request, {
    model,
    quirks,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  });
  return {
    ...written,
    body: JSON.parse(JSON.stringify(written.body)) as ToldBody,
    dropped: [...dropped, ...written.dropped],
  };
}

export const messagesOf = (
  messages: readonly unknown[],
  upstream?: Upstream,
): ToldBody['messages'] => translate({ messages }, upstream).body.messages;

export const aMemory = (fields: Partial<CompletionMemory> = {}): CompletionMemory => ({
  stream: true,
  toolNames: {},
  emulatedStops: [],
  stops: [],
  singleToolCall: false,
  structuredTool: null,
  unwrapValue: false,
  completion: { includeUsage: false, legacyFunctions: false, customTools: [] },
  inputEstimate: 7,
  prefill: '',
  ...fields,
});

export const anIdentity = (): CompletionIdentity => {
  let count = 0;
  return { model: 'my-model', created: 1_760_000_000, newSuffix: () => `suffix${(count += 1)}` };
};

/** One event of a messages stream, named after its type. */
export const sse = (data: Body): SseEvent => ({
  event: String(data['type']),
  data: JSON.stringify(data),
});

export const begin = sse({
  type: 'message_start',
  message: {
    id: 'msg_1',
    content: [],
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 2,
      output_tokens: 1,
    },
  },
});
export const block = (index: number, contentBlock: Body): SseEvent =>
  sse({ type: 'content_block_start', index, content_block: contentBlock });
export const delta = (index: number, fields: Body): SseEvent =>
  sse({ type: 'content_block_delta', index, delta: fields });
export const stop = (index: number): SseEvent => sse({ type: 'content_block_stop', index });
export const text = (index: number, value: string): SseEvent =>
  delta(index, { type: 'text_delta', text: value });
export const json = (index: number, value: string): SseEvent =>
  delta(index, { type: 'input_json_delta', partial_json: value });
export const ended = (
  reason: string | null,
  usage: Body = { output_tokens: 9 },
  more: Body = {},
): SseEvent =>
  sse({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null, ...more },
    usage,
  });
export const over = sse({ type: 'message_stop' });

export function eventsOf(events: readonly SseEvent[], memory = aMemory()): TextEvent[] {
  const reader = createMessagesStreamReader({ memory, identity: anIdentity() });
  return [...events.flatMap((event) => reader.push(event)), ...reader.end()];
}

/** What the chat client receives. */
export function streamOf(events: readonly SseEvent[], memory = aMemory()): string {
  const writer = createChatStreamWriter({ memory, identity: anIdentity() });
  return eventsOf(events, memory)
    .map((event) => writer.write(event))
    .join('');
}

/** The JSON of each `data:` line except `[DONE]`. */
export const chunksOf = (stream: string): Chunk[] =>
  stream
    .split('\n\n')
    .filter((part) => part !== '' && part !== 'data: [DONE]')
    .map((part) => JSON.parse(part.slice('data: '.length)) as Chunk);

/** What the choices say; errors and usage have none. */
export const deltasOf = (stream: string): Delta[] =>
  chunksOf(stream).flatMap(({ choices = [] }) => choices.map(({ delta: fields }) => fields));

export const contentOf = (stream: string): string =>
  deltasOf(stream)
    .map((fields) => fields.content ?? '')
    .join('');
