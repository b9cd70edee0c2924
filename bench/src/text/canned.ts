import type { Dialect } from './protocol.ts';

/** What a vendor would send, in the shapes of the two dialects, for one model. */
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

function padded(make: (text: string) => object): Buffer {
  const missing = completionBytes - JSON.stringify(make('')).length;
  return Buffer.from(JSON.stringify(make('lorem ipsum '.repeat(100).slice(0, missing))));
}
