import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  createPassThroughScanner,
  type PassThroughOptions,
  type PassThroughScanner,
} from '@gateway/text-dialects';
import { responseOf, responsesEvents } from './responses-samples.ts';
import {
  chatChunk,
  chatParts,
  chatStream,
  chatStreamWithoutUsage,
  chatUsage,
  chatUsageChunk,
  messagesStream,
  messagesUsage,
  seed,
  splitAt,
} from './wire-samples.ts';

const plain = { rewriteModel: null, stripUsageChunk: false };
const chat: PassThroughOptions = { dialect: 'chat', ...plain };
const messages: PassThroughOptions = { dialect: 'messages', ...plain };
const responses: PassThroughOptions = { dialect: 'responses', ...plain };
const responsesStream = responsesEvents({ model: 'up', store: false }).join('');
const asked: PassThroughOptions = {
  ...responses,
  rewriteModel: 'mine-é',
  response: { settings: { store: true, previous_response_id: 'resp_é' }, hidesThoughts: true },
};

/** The same stream as its client is to get it. */
const responsesAsAsked = responsesStream
  .replaceAll('"model":"up"', '"model":"mine-é"')
  .replaceAll('"store":false', '"store":true')
  .replaceAll('"previous_response_id":null', '"previous_response_id":"resp_é"')
  .replaceAll(/"encrypted_content":"\w+",/g, '');

const told = (scanner: PassThroughScanner) => ({
  usage: scanner.usage(),
  finished: scanner.finished,
  failed: scanner.failed,
  atBoundary: scanner.atBoundary,
  outputBytes: scanner.outputBytes,
});

function pass(options: PassThroughOptions, pieces: readonly Buffer[]) {
  const scanner = createPassThroughScanner(options);
  const forwarded = [...pieces.map((piece) => scanner.push(piece)), scanner.end()].filter(
    (bytes) => bytes !== null,
  );
  return { text: Buffer.concat(forwarded).toString(), ...told(scanner) };
}
const passText = (options: PassThroughOptions, text: string) => pass(options, [Buffer.from(text)]);

describe('a stream of the client’s own dialect', () => {
  it.each([
    ['messages', messages, messagesStream],
    ['chat', chat, chatStream],
    ['responses', responses, responsesStream],
  ])('is forwarded as the very same Buffers: %s', (_name, options, stream) => {
    const scanner = createPassThroughScanner(options);

    for (const piece of splitAt(Buffer.from(stream), [5, 100, 101, 350, 700])) {
      expect(scanner.push(piece)).toBe(piece);
    }
    expect(scanner.end()).toBeNull();
  });

  it.each<[string, PassThroughOptions, string, string]>([
    ['messages', messages, messagesStream, messagesStream],
    [
      'messages with another name',
      { ...messages, rewriteModel: 'mine-é' },
      messagesStream,
      messagesStream.replace('claude-up', 'mine-é'),
    ],
    ['chat', chat, chatStream, chatStream],
    [
      'chat with another name',
      { ...chat, rewriteModel: 'mine-é' },
      chatStream,
      chatStream.replaceAll('gpt-up', 'mine-é'),
    ],
    [
      'chat without the usage chunk',
      { ...chat, stripUsageChunk: true },
      chatStream,
      chatStreamWithoutUsage,
    ],
    [
      'chat with CRLF, both',
      { ...chat, rewriteModel: 'mine', stripUsageChunk: true },
      chatStream.replaceAll('\n', '\r\n'),
      chatStreamWithoutUsage.replaceAll('\n', '\r\n').replaceAll('gpt-up', 'mine'),
    ],
    ['responses', responses, responsesStream, responsesStream],
    ['responses that say what was asked', asked, responsesStream, responsesAsAsked],
    [
      'responses with CRLF',
      asked,
      responsesStream.replaceAll('\n', '\r\n'),
      responsesAsAsked.replaceAll('\n', '\r\n'),
    ],
    [
      'a last line without its end',
      { ...chat, rewriteModel: 'mine' },
      chatStream.trimEnd(),
      chatStream.trimEnd().replaceAll('gpt-up', 'mine'),
    ],
  ])('gives the same bytes and facts for any split: %s', (_name, options, stream, expected) => {
    const bytes = Buffer.from(stream);
    const whole = pass(options, [bytes]);

    expect(whole.text).toBe(expected);
    expect(
      pass(
        options,
        [...bytes].map((byte) => Buffer.of(byte)),
      ),
    ).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        expect(pass(options, splitAt(bytes, places))).toEqual(whole);
      }),
      { seed, numRuns: 200 },
    );
  });

  it.each<[string, PassThroughOptions, string, string]>([
    ['a stream of responses', asked, responsesStream, responsesAsAsked],
    ['a chat stream', { ...chat, stripUsageChunk: true }, chatStream, chatStreamWithoutUsage],
  ])('changes %s of which each event comes alone', (_name, options, stream, changed) => {
    const events = stream.split(/(?<=\n\n)/).map((event) => Buffer.from(event));

    expect(events.length).toBeGreaterThan(4);
    expect(pass(options, events).text).toBe(changed);
  });

  it('tells usage, end and amount of a messages stream', () => {
    const text = 'Grüße \u{1F600}, say \\"model\\":\\"x\\" and \\"message_stop\\"{\\"usage\\":1}';

    expect(passText(messages, messagesStream)).toMatchObject({
      usage: messagesUsage,
      finished: true,
      failed: false,
      atBoundary: true,
      outputBytes: Buffer.byteLength(JSON.parse(`"${text}"`) as string),
    });
  });

  it('tells usage, end and amount of a chat stream', () => {
    const text = 'Grüße \u{1F600} [DONE] \\"usage\\":{} model{\\"model\\":\\"x\\"}';

    expect(passText(chat, chatStream)).toMatchObject({
      usage: chatUsage,
      finished: true,
      failed: false,
      atBoundary: true,
      outputBytes: Buffer.byteLength(JSON.parse(`"${text}"`) as string),
    });
  });

  it.each([
    ['written as it is', '春眠不觉晓'],
    ['written as escapes', '\\u6625\\u7720\\u4e0d\\u89c9\\u6653'],
    ['escaped beyond the basic plane', '\\ud83d\\ude00\\u00fc\\n'],
  ])('counts a text in the bytes it stands for: %s', (_name, text) => {
    const chunk = `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`;

    expect(passText(chat, chunk).outputBytes).toBe(
      Buffer.byteLength(JSON.parse(`"${text}"`) as string),
    );
  });

  it('tells usage, end and amount of a stream of responses', () => {
    expect(passText(responses, responsesStream)).toMatchObject({
      usage: { inputTokens: 11, cachedInputTokens: 5, outputTokens: 7, reasoningTokens: 3 },
      finished: true,
      failed: false,
      atBoundary: true,
      outputBytes: 'Let me think.Hello there.'.length,
    });
    expect(passText(responses, responsesStream.slice(0, -300))).toMatchObject({ finished: false });
  });

  it.each([
    [
      'a failed response',
      true,
      'data: {"type":"response.failed","response":{"status":"failed"}}\n\n',
    ],
    ['an error', false, 'event: error\ndata: {"type": "error","code":"x","message":"y"}\n\n'],
  ])('notices %s, and whether something follows', (_name, ended, event) => {
    expect(passText(responses, event)).toMatchObject({ failed: true, finished: false });
    const scanner = createPassThroughScanner(responses);
    scanner.push(Buffer.from(event));
    expect(scanner.ended).toBe(ended);
  });

  it('hands a whole response over once, with its thoughts, whatever its client sees', () => {
    const whole: unknown[] = [];
    const response = { ...asked.response!, onResponse: (each: unknown) => whole.push(each) };

    passText({ ...asked, response }, responsesStream);

    expect(whole).toEqual([
      { ...responseOf({ model: 'mine-é' }), store: true, previous_response_id: 'resp_é' },
    ]);
  });

  it('tells a failure on behind what it has told', () => {
    const scanner = createPassThroughScanner(asked);
    scanner.push(Buffer.from(responsesEvents({ store: false }).slice(0, 3).join('')));

    const [error, failed] = scanner
      .failure({ status: 502, code: 'truncated', message: 'cut' }, 'req_1')
      .split('\n\n')
      .map((event) => JSON.parse(event.split('\ndata: ')[1] ?? 'null') as object | null);

    expect(error).toMatchObject({ type: 'error', sequence_number: 3, message: 'cut' });
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: 4,
      response: { model: 'mine-é', store: true, status: 'failed', error: { message: 'cut' } },
    });
  });

  it('keeps the usage of a chunk that the client does not see', () => {
    expect(passText({ ...chat, stripUsageChunk: true }, chatStream).usage).toEqual(chatUsage);
  });

  it.each([
    ['Azure’s first chunk without choices', chatChunk([], { prompt_filter_results: [] })],
    [
      'usage on the finish chunk',
      chatChunk([{ index: 0, delta: {}, finish_reason: 'stop' }], {
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      }),
    ],
  ])('forwards %s also when the usage chunk is not the client’s', (_name, chunk) => {
    expect(passText({ ...chat, stripUsageChunk: true }, chunk).text).toBe(chunk);
  });

  it.each([
    [
      'cumulative, on every chunk: the last counts',
      [1, 5, 9]
        .map((count) =>
          chatChunk([{ index: 0, delta: { content: 'x' } }], {
            usage: {
              prompt_tokens: 30,
              completion_tokens: count,
              prompt_tokens_details: { cached_tokens: 10 },
            },
          }),
        )
        .join(''),
    ],
    ['behind [DONE]', `data: [DONE]\n\n${chatUsageChunk}`],
    ['with spaces after the colons', chatUsageChunk.replaceAll('":', '": ')],
    [
      'inside the choice',
      chatChunk([
        {
          index: 0,
          delta: {},
          finish_reason: 'stop',
          usage: { prompt_tokens: 30, completion_tokens: 9, cached_tokens: 10 },
        },
      ]),
    ],
  ])('finds usage %s', (_name, stream) => {
    expect(passText(chat, stream).usage).toEqual(chatUsage);
  });

  it('merges usage of message_start and message_delta, where null says nothing and a figure replaces', () => {
    const stream =
      'data: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\ndata: {"type":"message_delta","delta":{},"usage":{"input_tokens":12,"output_tokens":null}}\n\n';

    expect(passText(messages, stream).usage).toMatchObject({ inputTokens: 12, outputTokens: 1 });
  });

  it.each<[string, PassThroughOptions, string, { finished: boolean; failed: boolean }]>([
    [
      'a chat stream that was cut',
      chat,
      chatParts.slice(0, -1).join(''),
      { finished: false, failed: false },
    ],
    [
      'a chat stream that ends with a finish reason only',
      chat,
      chatParts.join(''),
      { finished: true, failed: false },
    ],
    [
      'finish_reason "" on content chunks',
      chat,
      chatChunk([{ index: 0, delta: { content: 'x' }, finish_reason: '' }]),
      { finished: false, failed: false },
    ],
    [
      'a messages stream that was cut',
      messages,
      messagesStream.slice(0, messagesStream.indexOf('event: message_stop')),
      { finished: false, failed: false },
    ],
    [
      'a text that is the name of the end',
      messages,
      'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"message_stop"}}\n\n',
      { finished: false, failed: false },
    ],
    [
      'a text that is [DONE]',
      chat,
      chatChunk([{ index: 0, delta: { content: '[DONE]' } }]),
      { finished: false, failed: false },
    ],
    [
      'a text that is the word error',
      chat,
      chatChunk([{ index: 0, delta: { content: 'error' } }]),
      { finished: false, failed: false },
    ],
    [
      'error: null',
      chat,
      chatChunk([{ index: 0, delta: {} }], { error: null }),
      { finished: false, failed: false },
    ],
    [
      'an error chunk',
      chat,
      'data: {"error":{"message":"x"}}\n\n',
      { finished: false, failed: true },
    ],
    [
      'an error chunk of vLLM',
      chat,
      'data: {"object":"error","message":"x","code":500}\n\n',
      { finished: false, failed: true },
    ],
    [
      'an error chunk of OpenRouter',
      chat,
      chatChunk([{ index: 0, delta: {}, finish_reason: 'error' }], {
        error: { code: 502, message: 'x' },
      }),
      { finished: true, failed: true },
    ],
    [
      'an error event',
      messages,
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
      { finished: false, failed: true },
    ],
  ])('tells the end of %s', (_name, options, stream, expected) => {
    expect(passText(options, stream)).toMatchObject({ text: stream, ...expected });
  });

  it('may take a ping only between events', () => {
    const scanner = createPassThroughScanner(chat);
    const seen = ['', 'data: {', '"a":1}', '\n', '\n', ': c\n', '\n', 'data: x\r\n\r', '\n'].map(
      (piece) => {
        scanner.push(Buffer.from(piece));
        return scanner.atBoundary;
      },
    );

    expect(seen).toEqual([true, false, false, false, true, false, true, false, true]);
  });

  it('holds back no more than an unfinished line while it renames the model', () => {
    const scanner = createPassThroughScanner({ ...chat, rewriteModel: 'mine' });

    expect(scanner.push(Buffer.from('data: {"model":'))).toBeNull();
    expect(scanner.push(Buffer.from('"gpt-up"}\n\ndata: {"a'))?.toString()).toBe(
      'data: {"model":"mine"}\n\n',
    );
    expect(scanner.atBoundary).toBe(true);
    expect(scanner.end()?.toString()).toBe('data: {"a');
  });

  it('holds back nothing of a messages stream once the model was named', () => {
    const scanner = createPassThroughScanner({ ...messages, rewriteModel: 'mine' });
    scanner.push(
      Buffer.from('data: {"type":"message_start","message":{"model":"claude-up"}}\n\nev'),
    );
    const piece = Buffer.from('ent: ping\nda');

    expect(scanner.push(piece)).toBe(piece);
    expect(scanner.end()).toBeNull();
  });

  it('renames a model that stands behind other fields than before', () => {
    const stream =
      'data: {"id":"1","model":"gpt-up","x":1}\n\ndata: {"x":{"model":"gpt-up"},"id":"2","model":"gpt-up"}\n\n';

    expect(passText({ ...chat, rewriteModel: 'mine' }, stream).text).toBe(
      'data: {"id":"1","model":"mine","x":1}\n\ndata: {"x":{"model":"gpt-up"},"id":"2","model":"mine"}\n\n',
    );
  });

  it('forwards a line without end instead of keeping it', () => {
    const scanner = createPassThroughScanner({ ...chat, rewriteModel: 'mine' });
    const piece = Buffer.from(`data: ${'x'.repeat(9 * 1024 * 1024)}`);

    expect(scanner.push(piece)).toBeNull();
    expect(scanner.push(piece)?.length).toBe(2 * piece.length);
  });
});

describe('a last event of more than 16 MiB', () => {
  const words = 'x'.repeat(17 * 1024 * 1024);
  const stream = Buffer.from(
    responsesStream.replace(/"output":\[\{(?!.*"output":\[\{)/s, `"words":"${words}",$&`),
  );
  const pieces = Array.from({ length: Math.ceil(stream.length / 65_536) }, (_unused, number) =>
    stream.subarray(number * 65_536, (number + 1) * 65_536),
  );

  it.each([
    ['watched', responses],
    ['changed', asked],
  ])('passes unseen, and ends its response: %s', (_how, options) => {
    const { text, ...seen } = pass(options, pieces);

    const end = (events: string): string => events.slice(events.lastIndexOf('event: '));
    // No message shows the difference of such texts.
    expect(end(text) === end(stream.toString())).toBe(true);
    expect(seen).toEqual({
      usage: null,
      finished: true,
      failed: false,
      atBoundary: true,
      outputBytes: passText(responses, responsesStream).outputBytes,
    });
  });
});
