import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { createChatStreamWriter } from '@gateway/text-dialects';
import { chatStreamViolations, type ToolFragment } from './chat-grammar.ts';
import {
  aMemory,
  anIdentity,
  begin,
  block,
  chunksOf,
  contentOf,
  delta,
  deltasOf,
  ended,
  eventsOf,
  json,
  over,
  sse,
  stop,
  streamOf,
  text,
} from './c2m-support.ts';

const textBlock = { type: 'text', text: '' };
const aTool = (id: string, name: string, input: unknown = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const withUsage = aMemory({
  completion: { includeUsage: true, legacyFunctions: false, customTools: [] },
});
const callsOf = (stream: string): ToolFragment[] =>
  deltasOf(stream).flatMap((fields) => fields.tool_calls ?? []);
const argumentsOf = (stream: string, index: number): string =>
  callsOf(stream)
    .filter((call) => call.index === index)
    .map((call) => call.function?.arguments ?? '')
    .join('');
const reasonOf = (stream: string): unknown =>
  chunksOf(stream).findLast(({ choices }) => choices?.length === 1)?.choices?.[0]?.finish_reason;

describe('a messages stream for a chat client', () => {
  it('is exactly the chunks of the chat dialect', () => {
    const head =
      '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"my-model","choices":[{"index":0,"delta":';
    expect(
      streamOf([begin, block(0, textBlock), text(0, 'Hi'), stop(0), ended('end_turn'), over]),
    ).toBe(
      [
        `data: ${head}{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}\n\n`,
        `data: ${head}{"content":"Hi"},"logprobs":null,"finish_reason":null}]}\n\n`,
        `data: ${head}{},"logprobs":null,"finish_reason":"stop"}]}\n\n`,
        'data: [DONE]\n\n',
      ].join(''),
    );
  });

  it('has usage only where it was asked for, in a chunk of its own, with cached tokens inside the prompt', () => {
    const events = [
      begin,
      block(0, textBlock),
      text(0, 'Hi'),
      stop(0),
      ended('end_turn', { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } }),
      over,
    ];
    expect(streamOf(events)).not.toContain('usage');
    const stream = streamOf(events, withUsage);
    expect(chatStreamViolations(stream, { includeUsage: true })).toEqual([]);
    expect(chunksOf(stream).at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 17,
        completion_tokens: 9,
        total_tokens: 26,
        prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    });
  });

  it('replaces figures by later ones and never adds them, and keeps the earlier where the later is null or missing', () => {
    const events = [
      begin,
      ended('end_turn', { output_tokens: 3 }),
      ended('end_turn', { input_tokens: 12, cache_read_input_tokens: null, output_tokens: 8 }),
      over,
    ];
    expect(eventsOf(events).find(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 12,
        cachedInputTokens: 5,
        cacheWriteTokens: 2,
        outputTokens: 8,
        reasoningTokens: 0,
        estimated: false,
      },
    });
  });

  it('estimates the usage that the upstream does not report', () => {
    const start = sse({ type: 'message_start', message: { id: 'msg_1', content: [] } });
    const events = eventsOf([
      start,
      block(0, textBlock),
      text(0, 'eight ch'),
      ended('end_turn', {}),
      over,
    ]);
    expect(events.find(({ type }) => type === 'usage')).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 3, estimated: true },
    });
  });

  it('numbers tools from 0 whatever the index of their block', () => {
    const stream = streamOf([
      begin,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      stop(0),
      block(1, textBlock),
      text(1, 'Let me'),
      stop(1),
      block(2, aTool('toolu_1', 'one')),
      json(2, ''),
      json(2, '{"a":'),
      json(2, '1}'),
      stop(2),
      block(3, aTool('toolu_2', 'two')),
      json(3, '{}'),
      stop(3),
      ended('tool_use'),
      over,
    ]);
    expect(chatStreamViolations(stream)).toEqual([]);
    expect(callsOf(stream)[0]).toEqual({
      index: 0,
      id: 'toolu_1',
      type: 'function',
      function: { name: 'one', arguments: '' },
    });
    expect(callsOf(stream)[1]).toEqual({ index: 0, function: { arguments: '{"a":' } });
    expect([argumentsOf(stream, 0), argumentsOf(stream, 1)]).toEqual(['{"a":1}', '{}']);
    expect(reasonOf(stream)).toBe('tool_calls');
  });

  it('gives a tool without arguments the empty object', () => {
    const stream = streamOf([
      begin,
      block(0, aTool('toolu_1', 'now')),
      stop(0),
      ended('tool_use'),
      over,
    ]);
    expect(argumentsOf(stream, 0)).toBe('{}');
  });

  it('takes arguments that are complete at the start of the block, but not twice', () => {
    expect(
      argumentsOf(
        streamOf([begin, block(0, aTool('t', 'f', { a: 1 })), stop(0), ended('tool_use'), over]),
        0,
      ),
    ).toBe('{"a":1}');
    expect(
      argumentsOf(
        streamOf([
          begin,
          block(0, aTool('t', 'f', { a: 1 })),
          json(0, '{"a":1}'),
          stop(0),
          ended('tool_use'),
          over,
        ]),
        0,
      ),
    ).toBe('{"a":1}');
  });

  it('tells tools one after another that the upstream sends crosswise', () => {
    const stream = streamOf([
      begin,
      block(0, aTool('a', 'one')),
      block(1, aTool('b', 'two')),
      json(1, '{"b":'),
      json(0, '{"a":1}'),
      json(1, '2}'),
      stop(1),
      stop(0),
      ended('tool_use'),
      over,
    ]);
    expect(chatStreamViolations(stream)).toEqual([]);
    expect([argumentsOf(stream, 0), argumentsOf(stream, 1)]).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('ends tools that the upstream left open', () => {
    const stream = streamOf([begin, block(0, aTool('a', 'one')), ended('tool_use'), over]);
    expect(chatStreamViolations(stream)).toEqual([]);
    expect(argumentsOf(stream, 0)).toBe('{}');
  });

  it('invents an id that is missing and keeps a tool without a name out of the completion', () => {
    const stream = streamOf([
      begin,
      block(0, { type: 'tool_use', name: 'f', input: {} }),
      stop(0),
      block(1, { type: 'tool_use', id: 'x', name: '' }),
      stop(1),
      ended('tool_use'),
      over,
    ]);
    expect(callsOf(stream).filter(({ id }) => id !== undefined)).toEqual([
      { index: 0, id: 'call_suffix1', type: 'function', function: { name: 'f', arguments: '' } },
    ]);
  });

  it('never makes calls of tools that run at the vendor', () => {
    const stream = streamOf([
      begin,
      block(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      json(0, '{"query":"x"}'),
      stop(0),
      block(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      stop(1),
      block(2, textBlock),
      text(2, 'Found'),
      stop(2),
      ended('end_turn'),
      over,
    ]);
    expect(callsOf(stream)).toEqual([]);
    expect([contentOf(stream), reasonOf(stream)]).toEqual(['Found', 'stop']);
  });

  it('shows thoughts as reasoning_content and never in the content', () => {
    const stream = streamOf([
      begin,
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      block(1, { type: 'redacted_thinking', data: 'xx' }),
      stop(1),
      block(2, textBlock),
      text(2, 'Yes'),
      stop(2),
      ended('end_turn'),
      over,
    ]);
    expect(
      deltasOf(stream)
        .map((fields) => fields.reasoning_content)
        .filter(Boolean),
    ).toEqual(['Hm']);
    expect(contentOf(stream)).toBe('Yes');
  });

  it("loses no text where blocks change, also text that stands at a block's start", () => {
    const stream = streamOf([
      begin,
      block(0, { type: 'text', text: 'A' }),
      text(0, 'b'),
      stop(0),
      block(1, { type: 'text', text: 'C' }),
      text(1, 'd'),
      stop(1),
      ended('end_turn'),
      over,
    ]);
    expect(contentOf(stream)).toBe('AbCd');
  });

  it('passes over deltas that do not fit their block, unknown events and pings', () => {
    const stream = streamOf([
      { event: 'ping', data: '{"type":"ping"}' },
      begin,
      sse({ type: 'brand_new' }),
      block(0, aTool('a', 'f')),
      text(0, 'lost'),
      json(0, '{}'),
      stop(0),
      delta(7, { type: 'citations_delta', citation: {} }),
      ended('tool_use'),
      over,
      { event: undefined, data: '[DONE]' },
    ]);
    expect(chatStreamViolations(stream)).toEqual([]);
    expect(contentOf(stream)).toBe('');
  });

  it('reads events by their data where the event line is missing, and text whose block never started', () => {
    const stream = streamOf(
      [begin, text(0, 'Hi'), ended('end_turn'), over].map(({ data }) => ({
        event: undefined,
        data,
      })),
    );
    expect(chatStreamViolations(stream)).toEqual([]);
    expect(contentOf(stream)).toBe('Hi');
  });

  it('begins once when the upstream begins twice or not at all', () => {
    for (const events of [[begin, begin, text(0, 'Hi')], [text(0, 'Hi')]]) {
      const stream = streamOf([...events, ended('end_turn'), over]);
      expect(chatStreamViolations(stream)).toEqual([]);
      expect(contentOf(stream)).toBe('Hi');
    }
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'stop'],
    ['compaction', 'stop'],
    ['tool_use', 'stop'],
    ['something_new', 'stop'],
  ])('finishes %s without calls as %s', (reason, expected) => {
    expect(
      reasonOf(streamOf([begin, block(0, textBlock), text(0, 'x'), stop(0), ended(reason), over])),
    ).toBe(expected);
  });

  it('finishes with tool_calls when the upstream calls tools and says end_turn', () => {
    expect(
      reasonOf(streamOf([begin, block(0, aTool('a', 'f')), stop(0), ended('end_turn'), over])),
    ).toBe('tool_calls');
  });

  it('keeps length for a call that was cut', () => {
    const stream = streamOf([
      begin,
      block(0, aTool('a', 'f')),
      json(0, '{"a":'),
      ended('max_tokens'),
      over,
    ]);
    expect([reasonOf(stream), argumentsOf(stream, 0)]).toEqual(['length', '{"a":']);
  });

  it('tells why a completion was refused', () => {
    const stream = streamOf([
      begin,
      ended(
        'refusal',
        { output_tokens: 0 },
        { stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } },
      ),
      over,
    ]);
    expect(deltasOf(stream).find((fields) => 'refusal' in fields)).toEqual({ refusal: 'No.' });
    expect(chatStreamViolations(stream)).toEqual([]);
  });

  it('is complete without message_stop once a reason was given', () => {
    expect(streamOf([begin, text(0, 'Hi'), ended('end_turn')])).toBe(
      streamOf([begin, text(0, 'Hi'), ended('end_turn'), over]),
    );
  });

  it.each([
    ['before anything', []],
    ['after the start', [begin]],
    ['within a text', [begin, block(0, textBlock), text(0, 'Hi')]],
    ['after a message_delta without a reason', [begin, text(0, 'Hi'), ended(null)]],
  ])('is an error and never a clean stop when the upstream closes %s', (_when, events) => {
    const stream = streamOf(events);
    expect(chunksOf(stream).at(-1)).toEqual({
      error: {
        message: expect.any(String),
        type: 'server_error',
        param: null,
        code: 'upstream_truncated',
      },
    });
    expect(stream).not.toContain('[DONE]');
    expect(chatStreamViolations(stream)).toEqual([]);
  });

  it('says an error in the middle once and nothing after it', () => {
    const failure = sse({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    const stream = streamOf([
      begin,
      text(0, 'Hi'),
      failure,
      text(0, 'late'),
      ended('end_turn'),
      over,
    ]);
    expect(
      stream.endsWith(
        'data: {"error":{"message":"Overloaded","type":"server_error","param":null,"code":"overloaded"}}\n\n',
      ),
    ).toBe(true);
    expect(stream).not.toContain('late');
    expect(stream).not.toContain('[DONE]');
  });

  it('writes nothing behind a failure, whatever it is told', () => {
    const writer = createChatStreamWriter({ memory: aMemory(), identity: anIdentity() });
    writer.write({ type: 'failure', failure: { status: 502, code: 'server_error', message: 'x' } });
    expect([writer.write({ type: 'text', text: 'late' }), writer.write({ type: 'end' })]).toEqual([
      '',
      '',
    ]);
  });

  it("is an error when the upstream sends what is not JSON, or another vendor's error", () => {
    for (const data of [
      '{"type":',
      '{"error":{"message":"boom"}}',
      '{"object":"error","message":"boom"}',
    ]) {
      expect(eventsOf([begin, { event: undefined, data }]).at(-1)).toMatchObject({
        type: 'failure',
        failure: { code: 'server_error' },
      });
    }
  });

  it('gives tools back the names that the client knows', () => {
    const stream = streamOf(
      [begin, block(0, aTool('a', 'f_1')), stop(0), ended('tool_use'), over],
      aMemory({ toolNames: { f_1: 'f.1' } }),
    );
    expect(callsOf(stream)[0]!.function!.name).toBe('f.1');
  });

  it('responds to functions with one function_call', () => {
    const memory = aMemory({
      completion: { includeUsage: false, legacyFunctions: true, customTools: [] },
    });
    const stream = streamOf(
      [
        begin,
        block(0, aTool('a', 'one')),
        json(0, '{"a":1}'),
        stop(0),
        block(1, aTool('b', 'two')),
        stop(1),
        ended('tool_use'),
        over,
      ],
      memory,
    );
    expect(
      deltasOf(stream)
        .map((fields) => fields.function_call)
        .filter(Boolean),
    ).toEqual([{ name: 'one', arguments: '' }, { arguments: '{"a":1}' }]);
    expect(reasonOf(stream)).toBe('function_call');
    expect(callsOf(stream)).toEqual([]);
  });

  it('unwraps the text of custom tools', () => {
    const memory = aMemory({
      completion: { includeUsage: false, legacyFunctions: false, customTools: ['sql'] },
    });
    const stream = streamOf(
      [
        begin,
        block(0, aTool('a', 'sql')),
        json(0, '{"input":"SEL'),
        json(0, 'ECT 1"}'),
        stop(0),
        block(1, aTool('b', 'f')),
        stop(1),
        ended('tool_use'),
        over,
      ],
      memory,
    );
    expect(callsOf(stream)).toEqual([
      { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } },
      { index: 0, custom: { input: 'SELECT 1' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
    ]);
  });
});

describe('a structured completion in a stream', () => {
  const structured = (fields = {}) => aMemory({ structuredTool: 'json', ...fields });

  it('is content with finish stop, not a call', () => {
    const stream = streamOf(
      [
        begin,
        block(0, aTool('a', 'json')),
        json(0, '{"a":'),
        json(0, '1}'),
        stop(0),
        ended('tool_use'),
        over,
      ],
      structured(),
    );
    expect([contentOf(stream), reasonOf(stream), callsOf(stream)]).toEqual(['{"a":1}', 'stop', []]);
  });

  it('is content also when it comes whole', () => {
    expect(
      contentOf(
        streamOf(
          [begin, block(0, aTool('a', 'json', { a: 1 })), stop(0), ended('tool_use'), over],
          structured(),
        ),
      ),
    ).toBe('{"a":1}');
  });

  it('loses its code fence wherever it is split', () => {
    const cases = [
      ['```json\n{"a":"`"}\n```\n', '{"a":"`"}'],
      ['{"a":1}', '{"a":1}'],
      ['``` of', '``` of'],
    ] as const;
    for (const [said, expected] of cases) {
      for (let cut = 0; cut <= said.length; cut += 1) {
        const stream = streamOf(
          [begin, text(0, said.slice(0, cut)), text(0, said.slice(cut)), ended('end_turn'), over],
          aMemory({ jsonText: true }),
        );
        expect(contentOf(stream)).toBe(expected);
      }
    }
  });
});

describe('any messages stream', () => {
  const fragments = fc
    .dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()))
    .chain((value) => {
      const whole = JSON.stringify(value);
      return fc.array(fc.nat(whole.length), { maxLength: 3 }).map((cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), whole.length];
        return places.slice(1).map((place, index) => whole.slice(places[index], place));
      });
    });
  const aBlock = fc.oneof(
    fc.array(fc.string()).map((texts) => ({
      start: textBlock,
      deltas: texts.map((value) => ({ type: 'text_delta', text: value })),
    })),
    fc.array(fc.string()).map((texts) => ({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: texts.map((value) => ({ type: 'thinking_delta', thinking: value })),
    })),
    fc
      .tuple(fc.constantFrom('tool_use', 'tool_use', 'server_tool_use'), fragments)
      .map(([type, pieces]) => ({
        start: { type, name: 'f', input: {} },
        deltas: pieces.map((value) => ({ type: 'input_json_delta', partial_json: value })),
      })),
    fc.constantFrom(
      { start: { type: 'redacted_thinking', data: 'x' }, deltas: [] },
      { start: { type: 'web_search_tool_result', content: [] }, deltas: [] },
      { start: { type: 'future' }, deltas: [] },
    ),
  );
  const reasons = fc.constantFrom(
    'end_turn',
    'tool_use',
    'refusal',
    'stop_sequence',
    'pause_turn',
    'compaction',
  );

  it('becomes a grammatical chat stream with all of its text', () => {
    fc.assert(
      fc.property(
        fc.array(aBlock, { maxLength: 6 }),
        reasons,
        fc.boolean(),
        (blocks, reason, includeUsage) => {
          const events = blocks.flatMap(({ start, deltas }, index) => [
            block(index, start),
            ...deltas.map((fields) => delta(index, fields)),
            stop(index),
          ]);
          const memory = aMemory({
            completion: { includeUsage, legacyFunctions: false, customTools: [] },
          });
          const stream = streamOf([begin, ...events, ended(reason), over], memory);
          const said = blocks
            .flatMap(({ deltas }) =>
              deltas.flatMap((fields) => ('text' in fields ? [fields.text] : [])),
            )
            .join('');
          expect(chatStreamViolations(stream, { includeUsage })).toEqual([]);
          expect(contentOf(stream)).toBe(said);
        },
      ),
      { seed: 20_261_121, numRuns: 300 },
    );
  });

  it('becomes a grammatical chat stream wherever it is cut, and in whatever order its events come', () => {
    fc.assert(
      fc.property(
        fc.array(aBlock, { maxLength: 5 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.nat(40),
        (blocks, dice, cut) => {
          const all = blocks.flatMap(({ start, deltas }, index) => [
            block(index, start),
            ...deltas.map((fields) => delta(index, fields)),
            stop(index),
          ]);
          const shuffled = all
            .map((event) => ({ event, place: dice.next().value as number }))
            .toSorted((one, other) => one.place - other.place)
            .map(({ event }) => event);
          expect(chatStreamViolations(streamOf([begin, ...all.slice(0, cut)]))).toEqual([]);
          // Fragments out of order cannot be whole, so the arguments are not looked at here.
          expect(
            chatStreamViolations(streamOf([begin, ...shuffled, ended('max_tokens'), over])),
          ).toEqual([]);
        },
      ),
      { seed: 20_261_121, numRuns: 200 },
    );
  });
});
