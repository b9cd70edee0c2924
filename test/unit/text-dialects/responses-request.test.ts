import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import {
  itemsToKeep,
  mediaAddressesOf,
  referencesIn,
  translateRequest,
  withReferred,
} from '@gateway/text-dialects';
import { aRequest, messagesFor, translated, upstreams } from './responses-support.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';
const pdf = Buffer.from('%PDF-1.4').toString('base64');

function refusalOf(fields: Record<string, unknown>): GatewayError {
  try {
    translateRequest('responses', aRequest(fields), upstreams.chat);
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('the conversation of a request of the responses format', () => {
  it('is told with its instructions first', () => {
    const fields = {
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'In English.' }] },
        { role: 'user', content: 'Hello' },
        { role: 'system', content: 'It is late.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Bye' }] },
      ],
    };

    expect(messagesFor(fields)).toEqual([
      { role: 'system', content: 'Be brief.\n\nIn English.' },
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'It is late.' },
      { role: 'user', content: 'Bye' },
    ]);
    expect(
      translated({ input: 'Hello', instructions: 'Be brief.' }, 'messages').body,
    ).toMatchObject({
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });

  it('joins the items of one turn of the assistant, with each result behind its call', () => {
    const input = [
      { role: 'user', content: 'Where?' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'look', arguments: '{"at":1}' },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c2', name: 'run', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'a file' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_text', text: 'blue' }],
      },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'I will not.' }],
      },
    ];

    expect(messagesFor({ input })).toEqual([
      { role: 'user', content: 'Where?' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
          { id: 'c2', type: 'function', function: { name: 'run', arguments: '{"input":"ls"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'blue' },
      { role: 'tool', tool_call_id: 'c2', content: 'a file' },
      { role: 'assistant', content: 'I will not.' },
    ]);
  });

  it('shows pictures and files, by address too', () => {
    const content = [
      { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'low' },
      { type: 'input_image', image_url: 'https://a.example/b.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      { type: 'input_file', file_url: 'https://a.example/b.pdf' },
    ];
    const output = [{ type: 'input_image', image_url: 'https://a.example/c.png' }];
    const input = [
      { role: 'user', content },
      { type: 'function_call', call_id: 'c1', name: 'see', arguments: '' },
      { type: 'function_call_output', call_id: 'c1', output },
    ];

    expect(messagesFor({ input }, 'messages')).toMatchObject([
      {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
          { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          { type: 'document', title: 'a.pdf', source: { media_type: 'application/pdf' } },
          { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
        ],
      },
      { content: [{ type: 'tool_use', input: {} }] },
      { content: [{ type: 'tool_result', content: [{ type: 'image' }] }] },
    ]);
    expect(mediaAddressesOf(aRequest({ input }))).toEqual([
      { param: 'input[0].content[1].image_url', address: 'https://a.example/b.png' },
      { param: 'input[0].content[3].file_url', address: 'https://a.example/b.pdf' },
      { param: 'input[2].output[0].image_url', address: 'https://a.example/c.png' },
    ]);
  });

  it.each([
    ['input[0]', { input: [{ type: 'file_search_call', id: 'fs_1' }] }],
    ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    [
      'input[0].content[0]',
      { input: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    ],
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] }] },
    ],
    ['tools[0].type', { tools: [{ type: 'code_interpreter' }] }],
    ['include[1]', { include: ['a', 'message.output_text.logprobs'] }],
  ])('is refused where it cannot be told, by its place: %s', (param, fields) => {
    expect(refusalOf(fields)).toMatchObject({ code: 'unsupported_parameter', param });
  });

  it.each([
    ['input[0]', { input: [7] }],
    ['input[0].role', { input: [{ role: 'robot', content: 'x' }] }],
    ['input[0].name', { input: [{ type: 'function_call', call_id: 'c', arguments: '{}' }] }],
    ['input[0].call_id', { input: [{ type: 'function_call_output', output: 'x' }] }],
    [
      'input[0].content[0].file_url',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'ftp://x' }] }] },
    ],
    ['reasoning.effort', { reasoning: { effort: 'very' } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'x' } } }],
    ['tool_choice', { tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'mcp' } }],
  ])('is refused where it is malformed, by its place: %s', (param, fields) => {
    expect(refusalOf(fields)).toMatchObject({ code: 'invalid_parameter', param });
  });
});

describe('what else a request of the responses format asks for', () => {
  const fields = {
    tools: [
      { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false },
      { type: 'custom', name: 'run', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
    ],
    tool_choice: { type: 'function', name: 'look' },
    parallel_tool_calls: false,
    max_output_tokens: 500,
    temperature: 0.5,
    user: 'u1',
    service_tier: 'default',
    text: {
      format: { type: 'json_schema', name: 'place', schema: { type: 'object' }, strict: true },
    },
  };

  it('is told to a chat upstream', () => {
    const { body, dropped } = translated({ ...fields, reasoning: { effort: 'low' } }, 'chat', {
      reasoning_style: 'effort',
      reasoning_words: ['low'],
    });

    expect(dropped).toEqual([]);
    expect(body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'look' } },
        {
          function: { name: 'run', description: expect.stringContaining('lark grammar') },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      temperature: 0.5,
      reasoning_effort: 'low',
      service_tier: 'default',
      response_format: { type: 'json_schema', json_schema: { name: 'place' } },
    });
    expect(body['max_tokens'] ?? body['max_completion_tokens']).toBe(500);
  });

  it('is told to a messages upstream', () => {
    const { body } = translated({ ...fields, text: undefined }, 'messages');

    expect(body).toMatchObject({
      max_tokens: 500,
      tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
      service_tier: 'standard_only',
      metadata: { user_id: 'u1' },
    });
    expect(
      translated({ reasoning: { effort: 'high' }, max_output_tokens: 9_000 }, 'messages').body,
    ).toMatchObject({ thinking: { type: 'enabled' } });
  });

  it('is named by the client’s own words where it is lost', () => {
    const { dropped } = translated({ safety_identifier: 'u1' }, 'chat', { user_field: 'none' });

    expect(dropped).toEqual(['user']);
  });

  it('takes thoughts of another vendor for words', () => {
    const input = [
      { role: 'user', content: 'Hi' },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'gAAAA',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'gw1r.broken' },
      { role: 'assistant', content: 'Ho' },
      { role: 'user', content: 'He' },
    ];

    expect(messagesFor({ input }, 'messages')).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Ho' }] },
      { role: 'user', content: [{ type: 'text', text: 'He' }] },
    ]);
  });
});

describe('what a request builds on', () => {
  const reference = { type: 'item_reference', id: 'rs_1' };
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [] };
  const items = new Map([['rs_1', JSON.stringify(reasoning)]]);

  it('is found, each item once, with or without its type', () => {
    const input = [reference, { id: 'msg_1' }, reference, { id: 'x', role: 'user', content: '' }];

    expect(referencesIn({ input, previous_response_id: 'resp_1' })).toEqual({
      previousResponseId: 'resp_1',
      itemIds: ['rs_1', 'msg_1'],
    });
    expect(referencesIn({ input: 'hi', previous_response_id: null })).toBeUndefined();
  });

  it('is bounded', () => {
    const input = Array.from({ length: 4_001 }, (_unused, index) => ({ id: `msg_${index}` }));

    expect(() => referencesIn({ input })).toThrow(/more than 4000 items/);
    expect(referencesIn({ input: [...input.slice(1), ...input.slice(1)] })?.itemIds).toHaveLength(
      4_000,
    );
  });

  it('comes before the request’s own items, and in their places', () => {
    const before = { role: 'user', content: 'Before' };

    const now = withReferred({ input: 'Now' }, { conversation: [JSON.stringify(before)], items });
    expect(JSON.parse(now)).toEqual({
      input: [
        before,
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Now' }] },
      ],
    });
    const named = withReferred(
      { model: 'm', input: [reference], store: true },
      { conversation: [], items },
    );
    expect(JSON.parse(named)).toEqual({ model: 'm', store: true, input: [reasoning] });
  });

  it('is kept with the request’s own items, each under an id', () => {
    const input = [
      reference,
      { role: 'user', content: 'Hi' },
      { type: 'function_call_output', call_id: 'c', output: '' },
    ];

    expect(itemsToKeep({ input }, items, () => 'new')).toEqual([
      reasoning,
      { role: 'user', content: 'Hi', type: 'message', id: 'msg_new' },
      { type: 'function_call_output', call_id: 'c', output: '', id: 'fco_new' },
    ]);
  });
});
