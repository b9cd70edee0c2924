import { describe, expect, it } from '@jest/globals';
import {
  bytesFrom,
  chunk,
  eventsFrom,
  finishChunk,
  messageFrom,
  toolChunk,
  usageChunk,
  type Json,
} from './m2c-samples.ts';

const call = (index: number, id: string, name: string, text = ''): Json => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
});
const more = (index: number, text: string): Json => ({ index, function: { arguments: text } });
const ending = (reason = 'tool_calls'): readonly string[] => [
  finishChunk(reason),
  usageChunk(),
  '[DONE]',
];
const toolsOf = (lines: readonly string[], streaming = {}): readonly unknown[] =>
  messageFrom(lines, streaming)
    .blocks.filter(({ type }) => type === 'tool_use')
    .map(({ name, partial_json: json }) => [name, json]);

describe('a messages client streaming from a chat upstream', () => {
  it('gets the exact bytes of the dialect', () => {
    const bytes = bytesFrom([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hi "you"' }),
      finishChunk('stop'),
      usageChunk(),
      '[DONE]',
    ]);

    expect(bytes).toBe(
      [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":11,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}',
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi \\"you\\""}}',
        'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":3,"output_tokens_details":{"thinking_tokens":0}}}',
        'event: message_stop\ndata: {"type":"message_stop"}',
      ]
        .map((event) => `${event}\n\n`)
        .join(''),
    );
  });

  it('gets message_start before anything else has come, and each text as it comes', () => {
    const events = eventsFrom([chunk({ role: 'assistant' })]);

    expect(events[0]).toEqual({ type: 'start', id: 'chatcmpl-1' });
  });

  it('gets one block for a run of tokens, thoughts apart from text, and nothing lost at the border', () => {
    const { blocks } = messageFrom([
      chunk({ reasoning_content: 'Let ' }),
      chunk({ reasoning_content: 'me' }),
      chunk({ content: 'H' }),
      chunk({ content: 'i' }),
      ...ending('stop'),
    ]);

    expect(blocks).toEqual([
      {
        type: 'thinking',
        thinking: 'Let me',
        signature: expect.stringMatching(/^gw1\.[0-9a-f]{8}$/),
      },
      { type: 'text', text: 'Hi' },
    ]);
  });

  it('gets thoughts alone as a thinking block', () => {
    expect(messageFrom([chunk({ reasoning: 'hmm' }), ...ending('stop')]).blocks).toMatchObject([
      { type: 'thinking', thinking: 'hmm' },
    ]);
  });

  it('gets thoughts once when the vendor repeats them under two names', () => {
    const delta = {
      reasoning_content: 'a',
      reasoning: 'a',
      reasoning_details: [{ type: 'reasoning.text', text: 'a' }],
    };

    expect(messageFrom([chunk(delta), ...ending('stop')]).blocks).toMatchObject([
      { thinking: 'a' },
    ]);
  });

  it("gets a vendor's signature of its thoughts, marked as that vendor's", () => {
    const details = (detail: Json): string =>
      chunk({ reasoning_details: [{ type: 'reasoning.text', ...detail }] });

    expect(
      messageFrom([
        details({ text: 'a' }),
        details({ signature: 'SIG' }),
        chunk({ content: 'b' }),
        ...ending('stop'),
      ]).blocks,
    ).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'gw1s.SIG' },
      { type: 'text', text: 'b' },
    ]);
  });

  it('gets a signature of its own for each run of thoughts', () => {
    const signed = chunk({
      reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 'SIG' }],
    });
    const { blocks } = messageFrom([
      signed,
      chunk({ content: 'b' }),
      chunk({ reasoning: 'c' }),
      ...ending('stop'),
    ]);
    const alone = messageFrom([chunk({ reasoning: 'c' }), ...ending('stop')]).blocks[0];

    expect(blocks).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'gw1s.SIG' },
      { type: 'text', text: 'b' },
      alone,
    ]);
  });

  it('gets a completion without content as a message without blocks', () => {
    const message = messageFrom([chunk({ role: 'assistant', content: null }), ...ending('stop')]);

    expect([message.blocks, message.delta]).toEqual([
      [],
      { stop_reason: 'end_turn', stop_sequence: null },
    ]);
  });

  it('gets parallel tools as one block after the other', () => {
    const lines = [
      toolChunk(call(0, 'a', 'f')),
      toolChunk(more(0, '{"x":')),
      toolChunk(more(0, '1}')),
      toolChunk(call(1, 'b', 'g')),
      toolChunk(more(1, '{}')),
      ...ending(),
    ];

    const message = messageFrom(lines);

    expect(message.blocks).toEqual([
      { type: 'tool_use', id: 'a', name: 'f', input: {}, partial_json: '{"x":1}' },
      { type: 'tool_use', id: 'b', name: 'g', input: {}, partial_json: '' },
    ]);
    expect(message.delta).toEqual({ stop_reason: 'tool_use', stop_sequence: null });
  });

  it.each<[string, readonly string[], readonly unknown[]]>([
    [
      'whose fragments interleave',
      [
        toolChunk(call(0, 'a', 'f'), call(1, 'b', 'g')),
        toolChunk(more(1, '{"y"')),
        toolChunk(more(0, '{"x":1')),
        toolChunk(more(1, ':2}')),
        toolChunk(more(0, '}')),
      ],
      [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    ],
    [
      'that all have index 0, told apart by id and name',
      [toolChunk(call(0, 'a', 'f', '{"x":1}')), toolChunk(call(0, 'b', 'g', '{"y":2}'))],
      [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    ],
    [
      'that all have index 0, told apart by id alone',
      [toolChunk(call(0, 'a', 'f', '{"x":1}')), toolChunk(call(0, 'b', 'f', '{"x":1}'))],
      [
        ['f', '{"x":1}'],
        ['f', '{"x":1}'],
      ],
    ],
    [
      'that all have index 0 and no id',
      [
        toolChunk({ index: 0, function: { name: 'f', arguments: '{"x":1}' } }),
        toolChunk({ index: 0, function: { name: 'f', arguments: '{"x":2}' } }),
      ],
      [
        ['f', '{"x":1}'],
        ['f', '{"x":2}'],
      ],
    ],
    [
      'without an index',
      [
        toolChunk(
          { id: 'a', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'b', function: { name: 'g', arguments: '{"y":2}' } },
        ),
      ],
      [
        ['f', '{"x":1}'],
        ['g', '{"y":2}'],
      ],
    ],
    [
      'without index and id',
      [
        toolChunk({ function: { name: 'f', arguments: '{"x":1' } }),
        toolChunk({ function: { arguments: '}' } }),
      ],
      [['f', '{"x":1}']],
    ],
    [
      'whose id comes alone, before name and arguments',
      [
        toolChunk({ index: 0, id: 'a' }),
        toolChunk({ index: 0, function: { name: 'f' } }),
        toolChunk(more(0, '{"x":1}')),
      ],
      [['f', '{"x":1}']],
    ],
    [
      'whose every fragment carries the id and the name',
      [toolChunk(call(0, 'a', 'f', '{"x"')), toolChunk(call(0, 'a', 'f', ':1}'))],
      [['f', '{"x":1}']],
    ],
    [
      'whose arguments come only with the first fragment',
      [toolChunk(call(0, 'a', 'f', '{"x":1}'))],
      [['f', '{"x":1}']],
    ],
    [
      'whose arguments are repeated whole',
      [toolChunk(call(0, 'a', 'f', '{"x":1}')), toolChunk(more(0, '{"x":1}'))],
      [['f', '{"x":1}']],
    ],
    [
      'whose arguments are an object',
      [toolChunk({ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } })],
      [['f', '{"x":1}']],
    ],
    [
      'whose arguments are a text inside a text',
      [toolChunk(call(0, 'a', 'f', '"{\\"x\\"')), toolChunk(more(0, ':1}"'))],
      [['f', '{"x":1}']],
    ],
    [
      'with something behind the arguments',
      [toolChunk(call(0, 'a', 'f', '{"x":"}"}')), toolChunk(more(0, '</tool>'))],
      [['f', '{"x":"}"}']],
    ],
    [
      'with something behind the arguments in one piece',
      [toolChunk(call(0, 'a', 'f', '{"x":1}</tool>'))],
      [['f', '{"x":1}']],
    ],
    [
      'with an empty object in place of the arguments to come',
      [toolChunk(call(0, 'a', 'f', '{}')), toolChunk(more(0, '{"x":1}'))],
      [['f', '{"x":1}']],
    ],
    ['without arguments', [toolChunk(call(0, 'a', 'f'))], [['f', '']]],
    ['whose arguments are null', [toolChunk(call(0, 'a', 'f', 'null'))], [['f', '']]],
    [
      'of the older shape',
      [
        chunk({ function_call: { name: 'f', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
      ],
      [['f', '{"x":1}']],
    ],
    [
      'with fragments after the finish reason',
      [toolChunk(call(0, 'a', 'f', '{"x"')), finishChunk('tool_calls'), toolChunk(more(0, ':1}'))],
      [['f', '{"x":1}']],
    ],
    [
      'without a name',
      [toolChunk({ index: 0, id: 'a', function: { name: '', arguments: '{}' } })],
      [],
    ],
    [
      'named like a property of every object',
      [toolChunk(call(0, 'a', 'constructor', '{"x":1}'))],
      [['constructor', '{"x":1}']],
    ],
  ])('gets calls %s right', (_case, lines, tools) => {
    expect(toolsOf([...lines, ...ending()])).toEqual(tools);
  });

  it('gets the first call live while the others wait', () => {
    const events = eventsFrom([toolChunk(call(0, 'a', 'f', '{"x"'), call(1, 'b', 'g', '{"y":2}'))]);

    expect(events.slice(1, 3)).toEqual([
      { type: 'tool_start', id: 'a', name: 'f' },
      { type: 'tool_arguments', text: '{"x"' },
    ]);
    expect(events.filter(({ type }) => type === 'tool_start')).toHaveLength(1);
  });

  it('gets an id that is made once where the upstream gives none, and a fitting one for an odd one', () => {
    const ids = messageFrom([
      toolChunk({ index: 0, function: { name: 'f', arguments: '{"a"' } }),
      toolChunk(more(0, ':1}')),
      toolChunk(call(1, 'functions.g:1', 'g', '{"b":1}')),
      ...ending(),
    ]).blocks.map(({ id }) => id);

    expect(ids).toEqual(['toolu_suffix1', expect.stringMatching(/^functions_g_1_[0-9a-f]{6}$/)]);
  });

  it('gets text around tools in blocks of its own, never inside a tool', () => {
    const { blocks, delta } = messageFrom([
      chunk({ content: 'a' }),
      toolChunk(call(0, 'x', 'f', '{"q"')),
      chunk({ content: 'b' }),
      toolChunk(more(0, ':1}')),
      chunk({ content: 'c' }),
      ...ending('stop'),
    ]);

    expect(blocks.map(({ type, text, partial_json: json }) => [type, text ?? json])).toEqual([
      ['text', 'a'],
      ['tool_use', '{"q":1}'],
      ['text', 'bc'],
    ]);
    expect(delta).toMatchObject({ stop_reason: 'tool_use' });
  });

  it('gets damaged arguments repaired from a vendor known for them', () => {
    expect(
      toolsOf([toolChunk(call(0, 'a', 'f', '{"x":1}')), toolChunk(more(0, '}}')), ...ending()], {
        quirks: { bufferToolCalls: true },
      }),
    ).toEqual([['f', '{"x":1}']]);
  });

  it('gets its own name of a tool that was renamed for the upstream', () => {
    expect(
      toolsOf([toolChunk(call(0, 'a', 'short', '{"x":1}')), ...ending()], {
        memory: { toolNames: { short: 'long name' } },
      }),
    ).toEqual([['long name', '{"x":1}']]);
  });

  it("gets Gemini's signature of a call inside the id, to be given back", () => {
    const [tool] = messageFrom([
      toolChunk({
        id: 'a',
        function: { name: 'f', arguments: '{}' },
        extra_content: { google: { thought_signature: 'S+/=' } },
      }),
      ...ending('stop'),
    ]).blocks;

    expect(tool).toMatchObject({ id: `a_ts_${Buffer.from('S+/=').toString('base64url')}` });
  });

  it('ignores chunks that say nothing: no choices, no delta, other choices, pings, empty lines', () => {
    const lines = [
      JSON.stringify({ id: '', choices: [], prompt_filter_results: [] }),
      chunk(null),
      chunk(undefined, {}, { id: '' }),
      '',
      JSON.stringify({ type: 'ping' }),
      chunk({ content: 'a' }),
      chunk({ content: 'no' }, { index: 1 }),
      chunk({ content: '' }),
      ...ending('stop'),
    ];

    expect(messageFrom(lines).blocks).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('gets content that comes as parts, thoughts among them', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'yes' },
    ];

    expect(messageFrom([chunk({ content }), ...ending('stop')]).blocks).toMatchObject([
      { thinking: 'hm' },
      { text: 'yes' },
    ]);
  });

  it('gets thoughts out of tags that are split over chunks, at the start only', () => {
    const lines = ['<th', 'ink>\nhm', 'm</thi', 'nk>\n', '\nyes <think>', '</think>'].map(
      (content) => chunk({ content }),
    );

    expect(
      messageFrom([...lines, ...ending('stop')], { quirks: { thinkTags: true } }).blocks,
    ).toMatchObject([{ thinking: 'hmm' }, { text: 'yes <think></think>' }]);
  });
});
