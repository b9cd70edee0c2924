/** @workers 3: it promises no times. */
import { describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import {
  brokenStreams,
  chatSdks,
  expectAborted,
  fewTokens,
  fallbackModelOf,
  largePng,
  onTextStage,
  pdf,
  placeCompletion,
  placeSchema,
  png,
  prompt,
  sizeOf,
  stopPhrase,
  timeSchema,
  twoCalls,
  weatherSchema,
} from '../e2e/text-clients.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Request = OpenAI.ChatCompletionCreateParamsNonStreaming;

const user = (content: OpenAI.ChatCompletionUserMessageParam['content']): Message => ({
  role: 'user',
  content,
});
const say = (text: string): { messages: Message[] } => ({ messages: [user(prompt(text))] });
const text = (completion: OpenAI.ChatCompletion): string =>
  completion.choices[0]?.message.content ?? '';
const finish = (completion: OpenAI.ChatCompletion): string | undefined =>
  completion.choices[0]?.finish_reason;
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: { name: 'get_weather', description: 'Weather of a city', parameters: weatherSchema },
  },
  { type: 'function', function: { name: 'get_time', parameters: timeSchema, strict: true } },
];
/** What the helpers of the SDK add for their caller is no field of a request. */
const replayed = (message: OpenAI.ChatCompletionMessage): Message =>
  JSON.parse(
    JSON.stringify(message, (field, value: unknown) =>
      field.startsWith('parsed') ? undefined : value,
    ),
  ) as Message;
const resultsByTool: Readonly<Record<string, string>> = {
  get_weather: '19 degrees',
  get_time: 'noon',
};
const resultsOf = (calls: readonly OpenAI.ChatCompletionMessageToolCall[]): Message[] =>
  calls.map((call) => ({
    role: 'tool',
    tool_call_id: call.id,
    content: resultsByTool[call.type === 'function' ? call.function.name : '']!,
  }));

onTextStage((stage) => {
  describe.each(chatSdks)('%s on %s', (_name, model, Client) => {
    const open = (apiKey = stage().customer.apiKey): OpenAI =>
      new Client({ apiKey, baseURL: stage().versionedUrl, maxRetries: 0 });
    const create = (request: Omit<Request, 'model'>): Promise<OpenAI.ChatCompletion> =>
      open().chat.completions.create({ model, ...request });
    const stream = (request: Omit<Request, 'model'>, of: string = model) =>
      open().chat.completions.stream({
        model: of,
        ...request,
        stream: true,
        stream_options: { include_usage: true },
      });

    it('gets embeddings, which it asks for as base64 unless told otherwise', async () => {
      const input = ['a red balloon', 'the sea'];
      const { data, usage } = await open().embeddings.create({ model: 'sandbox-embedding', input });
      const plain = await open().embeddings.create({
        model: 'sandbox-embedding',
        input,
        encoding_format: 'float',
      });

      expect(data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
        [0, 1_536],
        [1, 1_536],
      ]);
      expect(plain.data[1]?.embedding[7]).toBeCloseTo(data[1]?.embedding[7] ?? NaN, 6);
      expect(usage.prompt_tokens).toBe(6);
    });

    it('gets a plain response', async () => {
      const completion = await create({
        messages: [{ role: 'system', content: 'be brief' }, user(prompt('good morning'))],
      });

      expect(completion).toMatchObject({
        id: expect.any(String),
        object: 'chat.completion',
        model,
        _request_id: expect.any(String),
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
      });
      expect(text(completion)).toContain('good morning');
      expect(text(completion)).toContain('The system prompt says: "be brief"');
      expect(completion.usage!.total_tokens).toBe(
        completion.usage!.prompt_tokens + completion.usage!.completion_tokens,
      );
    });

    it('streams the same completion, with the same usage', async () => {
      const whole = await create(say('tell me a story'));
      const deltas: string[] = [];

      const streamed = await stream(say('tell me a story'))
        .on('content', (delta) => {
          deltas.push(delta);
        })
        .finalChatCompletion();

      expect(deltas.length).toBeGreaterThan(5);
      expect(deltas.join('')).toBe(text(streamed));
      expect(text(streamed)).toBe(text(whole));
      expect(finish(streamed)).toBe('stop');
      expect(streamed.usage).toMatchObject({
        prompt_tokens: whole.usage!.prompt_tokens,
        completion_tokens: whole.usage!.completion_tokens,
        total_tokens: whole.usage!.total_tokens,
      });
    });

    it('is told no usage in a stream that did not ask for it', async () => {
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of await open().chat.completions.create({
        model,
        ...say('hello'),
        stream: true,
      })) {
        chunks.push(chunk);
      }

      expect(chunks.every(({ choices, usage }) => choices.length === 1 && !usage)).toBe(true);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    });

    it.each(['whole', 'streamed'] as const)(
      'calls tools in parallel and goes on with their results, %s',
      async (way) => {
        const ask = (messages: Message[]): Promise<OpenAI.ChatCompletion> =>
          way === 'whole'
            ? create({ messages, tools })
            : stream({ messages, tools }).finalChatCompletion();
        const history = [user(twoCalls)];

        const asked = await ask(history);

        const { message } = asked.choices[0]!;
        expect(finish(asked)).toBe('tool_calls');
        expect(
          message.tool_calls?.map((call) =>
            call.type === 'function'
              ? [call.function.name, JSON.parse(call.function.arguments)]
              : [],
          ),
        ).toEqual([
          ['get_weather', { city: 'Lisbon' }],
          ['get_time', { zone: 'WET' }],
        ]);
        history.push(replayed(message), ...resultsOf(message.tool_calls ?? []));
        const completion = await ask(history);
        expect(finish(completion)).toBe('stop');
        expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');
        expect(text(completion)).toContain('The tool get_time answered: "noon"');
        history.push(replayed(completion.choices[0]!.message), user(prompt('thank you')));
        expect(text(await ask(history))).toContain('thank you');
      },
    );

    it('can take a conversation with calls to the model of another vendor', async () => {
      const asked = await create({ messages: [user(twoCalls)], tools });
      const { message } = asked.choices[0]!;

      const completion = await open().chat.completions.create({
        model: model === 'sandbox-chat' ? 'sandbox-messages' : 'sandbox-chat',
        messages: [user(twoCalls), message, ...resultsOf(message.tool_calls ?? [])],
        tools,
      });

      expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');
    });

    it('runs its own loop of tools to the end', async () => {
      const called: string[] = [];
      const runnable = (name: 'get_weather' | 'get_time', parameters: Record<string, unknown>) => ({
        type: 'function' as const,
        function: {
          name,
          description: name,
          parameters,
          parse: JSON.parse,
          function: () => {
            called.push(name);
            return resultsByTool[name]!;
          },
        },
      });

      const runner = open().chat.completions.runTools({
        model,
        stream: true,
        messages: [user(twoCalls)],
        tools: [runnable('get_weather', weatherSchema), runnable('get_time', timeSchema)],
      });

      expect(await runner.finalContent()).toContain('The tool get_time answered: "noon"');
      expect(called).toEqual(['get_weather', 'get_time']);
    });

    it('keeps to tool_choice and to one call at a time', async () => {
      const forced = await create({
        ...say('anything'),
        tools,
        tool_choice: { type: 'function', function: { name: 'get_time' } },
      });
      expect(forced.choices[0]?.message.tool_calls).toMatchObject([
        { function: { name: 'get_time' } },
      ]);
      const single = await create({
        messages: [user(twoCalls)],
        tools,
        parallel_tool_calls: false,
      });
      expect(single.choices[0]?.message.tool_calls).toHaveLength(1);
      const none = await create({ messages: [user(twoCalls)], tools, tool_choice: 'none' });
      expect([finish(none), none.choices[0]?.message.tool_calls ?? []]).toEqual(['stop', []]);
    });

    it('sends images and a document', async () => {
      const completion = await create({
        messages: [
          user([
            { type: 'text', text: prompt('what is this?') },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            { type: 'image_url', image_url: { url: 'https://example.com/heron.png' } },
            {
              type: 'file',
              file: { filename: 'heron.pdf', file_data: `data:application/pdf;base64,${pdf}` },
            },
          ]),
        ],
      });

      expect(text(completion)).toContain(
        `You sent one image of type image/png with ${sizeOf(png)} bytes.`,
      );
      expect(text(completion)).toContain('You sent one image at https://example.com/heron.png.');
      expect(text(completion)).toContain(
        `You sent one document of type application/pdf with ${sizeOf(pdf)} bytes.`,
      );
    });

    it('sends a large image, streamed and whole', async () => {
      const messages = [
        user([
          { type: 'text', text: prompt('large') },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${largePng}` } },
        ]),
      ];
      for (const completion of [
        await create({ messages }),
        await stream({ messages }).finalChatCompletion(),
      ]) {
        expect(text(completion)).toContain(
          `You sent one image of type image/png with ${sizeOf(largePng)} bytes.`,
        );
      }
    });

    it('streams twenty completions at once, to each its own', async () => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_unused, number) =>
          stream(say(`number <${number}>`)).finalContent(),
        ),
      );

      responses.forEach((response, number) => {
        expect(response).toContain(`number <${number}>`);
      });
    });

    it('gets its completion from another vendor when its own has no such model', async () => {
      const { data, response } = await open()
        .chat.completions.create({ model: fallbackModelOf(model), ...say('who?') })
        .withResponse();
      expect([data.model, finish(data), response.headers.get('x-gateway-attempts')]).toEqual([
        fallbackModelOf(model),
        'stop',
        '2',
      ]);
      const streamed = await stream(say('who?'), fallbackModelOf(model)).finalChatCompletion();
      expect([streamed.model, finish(streamed)]).toEqual([fallbackModelOf(model), 'stop']);
    });

    // Deprecated is what clients from before tools are.
    /* eslint-disable @typescript-eslint/no-deprecated -- see above */
    it('may call functions in the manner from before tools', async () => {
      const functions = [{ name: 'get_weather', parameters: weatherSchema }];
      const asked = await create({
        messages: [user(prompt('[call=get_weather {"city":"Lisbon"}]'))],
        functions,
      });
      const { message } = asked.choices[0]!;
      expect([finish(asked), message.function_call]).toEqual([
        'function_call',
        { name: 'get_weather', arguments: expect.stringContaining('Lisbon') },
      ]);

      const completion = await create({
        messages: [
          user(prompt('[call=get_weather {"city":"Lisbon"}]')),
          { role: 'assistant', content: null, function_call: message.function_call! },
          { role: 'function', name: 'get_weather', content: '19 degrees' },
        ],
        functions,
      });
      expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');
    });
    /* eslint-enable @typescript-eslint/no-deprecated */

    it('calls a tool that takes nothing, and is told of a refusal and of any JSON', async () => {
      const ping: OpenAI.ChatCompletionTool = { type: 'function', function: { name: 'ping' } };
      for (const called of [
        await create({ ...say('[call=ping]'), tools: [ping] }),
        await stream({ ...say('[call=ping]'), tools: [ping] }).finalChatCompletion(),
      ]) {
        expect(called.choices[0]?.message.tool_calls).toMatchObject([
          { type: 'function', function: { name: 'ping', arguments: '{}' } },
        ]);
      }
      expect(finish(await create(say('[refuse] x')))).toBe('content_filter');
      const json = await create({
        messages: [{ role: 'developer', content: 'answer in JSON' }, user(prompt('anything'))],
        response_format: { type: 'json_object' },
      });
      expect(model === 'sandbox-chat' ? typeof JSON.parse(text(json)) : 'object').toBe('object');
    });

    it('is shown the reasoning beside the response', async () => {
      const completion = await create(say('[think] why?'));
      const { reasoning_content: reasoning } = completion.choices[0]!.message as {
        reasoning_content?: string;
      };
      expect(reasoning).toContain('The user wants an answer');
      expect(text(completion)).not.toContain('The user wants');
      expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);

      const deltas: unknown[] = [];
      for await (const { choices } of stream(say('[think] why?'))) {
        deltas.push(
          (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ??
            '',
        );
      }
      expect(deltas.join('')).toBe(reasoning);
    });

    it('gets reasoning by asking for an effort, and keeps it through calls of tools', async () => {
      const asked = await create({ messages: [user(twoCalls)], tools, reasoning_effort: 'high' });
      const { message } = asked.choices[0]!;
      expect((message as { reasoning_content?: string }).reasoning_content).toContain(
        'The user wants',
      );

      const completion = await create({
        messages: [user(twoCalls), message, ...resultsOf(message.tool_calls ?? [])],
        tools,
        reasoning_effort: 'high',
      });
      expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');
    });

    it.each(['whole', 'streamed'] as const)(
      'gets output in the shape of a schema, %s',
      async (way) => {
        const schema = {
          ...placeSchema,
          properties: { ...placeSchema.properties, degrees: { type: 'integer', minimum: -90 } },
        };
        const request = {
          ...say('where?'),
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'place', strict: true, schema },
          },
        };

        const completion = await (way === 'whole'
          ? create(request)
          : stream(request).finalChatCompletion());

        expect(JSON.parse(text(completion))).toEqual(placeCompletion);
        expect(finish(completion)).toBe('stop');
      },
    );

    it('stops before a stop sequence, and at max_tokens', async () => {
      for (const stop of [stopPhrase, ['nowhere', stopPhrase]]) {
        const stopped = await create({ ...say('go on'), stop });
        expect(finish(stopped)).toBe('stop');
        expect(text(stopped)).toMatch(/in the same $/);
      }
      const most = fewTokens(model);
      for (const limit of [{ max_tokens: most }, { max_completion_tokens: most }]) {
        const cut = await stream({ ...say('go on'), ...limit }).finalChatCompletion();
        expect([finish(cut), cut.usage?.completion_tokens]).toEqual(['length', most]);
      }
    });

    it('throws its own error for each refusal, with what the gateway says', async () => {
      const chat = open().chat.completions;
      await expect(chat.create({ model: 'no-such-model', ...say('x') })).rejects.toMatchObject({
        constructor: Client.NotFoundError,
        status: 404,
        code: 'model_not_found',
        requestID: expect.any(String),
      });
      await expect(chat.create({ model, ...say('x'), temperature: 3 })).rejects.toMatchObject({
        constructor: Client.BadRequestError,
        status: 400,
        param: 'temperature',
        message: expect.stringContaining('temperature'),
      });
      await expect(chat.create({ model, ...say('x'), n: 2_000 })).rejects.toMatchObject({
        status: 400,
        param: 'n',
      });
      await expect(
        open('sk-gw-nobody').chat.completions.create({ model, ...say('x') }),
      ).rejects.toMatchObject({
        constructor: Client.AuthenticationError,
        status: 401,
        code: 'invalid_api_key',
      });
    });

    it.each([false, true])(
      'throws the error of an upstream that refuses (stream: %s)',
      async (streamed) => {
        const chat = open().chat.completions;
        const ask = (directive: string) =>
          chat.create({
            model: stage().modelToBreak(model),
            ...say(`[${directive}] x`),
            stream: streamed,
          });
        await expect(ask('rate-limited')).rejects.toMatchObject({
          constructor: Client.RateLimitError,
          status: 429,
          message: expect.stringMatching(/rate limit/i),
        });
        await expect(
          ask('rate-limited').catch((error: unknown) =>
            (error as InstanceType<typeof Client.APIError>).headers?.get('retry-after'),
          ),
        ).resolves.toBe('2');
        await expect(ask('overloaded')).rejects.toMatchObject({
          constructor: Client.InternalServerError,
          status: 503,
        });
        await expect(ask('server-error')).rejects.toMatchObject({ status: 500 });
        await expect(ask('html')).rejects.toMatchObject({
          status: 502,
          message: expect.not.stringContaining('<html>'),
        });
        await expect(ask('reset')).rejects.toMatchObject({ status: 502 });
        await expect(ask('context')).rejects.toMatchObject({
          constructor: Client.BadRequestError,
          status: 400,
          code: 'context_length_exceeded',
        });
      },
    );

    it('does not try again what the gateway has tried again', async () => {
      const storm = `storm ${model} by ${Client.name} at ${Date.now()}`;
      const patient: OpenAI = new Client({
        apiKey: stage().customer.apiKey,
        baseURL: stage().versionedUrl,
      });

      await expect(
        patient.chat.completions.create({
          model: stage().modelToBreak(model),
          ...say(`[overloaded] ${storm}`),
        }),
      ).rejects.toMatchObject({ status: 503 });

      expect(await stage().vendorRequests(storm)).toHaveLength(2);
    });

    it.each(brokenStreams)(
      'throws when a stream has %s, and never ends it cleanly',
      async (fault) => {
        await expect(
          stream(say(`[${fault}] x`), stage().modelToBreak(model)).finalChatCompletion(),
        ).rejects.toThrow();

        const chunks: OpenAI.ChatCompletionChunk[] = [];
        const reading = async (): Promise<void> => {
          for await (const chunk of await open().chat.completions.create({
            model: stage().modelToBreak(model),
            ...say(`[${fault}] x`),
            stream: true,
          })) {
            chunks.push(chunk);
          }
        };
        await expect(reading()).rejects.toThrow();
        expect(chunks.length).toBeGreaterThan(1);
        expect(chunks.every(({ choices }) => choices[0]?.finish_reason == null)).toBe(true);
      },
    );

    it('takes the vendor along when it leaves a stream or a whole response', async () => {
      const leaving = `leaving ${model} by ${Client.name} at ${Date.now()}`;
      const streaming = stream(say(`[tokens=2000] [pace=100] ${leaving} early`));
      await new Promise((resolve) => {
        streaming.once('content', resolve);
      });
      streaming.abort();
      await expect(streaming.done()).rejects.toThrow();
      await expectAborted(stage(), `${leaving} early`);

      const controller = new AbortController();
      const whole = open().chat.completions.create(
        { model, ...say(`[tokens=2000] [pace=100] ${leaving} late`) },
        { signal: controller.signal },
      );
      await stage().untilVendorHas(`${leaving} late`);
      controller.abort();
      await expect(whole).rejects.toMatchObject({ constructor: Client.APIUserAbortError });
      await expectAborted(stage(), `${leaving} late`);
    });

    it('lists the models and finds one', async () => {
      const ids: string[] = [];
      for await (const { id } of open().models.list()) ids.push(id);

      expect(ids).toEqual(
        expect.arrayContaining(['sandbox-video', 'sandbox-messages', 'sandbox-chat']),
      );
      expect(await open().models.retrieve(model)).toMatchObject({
        id: model,
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
      });
      await expect(open().models.retrieve('no-such-model')).rejects.toMatchObject({
        constructor: Client.NotFoundError,
      });
    });
  });
});
