import type { Dialect } from './protocol.ts';

/** What a vendor would send, in the shapes of the dialects, for one model. */
export interface Canned {
  /** About 1 kB. */
  readonly completion: Buffer;
  readonly opening: Buffer;
  readonly closing: Buffer;
  delta(text: string): Buffer;
}

const completionBytes = 1_024;
const inputTokens = 214;
const outputTokens = 100;

export const canned: Readonly<Record<Dialect, (model: string) => Canned>> = {
  messages: messagesCanned,
  chat: chatCanned,
  responses: responsesCanned,
};

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function messagesCanned(model: string): Canned {
  const usage = {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  };
  const message = {
    id: 'msg_01BenchBenchBenchBenchBe',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return {
    completion: padded((text) => ({
      ...message,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { ...usage, output_tokens: outputTokens },
    })),
    opening: Buffer.from(
      event('message_start', { message }) +
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ),
    closing: Buffer.from(
      event('content_block_stop', { index: 0 }) +
        event('message_delta', {
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: outputTokens },
        }) +
        event('message_stop', {}),
    ),
    delta: (text) =>
      Buffer.from(
        `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}\n\n`,
      ),
  };
}

function chatCanned(model: string): Canned {
  const base = {
    id: 'chatcmpl-BenchBenchBenchBenchBenchBe',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_b3n0c4h1',
  };
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 },
  };
  const chunk = (choices: object[], rest: object): string =>
    `data: ${JSON.stringify({ ...base, choices, ...rest })}\n\n`;
  const choice = (delta: object, finish: string | null): object[] => [
    { index: 0, delta, logprobs: null, finish_reason: finish },
  ];
  const [before = '', after = ''] = chunk(choice({ content: '#' }, null), { usage: null }).split(
    '#',
  );
  return {
    completion: padded((content) => ({
      ...base,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage,
    })),
    opening: Buffer.from(chunk(choice({ role: 'assistant', content: '' }, null), { usage: null })),
    closing: Buffer.from(
      `${chunk(choice({}, 'stop'), { usage: null })}${chunk([], { usage })}data: [DONE]\n\n`,
    ),
    delta: (text) => Buffer.from(`${before}${text}${after}`),
  };
}

const responsesUsage = {
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: inputTokens + outputTokens,
};

const numbered = (type: string, sequence_number: number, fields: object): string =>
  event(type, { sequence_number, ...fields });

/** Nobody counts the events: all pieces of the text have one number. */
function responsesCanned(model: string): Canned {
  const itemId = 'msg_BenchBenchBenchBenchBenchBe';
  const response = {
    id: 'resp_BenchBenchBenchBenchBenchBe',
    object: 'response',
    created_at: 1_760_000_000,
    status: 'in_progress',
    model,
    output: [] as object[],
    previous_response_id: null,
    store: false,
    usage: null as object | null,
  };
  const part = (text: string): object => ({ type: 'output_text', annotations: [], text });
  const item = (status: string, content: object[]): object => ({
    id: itemId,
    type: 'message',
    status,
    role: 'assistant',
    content,
  });
  const ended = (text: string): object => ({
    ...response,
    status: 'completed',
    output: [item('completed', [part(text)])],
    usage: responsesUsage,
  });
  const at = { item_id: itemId, output_index: 0, content_index: 0 };
  return {
    completion: padded(ended),
    opening: Buffer.from(
      numbered('response.created', 0, { response }) +
        numbered('response.in_progress', 1, { response }) +
        numbered('response.output_item.added', 2, {
          output_index: 0,
          item: item('in_progress', []),
        }) +
        numbered('response.content_part.added', 3, { ...at, part: part('') }),
    ),
    closing: Buffer.from(
      numbered('response.output_text.done', 5, { ...at, text: '' }) +
        numbered('response.content_part.done', 6, { ...at, part: part('') }) +
        numbered('response.output_item.done', 7, {
          output_index: 0,
          item: item('completed', [part('')]),
        }) +
        numbered('response.completed', 8, { response: ended('') }),
    ),
    delta: (text) =>
      Buffer.from(numbered('response.output_text.delta', 4, { ...at, logprobs: [], delta: text })),
  };
}

function padded(make: (text: string) => object): Buffer {
  const missing = completionBytes - JSON.stringify(make('')).length;
  return Buffer.from(JSON.stringify(make('lorem ipsum '.repeat(100).slice(0, missing))));
}
