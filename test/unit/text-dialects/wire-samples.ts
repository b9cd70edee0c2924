/** Streams as vendors send them, whole events each. */

const event = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;

export const messagesStream = [
  event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-up',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 25,
        cache_creation_input_tokens: 3,
        cache_read_input_tokens: 4,
        output_tokens: 1,
      },
    },
  }),
  event('ping', {}),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'Grüße \u{1F600}, say "model":"x" and "message_stop"' },
  }),
  event('content_block_stop', { index: 0 }),
  event('content_block_start', {
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'get', input: {} },
  }),
  event('content_block_delta', {
    index: 1,
    delta: { type: 'input_json_delta', partial_json: '{"usage":' },
  }),
  event('content_block_delta', {
    index: 1,
    delta: { type: 'input_json_delta', partial_json: '1}' },
  }),
  event('content_block_stop', { index: 1 }),
  event('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 41, input_tokens: null },
  }),
  event('message_stop', {}),
].join('');

export const messagesUsage = {
  inputTokens: 25,
  cachedInputTokens: 4,
  cacheWriteTokens: 3,
  outputTokens: 41,
  reasoningTokens: 0,
  estimated: false,
};

export const chatChunk = (choices: unknown[], more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-up', choices, ...more })}\n\n`;

const delta = (fields: object, finish: string | null = null): string =>
  chatChunk([{ index: 0, delta: fields, finish_reason: finish }], { usage: null });

export const chatUsageChunk = chatChunk([], {
  usage: {
    prompt_tokens: 30,
    completion_tokens: 9,
    total_tokens: 39,
    prompt_tokens_details: { cached_tokens: 10 },
  },
});

export const chatParts = [
  ': PROCESSING\n\n',
  delta({ role: 'assistant', content: '' }),
  delta({ content: 'Grüße \u{1F600} [DONE] "usage":{} ' }),
  delta({ content: 'model' }),
  delta({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'get', arguments: '' } },
    ],
  }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"model":"x"}' } }] }),
  delta({}, 'tool_calls'),
];
export const chatStream = [...chatParts, chatUsageChunk, 'data: [DONE]\n\n'].join('');
export const chatStreamWithoutUsage = [...chatParts, 'data: [DONE]\n\n'].join('');

export const chatUsage = {
  inputTokens: 20,
  cachedInputTokens: 10,
  cacheWriteTokens: 0,
  outputTokens: 9,
  reasoningTokens: 0,
  estimated: false,
};

/** The bytes in pieces that end at the given places. */
export function splitAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted(
    (one, other) => one - other,
  );
  return [...ends, bytes.length].map((end, index) =>
    bytes.subarray(index === 0 ? 0 : ends[index - 1]!, end),
  );
}

/** The fixed seed of all property tests here. */
export const seed = 20_261;
