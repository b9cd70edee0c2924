import { describe, expect, it } from '@jest/globals';
import { readCompletionUsage, usageOf, type Dialect, type Usage } from '@gateway/text-dialects';

const none: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

describe('tokens as an upstream reports them', () => {
  it.each<[string, Dialect, unknown, Partial<Usage> | null]>([
    [
      'responses',
      'responses',
      {
        input_tokens: 20,
        input_tokens_details: { cached_tokens: 5, cache_write_tokens: 4 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
      },
      {
        inputTokens: 11,
        cachedInputTokens: 5,
        cacheWriteTokens: 4,
        outputTokens: 7,
        reasoningTokens: 3,
      },
    ],
    ['responses without figures', 'responses', null, null],
    [
      'a messages upstream excludes the cache',
      'messages',
      {
        input_tokens: 3,
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 5,
        output_tokens: 2,
      },
      { inputTokens: 3, cachedInputTokens: 10, cacheWriteTokens: 5, outputTokens: 2 },
    ],
    [
      'cache writes told apart by their time to live',
      'messages',
      {
        input_tokens: 3,
        output_tokens: 2,
        cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 2 },
      },
      { inputTokens: 3, cacheWriteTokens: 6, cacheWrite1hTokens: 2, outputTokens: 2 },
    ],
    [
      'uses of tools, and a tier',
      'messages',
      {
        input_tokens: 3,
        output_tokens: 2,
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 0, odd: 'x' },
        service_tier: 'priority',
      },
      {
        inputTokens: 3,
        outputTokens: 2,
        serverToolUses: { web_search: 2, web_fetch: 0 },
        serviceTier: 'priority',
      },
    ],
    [
      'the fast mode, which is a tier of its own',
      'messages',
      { input_tokens: 3, output_tokens: 2, service_tier: 'standard', speed: 'fast' },
      { inputTokens: 3, outputTokens: 2, serviceTier: 'fast' },
    ],
    [
      'a tier that could not be stored',
      'messages',
      { input_tokens: 3, output_tokens: 2, service_tier: 'a\u0000' },
      { inputTokens: 3, outputTokens: 2 },
    ],
    ...(
      [
        ['OpenRouter', { server_tool_use: { web_search_requests: 2, tool_calls_executed: 3 } }],
        ['xAI', { server_side_tool_usage_details: { web_search_calls: 2 } }],
        ['Perplexity', { num_search_queries: 2 }],
        ['DashScope', { plugins: { search: { count: 2 } } }],
      ] as const
    ).map(
      ([vendor, reported]) =>
        [
          `searches of ${vendor}`,
          'chat',
          { prompt_tokens: 3, completion_tokens: 2, ...reported },
          { inputTokens: 3, outputTokens: 2, serverToolUses: { web_search: 2 } },
        ] satisfies [string, Dialect, unknown, Partial<Usage>],
    ),
    [
      'sources of a live search',
      'chat',
      { prompt_tokens: 3, completion_tokens: 2, num_sources_used: 5 },
      { inputTokens: 3, outputTokens: 2, serverToolUses: { live_search: 5 } },
    ],
    [
      'thinking tokens',
      'messages',
      { input_tokens: 3, output_tokens: 20, output_tokens_details: { thinking_tokens: 15 } },
      { inputTokens: 3, outputTokens: 20, reasoningTokens: 15 },
    ],
    [
      'a chat upstream includes the cache',
      'chat',
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      },
      { inputTokens: 30, cachedInputTokens: 60, cacheWriteTokens: 10, outputTokens: 5 },
    ],
    [
      'DeepSeek',
      'chat',
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
      },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 5 },
    ],
    [
      'Moonshot',
      'chat',
      { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 40 },
      { inputTokens: 60, cachedInputTokens: 40, outputTokens: 5 },
    ],
    [
      'a gateway with the names of the other dialect',
      'chat',
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        cache_read_input_tokens: 40,
        cache_creation_input_tokens: 10,
      },
      { inputTokens: 50, cachedInputTokens: 40, cacheWriteTokens: 10, outputTokens: 5 },
    ],
    [
      'a vendor that has taken the cached part out already',
      'chat',
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } },
      { inputTokens: 10, cachedInputTokens: 60, outputTokens: 5 },
    ],
    [
      'more cached and written than there was: never below zero',
      'chat',
      {
        prompt_tokens: 60,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 50, cache_write_tokens: 20 },
      },
      { inputTokens: 0, cachedInputTokens: 50, cacheWriteTokens: 20, outputTokens: 5 },
    ],
    [
      'reasoning inside the completion',
      'chat',
      {
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 60,
        completion_tokens_details: { reasoning_tokens: 40 },
      },
      { inputTokens: 10, outputTokens: 50, reasoningTokens: 40 },
    ],
    [
      'xAI: reasoning beside the completion, as the total says',
      'chat',
      {
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 100,
        completion_tokens_details: { reasoning_tokens: 40 },
      },
      { inputTokens: 10, outputTokens: 90, reasoningTokens: 40 },
    ],
    [
      'nulls and texts in place of figures',
      'chat',
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: null,
        cached_tokens: 'many',
      },
      { inputTokens: 10, outputTokens: 5 },
    ],
    ['nothing', 'chat', null, null],
    ['an empty object', 'messages', {}, null],
    ['an array', 'chat', [1], null],
  ])('%s', (_name, dialect, raw, expected) => {
    expect(usageOf(dialect, raw)).toEqual(expected === null ? null : { ...none, ...expected });
  });
});

describe('usage in a whole completion', () => {
  const filler = 'x '.repeat(700_000);
  const chat = (content: string) => ({
    id: '1',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  });
  const messages = (text: string) => ({
    id: '1',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  });
  const usage = { ...none, inputTokens: 3, outputTokens: 2 };

  it.each<[string, Dialect, unknown, { usage: Usage | null; finished: boolean }]>([
    ['chat', 'chat', chat('hi'), { usage, finished: true }],
    [
      'chat with a tier',
      'chat',
      { ...chat('hi'), service_tier: 'flex' },
      { usage: { ...usage, serviceTier: 'flex' }, finished: true },
    ],
    [
      'chat with a tier, larger than is parsed',
      'chat',
      { ...chat(filler), service_tier: 'flex' },
      { usage: { ...usage, serviceTier: 'flex' }, finished: true },
    ],
    ['messages', 'messages', messages('hi'), { usage, finished: true }],
    ['chat, larger than is parsed', 'chat', chat(filler), { usage, finished: true }],
    ['messages, larger than is parsed', 'messages', messages(filler), { usage, finished: true }],
    [
      'a completion without end',
      'messages',
      { ...messages(''), stop_reason: null },
      { usage, finished: false },
    ],
    [
      'a large completion without end',
      'messages',
      { ...messages(filler), stop_reason: null },
      { usage, finished: false },
    ],
    ['an error', 'chat', { error: { message: 'x' } }, { usage: null, finished: false }],
  ])('%s', (_name, dialect, completion, expected) => {
    expect(readCompletionUsage(dialect, Buffer.from(JSON.stringify(completion)))).toEqual(expected);
  });

  it('is nothing when the completion was cut, small or large', () => {
    expect(
      readCompletionUsage('chat', Buffer.from(JSON.stringify(chat('hi')).slice(0, -1))),
    ).toEqual({
      usage: null,
      finished: false,
    });
    expect(
      readCompletionUsage('messages', Buffer.from(JSON.stringify(messages(filler)).slice(0, -1)))
        .finished,
    ).toBe(false);
  });
});
