import { describe, expect, it } from '@jest/globals';
import { readChatCompletion } from '../../../packages/text-dialects/src/chat/read-completion.ts';
import { filterCompletion } from '../../../packages/text-dialects/src/filters.ts';
import { writeMessagesCompletion } from '../../../packages/text-dialects/src/messages/write-completion.ts';
import { UpstreamFailureError } from '../../../packages/text-dialects/src/upstream-failure.ts';
import type { CompletionMemory } from '../../../packages/text-dialects/src/neutral.ts';
import { aMemory, anIdentity, type Json } from './m2c-samples.ts';

const completion = (message: Json, choice: Json = {}, rest: Json = {}): Json => ({
  id: 'chatcmpl-x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  ...rest,
});

function completed(body: unknown, values: Partial<CompletionMemory> = {}): Json {
  const [memory, identity] = [aMemory({ stream: false, ...values }), anIdentity()];
  return writeMessagesCompletion(
    filterCompletion(readChatCompletion(body, memory, identity), memory),
    memory,
    identity,
  );
}

const call = (id: string | undefined, name: string, text: unknown): Json => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

describe("a messages client's whole completion from a chat upstream", () => {
  it('has the complete shape', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };

    expect(completed(completion({ content: 'hi' }, {}, { usage }))).toEqual({
      id: 'msg_x',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 30,
        output_tokens: 5,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 60,
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
        output_tokens_details: { thinking_tokens: 2 },
        server_tool_use: null,
        service_tier: null,
        speed: null,
        inference_geo: null,
      },
    });
  });

  it('has figures of our own when the upstream reports none, never null', () => {
    expect(
      completed(completion({ content: 'hello there' }, {}, { usage: null }))['usage'],
    ).toMatchObject({ input_tokens: 11, output_tokens: 4 });
  });

  it.each<[string, Json, Json]>([
    [
      'DeepSeek: cache hits',
      { prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 4 },
      { input_tokens: 6, cache_read_input_tokens: 4 },
    ],
    [
      'Moonshot: cached tokens',
      { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 4 },
      { input_tokens: 6, cache_read_input_tokens: 4 },
    ],
    [
      'a vendor that has taken the cache out already',
      { prompt_tokens: 3, completion_tokens: 1, cached_tokens: 4 },
      { input_tokens: 3, cache_read_input_tokens: 4 },
    ],
    [
      'xAI: reasoning beside the completion',
      {
        prompt_tokens: 10,
        completion_tokens: 1,
        total_tokens: 16,
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { input_tokens: 10, output_tokens: 6 },
    ],
  ])('counts as %s does', (_case, usage, told) => {
    expect(completed(completion({ content: 'a' }, {}, { usage }))['usage']).toMatchObject(told);
  });

  it('has thoughts with a signature, then text, then calls', () => {
    const message = {
      content: 'a',
      reasoning_content: 'hm',
      tool_calls: [call('c1', 'f', '{"x":1}')],
    };

    expect(completed(completion(message, { finish_reason: 'tool_calls' }))).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'hm', signature: expect.stringMatching(/^gw1\./) },
        { type: 'text', text: 'a' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { x: 1 } },
      ],
      stop_reason: 'tool_use',
    });
  });

  it('has calls whatever the finish reason, with ids of its own where there are none', () => {
    const message = {
      content: '',
      tool_calls: [call('', 'f', '{}'), call('functions.g:0', 'g', ''), call('x', '', '{}')],
    };

    expect(completed(completion(message))).toMatchObject({
      content: [
        { type: 'tool_use', id: 'toolu_suffix1', name: 'f', input: {} },
        { type: 'tool_use', id: expect.stringMatching(/^functions_g_0_[0-9a-f]{6}$/), input: {} },
      ],
      stop_reason: 'tool_use',
    });
  });

  it('has two calls under two ids though the vendor gave one', () => {
    const content = completed(
      completion({ tool_calls: [call('a', 'f', '{}'), call('a', 'f', '{}')] }),
    )['content'] as Json[];

    expect(content.map(({ id }) => id)).toEqual(['a', 'toolu_suffix1']);
  });

  it.each<[string, unknown, Json]>([
    ['an object', { x: 1 }, { x: 1 }],
    ['a text in a text', '"{\\"x\\":1}"', { x: 1 }],
    ['nothing', null, {}],
    ['"null"', 'null', {}],
    ['an object and more', '{"x":1}}', { x: 1 }],
    ['a list', '[1]', { value: [1] }],
  ])('reads arguments that are %s', (_case, text, input) => {
    expect(completed(completion({ tool_calls: [call('a', 'f', text)] }))['content']).toMatchObject([
      { input },
    ]);
  });

  it('makes no call out of arguments that the output limit cut', () => {
    expect(
      completed(
        completion({ tool_calls: [call('a', 'f', '{"path":"/et')] }, { finish_reason: 'length' }),
      ),
    ).toMatchObject({ content: [{ input: {} }], stop_reason: 'max_tokens' });
  });

  it('reads a function call of the older shape', () => {
    expect(
      completed(
        completion(
          { content: null, function_call: { name: 'f', arguments: '{"x":1}' } },
          { finish_reason: 'function_call' },
        ),
      ),
    ).toMatchObject({
      content: [{ type: 'tool_use', name: 'f', input: { x: 1 } }],
      stop_reason: 'tool_use',
    });
  });

  it("gives tools the client's names back", () => {
    expect(
      completed(completion({ tool_calls: [call('a', 'short', '{}')] }), {
        toolNames: { short: 'long' },
      })['content'],
    ).toMatchObject([{ name: 'long' }]);
  });

  it('tells a refusal and what the model said about it', () => {
    expect(completed(completion({ content: null, refusal: 'No.' }))).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'No.' },
    });
  });

  it('takes thoughts out of tags, where the vendor puts them there', () => {
    expect(
      completed(completion({ content: '<think>\nhm\n</think>\n\nyes' }), { thinkTags: true })[
        'content'
      ],
    ).toMatchObject([{ thinking: 'hm' }, { text: 'yes' }]);
    expect(completed(completion({ content: '<think>a</think>' }))['content']).toMatchObject([
      { text: '<think>a</think>' },
    ]);
  });

  it('is empty without content', () => {
    expect(completed(completion({ content: null }))).toMatchObject({
      content: [],
      stop_reason: 'end_turn',
    });
  });

  it.each<[string, unknown, Json]>([
    [
      'an error object',
      { error: { message: 'slow down', type: 'rate_limit_error' } },
      { code: 'rate_limited', message: 'slow down' },
    ],
    [
      'an error with a status of its own',
      { error: { message: 'no', code: 402 } },
      { code: 'insufficient_quota', status: 402 },
    ],
    ['an error in words', { error: 'broken' }, { code: 'server_error', message: 'broken' }],
    [
      'an overflow',
      { error: { message: "This model's maximum context length is 8192 tokens." } },
      { code: 'context_length_exceeded' },
    ],
    [
      "vLLM's error",
      { object: 'error', message: 'bad', type: 'BadRequestError', code: 400 },
      { code: 'invalid_request' },
    ],
    [
      "MiniMax's status",
      { base_resp: { status_code: 1002, status_msg: 'rate limit' } },
      { code: 'rate_limited' },
    ],
    ['no choices', { id: 'x', choices: [] }, { code: 'server_error' }],
    ['a text', 'hello', { code: 'server_error' }],
    ['nothing', null, { code: 'server_error' }],
    [
      'a choice that failed',
      completion({ content: 'a' }, { finish_reason: 'insufficient_system_resource' }),
      { code: 'overloaded' },
    ],
  ])('is a failure when a response of status 200 is %s', (_case, body, failure) => {
    const thrown = (() => {
      try {
        return completed(body);
      } catch (error) {
        return error;
      }
    })();

    expect(thrown).toBeInstanceOf(UpstreamFailureError);
    expect((thrown as UpstreamFailureError).failure).toMatchObject(failure);
  });
});
