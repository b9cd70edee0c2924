import { describe, expect, it } from '@jest/globals';
import {
  filterCompletion,
  readMessagesCompletion,
  UpstreamFailureError,
  writeChatCompletion,
  type CompletionMemory,
} from '@gateway/text-dialects';
import { aMemory, anIdentity } from './c2m-support.ts';

const usage = {
  input_tokens: 3,
  output_tokens: 2,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 1,
  output_tokens_details: { thinking_tokens: 1 },
};
const aMessage = (content: unknown[], more = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'x',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
  ...more,
});
interface Completion {
  readonly choices: readonly [
    { readonly message: Record<string, unknown>; readonly finish_reason: string },
  ];
  readonly usage: unknown;
}

const completion = (body: unknown, memory: Partial<CompletionMemory> = {}): Completion => {
  const identity = anIdentity();
  return writeChatCompletion(
    readMessagesCompletion(body, aMemory(memory), identity),
    aMemory(memory),
    identity,
  ) as unknown as Completion;
};
const text = { type: 'text', text: 'Hi' };
const use = (name: string, input: unknown, id = 'toolu_1') => ({
  type: 'tool_use',
  id,
  name,
  input,
});

describe('a whole message for a chat client', () => {
  it('is exactly a chat completion', () => {
    expect(completion(aMessage([text]))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'my-model',
      system_fingerprint: null,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi', refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 8,
        completion_tokens: 2,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 1,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
    });
  });

  it('joins texts, tells thoughts apart, and leaves out what ran at the vendor', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm' },
      text,
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', content: [] },
      text,
    ];
    expect(completion(aMessage(content)).choices[0].message).toEqual({
      role: 'assistant',
      content: 'HiHi',
      refusal: null,
      annotations: [],
      reasoning_content: 'Hm',
    });
  });

  it('has null content only beside calls, whose arguments are text', () => {
    const { message, finish_reason: reason } = completion(
      aMessage([use('f', { a: 1 }), use('g', {}, 'toolu_2')], { stop_reason: 'end_turn' }),
    ).choices[0];
    expect(message).toMatchObject({
      content: null,
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        { id: 'toolu_2', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    });
    expect(reason).toBe('tool_calls');
    expect(completion(aMessage([text, use('f', {})])).choices[0].message['content']).toBe('Hi');
    expect(completion(aMessage([])).choices[0]).toMatchObject({
      message: { content: '' },
      finish_reason: 'stop',
    });
  });

  it('restores names, functions and custom tools', () => {
    const { message } = completion(aMessage([use('f_1', { input: 'x' })]), {
      toolNames: { f_1: 'f.1' },
      completion: { includeUsage: false, legacyFunctions: false, customTools: ['f.1'] },
    }).choices[0];
    expect(message['tool_calls']).toEqual([
      { id: 'toolu_1', type: 'custom', custom: { name: 'f.1', input: 'x' } },
    ]);
    const legacy = completion(aMessage([use('f', {})]), {
      completion: { includeUsage: false, legacyFunctions: true, customTools: [] },
    }).choices[0];
    expect([
      legacy.message['function_call'],
      legacy.message['tool_calls'],
      legacy.finish_reason,
    ]).toEqual([{ name: 'f', arguments: '{}' }, undefined, 'function_call']);
  });

  it('gives a structured completion as content with finish stop', () => {
    const choice = (content: unknown[], memory: Partial<CompletionMemory>) =>
      completion(aMessage(content, { stop_reason: 'tool_use' }), memory).choices[0];
    expect(choice([use('json', { a: 1 })], { structuredTool: 'json' })).toMatchObject({
      message: { content: '{"a":1}' },
      finish_reason: 'stop',
    });
    expect(
      choice([{ type: 'text', text: '```json\n{"a":1}\n```' }], { jsonText: true }),
    ).toMatchObject({ message: { content: '{"a":1}' }, finish_reason: 'stop' });
    expect(
      completion(
        aMessage([{ type: 'text', text: '```json\n["```' }], { stop_reason: 'max_tokens' }),
        {
          jsonText: true,
        },
      ).choices[0].message['content'],
    ).toBe('["```');
  });

  it('leaves a wrapped value to the filter, which takes it out once', () => {
    const memory = aMemory({ structuredTool: 'json', unwrapValue: true });
    const read = readMessagesCompletion(
      aMessage([use('json', { value: { value: 1 } })], { stop_reason: 'tool_use' }),
      memory,
      anIdentity(),
    );
    expect(filterCompletion(read, memory).parts).toEqual([{ type: 'text', text: '{"value":1}' }]);
  });

  it('says why it was refused and how much it estimates', () => {
    const refused = completion(
      aMessage([], {
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: 'bio', explanation: null },
        usage: null,
      }),
    );
    expect(refused.choices[0]).toMatchObject({
      message: { refusal: 'bio' },
      finish_reason: 'content_filter',
    });
    expect(refused.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 0 });
  });

  it.each([
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    [{ error: { message: 'x' } }, 'server_error'],
    ['<html>', 'server_error'],
    [null, 'server_error'],
    [{ content: 'Hi' }, 'server_error'],
  ])('is a failure when it is none: %j', (body, code) => {
    let thrown: unknown;
    try {
      completion(body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UpstreamFailureError);
    expect((thrown as UpstreamFailureError).failure.code).toBe(code);
  });
});
