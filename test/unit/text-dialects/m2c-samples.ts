import { createCompletionFilter } from '../../../packages/text-dialects/src/filters.ts';
import { chatQuirksOf } from '../../../packages/text-dialects/src/chat/choose-quirks.ts';
import type { ChatQuirks } from '../../../packages/text-dialects/src/chat/quirks.ts';
import { createChatStreamReader } from '../../../packages/text-dialects/src/chat/read-stream.ts';
import { writeChatRequest } from '../../../packages/text-dialects/src/chat/write-request.ts';
import { readMessagesRequest } from '../../../packages/text-dialects/src/messages/read-request.ts';
import { createMessagesStreamWriter } from '../../../packages/text-dialects/src/messages/write-stream.ts';
import type {
  CompletionIdentity,
  CompletionMemory,
  TextEvent,
} from '../../../packages/text-dialects/src/neutral.ts';
import type { WrittenRequest } from '../../../packages/text-dialects/src/request-translation.ts';
import { readMessage, type ReadMessage } from './messages-grammar.ts';

export type Json = Readonly<Record<string, unknown>>;

export const aMemory = (values: Partial<CompletionMemory> = {}): CompletionMemory => ({
  stream: true,
  toolNames: {},
  emulatedStops: [],
  stops: [],
  singleToolCall: false,
  structuredTool: null,
  unwrapValue: false,
  completion: { includeUsage: true, legacyFunctions: false, customTools: [] },
  inputEstimate: 11,
  prefill: '',
  ...values,
});

export function anIdentity(): CompletionIdentity {
  let count = 0;
  return { model: 'claude-x', created: 1_760_000_000, newSuffix: () => `suffix${++count}` };
}

export const quirksOf = (vendor: string, model = 'some-model'): ChatQuirks =>
  chatQuirksOf({ vendor, model });

/** A body of a messages client with one user turn, and what the test adds. */
export const aBody = (fields: Json = {}): Json => ({
  model: 'claude-x',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
});

interface Target {
  readonly vendor?: string;
  readonly model?: string;
  readonly quirks?: Partial<ChatQuirks>;
  readonly maxOutputTokens?: number;
}

/** What a chat upstream is sent for a messages client's body. */
export function translated(
  body: Json,
  { vendor = 'openai', model = 'gpt-4o', quirks = {}, maxOutputTokens }: Target = {},
): WrittenRequest {
  const { request } = readMessagesRequest(body);
  const target = {
    model,
    quirks: { ...quirksOf(vendor, model), ...quirks },
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
  return writeChatRequest(request, target);
}

export const messagesFor = (body: Json, target: Target = {}): readonly Json[] =>
  translated(body, target).body['messages'] as Json[];

/** A chunk of a chat stream with this delta. */
export const chunk = (delta: Json | null | undefined, choice: Json = {}, rest: Json = {}): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null, ...choice }],
    ...rest,
  });
export const toolChunk = (...fragments: readonly Json[]): string =>
  chunk({ tool_calls: fragments });
export const finishChunk = (reason: string, choice: Json = {}): string =>
  chunk({}, { finish_reason: reason, ...choice });
export const usageChunk = (
  usage: Json = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [],
    usage,
  });

interface Streaming {
  readonly memory?: Partial<CompletionMemory>;
  readonly quirks?: Partial<ChatQuirks>;
  readonly vendor?: string;
}

/** The neutral events of a chat stream whose upstream closes after the last line. */
export function eventsFrom(
  lines: readonly string[],
  { memory = {}, quirks = {}, vendor = 'openai' }: Streaming = {},
): readonly TextEvent[] {
  const reader = createChatStreamReader({
    memory: aMemory(memory),
    identity: anIdentity(),
    quirks: { ...quirksOf(vendor), ...quirks },
  });
  return [...lines.flatMap((data) => reader.push({ event: undefined, data })), ...reader.end()];
}

/** The bytes a messages client gets for them. */
export function bytesFrom(lines: readonly string[], streaming: Streaming = {}): string {
  const memory = aMemory(streaming.memory);
  const filter = createCompletionFilter(memory);
  const writer = createMessagesStreamWriter({ memory, identity: anIdentity() });
  return eventsFrom(lines, streaming)
    .flatMap((event) => filter.push(event))
    .map((event) => writer.write(event))
    .join('');
}

/** The message a client reads out of them; throws where the grammar is broken. */
export const messageFrom = (lines: readonly string[], streaming: Streaming = {}): ReadMessage =>
  readMessage(bytesFrom(lines, streaming));
