import { apiErrorOf, ConnectionError } from './errors.ts';
import { eventsOf } from './sse.ts';
import type { Transport } from './transport.ts';
import type { CallOptions } from './types.ts';

/** Which of the text formats a request is sent in. */
export type TextDialect = 'chat' | 'messages';

/** What every model understands; the official SDKs say the rest. */
export interface TextRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: string;
  }[];
  readonly system?: string | undefined;
  /** Most tokens of output. */
  readonly maxTokens: number;
}

export interface TextOptions extends CallOptions {
  /** `chat` when left out. */
  readonly dialect?: TextDialect | undefined;
}

/** How a text ended. */
export interface TextEnd {
  /** In the words of the dialect, such as `stop` or `end_turn`. */
  readonly stopReason: string | undefined;
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** What one event of a stream adds. */
interface Addition extends Partial<TextEnd> {
  /** Empty where the event adds none. */
  readonly text: string;
  readonly isLast?: boolean;
}

interface Dialect {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (request: TextRequest) => object;
  readonly read: (event: Json) => Addition;
}

/** A model may think for long before it says a word, and the gateway pings meanwhile. */
const silenceMs = 120_000;

/** Texts: `client.text`. */
export class Texts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The pieces of a text as they arrive; returns how it ended. A stream that breaks off throws, and
   * is not asked for again: that would be paid twice.
   */
  async *stream(
    request: TextRequest,
    { dialect = 'chat', signal }: TextOptions = {},
  ): AsyncGenerator<string, TextEnd, undefined> {
    const { path, headers, body, read } = dialects[dialect];
    const response = await this.#transport.open({
      method: 'POST',
      path,
      json: body(request),
      headers: { accept: 'text/event-stream', ...headers },
      repeatable: 'if refused',
      signal,
    });
    let end: TextEnd = { stopReason: undefined, inputTokens: undefined, outputTokens: undefined };
    for await (const { data } of eventsOf(response.body ?? new ReadableStream(), silenceMs)) {
      const event = jsonOf(data);
      if ('error' in event) throw apiErrorOf(response, data);
      const { text, isLast = false, ...news } = read(event);
      end = { ...end, ...definedOf(news) };
      if (text !== '') yield text;
      if (isLast) return end;
    }
    signal?.throwIfAborted();
    throw new ConnectionError('The text broke off before its end.');
  }
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const objectIn = (holder: Json, name: string): Json => {
  const value = holder[name];
  return isJson(value) ? value : {};
};
const textIn = (holder: Json, name: string): string | undefined => {
  const value = holder[name];
  return typeof value === 'string' ? value : undefined;
};
const countIn = (holder: Json, name: string): number | undefined => {
  const value = holder[name];
  return typeof value === 'number' ? value : undefined;
};
const definedOf = (values: Json): Json =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** The chat dialect ends with a word that is no JSON. */
const jsonOf = (data: string): Json =>
  data === '[DONE]' ? { done: true } : (JSON.parse(data) as Json);

const dialects: Readonly<Record<TextDialect, Dialect>> = {
  chat: {
    path: '/v1/chat/completions',
    headers: {},
    body: ({ model, messages, system, maxTokens }) => ({
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        ...messages,
      ],
      max_tokens: maxTokens,
      stream: true,
      stream_options: { include_usage: true },
    }),
    read: (event) => {
      const choices = event['choices'];
      const choice: Json = Array.isArray(choices) && isJson(choices[0]) ? choices[0] : {};
      const delta = objectIn(choice, 'delta');
      const usage = objectIn(event, 'usage');
      return {
        text: textIn(delta, 'content') ?? textIn(delta, 'refusal') ?? '',
        stopReason: textIn(choice, 'finish_reason'),
        inputTokens: countIn(usage, 'prompt_tokens'),
        outputTokens: countIn(usage, 'completion_tokens'),
        isLast: event['done'] === true,
      };
    },
  },
  messages: {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: ({ model, messages, system, maxTokens }) => ({
      model,
      messages,
      ...(system !== undefined && { system }),
      max_tokens: maxTokens,
      stream: true,
    }),
    read: (event) => {
      const delta = objectIn(event, 'delta');
      const first = objectIn(objectIn(event, 'message'), 'usage');
      const usage = objectIn(event, 'usage');
      return {
        text: textIn(delta, 'text') ?? '',
        stopReason: textIn(delta, 'stop_reason'),
        inputTokens: countIn(usage, 'input_tokens') ?? countIn(first, 'input_tokens'),
        outputTokens: countIn(usage, 'output_tokens'),
        isLast: event['type'] === 'message_stop',
      };
    },
  },
};
