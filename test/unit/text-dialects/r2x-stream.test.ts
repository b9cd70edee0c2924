import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  createStreamTranslator,
  passThroughMemory,
  translateCompletion,
  translateRequest,
  type Dialect,
  type Translation,
} from '@gateway/text-dialects';
import { chatStreamViolations } from './chat-grammar.ts';
import { readMessage } from './messages-grammar.ts';
import { responseOf, responsesEvents } from './responses-samples.ts';
import { seed, splitAt } from './wire-samples.ts';

const aTranslation = (client: Dialect): Translation => {
  let made = 0;
  return {
    client,
    upstream: 'responses',
    memory: passThroughMemory({
      stream: true,
      completion: { includeUsage: true },
      inputEstimate: 12,
    }),
    identity: { model: 'mine', created: 1, newSuffix: () => `suffix${(made += 1)}` },
  };
};

function translate(client: Dialect, pieces: readonly (Buffer | string)[]): string {
  const translator = createStreamTranslator(aTranslation(client));
  return [...pieces.map((piece) => translator.push(Buffer.from(piece))), translator.end()].join('');
}

let number = 0;
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...fields })}\n\n`;
const item = (output_index: number, call_id: string, text: string) => ({
  output_index,
  item: { type: 'function_call', id: `fc_${call_id}`, call_id, name: 'get', arguments: text },
});
const args = (output_index: number, delta: string): string =>
  event('response.function_call_arguments.delta', { output_index, item_id: 'fc', delta });
const completed = (fields: object): string =>
  event('response.completed', { response: { ...responseOf({}), ...fields } });

describe('a stream of a responses upstream', () => {
  it.each(['messages', 'chat', 'responses'] as const)(
    'is the same for any split, as %s',
    (client) => {
      const bytes = Buffer.from(responsesEvents({}).join(''));
      const whole = translate(client, [bytes]);

      fc.assert(
        fc.property(fc.array(fc.nat()), (places) => {
          expect(translate(client, splitAt(bytes, places))).toBe(whole);
        }),
        { seed, numRuns: 100 },
      );
    },
  );

  it('keeps to the grammars, with parallel calls one after another', () => {
    const stream = [
      event('response.created', { response: responseOf({}, 'in_progress') }),
      event('response.output_item.added', item(0, 'one', '')),
      event('response.output_item.added', item(1, 'two', '')),
      args(1, '{"b":'),
      args(0, '{"a":1}'),
      args(1, '2}'),
      event('response.output_item.done', item(0, 'one', '{"a":1}')),
      event('response.output_item.done', item(1, 'two', '{"b":2}')),
      event('response.output_item.done', item(2, 'three', '{"c":3}')),
      completed({}),
    ];

    expect(readMessage(translate('messages', stream))).toMatchObject({
      blocks: [
        { type: 'tool_use', id: 'one', partial_json: '{"a":1}' },
        { type: 'tool_use', id: 'two', partial_json: '{"b":2}' },
        { type: 'tool_use', id: 'three', partial_json: '{"c":3}' },
      ],
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 7 },
    });
    expect(chatStreamViolations(translate('chat', stream), { includeUsage: true })).toEqual([]);
  });

  it.each([
    ['max_output_tokens', 'max_tokens', 'length'],
    ['content_filter', 'refusal', 'content_filter'],
  ])('ends for a reason: %s', (reason, messages, chat) => {
    const stream = [
      event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi' }),
      event('response.incomplete', {
        response: { ...responseOf({}), status: 'incomplete', incomplete_details: { reason } },
      }),
    ];

    expect(readMessage(translate('messages', stream)).delta).toMatchObject({
      stop_reason: messages,
    });
    expect(translate('chat', stream)).toContain(`"finish_reason":"${chat}"`);
  });

  it.each([
    ['is cut', [], 'truncated'],
    [
      'fails',
      [
        event('response.failed', {
          response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' } },
        }),
      ],
      'rate_limit_exceeded',
    ],
    ['tells an error', [event('error', { code: 'server_error', message: 'x' })], 'server_error'],
    ['is no JSON', ['data: {"type":\n\n'], 'server_error'],
  ])('ends with an error when it %s', (_name, end, code) => {
    const text = translate('chat', [...responsesEvents({}).slice(0, 8), ...end]);

    expect(text).toContain(code);
    expect(text).not.toContain('[DONE]');
  });

  it('gives what was said in no delta', () => {
    const [, , , , , , , , , , , , , , , done, end] = responsesEvents({});

    expect(readMessage(translate('messages', [done!, end!])).blocks).toMatchObject([
      { text: 'Hello there.' },
    ]);
  });

  it('says where it has something from', () => {
    const annotation = {
      type: 'url_citation',
      start_index: 0,
      end_index: 2,
      url: 'https://x.test/',
      title: 'X',
    };
    const at = { output_index: 0, content_index: 0 };
    const content = [{ type: 'output_text', text: 'Hi', annotations: [annotation] }];
    const stream = [
      event('response.output_text.delta', { ...at, delta: 'Hi' }),
      event('response.output_text.annotation.added', { ...at, annotation_index: 0, annotation }),
      completed({}),
    ];

    expect(translate('chat', stream)).toContain('"url":"https://x.test/"');
    expect(
      translateCompletion({
        ...aTranslation('chat'),
        body: Buffer.from(
          JSON.stringify({ ...responseOf({}), output: [{ type: 'message', content }] }),
        ),
      }).body,
    ).toContain('"url":"https://x.test/"');
  });
});

describe('a request for a responses upstream', () => {
  const upstream = { dialect: 'responses', vendor: 'openai', overrides: {} } as const;
  const written = (client: Dialect, body: Record<string, unknown>, model = 'gpt-5') => {
    const { body: given, ...rest } = translateRequest(client, body, { ...upstream, model });
    return { ...rest, body: JSON.parse(JSON.stringify(given)) as Record<string, unknown> };
  };

  it('says how to think, keeps nothing and raises what is too little', () => {
    const { body, dropped, memory } = written('messages', {
      model: 'mine',
      max_tokens: 5,
      thinking: { type: 'enabled', budget_tokens: 20_000 },
      temperature: 1,
      top_k: 4,
      stop_sequences: ['END'],
      metadata: { user_id: 'u' },
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'of-another' },
            { type: 'tool_use', id: 't1', name: 'get', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'broken' },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
            },
          ],
        },
      ],
    });

    expect(body).toMatchObject({
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      max_output_tokens: 16,
      safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
      input: [
        { role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 't1', name: 'get', arguments: '{}' },
        { type: 'function_call_output', call_id: 't1', output: 'Error: broken' },
        {
          role: 'user',
          content: [
            {
              type: 'input_file',
              filename: 'a.pdf',
              file_data: 'data:application/pdf;base64,JVBERi0=',
            },
          ],
        },
      ],
    });
    expect(memory.emulatedStops).toEqual(['END']);
    expect(dropped).toEqual(['temperature', 'top_k']);
  });

  it('gets what it encrypted itself, and no other vendor gets that', () => {
    const body = {
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: 'so',
          thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'gw1e.sealed' }],
        },
        { role: 'user', content: 'and?' },
      ],
    };
    const toAnthropic = {
      dialect: 'messages',
      vendor: 'anthropic',
      model: 'm',
      overrides: {},
    } as const;

    expect(JSON.stringify(written('chat', body).body['input'])).toContain('"sealed"');
    expect(JSON.stringify(translateRequest('chat', body, toAnthropic).body)).not.toContain(
      'sealed',
    );
  });

  it('does not ask a model for thoughts that has none', () => {
    const { body } = written('chat', { messages: [{ role: 'user', content: 'hi' }] }, 'gpt-4o');

    expect(body).toEqual({
      model: 'gpt-4o',
      input: [{ type: 'message', role: 'user', content: 'hi' }],
      store: false,
    });
  });
});
