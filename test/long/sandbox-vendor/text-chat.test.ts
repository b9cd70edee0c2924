/** @workers 3: it promises no times. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import OpenAI, { type ClientOptions } from 'openai';
import OpenAIPrevious from 'openai-previous';
import {
  eventsOf,
  pixel,
  pixelBytes,
  rawClient,
  weatherSchema,
  type Raw,
  type WireBody,
} from './text-harness.ts';

let vendor: RunningSandbox;
let raw: ReturnType<typeof rawClient>;

beforeAll(async () => {
  vendor = await startSandboxVendor();
  raw = rawClient(vendor);
});
afterAll(() => vendor.stop());
afterEach(async () => {
  await fetch(`${vendor.url}/control/reset`, { method: 'POST' });
});

const model = 'sandbox-chat';
type Message = OpenAI.ChatCompletionMessageParam;
const user = (content: unknown): Message => ({ role: 'user', content: content as string });
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a city',
    parameters: weatherSchema,
  },
} as const;
const create = (prompt: unknown, fields: object = {}): Promise<Raw> =>
  raw.post('/v1/chat/completions', { model, messages: [user(prompt)], ...fields });

describe.each([
  ['current', OpenAI],
  ['previous', OpenAIPrevious as unknown as typeof OpenAI],
])('the chat dialect with the %s official SDK', (_name, Client) => {
  const client = (options: ClientOptions = {}): OpenAI =>
    new Client({ baseURL: `${vendor.url}/v1`, apiKey: vendor.apiKey, maxRetries: 0, ...options });

  it('responds to a prompt in sentences about it', async () => {
    const completion = await client().chat.completions.create({
      model,
      messages: [{ role: 'developer', content: 'Be brief.' }, user('Where do foxes sleep?')],
    });

    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-\w{29}$/),
      object: 'chat.completion',
      model,
      created: expect.any(Number),
    });
    expect(completion.choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: expect.stringMatching(/"Where do foxes sleep\?".*"Be brief\."/s),
          refusal: null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
    expect(completion.usage).toMatchObject({
      prompt_tokens: 8,
      total_tokens: 8 + Number(completion.usage?.completion_tokens),
    });
    expect(completion._request_id).toMatch(/^req_\w{32}$/);
  });

  it('streams the same completion that it gives whole', async () => {
    const body = { model, messages: [user('Tell me about rivers')] };
    const pieces: string[] = [];

    const stream = client()
      .chat.completions.stream({ ...body, stream_options: { include_usage: true } })
      .on('content', (text) => pieces.push(text));
    const [streamed, whole] = [
      await stream.finalChatCompletion(),
      await client().chat.completions.create(body),
    ];

    expect(pieces.length).toBeGreaterThan(20);
    expect([streamed.choices[0]?.message.content, streamed.choices[0]?.finish_reason]).toEqual([
      whole.choices[0]?.message.content,
      'stop',
    ]);
    expect(streamed.usage).toEqual(whole.usage);
  });

  it('calls tools, several at once, and quotes their results in the next turn', async () => {
    const messages = [user('[call=get_weather {"city":"Paris","days":2}] and [call=get_weather]')];
    const body = { model, tools: [weather] };

    const calling = (
      await client()
        .chat.completions.stream({ ...body, messages })
        .finalChatCompletion()
    ).choices[0]!;
    const calls = calling.message.tool_calls ?? [];
    const results = calls.map(({ id }, index): Message => ({
      role: 'tool',
      tool_call_id: id,
      content: `sunny ${index}`,
    }));
    const plain = (await client().chat.completions.create({ ...body, messages })).choices[0]!;
    const final = (
      await client().chat.completions.create({
        ...body,
        messages: [
          ...messages,
          {
            role: 'assistant',
            tool_calls: calls.map(({ id, ...call }) => ({
              id,
              type: 'function',
              function: {
                name: 'get_weather',
                arguments: (call as { function: { arguments: string } }).function.arguments,
              },
            })),
          },
          ...results,
        ],
      })
    ).choices[0]!;

    const argumentsOf = (choice: OpenAI.ChatCompletion.Choice): unknown[] =>
      (choice.message.tool_calls ?? []).map((call) =>
        JSON.parse((call as OpenAI.ChatCompletionMessageFunctionToolCall).function.arguments),
      );
    expect([calling.finish_reason, argumentsOf(calling)]).toEqual([
      'tool_calls',
      [
        { city: 'Paris', days: 2 },
        { city: 'text', days: 1 },
      ],
    ]);
    expect([plain.message.content, argumentsOf(plain)]).toEqual([null, argumentsOf(calling)]);
    expect([final.finish_reason, final.message.content]).toEqual([
      'stop',
      expect.stringMatching(
        /^The tool get_weather answered: "sunny 0"\. The tool get_weather answered: "sunny 1"\./,
      ),
    ]);
  });

  it('runs the tools loop of the SDK', async () => {
    const runner = client().chat.completions.runTools({
      model,
      messages: [user('[call=get_weather {"city":"Rome","days":1}]')],
      tools: [
        {
          type: 'function',
          function: {
            ...weather.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `rain in ${city}`,
          },
        },
      ],
    });

    expect(await runner.finalContent()).toContain('The tool get_weather answered: "rain in Rome".');
  });

  it('reasons when asked', async () => {
    const deltas: string[] = [];
    const stream = await client().chat.completions.create({
      model,
      messages: [user('Hm')],
      stream: true,
      reasoning_effort: 'low',
      stream_options: { include_usage: true },
    });
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      deltas.push(
        (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)
          ?.reasoning_content ?? '',
      );
      usage = chunk.usage;
    }
    const silent = await client().chat.completions.create({
      model,
      messages: [user('Hm')],
      reasoning_effort: 'minimal',
    });

    expect(deltas.join('')).toContain('I weigh this for a moment');
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(
      Math.ceil(deltas.join('').length / 4),
    );
    expect(silent.choices[0]?.message).not.toHaveProperty('reasoning_content');
  });

  it('says what images and files it got', async () => {
    const url = `data:image/png;base64,${pixel}`;
    const file = {
      filename: 'a.pdf',
      file_data: `data:application/pdf;base64,${Buffer.from('%PDF-1.7').toString('base64')}`,
    };

    const { choices } = await client().chat.completions.create({
      model,
      messages: [
        user([
          { type: 'image_url', image_url: { url } },
          { type: 'file', file },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ]),
      ],
    });

    expect(choices[0]?.message.content).toContain(
      `You sent one image of type image/png with ${pixelBytes} bytes. You sent one document of type application/pdf with 8 bytes. You sent one image at https://example.com/a.png.`,
    );
  });

  it('responds with JSON of the asked schema', async () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'count'],
      properties: { name: { $ref: '#/$defs/name' }, count: { type: 'integer', minimum: 3 } },
      $defs: { name: { type: 'string', minLength: 6 } },
    };

    const { choices } = await client().chat.completions.parse({
      model,
      messages: [user('A person')],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'person', strict: true, schema },
      },
    });

    expect(choices[0]?.message.parsed).toEqual({ name: 'text..', count: 3 });
  });

  it('lists models', async () => {
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual([
      'sandbox-messages',
      'sandbox-chat',
      'sandbox-responses',
      'sandbox-embedding',
    ]);
    await expect(client().models.retrieve('missing-1')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });

  it.each([
    ['[rate-limited]', 429, 'requests', 'rate_limit_exceeded'],
    ['[overloaded]', 503, 'server_error', 'service_unavailable'],
    ['[server-error]', 500, 'server_error', null],
    ['[context]', 400, 'invalid_request_error', 'context_length_exceeded'],
  ])('fails on %s with %i %s %s', async (directive, status, type, code) => {
    await expect(
      client().chat.completions.create({ model, messages: [user(directive)] }),
    ).rejects.toMatchObject({ status, type, code, requestID: expect.stringMatching(/^req_/) });
  });

  it('fails on [error-mid-stream] and on every other way to break a stream', async () => {
    const streamed = (directive: string): Promise<unknown> =>
      client({ logLevel: 'off' })
        .chat.completions.stream({ model, messages: [user(directive)] })
        .finalChatCompletion();

    await expect(streamed('[error-mid-stream]')).rejects.toThrow('overloaded');
    for (const directive of ['[early-end]', '[cut-mid-stream]', '[garbage]', '[reset]', '[html]']) {
      await expect(streamed(directive)).rejects.toThrow();
    }
  });

  it('tells a wrong key and an unknown model', async () => {
    await expect(
      client({ apiKey: 'wrong' }).chat.completions.create({ model, messages: [user('Hi')] }),
    ).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    await expect(
      client().chat.completions.create({ model: 'missing-1', messages: [user('Hi')] }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});

describe('POST /v1/chat/completions of the sandbox', () => {
  const call = (id: string, fields: object = {}): object => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}', ...fields } }],
  });
  const result = (id: string): object => ({ role: 'tool', tool_call_id: id, content: 'x' });
  const history = (...messages: readonly object[]): object => ({
    messages: [user('a'), ...messages],
  });
  const withTool = (fields: object): object => ({
    tools: [{ type: 'function', function: { ...weather.function, ...fields } }],
  });
  const format = (schema: object): object => ({
    response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
  });

  it.each<[string, object, string | null, string]>([
    [
      'no messages',
      { messages: undefined },
      'missing_required_parameter',
      "Missing required parameter: 'messages'.",
    ],
    [
      'a field of the messages dialect',
      { system: 'x' },
      'unknown_parameter',
      "Unknown parameter: 'system'.",
    ],
    [
      'stop_sequences',
      { stop_sequences: ['x'] },
      'unknown_parameter',
      "Unknown parameter: 'stop_sequences'.",
    ],
    [
      'thinking',
      { thinking: { type: 'adaptive' } },
      'unknown_parameter',
      "Unknown parameter: 'thinking'.",
    ],
    [
      'a cache mark',
      { messages: [user([{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }])] },
      'unknown_parameter',
      "Unknown parameter: 'messages[0].content[0].cache_control'.",
    ],
    [
      'a block of the messages dialect',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        ],
      },
      'invalid_value',
      "Invalid value: 'tool_use'. Supported values are: 'text', 'refusal'.",
    ],
    [
      'an image in a tool message',
      history(call('a'), {
        ...result('a'),
        content: [{ type: 'image_url', image_url: { url: 'https://x' } }],
      }),
      'invalid_value',
      "Invalid value: 'image_url'. Supported values are: 'text'.",
    ],
    [
      'a role of nobody',
      { messages: [{ role: 'robot', content: 'x' }] },
      'invalid_value',
      "Invalid value: 'robot'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool', 'function'.",
    ],
    [
      'a tool of the messages dialect',
      { tools: [{ name: 'f', input_schema: { type: 'object' } }] },
      'missing_required_parameter',
      "Missing required parameter: 'tools[0].type'.",
    ],
    ['empty tools', { tools: [] }, 'empty_array', "Invalid 'tools': empty array."],
    [
      'a long tool name',
      withTool({ name: 'x'.repeat(65) }),
      'invalid_value',
      "Invalid 'tools[0].function.name': string",
    ],
    [
      'parameters that are no object',
      withTool({ parameters: { type: 'string' } }),
      'invalid_function_parameters',
      'Invalid schema for function',
    ],
    [
      'a strict tool that is not',
      withTool({ strict: true }),
      'invalid_json_schema',
      "'additionalProperties' is required to be supplied and to be false",
    ],
    [
      'a strict schema without all required',
      format({
        type: 'object',
        additionalProperties: false,
        properties: { a: { type: 'string' } },
      }),
      'invalid_json_schema',
      "Missing 'a'",
    ],
    [
      'a long tool id',
      history(call('x'.repeat(41)), result('x'.repeat(41))),
      'string_above_max_length',
      'string too long. Expected a string with maximum length 40, but got a string with length 41',
    ],
    [
      'arguments as an object',
      history(call('a', { arguments: {} }), result('a')),
      'invalid_type',
      'expected a string, but got an object',
    ],
    [
      'a call without a result',
      history(call('a'), user('b')),
      null,
      'The following tool_call_ids did not have response messages: a',
    ],
    [
      'a call without a result at the end',
      history(call('a')),
      null,
      'The following tool_call_ids did not have response messages: a',
    ],
    [
      'a result without a call',
      history(result('a')),
      null,
      "must be a response to a preceeding message with 'tool_calls'",
    ],
    [
      'an assistant without content',
      history({ role: 'assistant', content: null }),
      null,
      'expected a string, got null',
    ],
    [
      'a choice without tools',
      { tool_choice: 'auto' },
      null,
      "'tool_choice' is only allowed when 'tools' are specified",
    ],
    [
      'a choice in the words of messages',
      { tools: [weather], tool_choice: { type: 'tool', name: 'f' } },
      'invalid_value',
      "Invalid value: 'tool'",
    ],
    [
      'a choice of another tool',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'g' } } },
      null,
      "Tool choice 'g' not found",
    ],
    [
      'parallel_tool_calls without tools',
      { parallel_tool_calls: false },
      null,
      "'parallel_tool_calls' is only allowed when 'tools' are specified",
    ],
    [
      'five stop sequences',
      { stop: ['a', 'b', 'c', 'd', 'e'] },
      'array_above_max_length',
      'maximum length 4, but got an array with length 5',
    ],
    [
      'stream_options without stream',
      { stream_options: { include_usage: true } },
      null,
      "only allowed when 'stream' is enabled",
    ],
    [
      'a temperature above 2',
      { temperature: 2.5 },
      'integer_above_max_value',
      'Expected a value <= 2',
    ],
    [
      'both names of the limit',
      { max_tokens: 1, max_completion_tokens: 1 },
      'invalid_parameter_combination',
      'at the same time is not supported',
    ],
    ['a long user', { user: 'x'.repeat(65) }, 'string_above_max_length', 'maximum length 64'],
    [
      'json_object without the word',
      { response_format: { type: 'json_object' } },
      null,
      "must contain the word 'json'",
    ],
    [
      'an image that is none',
      { messages: [user([{ type: 'image_url', image_url: { url: 'file:///x' } }])] },
      'invalid_value',
      'Invalid image data',
    ],
    [
      'a directive that is written wrong',
      { messages: [user('[tokens=many]')] },
      'invalid_value',
      'write [tokens=N] with count from 1 to 100000',
    ],
  ])('refuses %s', async (_what, fields, code, message) => {
    const response = await create('a', fields);

    expect([response.status, response.body]).toEqual([
      400,
      {
        error: {
          message: expect.stringContaining(message),
          type: 'invalid_request_error',
          param: response.body.error.param,
          code,
        },
      },
    ]);
  });

  it('tells usage in a stream exactly when it was asked to', async () => {
    const chunksOf = async (
      fields: object,
    ): Promise<readonly { choices: readonly unknown[]; usage?: object | null }[]> => {
      const { text } = await create('Hello [tokens=5]', { stream: true, ...fields });
      expect(text.endsWith('}\n\ndata: [DONE]\n\n')).toBe(true);
      return eventsOf(text).map(({ data }) => data);
    };

    const [silent, telling] = [
      await chunksOf({}),
      await chunksOf({ stream_options: { include_usage: true } }),
    ];

    expect(silent.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true);
    expect(
      telling.slice(0, -1).every(({ usage, choices }) => usage === null && choices.length === 1),
    ).toBe(true);
    expect(telling.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
    expect(
      (await create('x [no-usage]', { stream: true, stream_options: { include_usage: true } }))
        .text,
    ).not.toContain('usage');
  });

  it('sends id and name of a call once, and its arguments in fragments', async () => {
    const { text } = await create('[call=get_weather {"city":"Oslo","days":3}]', {
      stream: true,
      tools: [weather],
    });

    const deltas = eventsOf(text).flatMap(({ data }) => data.choices[0]?.delta.tool_calls ?? []);
    expect(deltas[0]).toEqual({
      index: 0,
      id: expect.stringMatching(/^call_\w{24}$/),
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
    });
    expect(
      deltas
        .slice(1)
        .every(
          (delta) =>
            Object.keys(delta).join() === 'index,function' &&
            Object.keys(delta.function).join() === 'arguments',
        ),
    ).toBe(true);
    expect([deltas.length > 3, deltas.map((delta) => delta.function.arguments).join('')]).toEqual([
      true,
      '{"city":"Oslo","days":3}',
    ]);
  });

  it('keeps to limits and stop sequences, forces tools, and filters with [refuse]', async () => {
    const choiceOf = async (prompt: string, fields: object): Promise<WireBody['choices'][0]> =>
      (await create(prompt, fields)).body.choices[0];

    expect(await choiceOf('Hello', { max_tokens: 5 })).toMatchObject({
      finish_reason: 'length',
      message: { content: 'You asked: "Hello". ' },
    });
    expect(await choiceOf('one two three', { stop: ' two' })).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'You asked: "one' },
    });
    expect(await choiceOf('Hello', { tools: [weather], tool_choice: 'required' })).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ function: { arguments: '{"city":"text","days":1}' } }],
      },
    });
    expect(
      (
        await choiceOf('[call=get_weather] [call=get_weather]', {
          tools: [weather],
          parallel_tool_calls: false,
        })
      ).message.tool_calls,
    ).toHaveLength(1);
    expect(
      (await choiceOf('[call=get_weather] [broken-arguments]', { tools: [weather] })).message
        .tool_calls[0]?.function.arguments,
    ).toBe('{"city":"text","days":1');
    expect(await choiceOf('get_weather', { functions: [weather.function] })).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: { name: 'get_weather' } },
    });
    expect(await choiceOf('[refuse]', {})).toMatchObject({ finish_reason: 'content_filter' });
    expect((await create('Hi', { n: 3 })).body.choices.map(({ index }) => index)).toEqual([
      0, 1, 2,
    ]);
  });

  it('caches long prompts that come again', async () => {
    const cachedOf = async (prompt: string): Promise<number> =>
      (await create(prompt)).body.usage.prompt_tokens_details.cached_tokens;
    const [long, short] = [`cache me ${'x'.repeat(8_000)}`, `cache me ${'x'.repeat(800)}`];

    expect([
      await cachedOf(long),
      await cachedOf(long),
      await cachedOf(short),
      await cachedOf(short),
    ]).toEqual([0, 1_920, 0, 0]);
  });

  it('responds to unknown paths, wrong methods and broken JSON in its own shape, with rate limits in the headers', async () => {
    const [lost, wrong, broken, fine] = [
      await raw.post('/v1/completions', {}),
      await raw.get('/v1/chat/completions'),
      await raw.post('/v1/chat/completions', '{'),
      await create('a'),
    ];

    expect([
      lost.status,
      lost.body.error.message,
      wrong.status,
      broken.status,
      broken.body.error.type,
    ]).toEqual([404, 'Invalid URL (POST /v1/completions)', 405, 400, 'invalid_request_error']);
    expect(Number(fine.headers.get('x-ratelimit-remaining-requests'))).toBeLessThan(
      Number(fine.headers.get('x-ratelimit-limit-requests')),
    );
    expect(fine.headers.get('x-ratelimit-reset-tokens')).toMatch(/^(\d+m)?\d+(s|ms)$/);
  });
});
