import { describe, expect, it } from '@jest/globals';
import {
  clientsRecoverFrom,
  gatewayErrorBody,
  translateRequest,
  type Dialect,
} from '@gateway/text-dialects';
import { GatewayError } from '@gateway/domain';
import { chatFields } from '../../../packages/text-dialects/src/chat/request-fields.ts';
import { responsesFields } from '../../../packages/text-dialects/src/responses/request-fields.ts';
import { messagesFields } from '../../../packages/text-dialects/src/messages/request-fields.ts';

const asked = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
const bases = { messages: asked, chat: asked, responses: { model: 'm', input: 'hi' } };
const upstreams = {
  messages: { dialect: 'chat', vendor: 'generic', model: 'open', overrides: {} },
  chat: { dialect: 'messages', vendor: 'anthropic', model: 'claude-sonnet-4-5', overrides: {} },
  responses: { dialect: 'chat', vendor: 'openai', model: 'gpt-4o', overrides: {} },
} as const;

const write = (client: Dialect, fields: object) =>
  translateRequest(client, { ...bases[client], ...fields }, upstreams[client]);

function refusalOf(client: Dialect, fields: object): GatewayError {
  try {
    write(client, fields);
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a field that changes what the model is asked, or what kind of completion it gives', () => {
  const refusals: [Dialect, object][] = [
    ['messages', { thread: { type: 'create' } }],
    ['messages', { thread: { type: 'continue', previous_message_id: 'msg_1' }, messages: [] }],
    ['messages', { compaction: { enabled: true } }],
    ['messages', { container: 'container_1' }],
    ['messages', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
    ['messages', { context_management: 'all of it' }],
    ['messages', { inference_geo: 'eu' }],
    ['messages', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] }],
    ['chat', { modalities: ['text', 'audio'] }],
    ['chat', { logprobs: true }],
    ['chat', { top_logprobs: 3 }],
    ['chat', { n: 2 }],
    ['chat', { web_search_options: { search_context_size: 'low' } }],
    ['chat', { search_parameters: { mode: 'on' } }],
    ['chat', { enable_search: true }],
    ['chat', { plugins: [{ id: 'web' }] }],
    ['chat', { documents: [{ text: 'x' }] }],
    ['chat', { grammar: 'root ::= "x"' }],
    ['chat', { guided_choice: ['a'] }],
    ['chat', { guided_grammar: 'x' }],
    ['chat', { guided_json: { type: 'object' } }],
    ['chat', { guided_regex: 'a+' }],
    ['chat', { structured_outputs: { json: {} } }],
    ['responses', { background: true }],
    ['responses', { conversation: 'conv_1' }],
    ['responses', { context_management: [{ type: 'compaction' }] }],
    ['responses', { moderation: { model: 'm' } }],
    ['responses', { prompt: { id: 'pmpt_1' } }],
    ['responses', { top_logprobs: 3 }],
  ];
  it.each(refusals)('is refused towards the other dialect: %s %j', (client, fields) => {
    const { code, param, message } = refusalOf(client, fields);

    expect([code, param]).toEqual(['unsupported_parameter', Object.keys(fields)[0]]);
    expect(message).toMatch(/must be 1|; /);
  });

  it('is refused in the assistant’s turns too', () => {
    const messages = [...asked.messages, { role: 'assistant', content: null, audio: { id: 'a' } }];

    expect(refusalOf('chat', { messages })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'messages[1].audio',
    });
  });

  it.each<[Dialect, object]>([
    ['messages', { mcp_servers: [] }],
    ['messages', { inference_geo: 'global' }],
    [
      'messages',
      { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } },
    ],
    ['messages', { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
    ['messages', { fallbacks: [{ model: 'other' }] }],
    ['chat', { modalities: ['text'] }],
    ['chat', { logprobs: false }],
    ['chat', { top_logprobs: 0 }],
    ['chat', { enable_search: false }],
    ['chat', { search_parameters: { mode: 'off' } }],
    ['chat', { audio: { voice: 'x' } }],
    ['chat', { seed: 1 }],
    ['chat', { nobody_knows_it: 1 }],
    ['responses', { background: false }],
    ['responses', { context_management: [] }],
    ['responses', { max_tool_calls: 3 }],
    ['responses', { prompt_cache_key: 'k' }],
    ['responses', { truncation: 'auto' }],
    ['responses', { service_tier: 'flex' }],
    ['responses', { nobody_knows_it: 1 }],
  ])('is dropped and named where it asks for nothing: %s %j', (client, fields) => {
    expect(write(client, fields).dropped).toEqual(Object.keys(fields));
  });

  it.each([
    ['messages', messagesFields, []],
    ['chat', chatFields, ['n']],
    ['responses', responsesFields, []],
  ])('has a case here for each rule: %s', (dialect, rules, beyond: string[]) => {
    const refused = Object.entries(rules).flatMap(([field, { fate }]) =>
      fate === 'refused' ? [field] : [],
    );
    const tried = refusals.flatMap(([client, fields]) =>
      client === dialect ? Object.keys(fields).slice(0, 1) : [],
    );

    expect(new Set(tried)).toEqual(new Set([...refused, ...beyond]));
  });
});

describe('a thread', () => {
  const error = refusalOf('messages', { thread: { type: 'create' } });

  it('is refused with the code that has official clients send the whole conversation', () => {
    expect(gatewayErrorBody({ dialect: 'messages', error, requestId: 'req_1' })).toEqual({
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringContaining('send the whole conversation'),
          details: { error_code: 'thread_unsupported_request' },
        },
        request_id: 'req_1',
      },
    });
    expect(clientsRecoverFrom(error)).toBe(true);
  });

  it('is refused before anything else, which its later requests leave out', () => {
    expect(
      refusalOf('messages', { mcp_servers: [{ name: 'm' }], messages: [], thread: { type: 'x' } }),
    ).toMatchObject({ param: 'thread' });
  });

  it('has no such code beside it for any other field', () => {
    const other = refusalOf('messages', { container: 'c' });

    expect(gatewayErrorBody({ dialect: 'messages', error: other, requestId: 'r' }).body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.any(String) },
      request_id: 'r',
    });
    expect(clientsRecoverFrom(other)).toBe(false);
    expect(
      clientsRecoverFrom(new GatewayError('invalid_parameter', 'x', { param: 'thread' })),
    ).toBe(false);
  });
});

describe('output_config', () => {
  const format = { type: 'json_schema', schema: { type: 'object', properties: {} } };

  it('names what it says beside the effort and the form', () => {
    const fields = { output_config: { format, task_budget: { type: 'tokens', total: 9 } } };

    expect(write('messages', fields).dropped).toEqual(['output_config.task_budget']);
  });

  it('gives the form of the completion on either route', () => {
    const { body } = write('chat', { output_config: { format } });

    expect(body).toEqual(write('chat', { response_format: format }).body);
    expect(body).not.toEqual(write('chat', {}).body);
  });
});

describe('a field of reasoning that is lost', () => {
  const deepseek = { dialect: 'chat', vendor: 'deepseek', model: 'deepseek-v4', overrides: {} };
  it.each([
    ['an effort alone', 'generic', { output_config: { effort: 'high' } }, ['output_config.effort']],
    ['thinking', 'generic', { thinking: { type: 'adaptive' } }, ['thinking']],
    [
      'both',
      'generic',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      ['thinking', 'output_config.effort'],
    ],
    ['no thinking where there is none', 'generic', { thinking: { type: 'disabled' } }, []],
    [
      'an effort where there is a switch only',
      'deepseek',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
      ['output_config.effort'],
    ],
    ['an effort that is told', 'openai', { output_config: { effort: 'low' } }, []],
    [
      'no thinking where it always thinks',
      'reasoner',
      { thinking: { type: 'disabled' } },
      ['thinking'],
    ],
    ['thinking where it always thinks', 'reasoner', { thinking: { type: 'adaptive' } }, []],
  ])('is named as the client spelled it: %s', (_name, vendor, fields, lost) => {
    const upstream =
      vendor === 'reasoner'
        ? { ...deepseek, model: 'deepseek-reasoner' }
        : { ...deepseek, vendor, model: vendor === 'openai' ? 'gpt-5' : 'open' };

    expect(
      translateRequest('messages', { ...asked, ...fields }, upstream as typeof upstreams.messages)
        .dropped,
    ).toEqual(lost);
  });
});
