import { describe, expect, it } from '@jest/globals';
import { aTranslation, messagesFor, streamed, translated, wholeOf } from './responses-support.ts';

const tools = [
  { type: 'function', name: 'find', parameters: { type: 'object' } },
  {
    type: 'namespace',
    name: 'crm',
    description: 'Customers.',
    tools: [
      { type: 'function', name: 'find', description: 'By name.', parameters: { type: 'object' } },
      { type: 'custom', name: 'note', description: 'A free text.' },
    ],
  },
  {
    type: 'namespace',
    name: 'mcp__files__',
    description: '',
    tools: [{ type: 'function', name: 'read' }],
  },
];

const chatCalls = (...names: string[]) => ({
  id: 'chatcmpl_1',
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: names.map((name, index) => ({
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: '{"input":"x"}' },
        })),
      },
    },
  ],
});

describe('tools of a namespace, towards an upstream without', () => {
  it('are told under flat names, the first with what the namespace says of itself', () => {
    expect(translated({ tools }).body['tools']).toMatchObject([
      { function: { name: 'find' } },
      { function: { name: 'crm__find', description: 'Customers.\n\nBy name.' } },
      { function: { name: 'crm__note', description: 'A free text.' } },
      { function: { name: 'mcp__files__read' } },
    ]);
    expect(translated({ tools }, 'messages').body['tools']).toMatchObject([
      { name: 'find' },
      { name: 'crm__find' },
      { name: 'crm__note' },
      { name: 'mcp__files__read' },
    ]);
  });

  it.each([
    [{ type: 'function', namespace: 'crm', name: 'find' }, 'crm__find'],
    [{ type: 'function', name: 'find' }, 'find'],
  ])('are chosen by their namespace: %j', (choice, name) => {
    expect(translated({ tools, tool_choice: choice }).body['tool_choice']).toEqual({
      type: 'function',
      function: { name },
    });
  });

  it('are allowed by their namespace', () => {
    const allowed = {
      type: 'allowed_tools',
      mode: 'auto',
      tools: [{ type: 'function', namespace: 'crm', name: 'find' }],
    };

    expect(translated({ tools, tool_choice: allowed }).body['tools']).toMatchObject([
      { function: { name: 'crm__find' } },
    ]);
  });

  it('are called by the names that the client gave them, whole and streamed', () => {
    const whole = wholeOf(
      aTranslation('chat', { tools }),
      chatCalls('find', 'crm__find', 'crm__note', 'mcp__files__read'),
    );
    const output = whole['output'] as Record<string, unknown>[];

    expect(output.map(({ type, namespace, name }) => [type, namespace, name])).toEqual([
      ['function_call', undefined, 'find'],
      ['function_call', 'crm', 'find'],
      ['custom_tool_call', 'crm', 'note'],
      ['function_call', 'mcp__files__', 'read'],
    ]);
    const [choice] = chatCalls('crm__find').choices;
    const calls = choice!.message.tool_calls.map((call) => ({ index: 0, ...call }));
    const chunk = { choices: [{ index: 0, delta: { tool_calls: calls } }] };
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
    const stream = streamed(aTranslation('chat', { tools }), [
      `data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`,
    ]);
    expect(
      stream.match(/"name":"find","namespace":"crm"|"namespace":"crm","name":"find"/g),
    ).toHaveLength(3);
    expect(stream).not.toContain('crm__find');
  });

  it('were called in the history, too', () => {
    const call = { type: 'function_call', call_id: 'call_1', arguments: '{}' };

    expect(
      messagesFor({
        tools,
        input: [
          { role: 'user', content: 'Who?' },
          { ...call, namespace: 'crm', name: 'find' },
          { type: 'function_call_output', call_id: 'call_1', output: 'Ann' },
        ],
      })[1],
    ).toMatchObject({ tool_calls: [{ function: { name: 'crm__find' } }] });
  });

  it.each([
    ['tools[0].name', [{ type: 'namespace', tools: [] }]],
    ['tools[0].tools[1].name', [{ type: 'namespace', name: 'crm', tools: [{ name: 'a' }, {}] }]],
    ['tools', [...tools, { type: 'function', name: 'crm__find' }]],
    [
      'tools[3].tools[0].type',
      [...tools, { type: 'namespace', name: 'x', tools: [{ type: 'mcp', name: 'y' }] }],
    ],
  ])('are refused at %s', (param, wrong) => {
    expect(() => translated({ tools: wrong })).toThrow(expect.objectContaining({ param }));
  });
});
