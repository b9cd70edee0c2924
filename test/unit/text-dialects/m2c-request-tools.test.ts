import { describe, expect, it } from '@jest/globals';
import { readMessagesRequest } from '../../../packages/text-dialects/src/messages/read-request.ts';
import { aBody, messagesFor, translated, type Json } from './m2c-samples.ts';

const bodyOf = (...args: Parameters<typeof translated>): Json => translated(...args).body;
const tool = {
  name: 'get',
  description: 'Gets.',
  input_schema: { type: 'object', properties: { x: { type: 'string' } } },
};
const use = (id: string, name = 'get', input: unknown = { x: 1 }): Json => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const long = 'mcp__a_server_with_a_very_long_name__and_a_tool_with_a_longer_one_still';

describe('tools of a messages request for a chat upstream', () => {
  it('become functions, whose descriptions are left out when empty', () => {
    const tools = [
      { ...tool, strict: true, eager_input_streaming: true, defer_loading: true },
      { name: 'b', description: '', input_schema: null },
    ];

    expect(bodyOf(aBody({ tools }))['tools']).toEqual([
      {
        type: 'function',
        function: {
          name: 'get',
          description: 'Gets.',
          parameters: tool.input_schema,
          strict: false,
        },
      },
      { type: 'function', function: { name: 'b', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it('are left out altogether when there are none, the choice with them', () => {
    const body = bodyOf(
      aBody({ tools: [], tool_choice: { type: 'any', disable_parallel_tool_use: true } }),
    );

    expect(Object.keys(body).filter((key) => key.includes('tool'))).toEqual([]);
  });

  it.each<[string, Json, unknown]>([
    ['auto', { type: 'auto' }, 'auto'],
    ['any', { type: 'any' }, 'required'],
    ['none', { type: 'none' }, 'none'],
    ['tool', { type: 'tool', name: 'get' }, { type: 'function', function: { name: 'get' } }],
  ])('are chosen by %s', (_case, tool_choice, told) => {
    expect(bodyOf(aBody({ tools: [tool], tool_choice }))['tool_choice']).toEqual(told);
  });

  it('are not forced on a model that thinks and refuses that', () => {
    const body = aBody({
      tools: [tool],
      tool_choice: { type: 'any' },
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    });

    expect(bodyOf(body, { vendor: 'deepseek' })['tool_choice']).toBe('auto');
    expect(
      bodyOf({ ...body, thinking: { type: 'disabled' } }, { vendor: 'deepseek' })['tool_choice'],
    ).toBe('required');
    expect(bodyOf(body, { vendor: 'glm' })['tool_choice']).toBe('auto');
    expect(bodyOf(body, { vendor: 'ollama' })).not.toHaveProperty('tool_choice');
    expect(bodyOf(body, { vendor: 'mistral' })['tool_choice']).toBe('any');
  });

  it('are called one at a time where the client wishes it, by the gateway if the upstream cannot be told', () => {
    const body = aBody({
      tools: [tool],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });

    expect(translated(body)).toMatchObject({
      body: { parallel_tool_calls: false },
      memory: { singleToolCall: false },
    });
    expect(translated(body, { vendor: 'deepseek' }).memory.singleToolCall).toBe(true);
    expect(bodyOf(body, { vendor: 'deepseek' })).not.toHaveProperty('parallel_tool_calls');
  });

  it('get a shorter name where it is too long, everywhere and the same on each request, and their own in the completion', () => {
    const messages = [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: [use('a', long)] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ];
    const { body, memory } = translated(
      aBody({
        messages,
        tools: [{ ...tool, name: long }],
        tool_choice: { type: 'tool', name: long },
      }),
    );
    const name = Object.keys(memory.toolNames)[0]!;

    expect(name).toMatch(/^[a-z_A-Z]{55}_[0-9a-f]{8}$/);
    expect(memory.toolNames).toEqual({ [name]: long });
    expect(body).toMatchObject({
      tools: [{ function: { name } }],
      tool_choice: { function: { name } },
      messages: [{}, { tool_calls: [{ function: { name } }] }, {}],
    });
  });

  it('that the client runs itself become functions of the known shape', () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'computer_20250124', name: 'computer', display_width_px: 1 },
    ];

    expect(bodyOf(aBody({ tools }))['tools']).toMatchObject([
      { function: { name: 'bash', parameters: { properties: { command: {}, restart: {} } } } },
      {
        function: {
          name: 'str_replace_based_edit_tool',
          parameters: { required: ['command', 'path'] },
        },
      },
      { function: { name: 'memory' } },
      { function: { name: 'computer', parameters: { required: ['action'] } } },
    ]);
  });

  it('that the originator runs are left out, with the search for tools, and named', () => {
    const { request, dropped } = readMessagesRequest(
      aBody({
        tools: [
          tool,
          { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
          { type: 'web_search_20250305', name: 'web_search' },
        ],
      }),
    );

    expect([request.tools.map(({ name }) => name), request.system, dropped]).toEqual([
      ['get'],
      [],
      ['tools.tool_search_tool_regex', 'tools.web_search'],
    ]);
  });

  it('are free to choose when the forced one was left out', () => {
    const body = aBody({
      tools: [tool, { type: 'web_search_20250305', name: 'web_search' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    });

    expect(bodyOf(body)).toMatchObject({
      tool_choice: 'auto',
      tools: [{ function: { name: 'get' } }],
      messages: [{ role: 'system' }, {}],
    });
  });

  it('a forced web search alone leaves no forced choice behind, and the model is told to say that it cannot search', () => {
    const body = bodyOf(
      aBody({
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
        tool_choice: { type: 'tool', name: 'web_search' },
      }),
    );

    expect(Object.keys(body).filter((key) => key.includes('tool'))).toEqual([]);
    expect((body['messages'] as Json[])[0]).toMatchObject({
      role: 'system',
      content: expect.stringContaining('web_search is not available'),
    });
  });
});

describe('tool calls and results in a messages history for a chat upstream', () => {
  const history = (...content: Json[]): Json =>
    aBody({
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [use('a'), use('b')] },
        { role: 'user', content },
      ],
    });
  const result = (id: string, content?: unknown, more: Json = {}): Json => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...more,
  });
  const behindCalls = (body: Json, target = {}): readonly Json[] =>
    messagesFor(body, target).slice(2);

  it("give one message for each result, then the user's own words", () => {
    const rest = { type: 'text', text: 'go on' };

    expect(
      messagesFor(
        history(
          result('a', 'A'),
          result('b', [
            { type: 'text', text: 'B' },
            { type: 'text', text: 'C' },
          ]),
          rest,
        ),
      ).slice(1),
    ).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'get', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'get', arguments: '{"x":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
      { role: 'tool', tool_call_id: 'b', content: 'B\nC' },
      { role: 'user', content: 'go on' },
    ]);
  });

  it('keep results before text even when the client put them behind it, and in several turns', () => {
    const body = aBody({
      messages: [
        { role: 'assistant', content: [use('a'), use('b')] },
        { role: 'user', content: [{ type: 'text', text: 't' }, result('a', 'A')] },
        { role: 'user', content: [result('b', 'B')] },
      ],
    });

    expect(messagesFor(body).map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
  });

  it('keep the last of two results for one call and turn a result nobody asked for into text', () => {
    expect(
      behindCalls(
        history(result('a', 'old'), result('a', 'new'), result('b', 'B'), result('zz', 'lost')),
      ),
    ).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'new' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[result of an earlier tool call zz]' },
          { type: 'text', text: 'lost' },
        ],
      },
    ]);
  });

  it('say in words that a tool failed, and nothing where it returned nothing', () => {
    expect(
      behindCalls(history(result('a', 'boom', { is_error: true }), result('b'))),
    ).toMatchObject([{ content: 'Error: boom' }, { content: '' }]);
    expect(
      behindCalls(history(result('a', []), result('b', '')), {
        quirks: { emptyToolResult: '(empty)' },
      }),
    ).toMatchObject([{ content: '(empty)' }, { content: '(empty)' }]);
  });

  it('attach pictures behind all results, where the upstream takes none inside', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    };
    const body = history(result('a', [{ type: 'text', text: 'see' }, image]), result('b', 'B'), {
      type: 'text',
      text: 'well?',
    });

    expect(behindCalls(body)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'see\n[image 1 attached below]' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'text', text: 'well?' },
        ],
      },
    ]);
    expect(behindCalls(body, { quirks: { toolImages: true } })[0]).toMatchObject({
      content: [{ type: 'text', text: 'see' }, { type: 'image_url' }],
    });
  });

  it('let no instruction come between a call and its result', () => {
    const body = aBody({
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [use('a')] },
        { role: 'system', content: 'Hurry.' },
        { role: 'user', content: [result('a', 'A'), { type: 'text', text: 't' }] },
      ],
    });

    expect(messagesFor(body).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'q'],
      ['assistant', null],
      ['tool', 'A'],
      ['system', 'Hurry.'],
      ['user', 't'],
    ]);
  });

  it('fill a missing result only where configured', () => {
    expect(behindCalls(history(result('a', 'A'))).map(({ role }) => role)).toEqual(['tool']);
    expect(
      behindCalls(history(result('a', 'A')), { quirks: { fillMissingResults: true } }),
    ).toContainEqual({ role: 'tool', tool_call_id: 'b', content: '(no result)' });
  });

  it.each<[string, string, string, RegExp]>([
    ['any id as it is', 'generic', `toolu_${'x'.repeat(60)}`, /^toolu_x{60}$/],
    [
      'at most 40 characters at OpenAI',
      'openai',
      `toolu_${'x'.repeat(60)}`,
      /^toolu_x{25}_[0-9a-f]{8}$/,
    ],
    ['nine letters and digits at Mistral', 'mistral', 'toolu_1', /^[a-zA-Z0-9]{9}$/],
    ["the function's name and a count at Kimi", 'kimi', 'toolu_1', /^functions\.get:0$/],
  ])('send %s, the same for call and result', (_case, vendor, id, pattern) => {
    const body = aBody({
      messages: [
        { role: 'assistant', content: [use(id)] },
        { role: 'user', content: [result(id, 'A')] },
      ],
    });
    const [calls, completion] = messagesFor(body, { vendor });
    const told = (calls!['tool_calls'] as Json[])[0]!['id'];

    expect(told).toMatch(pattern);
    expect(completion).toMatchObject({ tool_call_id: told });
    expect(messagesFor(body, { vendor })).toEqual([calls, completion]);
  });

  it('give Gemini its signature of a call back, and nobody else', () => {
    const id = `a_ts_${Buffer.from('S+/=').toString('base64url')}`;
    const body = aBody({
      messages: [
        { role: 'assistant', content: [use(id)] },
        { role: 'user', content: [result(id, 'A')] },
      ],
    });

    expect(messagesFor(body, { vendor: 'gemini' })).toMatchObject([
      { tool_calls: [{ id: 'a', extra_content: { google: { thought_signature: 'S+/=' } } }] },
      { tool_call_id: 'a' },
    ]);
    expect(JSON.stringify(messagesFor(body))).not.toContain('extra_content');
  });

  it.each<[string, unknown, string]>([
    ['no input', undefined, '{}'],
    ['null', null, '{}'],
    ['a text of JSON', '{"x":2}', '{"x":2}'],
  ])('send %s as arguments', (_case, input, told) => {
    expect(
      messagesFor(aBody({ messages: [{ role: 'assistant', content: [{ ...use('a'), input }] }] })),
    ).toMatchObject([{ tool_calls: [{ function: { arguments: told } }] }]);
  });

  it.each<[string, Json]>([
    ['null', { content: null }],
    ['empty', { content: '' }],
    ['absent', {}],
  ])('have %s content beside calls, as the vendor wants it', (callsOnlyContent, fields) => {
    const [message] = messagesFor(
      aBody({ messages: [{ role: 'assistant', content: [use('a')] }] }),
      { quirks: { callsOnlyContent: callsOnlyContent as 'null' } },
    );

    expect(message).toEqual({ role: 'assistant', ...fields, tool_calls: [expect.anything()] });
  });
});
