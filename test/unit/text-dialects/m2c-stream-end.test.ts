import { describe, expect, it } from '@jest/globals';
import { createChatStreamReader } from '../../../packages/text-dialects/src/chat/read-stream.ts';
import { createMessagesStreamWriter } from '../../../packages/text-dialects/src/messages/write-stream.ts';
import {
  aMemory,
  anIdentity,
  chunk,
  eventsFrom,
  finishChunk,
  messageFrom,
  quirksOf,
  toolChunk,
  usageChunk,
  type Json,
} from './m2c-samples.ts';
import { readMessage } from './messages-grammar.ts';

const call: Json = {
  index: 0,
  id: 'a',
  type: 'function',
  function: { name: 'f', arguments: '{"x":1}' },
};
const text = chunk({ content: 'a' });
const done = [usageChunk(), '[DONE]'];

describe('the end of a chat stream, as a messages client sees it', () => {
  it.each<[string, readonly string[], Json]>([
    [
      'stop as end_turn',
      [text, finishChunk('stop')],
      { stop_reason: 'end_turn', stop_sequence: null },
    ],
    [
      'length as max_tokens',
      [text, finishChunk('length')],
      { stop_reason: 'max_tokens', stop_sequence: null },
    ],
    [
      'length with a call that is not complete as max_tokens',
      [toolChunk({ ...call, function: { name: 'f', arguments: '{"x"' } }), finishChunk('length')],
      { stop_reason: 'max_tokens', stop_sequence: null },
    ],
    [
      'stop with a call as tool_use',
      [toolChunk(call), finishChunk('stop')],
      { stop_reason: 'tool_use', stop_sequence: null },
    ],
    [
      'a call behind the finish reason as tool_use',
      [text, finishChunk('stop'), toolChunk(call)],
      { stop_reason: 'tool_use', stop_sequence: null },
    ],
    [
      'tool_calls without a call as end_turn',
      [text, finishChunk('tool_calls')],
      { stop_reason: 'end_turn', stop_sequence: null },
    ],
    [
      'content_filter as refusal',
      [text, finishChunk('content_filter')],
      {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: null },
      },
    ],
    [
      "the model's own refusal as refusal",
      [chunk({ refusal: 'No.' }), finishChunk('stop')],
      {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: null, explanation: 'No.' },
      },
    ],
    [
      "vLLM's matched stop string as stop_sequence",
      [text, finishChunk('stop', { stop_reason: 'END' })],
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    [
      "SGLang's matched stop string as stop_sequence",
      [text, finishChunk('stop', { matched_stop: 'END' })],
      { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    ],
    [
      'a token number as end_turn',
      [text, finishChunk('stop', { matched_stop: 151645 })],
      { stop_reason: 'end_turn', stop_sequence: null },
    ],
    [
      'a matched string that the client did not ask for as end_turn',
      [text, finishChunk('stop', { stop_reason: '</tool>' })],
      { stop_reason: 'end_turn', stop_sequence: null },
    ],
    [
      'a leaked end_turn as end_turn',
      [text, finishChunk('end_turn')],
      { stop_reason: 'end_turn', stop_sequence: null },
    ],
    [
      'an unknown reason as end_turn',
      [text, finishChunk('whatever')],
      { stop_reason: 'end_turn', stop_sequence: null },
    ],
  ])('tells %s', (_case, lines, delta) => {
    expect(messageFrom([...lines, ...done], { memory: { stops: ['END'] } }).delta).toEqual(delta);
  });

  it.each<[string, readonly string[]]>([
    ['without [DONE]', [text, finishChunk('stop'), usageChunk()]],
    [
      'with the usage on the finish chunk',
      [
        text,
        chunk({}, { finish_reason: 'stop' }, { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
        '[DONE]',
      ],
    ],
    [
      'with growing usage on every chunk',
      [
        chunk({ content: 'a' }, {}, { usage: { prompt_tokens: 7, completion_tokens: 1 } }),
        chunk({}, { finish_reason: 'stop' }, { usage: { prompt_tokens: 7, completion_tokens: 3 } }),
        '[DONE]',
      ],
    ],
    ['with the usage behind [DONE]', [text, finishChunk('stop'), '[DONE]', usageChunk()]],
    [
      'with an empty finish reason on every chunk',
      [chunk({ content: 'a' }, { finish_reason: '' }), finishChunk('stop'), ...done],
    ],
  ])('is proper %s', (_case, lines) => {
    expect(messageFrom(lines)).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 7, output_tokens: 3 },
    });
  });

  it('comes with the usage behind [DONE], before the upstream closes', () => {
    const reader = createChatStreamReader({
      memory: aMemory(),
      identity: anIdentity(),
      quirks: quirksOf('openai'),
    });
    const types = [text, finishChunk('stop'), '[DONE]', usageChunk()].map((data) =>
      reader.push({ event: undefined, data }).map(({ type }) => type),
    );

    expect(types).toEqual([['start', 'text'], ['finish'], [], ['usage', 'end']]);
  });

  it('has the reason that fits what came, for whoever meters it', () => {
    const reasonOf = (lines: readonly string[]): unknown =>
      eventsFrom([...lines, ...done]).find(({ type }) => type === 'finish');

    expect(reasonOf([toolChunk(call), finishChunk('stop')])).toEqual({
      type: 'finish',
      finish: { reason: 'tool_calls' },
    });
    expect(reasonOf([text, finishChunk('tool_calls')])).toEqual({
      type: 'finish',
      finish: { reason: 'stop' },
    });
  });

  it('is end_turn when calls are reported and none was written', () => {
    const writer = createMessagesStreamWriter({ memory: aMemory(), identity: anIdentity() });

    expect(
      readMessage(
        writer.write({ type: 'finish', finish: { reason: 'tool_calls' } }) +
          writer.write({ type: 'end' }),
      ).delta,
    ).toEqual({ stop_reason: 'end_turn', stop_sequence: null });
  });

  it('can be made by the caller when the upstream has finished and stays silent, with figures of our own', () => {
    expect(messageFrom([text, finishChunk('stop')])).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 11, output_tokens: 1 },
    });
  });

  it("tells the prompt's figures at the start when the upstream sends them early", () => {
    expect(
      messageFrom([
        chunk(
          { content: 'a' },
          {},
          {
            usage: {
              prompt_tokens: 9,
              completion_tokens: 0,
              prompt_tokens_details: { cached_tokens: 4 },
            },
          },
        ),
        finishChunk('stop'),
        ...done,
      ]).start,
    ).toMatchObject({ usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 0 } });
  });

  it('counts cached tokens once', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 105,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };

    expect(messageFrom([text, finishChunk('stop'), usageChunk(usage), '[DONE]']).usage).toEqual({
      input_tokens: 30,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
      output_tokens: 5,
      output_tokens_details: { thinking_tokens: 2 },
    });
  });

  it.each<[string, readonly string[], Json]>([
    ['closes in the middle', [text], { type: 'api_error' }],
    [
      'closes in the middle of a tool',
      [toolChunk({ ...call, function: { name: 'f', arguments: '{"x"' } })],
      { type: 'api_error' },
    ],
    ['closes without a word', [], { type: 'api_error' }],
    ['says [DONE] without a finish reason', [text, '[DONE]'], { type: 'api_error' }],
    [
      'sends an error object',
      [
        text,
        JSON.stringify({ error: { message: 'slow down', type: 'rate_limit_error', code: 429 } }),
      ],
      { type: 'rate_limit_error', message: 'slow down' },
    ],
    [
      "sends vLLM's error object",
      [
        text,
        JSON.stringify({ object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }),
      ],
      { type: 'invalid_request_error', message: 'bad' },
    ],
    [
      'sends an error beside a choice',
      [
        chunk(
          { content: '' },
          { finish_reason: 'error' },
          { error: { code: 502, message: 'provider died' } },
        ),
      ],
      { type: 'api_error', message: 'provider died' },
    ],
    [
      'sends an error of the other dialect',
      [
        text,
        JSON.stringify({
          type: 'error',
          error: { type: 'overloaded_error', message: 'Overloaded' },
        }),
      ],
      { type: 'overloaded_error', message: 'Overloaded' },
    ],
    ['finishes with an error', [text, finishChunk('error')], { type: 'api_error' }],
    [
      'runs out of resources',
      [text, finishChunk('insufficient_system_resource')],
      { type: 'overloaded_error' },
    ],
    ['sends a line that is not JSON', [text, '{"id":'], { type: 'api_error' }],
    ['sends JSON that is no object', [text, '[1]'], { type: 'api_error' }],
  ])('is an error, and no proper end, when the upstream %s', (_case, lines, error) => {
    const message = messageFrom(lines);

    expect(message.error).toMatchObject(error);
    expect(message.delta).toBeUndefined();
  });

  it('says truncated to whoever decides what to do about it', () => {
    expect(eventsFrom([text]).at(-1)).toMatchObject({
      type: 'failure',
      failure: { code: 'truncated', status: 502 },
    });
  });

  it('accepts [DONE] without a finish reason from a vendor known for it', () => {
    const quirks = { doneWithoutFinish: true };

    expect(messageFrom([text, ...done], { quirks }).delta).toMatchObject({
      stop_reason: 'end_turn',
    });
    expect(messageFrom([toolChunk(call), ...done], { quirks }).delta).toMatchObject({
      stop_reason: 'tool_use',
    });
    expect(messageFrom(['[DONE]'], { quirks }).error).toMatchObject({ type: 'api_error' });
  });

  it('reports what was used before a failure, and nothing for one that came first', () => {
    const failure = JSON.stringify({ error: { message: 'no' } });

    expect(eventsFrom([text, usageChunk(), failure]).map(({ type }) => type)).toEqual([
      'start',
      'text',
      'usage',
      'failure',
    ]);
    expect(eventsFrom([failure]).map(({ type }) => type)).toEqual(['failure']);
  });

  it('is the last that is told', () => {
    expect(
      eventsFrom([text, finishChunk('stop'), ...done, text, '[DONE]']).map(({ type }) => type),
    ).toEqual(['start', 'text', 'finish', 'usage', 'end']);
  });
});
