import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { hello, messagesOf, read, translate } from './c2m-support.ts';

const call = (id: string, name = 'f', args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const completion = (id: string, content: unknown = `result of ${id}`) => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
const result = (id: string, content: unknown = `result of ${id}`) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const missing = (id: string) => ({ ...result(id, '(no result provided)'), is_error: true });
const use = (id: string, name = 'f', input: unknown = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const textOf = (value: string) => ({ type: 'text', text: value });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const refusal = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return GatewayError.is(thrown) ? [thrown.code, thrown.param] : thrown;
  }
};

describe('tool results of a chat conversation', () => {
  it("join one user turn, with the user's next words behind them", () => {
    expect(
      messagesOf([
        hello,
        calling('a', 'b'),
        completion('a'),
        completion('b'),
        { role: 'user', content: 'And?' },
      ]).slice(1),
    ).toEqual([assistant(use('a'), use('b')), user(result('a'), result('b'), textOf('And?'))]);
  });

  it('stand right behind their call, in its order, wherever the client put them', () => {
    expect(
      messagesOf([
        hello,
        calling('a', 'b'),
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'And?' },
        completion('b'),
        completion('a'),
      ]).slice(1),
    ).toEqual([
      assistant(use('a'), use('b')),
      user(result('a'), result('b'), textOf('<system>\nBe brief.\n</system>'), textOf('And?')),
    ]);
    expect(
      messagesOf([hello, completion('a'), calling('a'), { role: 'user', content: 'And?' }]).slice(
        1,
      ),
    ).toEqual([assistant(use('a')), user(result('a'), textOf('And?'))]);
  });

  it('are made up as errors where they are missing', () => {
    expect(messagesOf([hello, calling('a', 'b'), completion('b')]).slice(1)).toEqual([
      assistant(use('a'), use('b')),
      user(missing('a'), result('b')),
    ]);
    expect(
      messagesOf([hello, calling('a'), { role: 'assistant', content: 'Well' }, hello]).slice(1),
    ).toEqual([
      assistant(use('a')),
      user(missing('a')),
      assistant(textOf('Well')),
      user(textOf('Hello')),
    ]);
  });

  it("become the user's text when no call has their id", () => {
    expect(messagesOf([hello, completion('x')])).toEqual([
      user(
        textOf('Hello'),
        textOf('[result of a tool call that is not in this conversation: x]'),
        textOf('result of x'),
      ),
    ]);
  });

  it('count once when they are told twice, the last', () => {
    expect(
      messagesOf([hello, calling('a'), completion('a', 'old'), completion('a', 'new')]).at(-1),
    ).toEqual(user(result('a', 'new')));
  });

  it('are text where they came before their call, which has another one behind it', () => {
    expect(
      messagesOf([hello, completion('a', 'old'), calling('a'), completion('a', 'new')]),
    ).toEqual([
      user(
        textOf('Hello'),
        textOf('[result of a tool call that is not in this conversation: a]'),
        textOf('old'),
      ),
      assistant(use('a')),
      user(result('a', 'new')),
    ]);
  });

  it('stay apart when an id is used again, since ids of this dialect are unique', () => {
    expect(
      messagesOf([
        hello,
        calling('a'),
        completion('a', '1'),
        calling('a'),
        completion('a', '2'),
      ]).slice(1),
    ).toEqual([
      assistant(use('a')),
      user(result('a', '1')),
      assistant(use('a_2')),
      user(result('a_2', '2')),
    ]);
    expect(messagesOf([hello, calling('a'), calling('a'), completion('a', '2')]).slice(1)).toEqual([
      assistant(use('a')),
      user(missing('a')),
      assistant(use('a_2')),
      user(result('a_2', '2')),
    ]);
    expect(
      messagesOf([hello, calling('a', 'a'), completion('a', '1'), completion('a', '2')]).at(-1),
    ).toEqual(user(result('a', '1'), result('a_2', '2')));
  });

  it('pair 20,000 calls without looking at each pair', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) =>
      index % 2 === 0 ? 'same' : `id${index}`,
    );
    const startMs = performance.now();
    messagesOf([hello, calling(...ids), ...ids.map((id) => completion(id))]);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });

  it("are found by the function's name in the legacy spelling", () => {
    const messages = [
      hello,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"x":1}' } },
      { role: 'function', name: 'f', content: '1' },
    ];
    expect(messagesOf([...messages, ...messages.slice(1)]).slice(1)).toEqual([
      assistant(use('call', 'f', { x: 1 })),
      user(result('call', '1')),
      assistant(use('call_2', 'f', { x: 1 })),
      user(result('call_2', '1')),
    ]);
  });

  it('may be empty, several texts or pictures', () => {
    const parts = [textOf('one'), textOf('two')];
    expect(
      messagesOf([hello, calling('a', 'b'), completion('a', ''), completion('b', parts)]).at(-1),
    ).toEqual(user(result('a', ''), result('b', parts)));
  });
});

describe('ids and arguments of calls', () => {
  it("get ids of the dialect's alphabet, the same for call and result and never two alike", () => {
    const messages = messagesOf([
      hello,
      calling('functions.f:0', 'functions_f.0', 'ok-1'),
      completion('functions.f:0'),
      completion('functions_f.0'),
      completion('ok-1'),
    ]);
    const ids = messages[1]!.content.map(({ id }) => id);
    expect(ids[0]).toMatch(/^functions_f_0_[0-9a-f]{6}$/);
    expect(ids[2]).toBe('ok-1');
    expect(new Set(ids).size).toBe(3);
    expect(messages[2]!.content.map(({ tool_use_id: id }) => id)).toEqual(ids);
    expect(messagesOf([hello, calling('functions.f:0')])[1]!.content[0]!.id).toBe(ids[0]);
    // An id that is the changed form of another stays, and the other gets a longer one.
    const [changed, same] = messagesOf([hello, calling('functions.f:0', ids[0]!)])[1]!.content;
    expect([same!.id, changed!.id]).toEqual([
      ids[0],
      expect.stringMatching(/^functions_f_0_[0-9a-f]{12}$/),
    ]);
  });

  it.each([
    ['', {}],
    ['  ', {}],
    ['null', {}],
    ['{"a":1}', { a: 1 }],
    ['[1]', { value: [1] }],
    ['{"a":1', { a: 1 }],
    ['{"a":"x\ny",}', { a: 'x\ny' }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['{"a":1} and more', { a: 1 }],
    ['{"a":"b', { a: 'b' }],
    ['not json', { _raw: 'not json' }],
  ])('turn the arguments %j into an object', (args, input) => {
    expect(
      messagesOf([hello, { role: 'assistant', tool_calls: [call('a', 'f', args)] }])[1]!
        .content[0]!['input'],
    ).toEqual(input);
  });

  it("take arguments that are an object already, and custom tools' texts", () => {
    expect(
      messagesOf([
        hello,
        {
          role: 'assistant',
          tool_calls: [
            call('a', 'f', { x: 1 }),
            { id: 'b', type: 'custom', custom: { name: 'g', input: 'SELECT 1' } },
          ],
        },
      ])[1]!.content,
    ).toEqual([use('a', 'f', { x: 1 }), use('b', 'g', { input: 'SELECT 1' })]);
  });
});

describe('instructions of a chat conversation', () => {
  it('go to system when they lead, one block each with its cache mark', () => {
    const { body } = translate({
      messages: [
        { role: 'system', content: 'A' },
        {
          role: 'developer',
          content: [{ ...textOf('B'), cache_control: { type: 'ephemeral' } }, textOf(' ')],
        },
        hello,
      ],
    });
    expect(body['system']).toEqual([
      textOf('A'),
      { ...textOf('B'), cache_control: { type: 'ephemeral' } },
    ]);
    expect(body['messages']).toEqual([user(textOf('Hello'))]);
  });

  it("stay in their place later on: as the user's note, or as they are where the upstream takes them", () => {
    const messages = [
      hello,
      { role: 'assistant', content: 'Hi' },
      { role: 'system', content: 'Be brief.' },
      hello,
    ];
    expect(messagesOf(messages).at(-1)).toEqual(
      user(textOf('<system>\nBe brief.\n</system>'), textOf('Hello')),
    );
    expect(messagesOf(messages, { overrides: { system_turns: true } }).slice(2)).toEqual([
      { role: 'system', content: [textOf('Be brief.')] },
      user(textOf('Hello')),
    ]);
  });

  it('get a user turn beside them when they are all there is', () => {
    expect(translate({ messages: [{ role: 'system', content: 'A' }] }).body).toMatchObject({
      system: [textOf('A')],
      messages: [user(textOf('.'))],
    });
  });
});

describe('texts of a chat conversation', () => {
  it('are left out where they are empty, and a user who said nothing keeps the turn', () => {
    expect(
      messagesOf([{ role: 'user', content: [textOf(''), textOf('x'), textOf('\n')] }]),
    ).toEqual([user(textOf('x'))]);
    expect(messagesOf([{ role: 'user', content: '' }])).toEqual([user(textOf('.'))]);
    expect(messagesOf([hello, { role: 'assistant', content: '' }, hello])).toEqual([
      user(textOf('Hello'), textOf('Hello')),
    ]);
    expect(messagesOf([hello, { ...calling('a'), content: '' }, completion('a')])[1]).toEqual(
      assistant(use('a')),
    );
  });

  it('merge where one side speaks twice, and the user begins', () => {
    expect(
      messagesOf([
        { role: 'assistant', content: 'A' },
        { role: 'assistant', content: 'B' },
        hello,
        hello,
      ]),
    ).toEqual([
      user(textOf('.')),
      assistant(textOf('A'), textOf('B')),
      user(textOf('Hello'), textOf('Hello')),
    ]);
  });

  it('lose the blanks at the end of words that the model goes on from', () => {
    expect(messagesOf([hello, { role: 'assistant', content: 'Once upon \n' }]).at(-1)).toEqual(
      assistant(textOf('Once upon')),
    );
    expect(
      refusal(() =>
        messagesOf([hello, { role: 'assistant', content: 'Once' }], { model: 'claude-opus-4-7' }),
      ),
    ).toEqual(['unsupported_parameter', 'messages']);
  });

  it('name their speaker, and include refusals', () => {
    expect(
      messagesOf([
        { ...hello, name: 'Ann' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { role: 'assistant', content: null, refusal: 'Never.' },
        hello,
      ]),
    ).toEqual([
      user(textOf('Ann: Hello')),
      assistant(textOf('No.'), textOf('Never.')),
      user(textOf('Hello')),
    ]);
  });
});

describe('thoughts in a chat conversation', () => {
  const thought = { role: 'assistant', content: 'Yes', reasoning_content: 'Hm', reasoning: 'Hm' };

  it('are dropped without a signature, or told where the upstream takes them unsigned, once', () => {
    expect(messagesOf([hello, thought, hello])[1]).toEqual(assistant(textOf('Yes')));
    expect(
      messagesOf([hello, thought, hello], { vendor: 'deepseek', model: 'deepseek-chat' })[1],
    ).toEqual(assistant({ type: 'thinking', thinking: 'Hm', signature: '' }, textOf('Yes')));
  });

  it("survive unchanged with their signature, and not with the gateway's own marker or another vendor's", () => {
    const signed = (signature: string, format?: string) => ({
      role: 'assistant',
      content: 'Yes',
      reasoning_details: [{ type: 'reasoning.text', text: ' Hm\u0000 ', signature, format }],
    });
    expect(messagesOf([hello, signed('sig'), hello])[1]).toEqual(
      assistant({ type: 'thinking', thinking: ' Hm\u0000 ', signature: 'sig' }, textOf('Yes')),
    );
    expect(messagesOf([hello, signed('gw1.deepseek.ab'), hello])[1]).toEqual(
      assistant(textOf('Yes')),
    );
    expect(messagesOf([hello, signed('sig', 'google-gemini-v1'), hello])[1]).toEqual(
      assistant(textOf('Yes')),
    );
  });
});

describe('blocks of the messages dialect inside chat messages', () => {
  it('are understood', () => {
    const blocks = [
      { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      textOf('Wait'),
      use('a', 'f', { x: 1 }),
    ];
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    };
    const messages = [hello, assistant(...blocks), user(result('a', [image]), textOf('And?'))];
    expect(messagesOf(messages).slice(1)).toEqual([
      assistant(...blocks),
      user(result('a', [image]), textOf('And?')),
    ]);
  });

  it('keep four cache marks at most', () => {
    const marked = {
      ...textOf('x'),
      cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' },
    };
    const [turn] = messagesOf([user(marked, marked, marked, marked, marked)]);
    expect(turn!.content.map((part) => part.cache_control)).toEqual([
      ...Array.from({ length: 4 }, () => ({ type: 'ephemeral', ttl: '1h' })),
      undefined,
    ]);
  });
});

describe('a message that is not right', () => {
  it.each([
    [[], 'messages'],
    [[{ role: 'boss', content: 'x' }], 'messages[0].role'],
    [[{ role: 'constructor', content: 'x' }], 'messages[0].role'],
    [[{ role: 'user', content: 7 }], 'messages[0].content'],
    [[{ role: 'user', content: [{ text: 'x' }] }], 'messages[0].content[0]'],
    [[{ role: 'assistant', tool_calls: {} }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', tool_calls: [{ id: 'a' }] }], 'messages[0].tool_calls[0].function.name'],
    [
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }],
      'messages[0].content[0].image_url.url',
    ],
  ])('is refused with its place: %j', (messages, param) => {
    expect(refusal(() => read({ messages }))).toEqual(['invalid_parameter', param]);
  });

  it.each([
    [{ type: 'input_audio', input_audio: {} }, 'messages[0].content[0]'],
    [{ type: 'file', file: { file_id: 'f' } }, 'messages[0].content[0].file.file_id'],
    [{ type: '__proto__' }, 'messages[0].content[0]'],
  ])('is refused when the other dialect cannot say it: %j', (part, param) => {
    expect(refusal(() => read({ messages: [user(part)] }))).toEqual([
      'unsupported_parameter',
      param,
    ]);
  });
});

describe('pictures and files in chat messages', () => {
  const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64');
  const pictureOf = (url: unknown) =>
    messagesOf([user({ type: 'image_url', image_url: url })])[0]!.content[0];

  it('keep the data and believe its first bytes more than the declared type', () => {
    expect(pictureOf({ url: `data:image/jpeg;base64,${png}` })).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: png },
    });
    expect(pictureOf(`data:image/jpg;charset=x;base64,AAAA`)).toMatchObject({
      source: { media_type: 'image/jpeg' },
    });
    expect(refusal(() => pictureOf('data:image/tiff;base64,AAAA'))).toEqual([
      'invalid_parameter',
      'messages[0].content[0].image_url',
    ]);
  });

  it('go by address where the upstream takes addresses', () => {
    const part = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    expect(messagesOf([user(part)])[0]!.content).toEqual([
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ]);
    expect(refusal(() => messagesOf([user(part)], { overrides: { image_urls: false } }))).toEqual([
      'unsupported_parameter',
      'messages',
    ]);
  });

  it('are documents when they are PDFs or texts', () => {
    const pdf = Buffer.from('%PDF-1.7').toString('base64');
    const fileOf = (data: string) =>
      messagesOf([user({ type: 'file', file: { file_data: data, filename: 'a.x' } })])[0]!
        .content[0];
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: pdf },
      title: 'a.x',
    };
    expect(fileOf(`data:application/pdf;base64,${pdf}`)).toEqual(document);
    expect(fileOf(pdf)).toEqual(document);
    expect(fileOf(`data:text/plain;base64,${Buffer.from('hé').toString('base64')}`)).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'hé' },
      title: 'a.x',
    });
    expect(fileOf('data:text/plain,a%20b')).toMatchObject({ source: { data: 'a b' } });
  });
});
