/** @workers 3: it promises no times. */
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import AnthropicPrevious from 'anthropic-sdk-previous';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';
import { eventsOf, pixel, pixelBytes, rawClient, weatherSchema, type Raw } from './text-harness.ts';

let vendor: RunningSandbox;
let raw: ReturnType<typeof rawClient>;

beforeAll(async () => {
  vendor = await startSandboxVendor();
  raw = rawClient(vendor, { 'anthropic-version': '2023-06-01' });
});
afterAll(() => vendor.stop());
afterEach(async () => {
  await fetch(`${vendor.url}/control/reset`, { method: 'POST' });
});

const model = 'sandbox-messages';
const user = (content: unknown): { role: 'user'; content: never } => ({
  role: 'user',
  content: content as never,
});
const assistant = (content: unknown): { role: 'assistant'; content: never } => ({
  role: 'assistant',
  content: content as never,
});
const weather = {
  name: 'get_weather',
  description: 'The weather in a city',
  input_schema: weatherSchema as never,
};
const aRequest = (prompt: unknown, fields: object = {}): object => ({
  model,
  max_tokens: 1_000,
  messages: [user(prompt)],
  ...fields,
});
const create = (
  prompt: unknown,
  fields: object = {},
  headers: Record<string, string> = {},
): Promise<Raw> => raw.post('/v1/messages', aRequest(prompt, fields), headers);

describe.each([
  ['current', Anthropic],
  ['previous', AnthropicPrevious as unknown as typeof Anthropic],
])('the messages dialect with the %s official SDK', (_name, Client) => {
  const client = (options: ClientOptions = {}): Anthropic =>
    new Client({
      baseURL: vendor.url,
      apiKey: vendor.apiKey,
      maxRetries: 0,
      logLevel: 'off',
      ...options,
    });

  it('responds to a prompt in sentences about it', async () => {
    const message = await client().messages.create({
      model,
      max_tokens: 1_000,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Where do foxes sleep?' }],
    });

    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_01\w{22}$/),
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(message.content).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/"Where do foxes sleep\?".*"Be brief\."/s),
      },
    ]);
    expect(message.usage).toMatchObject({
      input_tokens: 8,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    });
    expect(message.usage.output_tokens).toBeGreaterThan(40);
    expect(message._request_id).toMatch(/^req_01\w{22}$/);
  });

  it('streams the same completion that it gives whole', async () => {
    const body = { model, max_tokens: 1_000, messages: [user('Tell me about rivers')] };
    const pieces: string[] = [];

    const stream = client()
      .messages.stream(body)
      .on('text', (text) => pieces.push(text));
    const [streamed, whole] = [await stream.finalMessage(), await client().messages.create(body)];

    expect(pieces.length).toBeGreaterThan(20);
    expect(pieces.join('')).toBe(whole.content[0]?.type === 'text' && whole.content[0].text);
    expect([
      streamed.stop_reason,
      streamed.usage.input_tokens,
      streamed.usage.output_tokens,
    ]).toEqual([whole.stop_reason, whole.usage.input_tokens, whole.usage.output_tokens]);
  });

  it('calls tools, several at once, and quotes their results in the next turn', async () => {
    const messages: Anthropic.MessageParam[] = [
      user('[call=get_weather {"city":"Paris","days":2}] and [call=get_weather]'),
    ];
    const body = { model, max_tokens: 1_000, tools: [weather] };

    const calling = await client()
      .messages.stream({ ...body, messages })
      .finalMessage();
    const calls = calling.content.filter((block) => block.type === 'tool_use');
    const results = calls.map(({ id }, index) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: `sunny ${index}`,
    }));
    const final = await client().messages.create({
      ...body,
      messages: [...messages, assistant(calling.content), user(results)],
    });

    expect([calling.stop_reason, calls.map(({ input }) => input)]).toEqual([
      'tool_use',
      [
        { city: 'Paris', days: 2 },
        { city: 'text', days: 1 },
      ],
    ]);
    expect([final.stop_reason, final.content[0]]).toEqual([
      'end_turn',
      expect.objectContaining({
        text: expect.stringMatching(
          /^The tool get_weather answered: "sunny 0"\. The tool get_weather answered: "sunny 1"\./,
        ),
      }),
    ]);
  });

  it('thinks when asked, and takes its signed thinking back', async () => {
    const messages: Anthropic.MessageParam[] = [user('[call=get_weather]')];
    const body = {
      model,
      max_tokens: 4_000,
      tools: [weather],
      thinking: { type: 'enabled', budget_tokens: 1_024 } as const,
    };

    const first = await client()
      .messages.stream({ ...body, messages })
      .finalMessage();
    const call = first.content.find((block) => block.type === 'tool_use');
    const second = await client().messages.create({
      ...body,
      messages: [
        ...messages,
        assistant(first.content),
        user([{ type: 'tool_result', tool_use_id: call?.id, content: 'rain' }]),
      ],
    });

    expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    expect(first.content[0]).toMatchObject({
      thinking: expect.stringContaining('I weigh this'),
      signature: expect.stringMatching(/^[\w+/]{40,}=*$/),
    });
    expect(second.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
  });

  it('says what images and documents it got', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: pixel },
    };
    const document = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'twelve bytes' },
    };

    const { content } = await client().messages.create({
      model,
      max_tokens: 1_000,
      messages: [user([image, document, { type: 'text', text: 'What is this?' }])],
    });

    expect(content[0]).toMatchObject({
      text: expect.stringContaining(
        `You sent one image of type image/png with ${pixelBytes} bytes. You sent one document of type text/plain with 12 bytes.`,
      ),
    });
  });

  it('responds with JSON of the asked schema', async () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'tags'],
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', minItems: 1, items: { enum: ['a', 'b'] } },
      },
    };

    const { content } = await client().messages.create({
      model,
      max_tokens: 1_000,
      messages: [user('A person')],
      output_config: { format: { type: 'json_schema', schema } },
    });

    expect(content).toEqual([{ type: 'text', text: '{"name":"text","tags":["a"]}' }]);
  });

  it('counts tokens and lists models', async () => {
    const counted = await client().messages.countTokens({
      model,
      messages: [user('x'.repeat(401))],
      tools: [weather],
    });
    const models = await client().models.list();

    expect(counted.input_tokens).toBeGreaterThan(101);
    expect(models.data.map(({ id }) => id)).toEqual([
      'sandbox-messages',
      'sandbox-chat',
      'sandbox-responses',
      'sandbox-embedding',
    ]);
    expect((await client().models.retrieve('any/model:1')).id).toBe('any/model:1');
  });

  it.each([
    ['[rate-limited]', 429, 'rate_limit_error'],
    ['[overloaded]', 529, 'overloaded_error'],
    ['[server-error]', 500, 'api_error'],
    ['[context]', 400, 'invalid_request_error'],
  ])('fails on %s with %i %s', async (directive, status, type) => {
    const failed = client().messages.create({ model, max_tokens: 10, messages: [user(directive)] });

    await expect(failed).rejects.toMatchObject({
      status,
      type,
      requestID: expect.stringMatching(/^req_01/),
    });
  });

  it('fails on [error-mid-stream] and on every other way to break a stream', async () => {
    const streamed = (directive: string): Promise<unknown> =>
      client()
        .messages.stream({ model, max_tokens: 1_000, messages: [user(directive)] })
        .finalMessage();

    await expect(streamed('[error-mid-stream]')).rejects.toThrow('overloaded_error');
    for (const directive of ['[early-end]', '[cut-mid-stream]', '[garbage]', '[reset]', '[html]']) {
      await expect(streamed(directive)).rejects.toThrow();
    }
  });

  it('tells a wrong key and an unknown model', async () => {
    await expect(
      client({ apiKey: 'wrong' }).messages.create({ model, max_tokens: 1, messages: [user('Hi')] }),
    ).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
    await expect(
      client().messages.create({ model: 'missing-1', max_tokens: 1, messages: [user('Hi')] }),
    ).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
  });
});

describe('POST /v1/messages of the sandbox', () => {
  const results = (...ids: readonly string[]): object[] =>
    ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }));
  const uses = (...ids: readonly string[]): object[] =>
    ids.map((id) => ({ type: 'tool_use', id, name: 'get_weather', input: {} }));
  const history = (...messages: readonly object[]): object => ({
    messages: [user('a'), ...messages],
    tools: [weather],
  });
  const extra = 'Extra inputs are not permitted';

  it.each<[string, object, string]>([
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['a system block that is none', { system: [true, null] }, 'system.0: '],
    ['a field of the chat dialect', { response_format: {} }, `response_format: ${extra}`],
    ['stream_options', { stream_options: {} }, `stream_options: ${extra}`],
    ['a beta field without its beta', { context_management: {} }, `context_management: ${extra}`],
    [
      'a role of the chat dialect',
      { messages: [{ role: 'tool', content: 'x' }] },
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ],
    [
      'a block of the chat dialect',
      { messages: [user([{ type: 'image_url', image_url: {} }])] },
      "messages.0.content.0: Input tag 'image_url' found using 'type' does not match",
    ],
    [
      'a tool of the chat dialect',
      { tools: [{ type: 'function', name: 'f', function: {} }] },
      'tools.0.type: String should match pattern',
    ],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, 'tools.0.input_schema: Field required'],
    [
      'a long tool name',
      { tools: [{ ...weather, name: 'x'.repeat(129) }] },
      'tools.0.name: String should match pattern',
    ],
    [
      'a null description',
      { tools: [{ ...weather, description: null }] },
      'tools.0.description: Input should be a valid string',
    ],
    [
      'a choice without tools',
      { tool_choice: { type: 'auto' } },
      'tool_choice may only be specified',
    ],
    [
      'a choice in the words of chat',
      { tools: [weather], tool_choice: 'required' },
      'tool_choice: Input should be a valid dictionary',
    ],
    [
      'an odd tool id',
      history(assistant(uses('functions.f:0')), user(results('functions.f:0'))),
      'messages.1.content.0.id: String should match pattern',
    ],
    [
      'arguments as text',
      history(assistant([{ type: 'tool_use', id: 'a', name: 'f', input: '{}' }])),
      'messages.1.content.0.input: Input should be a valid dictionary',
    ],
    [
      'a call without a result',
      history(assistant(uses('a', 'b')), user(results('a'))),
      'ids were found without `tool_result` blocks immediately after: b',
    ],
    [
      'a result without a call',
      history(assistant('x'), user(results('a'))),
      'unexpected `tool_use_id` found in `tool_result` blocks: a',
    ],
    [
      'two results of one call',
      history(assistant(uses('a')), user(results('a', 'a'))),
      'Found multiple `tool_result` blocks with id: a',
    ],
    [
      'text before results',
      history(assistant(uses('a')), user([{ type: 'text', text: 'x' }, ...results('a')])),
      '`tool_result` blocks must come before',
    ],
    [
      'a system message between call and result',
      history(assistant(uses('a')), { role: 'system', content: 'b' }, user(results('a'))),
      'ids were found without `tool_result` blocks immediately after: a',
    ],
    [
      'repeated ids',
      history(assistant(uses('a')), user(results('a')), assistant(uses('a')), user(results('a'))),
      '`tool_use` ids must be unique',
    ],
    [
      'calls without tools',
      { ...history(assistant(uses('a')), user(results('a'))), tools: undefined },
      'must define tools',
    ],
    [
      'an empty text block',
      {
        messages: [
          user([
            { type: 'text', text: '' },
            { type: 'text', text: 'x' },
          ]),
        ],
      },
      'text content blocks must be non-empty',
    ],
    ['an empty message', { messages: [user('')] }, 'must have non-empty content'],
    ['white space alone', { messages: [user('\n')] }, 'must contain non-whitespace text'],
    ['a system prompt of white space', { system: ' ' }, 'must contain non-whitespace text'],
    [
      'a prefill that ends in white space',
      { messages: [user('a'), assistant('b ')] },
      'final assistant content cannot end with trailing whitespace',
    ],
    [
      'a blank stop sequence',
      { stop_sequences: ['\n'] },
      'each stop sequence must contain non-whitespace',
    ],
    [
      'forced tools with thinking',
      {
        max_tokens: 2_000,
        tools: [weather],
        tool_choice: { type: 'any' },
        thinking: { type: 'adaptive' },
      },
      'Thinking may not be enabled when tool_choice forces tool use',
    ],
    [
      'a budget as large as the completion',
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      '`max_tokens` must be greater than `thinking.budget_tokens`',
    ],
    [
      'thinking that lost its block',
      {
        ...history(assistant(uses('a')), user(results('a'))),
        max_tokens: 2_000,
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      },
      'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
    ],
    [
      'unsigned thinking',
      {
        messages: [
          user('a'),
          assistant([{ type: 'thinking', thinking: 'x', signature: '' }]),
          user('b'),
        ],
      },
      'Invalid `signature` in `thinking` block',
    ],
    [
      'a mark on thinking',
      {
        messages: [
          user('a'),
          assistant([
            {
              type: 'thinking',
              thinking: 'x',
              signature: '',
              cache_control: { type: 'ephemeral' },
            },
          ]),
          user('b'),
        ],
      },
      `cache_control: ${extra}`,
    ],
    [
      'five cache marks',
      {
        system: Array.from({ length: 5 }, () => ({
          type: 'text',
          text: 'x',
          cache_control: { type: 'ephemeral' },
        })),
      },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'a wrong image type',
      {
        messages: [
          user([
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: pixel } },
          ]),
        ],
      },
      'appears to be a image/png image',
    ],
    [
      'an open schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      "'additionalProperties' must be explicitly set to false",
    ],
    [
      'a bounded schema',
      {
        output_config: { format: { type: 'json_schema', schema: { type: 'integer', minimum: 1 } } },
      },
      "property 'minimum' is not supported",
    ],
    [
      'a directive that is written wrong',
      { messages: [user('[tokens=many]')] },
      'write [tokens=N] with count from 1 to 100000',
    ],
  ])('refuses %s', async (_what, fields, message) => {
    const response = await create('a', fields);

    expect([response.status, response.body]).toEqual([
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
        request_id: response.headers.get('request-id'),
      },
    ]);
  });

  it.each<[string, object]>([
    ['an empty assistant turn', { messages: [user('a'), assistant([]), user('b')] }],
    [
      'an empty tool result',
      {
        ...history(
          assistant([{ type: 'text', text: '\n\n' }, ...uses('a')]),
          user([{ type: 'tool_result', tool_use_id: 'a', content: '', is_error: true }]),
        ),
      },
    ],
    [
      'results in two turns of one role',
      history(assistant(uses('a', 'b')), user(results('a')), user(results('b'))),
    ],
    [
      'a tool that runs at the vendor',
      { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] },
    ],
    [
      'a system message in the middle',
      { messages: [user('a'), assistant('b'), { role: 'system', content: 'c' }, user('d')] },
    ],
  ])('takes %s', async (_what, fields) => {
    expect((await create('a', fields)).status).toBe(200);
  });

  it('needs the version header, and takes sampling only with the older version', async () => {
    const bare = await fetch(`${vendor.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': vendor.apiKey },
      body: JSON.stringify(aRequest('a')),
    });
    const old = await create('a', { temperature: 0.5 });
    const young = await create('a', { temperature: 0.5 }, { 'anthropic-version': '2026-10-21' });

    expect([
      bare.status,
      ((await bare.json()) as { error: { message: string } }).error.message,
    ]).toEqual([400, 'anthropic-version: header is required']);
    expect([old.status, young.status, young.body.error.message]).toEqual([
      200,
      400,
      `temperature: ${extra}`,
    ]);
  });

  it('keeps to max_tokens and to stop sequences', async () => {
    const short = (await create('Hello', { max_tokens: 5 })).body;
    const stopped = (await create('one two three', { stop_sequences: ['none', ' two'] })).body;

    expect([short.stop_reason, short.content[0].text.length, short.usage.output_tokens]).toEqual([
      'max_tokens',
      20,
      5,
    ]);
    expect([stopped.stop_reason, stopped.stop_sequence, stopped.content[0].text]).toEqual([
      'stop_sequence',
      ' two',
      'You asked: "one',
    ]);
    expect((await create('[tokens=77] x')).body.usage.output_tokens).toBe(77);
  });

  it('writes the events of a stream in order, each with its name', async () => {
    const { text, headers } = await create(
      '[call=get_weather {"city":"Oslo","days":3}] [tokens=3]',
      { stream: true, tools: [weather], max_tokens: 3_000, thinking: { type: 'adaptive' } },
    );

    const events = eventsOf(text);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    for (const { name, data } of events) expect(data.type).toBe(name);
    const order = events
      .map(({ name, data }) => data.delta?.type ?? name)
      .filter((name, index, all) => name !== all[index - 1]);
    expect(order).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'thinking_delta',
      'signature_delta',
      'content_block_stop',
      'content_block_start',
      'text_delta',
      'content_block_stop',
      'content_block_start',
      'input_json_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const fragments = events.flatMap(({ data }) =>
      data.delta?.type === 'input_json_delta' ? [data.delta.partial_json] : [],
    );
    expect([fragments.length > 2, fragments.join('')]).toEqual([true, '{"city":"Oslo","days":3}']);
    expect([
      events[0]?.data.message.usage.output_tokens,
      events.at(-2)?.data.delta?.stop_reason,
    ]).toEqual([1, 'tool_use']);
  });

  it('signs omitted thinking, too, and refuses altered thinking', async () => {
    const { content } = (
      await create('Hm', { max_tokens: 2_000, thinking: { type: 'adaptive', display: 'omitted' } })
    ).body;
    const again = (block: object): Promise<Raw> =>
      create('x', { messages: [user('a'), assistant([block]), user('b')] });

    expect([content[0].thinking, (await again(content[0])).status]).toEqual(['', 200]);
    expect((await again({ ...content[0], thinking: 'x' })).body.error.message).toBe(
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    );
  });

  it('writes a marked prefix to its cache once and reads it then, also from further on', async () => {
    const system = [{ type: 'text', text: 's'.repeat(400), cache_control: { type: 'ephemeral' } }];
    const usageOf = async (fields: object): Promise<unknown> => {
      const {
        input_tokens: input,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: read,
      } = (await create('abcd', { system, ...fields })).body.usage;
      return [input, written, read];
    };

    expect(await usageOf({})).toEqual([1, 100, 0]);
    expect(await usageOf({})).toEqual([1, 0, 100]);
    expect(
      await usageOf({
        messages: [
          user([{ type: 'text', text: 'abcdefgh', cache_control: { type: 'ephemeral' } }]),
        ],
      }),
    ).toEqual([0, 2, 100]);
    expect(await usageOf({ system: [{ ...system[0], text: `${'s'.repeat(399)}t` }] })).toEqual([
      1, 100, 0,
    ]);
  });

  it('forces and forbids tools', async () => {
    const called = async (toolChoice: object, prompt = 'hello'): Promise<unknown[]> =>
      (
        await create(prompt, {
          tools: [weather, { ...weather, name: 'other' }],
          tool_choice: toolChoice,
        })
      ).body.content.map(({ name }) => name);

    expect(await called({ type: 'any' })).toEqual(['get_weather']);
    expect(await called({ type: 'tool', name: 'other' })).toEqual(['other']);
    expect(await called({ type: 'auto' }, 'use other and get_weather')).toEqual([
      'other',
      'get_weather',
    ]);
    expect(
      await called(
        { type: 'auto', disable_parallel_tool_use: true },
        '[call=other] [call=get_weather]',
      ),
    ).toEqual(['other']);
    expect(await called({ type: 'none' }, 'use other')).toEqual([undefined]);
  });

  it('refuses a prompt with [refuse], thinks unasked with [think], hides usage with [no-usage]', async () => {
    const [refused, thoughtful, silent] = [
      await create('[refuse]'),
      await create('[think]'),
      await create('[no-usage]', { stream: true }),
    ];

    expect([refused.body.stop_reason, refused.body.stop_details.type]).toEqual([
      'refusal',
      'refusal',
    ]);
    expect(thoughtful.body.content[0].type).toBe('thinking');
    expect(silent.text).not.toContain('usage');
  });

  it('responds to unknown paths, wrong methods and broken JSON in its own shape, with rate limits in the headers', async () => {
    const [lost, wrong, broken, fine] = [
      await raw.post('/v1/messages/batches', {}),
      await raw.get('/v1/messages'),
      await raw.post('/v1/messages', '{'),
      await create('a'),
    ];

    expect([
      lost.status,
      lost.body.error.type,
      wrong.status,
      broken.status,
      broken.body.error.type,
    ]).toEqual([404, 'not_found_error', 405, 400, 'invalid_request_error']);
    expect(Number(fine.headers.get('anthropic-ratelimit-requests-remaining'))).toBeLessThan(
      Number(fine.headers.get('anthropic-ratelimit-requests-limit')),
    );
    expect(
      Date.parse(String(fine.headers.get('anthropic-ratelimit-tokens-reset'))),
    ).toBeGreaterThan(Date.now() - 1_000);
  });

  it('pings through a silence with [slow-pings]', async () => {
    const { response, request } = await raw.open(
      '/v1/messages',
      aRequest('[stall] [slow-pings]', { stream: true }),
    );
    let text = '';
    response
      .on('data', (chunk: Buffer) => {
        text += chunk.toString();
      })
      .on('error', () => undefined);

    await eventually(() => {
      expect(text.match(/event: ping/g)?.length).toBeGreaterThan(2);
    });

    request.destroy();
    expect(text).not.toContain('message_stop');
  });
});
