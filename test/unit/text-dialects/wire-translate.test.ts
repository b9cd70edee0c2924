import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  createStreamTranslator,
  gatherCompletion,
  passThroughMemory,
  replayCompletion,
  translateCompletion,
  translateRequest,
  UpstreamFailureError,
  type CompletionMemory,
  type Dialect,
  type Translation,
  type UpstreamFailure,
  type Usage,
} from '@gateway/text-dialects';
import {
  chatChunk,
  chatParts,
  chatStream,
  chatUsage,
  chatUsageChunk,
  messagesStream,
  messagesUsage,
  seed,
  splitAt,
} from './wire-samples.ts';

const memory = passThroughMemory({
  stream: true,
  completion: { includeUsage: true },
  inputEstimate: 12,
});

function aTranslation(
  client: Dialect,
  upstream: Dialect,
  more: Partial<CompletionMemory> = {},
): Translation & { readonly client: Dialect } {
  let made = 0;
  return {
    client,
    upstream,
    memory: { ...memory, ...more },
    identity: { model: 'mine', created: 1, newSuffix: () => `suffix${(made += 1)}` },
  };
}
const toMessages = () => aTranslation('messages', 'chat');
const toChat = () => aTranslation('chat', 'messages');

function translate(translation: Translation, pieces: readonly (Buffer | string)[]) {
  const translator = createStreamTranslator(translation);
  const text = [
    ...pieces.map((piece) => translator.push(Buffer.from(piece))),
    translator.end(),
  ].join('');
  const { finished, failed, completed, cut, outputBytes } = translator;
  return { text, usage: translator.usage(), finished, failed, completed, cut, outputBytes };
}

const eventsIn = (text: string): string[] =>
  [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name!);
const dataIn = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(
    ([, json]) => JSON.parse(json!) as Record<string, unknown>,
  );
function failureOf(work: () => unknown): UpstreamFailure {
  try {
    work();
  } catch (error) {
    if (error instanceof UpstreamFailureError) return error.failure;
    throw error;
  }
  throw new Error('nothing failed');
}

describe('translating a stream', () => {
  it.each([
    ['chat for a messages client', toMessages, chatStream],
    ['messages for a chat client', toChat, messagesStream],
  ])('gives the same for any split of the bytes: %s', (_name, translation, stream) => {
    const bytes = Buffer.from(stream);
    const whole = translate(translation(), [bytes]);

    expect(whole).toMatchObject({ finished: true, failed: false, completed: true, cut: false });
    expect(
      translate(
        translation(),
        [...bytes].map((byte) => Buffer.of(byte)),
      ),
    ).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        expect(translate(translation(), splitAt(bytes, places))).toEqual(whole);
      }),
      { seed, numRuns: 100 },
    );
  });

  it('tells figures and amount, and the client’s name of the model', () => {
    const chat = translate(toMessages(), [chatStream]);
    const messages = translate(toChat(), [messagesStream]);

    expect([chat.usage, messages.usage]).toEqual([chatUsage, messagesUsage]);
    expect(chat.outputBytes).toBe(
      Buffer.byteLength('Grüße \u{1F600} [DONE] "usage":{} model{"model":"x"}'),
    );
    expect(dataIn(chat.text)[0]).toMatchObject({
      type: 'message_start',
      message: { model: 'mine' },
    });
    expect(dataIn(messages.text).every(({ model }) => model === 'mine')).toBe(true);
  });

  it('ends a chat stream with [DONE] and a messages stream with message_stop', () => {
    expect(translate(toChat(), [messagesStream]).text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(eventsIn(translate(toMessages(), [chatStream]).text).slice(-2)).toEqual([
      'message_delta',
      'message_stop',
    ]);
  });

  it('never makes a cut stream look whole, wherever it is cut', () => {
    const unfinished = Buffer.byteLength(
      chatStream.slice(0, chatStream.indexOf('"finish_reason":"tool_calls"')),
    );
    fc.assert(
      fc.property(fc.nat(unfinished), (length) => {
        const { text, failed } = translate(toMessages(), [
          Buffer.from(chatStream).subarray(0, length),
        ]);

        expect({
          failed,
          last: eventsIn(text).at(-1),
          stopped: text.includes('message_stop\n'),
          truncated: text.includes('closed the stream'),
        }).toEqual({ failed: true, last: 'error', stopped: false, truncated: true });
      }),
      { seed, numRuns: 200 },
    );
    const messages = translate(toChat(), [
      messagesStream.slice(0, messagesStream.indexOf('event: message_delta')),
    ]);

    expect(messages.failed).toBe(true);
    expect(dataIn(messages.text).at(-1)).toHaveProperty('error');
    expect(messages.text).not.toContain('[DONE]\n');
  });

  it('closes a chat completion that has finished but whose upstream neither reports usage nor ends', () => {
    const translator = createStreamTranslator(toMessages());
    translator.push(Buffer.from(chatParts.join('')));

    expect({ completed: translator.completed, finished: translator.finished }).toEqual({
      completed: true,
      finished: false,
    });
    expect(eventsIn(translator.end()).at(-1)).toBe('message_stop');
    expect(translator).toMatchObject({ finished: true, failed: false });
  });

  it.each([
    [
      'an OpenAI error chunk',
      'data: {"error":{"message":"busy","type":"server_error","code":503}}\n\n',
    ],
    [
      'a vLLM error chunk',
      'data: {"object":"error","message":"busy","type":"ServiceUnavailable","code":503}\n\n',
    ],
  ])('tells %s as an error event and nothing behind it', (_name, chunk) => {
    const { text, failed, finished } = translate(toMessages(), [
      chatParts.slice(0, 3).join(''),
      chunk,
      chatStream,
    ]);

    expect({ failed, finished, last: eventsIn(text).slice(-2) }).toEqual({
      failed: true,
      finished: true,
      last: ['content_block_stop', 'error'],
    });
    expect(dataIn(text).at(-1)).toMatchObject({
      error: { message: 'busy', type: 'overloaded_error' },
    });
  });

  it('tells an error event of a messages upstream as an error chunk', () => {
    const { text } = translate(toChat(), [
      messagesStream.slice(0, 700),
      '\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ]);

    expect(dataIn(text).at(-1)).toMatchObject({
      error: { message: 'Overloaded', code: 'overloaded' },
    });
  });

  it('writes an error of the gateway once, and then nothing', () => {
    const translator = createStreamTranslator(toChat());
    translator.push(Buffer.from(messagesStream.slice(0, 700)));
    const failure: UpstreamFailure = { status: 504, code: 'timeout', message: 'too slow' };

    expect(dataIn(translator.fail(failure))).toMatchObject([
      { error: { message: 'too slow', code: 'upstream_timeout' } },
    ]);
    expect([
      translator.fail(failure),
      translator.push(Buffer.from(messagesStream)),
      translator.end(),
    ]).toEqual(['', '', '']);
  });

  it('cuts at a stop sequence that the upstream did not take, across chunks, and asks to abort', () => {
    const chunks = ['one HA', 'LT two', 'three'].map((content) =>
      chatChunk([{ index: 0, delta: { content }, finish_reason: null }]),
    );
    const { text, cut, finished, usage } = translate(
      aTranslation('messages', 'chat', { emulatedStops: ['HALT'], stops: ['HALT'] }),
      chunks,
    );

    expect({ cut, finished, estimated: usage?.estimated }).toEqual({
      cut: true,
      finished: true,
      estimated: true,
    });
    expect(
      dataIn(text)
        .flatMap(({ delta }) => (delta as { text?: string } | undefined)?.text ?? [])
        .join(''),
    ).toBe('one ');
    expect(dataIn(text).at(-2)).toMatchObject({
      delta: { stop_reason: 'stop_sequence', stop_sequence: 'HALT' },
    });
  });

  it('turns an event past the limit into an error event', () => {
    const translator = createStreamTranslator(toMessages());
    const piece = Buffer.alloc(17 * 1024 * 1024, 'x');

    expect(eventsIn(translator.push(piece))).toEqual(['error']);
    expect(translator).toMatchObject({ finished: true, failed: true });
  });
});

/** A completion that we wrote names a tier and what is cached for an hour; the stream did not. */
const tokensOf = <Told extends { readonly usage: Usage | null }>(told: Told) => ({
  ...told,
  usage: { ...told.usage, serviceTier: undefined, cacheWrite1hTokens: undefined },
});

describe('an upstream that completions in the other way than asked', () => {
  it.each([
    ['chat for messages', toMessages, chatStream],
    ['messages for chat', toChat, messagesStream],
  ])(
    'a stream gathered, and that completion told as a stream, say what the stream says: %s',
    (_name, translation, stream) => {
      const { client, upstream } = translation();
      const gathered = gatherCompletion({ ...translation(), body: Buffer.from(stream) });
      const body = Buffer.from(
        gatherCompletion({ ...aTranslation(upstream, upstream), body: Buffer.from(stream) }).body,
      );
      const replayed = translate(aTranslation(upstream, client), [
        replayCompletion({ ...translation(), body }),
      ]);

      expect(tokensOf(translateCompletion({ ...translation(), body }))).toEqual(tokensOf(gathered));
      expect(
        translate(aTranslation(client, client), [replayCompletion({ ...translation(), body })]),
      ).toMatchObject({ failed: false, finished: true });
      expect(tokensOf(replayed)).toMatchObject({ usage: tokensOf(gathered).usage });
    },
  );

  it('fails to gather a stream that was cut or tells an error', () => {
    const cut = Buffer.from(chatParts.slice(0, 3).join(''));
    const failing = Buffer.from('data: {"error":{"message":"busy","code":503}}\n\n');

    expect(failureOf(() => gatherCompletion({ ...toMessages(), body: cut }))).toMatchObject({
      code: 'truncated',
    });
    expect(failureOf(() => gatherCompletion({ ...toMessages(), body: failing }))).toMatchObject({
      code: 'overloaded',
    });
  });

  it.each<[string, Translation, string, string]>([
    ['an HTML page', toMessages(), '<html></html>', 'server_error'],
    [
      'an error object under status 200',
      toMessages(),
      '{"error":{"message":"busy","code":503}}',
      'overloaded',
    ],
    [
      'an error object under status 200, from a messages upstream',
      toChat(),
      '{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
      'overloaded',
    ],
    ['null', toChat(), 'null', 'server_error'],
  ])('takes %s for a failure', (_name, translation, text, code) => {
    expect(
      failureOf(() => translateCompletion({ ...translation, body: Buffer.from(text) })),
    ).toMatchObject({ code });
  });
});

describe('translating a request', () => {
  const upstream = { vendor: 'generic', overrides: {} } as const;

  it('has the upstream’s model and the conversation, and names once what was lost: messages to chat', () => {
    const body = {
      model: 'mine',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
      diagnostics: { previous_message_id: 'm' },
      top_k: 5,
    };
    const written = translateRequest('messages', body, {
      ...upstream,
      dialect: 'chat',
      model: 'gpt-4o',
    });

    expect(written.body).toMatchObject({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(written.dropped).toEqual([...new Set(written.dropped)]);
    expect(written.dropped).toContain('diagnostics');
  });

  it('bounds the completion by the model’s limit: chat to messages', () => {
    const body = {
      model: 'mine',
      max_tokens: 90_000,
      messages: [{ role: 'user', content: 'hi' }],
      seed: 4,
    };
    const written = translateRequest('chat', body, {
      ...upstream,
      dialect: 'messages',
      model: 'claude-sonnet-4-5',
      maxOutputTokens: 64_000,
    });

    expect(written.body).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 64_000 });
    expect(written.dropped).toContain('seed');
  });
});

describe('a last event without the blank line behind it', () => {
  it.each([
    [
      'chat for a messages client',
      toMessages,
      'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}',
    ],
    [
      'messages for a chat client',
      toChat,
      'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
    ],
  ])('may be what completes the stream: %s', (_name, translation, event) => {
    for (const end of ['', '\n']) {
      expect(translate(translation(), [event + end])).toMatchObject({
        finished: true,
        failed: false,
      });
    }
  });
});

describe('a usage chunk behind [DONE]', () => {
  it('still counts', () => {
    const { text, usage } = translate(toMessages(), [
      chatParts.join(''),
      'data: [DONE]\n\n',
      chatUsageChunk,
    ]);

    expect(usage).toMatchObject({ outputTokens: 9 });
    expect(eventsIn(text).at(-1)).toBe('message_stop');
  });
});
