import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { createStreamTranslator, replayCompletion } from '@gateway/text-dialects';
import { mustBeResponse, readResponse, type Json } from './responses-grammar.ts';
import { aTranslation, messagesFor, streamed, wholeOf } from './responses-support.ts';
import {
  chatChunk,
  chatStream,
  chatUsageChunk,
  messagesStream,
  seed,
  splitAt,
} from './wire-samples.ts';

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const block = (index: number, content_block: object, deltas: readonly object[]): string =>
  event('content_block_start', { index, content_block }) +
  deltas.map((delta) => event('content_block_delta', { index, delta })).join('') +
  event('content_block_stop', { index });

/** Signed thoughts, encrypted ones, a text and a call. */
const thinkingStream = [
  event('message_start', {
    message: { id: 'msg_9', type: 'message', content: [], usage: { input_tokens: 7 } },
  }),
  block(0, { type: 'thinking', thinking: '', signature: '' }, [
    { type: 'thinking_delta', thinking: 'Let me ' },
    { type: 'thinking_delta', thinking: 'see.' },
    { type: 'signature_delta', signature: 'c2lnbmVk' },
  ]),
  block(1, { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' }, []),
  block(2, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'I will look.' }]),
  block(3, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }, [
    { type: 'input_json_delta', partial_json: '{"at":' },
    { type: 'input_json_delta', partial_json: '"sky"}' },
  ]),
  event('message_delta', {
    delta: { stop_reason: 'tool_use' },
    usage: { output_tokens: 20 },
  }),
  event('message_stop', {}),
].join('');

const chat = (...chunks: string[]): string => [...chunks, 'data: [DONE]\n\n'].join('');
const said = (delta: object, finish: string | null = null): string =>
  chatChunk([{ index: 0, delta, finish_reason: finish }]);

const include = ['reasoning.encrypted_content'];

describe('a completion as the typed events of the responses format', () => {
  it.each([
    ['chat', 'chat', chatStream],
    ['messages', 'messages', messagesStream],
    ['signed thoughts', 'messages', thinkingStream],
  ] as const)(
    'keeps the grammar and is the same for any split of the bytes: %s',
    (_name, upstream, stream) => {
      const bytes = Buffer.from(stream);
      const whole = streamed(aTranslation(upstream), [bytes]);

      expect(readResponse(whole).types.at(-1)).toBe('response.completed');
      fc.assert(
        fc.property(fc.array(fc.nat()), (places) => {
          expect(streamed(aTranslation(upstream), splitAt(bytes, places))).toBe(whole);
        }),
        { seed, numRuns: 100 },
      );
    },
  );

  it('tells thoughts, words and calls as items of their own, with usage at the end', () => {
    const { items, response } = readResponse(streamed(aTranslation('messages'), [thinkingStream]));

    expect(items).toEqual([
      {
        id: 'rs_suffix2',
        type: 'reasoning',
        status: 'completed',
        summary: [{ type: 'summary_text', text: 'Let me see.' }],
      },
      { id: 'rs_suffix3', type: 'reasoning', status: 'completed', summary: [] },
      {
        id: 'msg_suffix4',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I will look.', annotations: [], logprobs: [] }],
      },
      {
        id: 'fc_suffix5',
        type: 'function_call',
        status: 'completed',
        call_id: 'toolu_1',
        name: 'look',
        arguments: '{"at":"sky"}',
      },
    ]);
    expect(response).toMatchObject({
      id: 'resp_suffix1',
      model: 'mine',
      created_at: 1_760_000_000,
      completed_at: 1_760_000_009,
      usage: { input_tokens: 7, output_tokens: 20, total_tokens: 27 },
    });
  });

  it('carries the thoughts to the next request, where the client asks for it', () => {
    const { items } = readResponse(
      streamed(aTranslation('messages', { include }), [thinkingStream]),
    );
    const result = { type: 'function_call_output', call_id: 'toolu_1', output: 'blue' };

    const [, assistant] = messagesFor(
      { input: [{ role: 'user', content: 'Where?' }, ...items, result] },
      'messages',
    );

    expect(assistant).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmVk' },
        { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
        { type: 'text', text: 'I will look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sky' } },
      ],
    });
  });

  it('gives whoever keeps the response what carries the thoughts, asked for or not', () => {
    const kept: Json[] = [];
    const onResponse = (response: Json): void => {
      kept.push(response);
    };
    const { response } = readResponse(
      streamed(aTranslation('messages', {}, { onResponse }), [thinkingStream]),
    );

    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatchObject({
      ...response,
      output: [{ encrypted_content: expect.stringMatching(/^gw1r\./) }, {}, {}, {}],
    });
    expect(JSON.stringify(response)).not.toContain('encrypted_content');
  });

  it('is the response that the same completion gives whole', () => {
    const body = {
      id: 'msg_9',
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmVk' },
        { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
        { type: 'text', text: 'I will look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'sky' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 7, output_tokens: 20 },
    };
    const whole = wholeOf(aTranslation('messages', { include }), body);

    mustBeResponse(whole, 'completed');
    expect(
      readResponse(streamed(aTranslation('messages', { include }), [thinkingStream])).response,
    ).toEqual(whole);
    expect(
      readResponse(
        replayCompletion({
          ...aTranslation('messages', { include }),
          body: Buffer.from(JSON.stringify(body)),
        }),
      ).response,
    ).toEqual(whole);
  });

  it('repeats the settings of the request', () => {
    const settings = {
      instructions: 'Be brief.',
      max_output_tokens: 500,
      metadata: { team: 'blue' },
      parallel_tool_calls: false,
      previous_response_id: 'resp_before',
      reasoning: { effort: 'low', summary: 'auto' },
      store: false,
      temperature: 0.5,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      tool_choice: 'required',
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' }, strict: false }],
      user: 'u1',
    };
    const { response } = readResponse(streamed(aTranslation('chat', settings), [chatStream]));

    expect(response).toMatchObject(settings);
  });

  it('does not repeat what would make the response larger than its request', () => {
    const long = 'x'.repeat(300_000);
    const tools = [{ type: 'function', name: 'look', description: long }];
    const { response } = readResponse(
      streamed(aTranslation('chat', { instructions: long, tools }), [chatStream]),
    );

    expect(response).toMatchObject({ instructions: null, tools: [] });
  });

  it('tells the input of a custom tool as a text', () => {
    const tools = [{ type: 'custom', name: 'run' }];
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'run', arguments: '{"input":"ls -l"}' },
    };
    const { items } = readResponse(
      streamed(aTranslation('chat', { tools }), [
        chat(said({ tool_calls: [call] }), said({}, 'tool_calls'), chatUsageChunk),
      ]),
    );

    expect(items).toEqual([
      expect.objectContaining({
        type: 'custom_tool_call',
        call_id: 'call_1',
        name: 'run',
        input: 'ls -l',
      }),
    ]);
  });

  it('tells where words have something from, as places in their own text', () => {
    const annotations = [
      {
        type: 'url_citation',
        url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 },
      },
    ];
    const { items } = readResponse(
      streamed(aTranslation('chat'), [
        chat(said({ content: 'sky is blue' }), said({ annotations }), said({}, 'stop')),
      ]),
    );

    expect(items).toMatchObject([
      {
        content: [
          {
            annotations: [
              {
                type: 'url_citation',
                url: 'https://a.example',
                title: 'A',
                start_index: 0,
                end_index: 3,
              },
            ],
          },
        ],
      },
    ]);
  });

  it('tells a refusal in the model’s own words', () => {
    const { items, types } = readResponse(
      streamed(aTranslation('chat'), [chat(said({ refusal: 'I will not.' }), said({}, 'stop'))]),
    );

    expect(items).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
    expect(types.at(-1)).toBe('response.completed');
  });

  it('does not look into a refusal for what a schema asked for', () => {
    const format = { type: 'json_schema', name: 'list', schema: { type: 'array', items: {} } };
    const { items } = readResponse(
      streamed(aTranslation('chat', { text: { format } }), [
        chat(said({ refusal: 'I will' }), said({ refusal: ' not.' }), said({}, 'stop')),
      ]),
    );

    expect(items).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }]);
    expect(items).toHaveLength(1);
  });

  it('keeps sources that come before any text, and those without one', () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }];
    const source = { type: 'url_citation', url: 'https://a.example', title: 'https://a.example' };
    const itemsOf = (...chunks: string[]) =>
      readResponse(streamed(aTranslation('chat'), [chat(...chunks)])).items;

    expect(
      itemsOf(said({ annotations }), said({ content: 'sky' }), said({}, 'stop')),
    ).toMatchObject([
      { content: [{ text: 'sky', annotations: [{ ...source, start_index: 3, end_index: 3 }] }] },
    ]);
    expect(itemsOf(said({ annotations }), said({}, 'stop'))).toMatchObject([
      { content: [{ text: '', annotations: [source] }] },
    ]);
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('is incomplete when it ends with %s', (finish, reason) => {
    const { response, items } = readResponse(
      streamed(aTranslation('chat'), [chat(said({ content: 'and then' }), said({}, finish))]),
    );

    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
    expect(items).toMatchObject([{ status: 'incomplete' }]);
  });

  it('estimates the usage of an upstream that reports none', () => {
    const { response } = readResponse(
      streamed(aTranslation('chat'), [
        chat(said({ content: 'word '.repeat(64) }), said({}, 'stop')),
      ]),
    );

    expect(response).toMatchObject({ usage: { output_tokens: 100 } });
  });
});

describe('a response that fails', () => {
  it('ends with the error and the failed response, wherever it is cut', () => {
    const until = chatStream.indexOf('"finish_reason":"tool_calls"');
    const bytes = Buffer.from(chatStream);
    fc.assert(
      fc.property(fc.nat(Buffer.byteLength(chatStream.slice(0, until))), (length) => {
        const { types, error } = readResponse(
          streamed(aTranslation('chat'), [bytes.subarray(0, length)]),
        );

        expect([types.includes('response.completed'), error?.['code']]).toEqual([
          false,
          'upstream_truncated',
        ]);
      }),
      { seed, numRuns: 200 },
    );
  });

  it('shows what there was of it', () => {
    const translator = createStreamTranslator(aTranslation('chat'));
    const begun = translator.push(Buffer.from(said({ content: 'Once' })));
    const failed = translator.fail({
      status: 400,
      code: 'context_length_exceeded',
      message: 'prompt is too long: 9 tokens > 8 maximum',
    });

    const { response } = readResponse(begun + failed);

    expect(response).toMatchObject({
      status: 'failed',
      error: {
        code: 'context_length_exceeded',
        message: expect.stringContaining("This model's maximum context length is 8 tokens"),
      },
      output: [{ status: 'incomplete', content: [{ text: 'Once' }] }],
    });
    expect(translator.end()).toBe('');
  });
});

describe('whatever a chat upstream sends', () => {
  it('keeps the grammar', () => {
    const delta = fc.record(
      {
        content: fc.constantFrom('', 'a', 'b'),
        reasoning_content: fc.constantFrom('', 'hm'),
        refusal: fc.constantFrom('', 'no'),
        tool_calls: fc.array(
          fc.record({
            index: fc.constantFrom(0, 1),
            id: fc.constantFrom('', 'a', 'b'),
            function: fc.record({
              name: fc.constantFrom('', 'f', 'run'),
              arguments: fc.constantFrom('', '{', '}', '{"input":"x"}'),
            }),
          }),
          { maxLength: 2 },
        ),
        annotations: fc.constantFrom(
          [],
          [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }],
        ),
      },
      { requiredKeys: [] },
    );
    const line = fc.oneof(
      delta.map((each) => said(each)),
      fc.constantFrom(said({}, 'stop'), said({}, 'length'), chatUsageChunk, 'data: oops\n\n'),
      fc.constant('data: {"error":{"message":"no"}}\n\n'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const tools = [{ type: 'custom', name: 'run' }];
        readResponse(streamed(aTranslation('chat', { tools }), [lines.join('')]));
      }),
      { seed, numRuns: 500 },
    );
  });
});
