/** @workers 3: it promises no times. */
import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import {
  brokenStreams,
  expectAborted,
  fewTokens,
  fallbackModelOf,
  largePng,
  messagesSdks,
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

type Request = Anthropic.MessageCreateParamsNonStreaming;
type Wish = Omit<Request, 'model' | 'max_tokens'> & { max_tokens?: number };

const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
});
const say = (text: string): Wish => ({ messages: [user(prompt(text))] });
const text = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const thoughts = ({ content }: Anthropic.Message): Anthropic.ThinkingBlock[] =>
  content.filter((block) => block.type === 'thinking');
const calls = ({ content }: Anthropic.Message): Anthropic.ToolUseBlock[] =>
  content.filter((block) => block.type === 'tool_use');
/** The whole prompt, from the cache or not. */
const promptTokens = ({ usage }: Anthropic.Message): number =>
  usage.input_tokens +
  (usage.cache_read_input_tokens ?? 0) +
  (usage.cache_creation_input_tokens ?? 0);
const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    input_schema: { ...weatherSchema, required: ['city'] },
  },
  { name: 'get_time', input_schema: { ...timeSchema, required: ['zone'] } },
];
const resultsByTool: Readonly<Record<string, Partial<Anthropic.ToolResultBlockParam>>> = {
  get_weather: { content: [{ type: 'text', text: '19 degrees' }] },
  get_time: { content: 'no clock', is_error: true },
};
const resultsOf = (message: Anthropic.Message): Anthropic.MessageParam =>
  user(
    calls(message).map(({ id, name }) => ({
      type: 'tool_result',
      tool_use_id: id,
      ...resultsByTool[name],
    })),
  );

onTextStage((stage) => {
  describe.each(messagesSdks)('%s on %s', (_name, model, Client) => {
    const isTranslated = model !== 'sandbox-messages';
    const open = (apiKey = stage().customer.apiKey): Anthropic =>
      new Client({ apiKey, baseURL: stage().rootUrl, maxRetries: 0 });
    const create = (wish: Wish): Promise<Anthropic.Message> =>
      open().messages.create({ model, max_tokens: 1_000, ...wish });
    const stream = (wish: Wish, of: string = model) =>
      open().messages.stream({ model: of, max_tokens: 1_000, ...wish });

    it('gets a plain response', async () => {
      const message = await create({
        ...say('good morning'),
        system: [{ type: 'text', text: 'be brief' }],
      });

      expect(message).toMatchObject({
        id: expect.any(String),
        type: 'message',
        role: 'assistant',
        model,
        _request_id: expect.any(String),
        stop_reason: 'end_turn',
        stop_sequence: null,
      });
      expect(message.content.map(({ type }) => type)).toEqual(['text']);
      expect(text(message)).toContain('good morning');
      expect(text(message)).toContain('The system prompt says: "be brief"');
      expect(message.usage).toMatchObject({
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
      });
    });

    it('streams the same completion, with the same usage', async () => {
      const whole = await create(say('tell me a story'));
      const deltas: string[] = [];

      const streamed = await stream(say('tell me a story'))
        .on('text', (delta) => {
          deltas.push(delta);
        })
        .finalMessage();

      expect(deltas.length).toBeGreaterThan(5);
      expect(deltas.join('')).toBe(text(streamed));
      expect(text(streamed)).toBe(text(whole));
      expect([streamed.model, streamed.stop_reason]).toEqual([model, 'end_turn']);
      expect([promptTokens(streamed), streamed.usage.output_tokens]).toEqual([
        promptTokens(whole),
        whole.usage.output_tokens,
      ]);
    });

    it('counts a prompt that was cached once, as cached', async () => {
      const wish: Wish = {
        ...say('again'),
        system: [
          {
            type: 'text',
            text: `cached by ${Client.name} ${model} `.repeat(400),
            cache_control: { type: 'ephemeral' },
          },
        ],
      };
      const first = await create(wish);
      const second = await create(wish);
      const streamed = await stream(wish).finalMessage();

      expect(second.usage.cache_read_input_tokens).toBeGreaterThan(1_000);
      expect(second.usage.input_tokens).toBeLessThan(1_000);
      expect([promptTokens(second), promptTokens(streamed)]).toEqual([
        promptTokens(first),
        promptTokens(first),
      ]);
      expect(streamed.usage.cache_read_input_tokens).toBe(second.usage.cache_read_input_tokens);
    });

    it.each(['whole', 'streamed'] as const)(
      'calls tools in parallel and goes on with their results, %s',
      async (way) => {
        const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> =>
          way === 'whole'
            ? create({ messages, tools })
            : stream({ messages, tools }).finalMessage();
        const history = [user(twoCalls)];

        const asked = await ask(history);

        expect(asked.stop_reason).toBe('tool_use');
        expect(calls(asked).map(({ name, input }) => [name, input])).toEqual([
          ['get_weather', { city: 'Lisbon' }],
          ['get_time', { zone: 'WET' }],
        ]);
        history.push({ role: 'assistant', content: asked.content }, resultsOf(asked));
        const completion = await ask(history);
        expect(completion.stop_reason).toBe('end_turn');
        expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');
        expect(text(completion)).toMatch(
          isTranslated
            ? /The tool get_time answered: "Error: no clock"/
            : /The tool get_time failed and said: "no clock"/,
        );
        history.push({ role: 'assistant', content: completion.content }, user(prompt('thank you')));
        expect(text(await ask(history))).toContain('thank you');
      },
    );

    it('keeps to tool_choice and to one call at a time', async () => {
      const forced = await create({
        ...say('anything'),
        tools,
        tool_choice: { type: 'tool', name: 'get_time' },
      });
      expect([forced.stop_reason, calls(forced).map(({ name }) => name)]).toEqual([
        'tool_use',
        ['get_time'],
      ]);
      const single = await create({
        messages: [user(twoCalls)],
        tools,
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      });
      expect(calls(single)).toHaveLength(1);
      const none = await create({
        messages: [user(twoCalls)],
        tools,
        tool_choice: { type: 'none' },
      });
      expect([none.stop_reason, calls(none)]).toEqual(['end_turn', []]);
    });

    it('sends images and a document, also in the result of a tool', async () => {
      const image = {
        type: 'image' as const,
        source: { type: 'base64' as const, media_type: 'image/png' as const, data: png },
      };
      const message = await create({
        messages: [
          user([
            { type: 'text', text: prompt('what is this?') },
            image,
            { type: 'image', source: { type: 'url', url: 'https://example.com/heron.png' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: pdf },
            },
          ]),
        ],
      });
      expect(text(message)).toContain(
        `You sent one image of type image/png with ${sizeOf(png)} bytes.`,
      );
      expect(text(message)).toContain('You sent one image at https://example.com/heron.png.');
      expect(text(message)).toContain(
        `You sent one document of type application/pdf with ${sizeOf(pdf)} bytes.`,
      );

      const asked = await create({ messages: [user(prompt('[call=get_weather]'))], tools });
      const result = user([
        {
          type: 'tool_result',
          tool_use_id: calls(asked)[0]!.id,
          content: [{ type: 'text', text: 'a photo' }, image],
        },
      ]);
      const seen = await create({
        messages: [
          user(prompt('[call=get_weather]')),
          { role: 'assistant', content: asked.content },
          result,
        ],
        tools,
      });
      expect(text(seen)).toContain(
        `You sent one image of type image/png with ${sizeOf(png)} bytes.`,
      );
      expect(text(seen)).toContain('a photo');
    });

    it('sends a large image, streamed and whole', async () => {
      const wish: Wish = {
        messages: [
          user([
            { type: 'text', text: prompt('large') },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: largePng } },
          ]),
        ],
      };
      for (const message of [await create(wish), await stream(wish).finalMessage()]) {
        expect(text(message)).toContain(
          `You sent one image of type image/png with ${sizeOf(largePng)} bytes.`,
        );
      }
    });

    it('streams twenty completions at once, to each its own', async () => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_unused, number) =>
          stream(say(`number <${number}>`)).finalText(),
        ),
      );

      responses.forEach((response, number) => {
        expect(response).toContain(`number <${number}>`);
      });
    });

    it('gets its completion from another vendor when its own has no such model', async () => {
      const { data, response } = await open()
        .messages.create({
          model: fallbackModelOf(model),
          max_tokens: 1_000,
          messages: [user(prompt('who?'))],
        })
        .withResponse();
      expect([data.model, data.stop_reason, response.headers.get('x-gateway-attempts')]).toEqual([
        fallbackModelOf(model),
        'end_turn',
        '2',
      ]);
      const streamed = await stream(say('who?'), fallbackModelOf(model)).finalMessage();
      expect([streamed.model, streamed.stop_reason]).toEqual([fallbackModelOf(model), 'end_turn']);
    });

    it('calls tools with a long name, without arguments and defined by the vendor', async () => {
      const longName = `look_${'up_'.repeat(30)}`;
      const all: Anthropic.ToolUnion[] = [
        { name: longName, input_schema: { type: 'object' } },
        { type: 'bash_20250124', name: 'bash' },
      ];
      for (const asked of [
        await create({ ...say('[call=bash]'), tools: all }),
        await stream({ ...say('[call=bash]'), tools: all }).finalMessage(),
      ]) {
        expect(calls(asked)).toMatchObject([{ name: 'bash', input: expect.any(Object) }]);
      }
      const forced = await create({
        ...say('x'),
        tools: all,
        tool_choice: { type: 'tool', name: longName },
      });
      expect(calls(forced)).toMatchObject([{ name: longName, input: {} }]);
    });

    it('may give an instruction in the middle, and have the model go on from its own words', async () => {
      const instructed = await create({
        messages: [
          user(prompt('one')),
          { role: 'assistant', content: 'two' },
          user(prompt('three')),
          { role: 'system', content: 'be brief' } as unknown as Anthropic.MessageParam,
        ],
      });
      expect(text(instructed)).toContain('be brief');
      const continued = await create({
        messages: [user(prompt('count')), { role: 'assistant', content: 'one, two' }],
      });
      expect(continued.stop_reason).toBe('end_turn');
    });

    it.each(['whole', 'streamed'] as const)(
      'is shown signed thinking before the response, and keeps it through calls of tools, %s',
      async (way) => {
        const wish = {
          tools,
          max_tokens: 4_000,
          thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
        };
        const ask = (messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> =>
          way === 'whole'
            ? create({ messages, ...wish })
            : stream({ messages, ...wish }).finalMessage();
        const question = user(`${twoCalls} [think]`);

        const asked = await ask([question]);

        expect(asked.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use', 'tool_use']);
        expect(thoughts(asked)[0]).toMatchObject({
          thinking: expect.stringContaining('The user wants an answer'),
          signature: expect.stringMatching(/./),
        });
        expect(asked.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
        const completion = await ask([
          question,
          { role: 'assistant', content: asked.content },
          resultsOf(asked),
        ]);
        expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');
      },
    );

    it('can take a conversation with thinking and calls to the model of another vendor, in the middle of both', async () => {
      const other = isTranslated ? 'sandbox-messages' : 'sandbox-chat';
      const wish = {
        tools,
        max_tokens: 4_000,
        thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      };
      const question = user(`${twoCalls} [think]`);
      const asked = await create({ messages: [question], ...wish });
      expect(asked.content[0]?.type).toBe('thinking');
      const history = [
        question,
        { role: 'assistant' as const, content: asked.content },
        resultsOf(asked),
      ];

      const completion = await open().messages.create({ model: other, messages: history, ...wish });
      expect(text(completion)).toContain('The tool get_weather answered: "19 degrees"');

      history.push({ role: 'assistant', content: completion.content }, user(prompt('and now?')));
      for (const back of [model, other]) {
        expect(
          text(await open().messages.create({ model: back, messages: history, ...wish })),
        ).toContain('and now?');
      }
    });

    it.each(['whole', 'streamed'] as const)(
      'gets output in the shape of a schema, %s',
      async (way) => {
        const wish: Wish = {
          ...say('where?'),
          output_config: { format: { type: 'json_schema', schema: placeSchema } },
        };

        const message = await (way === 'whole' ? create(wish) : stream(wish).finalMessage());

        expect(JSON.parse(text(message))).toEqual(placeCompletion);
        expect(message.stop_reason).toBe('end_turn');
      },
    );

    it('stops before a stop sequence, and at max_tokens', async () => {
      const five = ['one thing', 'two things', 'three things', 'four things', stopPhrase];
      for (const way of ['whole', 'streamed'] as const) {
        const ask = (wish: Wish): Promise<Anthropic.Message> =>
          way === 'whole' ? create(wish) : stream(wish).finalMessage();
        const stopped = await ask({ ...say('go on'), stop_sequences: five });
        expect(text(stopped)).toMatch(/in the same $/);
        expect([stopped.stop_reason, stopped.stop_sequence]).toEqual(['stop_sequence', stopPhrase]);
        const cut = await ask({ ...say('go on'), max_tokens: fewTokens(model) });
        expect([cut.stop_reason, cut.usage.output_tokens]).toEqual([
          'max_tokens',
          fewTokens(model),
        ]);
      }
    });

    it('is told of a refusal', async () => {
      for (const refused of [
        await create(say('[refuse] x')),
        await stream(say('[refuse] x')).finalMessage(),
      ]) {
        expect(refused.stop_reason).toBe('refusal');
      }
    });

    it('throws its own error for each refusal, with what the gateway says', async () => {
      const { messages } = open();
      const told = (type: string): unknown => ({
        type: 'error',
        error: { type, message: expect.any(String) },
        request_id: expect.any(String),
      });
      await expect(
        messages.create({ model: 'no-such-model', max_tokens: 9, messages: [user('x')] }),
      ).rejects.toMatchObject({
        constructor: Client.NotFoundError,
        status: 404,
        error: told('not_found_error'),
        requestID: expect.any(String),
      });
      await expect(
        messages.create({ model, max_tokens: -1, messages: [user('x')] }),
      ).rejects.toMatchObject({
        constructor: Client.BadRequestError,
        status: 400,
        error: told('invalid_request_error'),
        message: expect.stringContaining('max_tokens'),
      });
      await expect(
        open('sk-gw-nobody').messages.create({ model, max_tokens: 9, messages: [user('x')] }),
      ).rejects.toMatchObject({
        constructor: Client.AuthenticationError,
        status: 401,
        error: told('authentication_error'),
      });
    });

    it.each([false, true])(
      'throws the error of an upstream that refuses (stream: %s)',
      async (streamed) => {
        const ask = (directive: string) =>
          open().messages.create({
            model: stage().modelToBreak(model),
            max_tokens: 99,
            messages: [user(prompt(`[${directive}] x`))],
            stream: streamed,
          });
        await expect(ask('rate-limited')).rejects.toMatchObject({
          constructor: Client.RateLimitError,
          status: 429,
          error: { error: { type: 'rate_limit_error' } },
        });
        await expect(
          ask('rate-limited').catch((error: unknown) =>
            (error as InstanceType<typeof Client.APIError>).headers?.get('retry-after'),
          ),
        ).resolves.toBe('2');
        await expect(ask('overloaded')).rejects.toMatchObject({
          status: 529,
          error: { error: { type: 'overloaded_error' } },
        });
        await expect(ask('server-error')).rejects.toMatchObject({
          status: 500,
          error: { error: { type: 'api_error' } },
        });
        await expect(ask('html')).rejects.toMatchObject({
          status: 502,
          message: expect.not.stringContaining('<html>'),
        });
        await expect(ask('reset')).rejects.toMatchObject({
          status: 502,
          error: { error: { type: 'api_error' } },
        });
        await expect(ask('context')).rejects.toMatchObject({
          constructor: Client.BadRequestError,
          status: 400,
          message: expect.stringMatching(/prompt is too long: \d+ tokens > \d+ maximum/),
        });
      },
    );

    it('does not try again what the gateway has tried again', async () => {
      const storm = `storm ${model} by ${Client.name} at ${Date.now()}`;
      const patient: Anthropic = new Client({
        apiKey: stage().customer.apiKey,
        baseURL: stage().rootUrl,
      });

      await expect(
        patient.messages.create({
          model: stage().modelToBreak(model),
          max_tokens: 99,
          messages: [user(prompt(`[overloaded] ${storm}`))],
        }),
      ).rejects.toMatchObject({ status: 529 });

      expect(await stage().vendorRequests(storm)).toHaveLength(2);
    });

    it.each(brokenStreams)(
      'throws when a stream has %s, and never ends it cleanly',
      async (fault) => {
        await expect(
          stream(say(`[${fault}] x`), stage().modelToBreak(model)).finalMessage(),
        ).rejects.toThrow();

        const events: Anthropic.MessageStreamEvent[] = [];
        const reading = async (): Promise<void> => {
          for await (const event of await open().messages.create({
            model: stage().modelToBreak(model),
            max_tokens: 1_000,
            messages: [user(prompt(`[${fault}] x`))],
            stream: true,
          })) {
            events.push(event);
          }
        };
        await expect(reading()).rejects.toThrow();
        expect(events.map(({ type }) => type)).toContain('content_block_delta');
        expect(
          events.filter(({ type }) => type === 'message_delta' || type === 'message_stop'),
        ).toEqual([]);
      },
    );

    it('takes the vendor along when it leaves a stream or a whole response', async () => {
      const leaving = `leaving ${model} by ${Client.name} at ${Date.now()}`;
      const streaming = stream(say(`[tokens=900] [pace=50] ${leaving} early`));
      await new Promise((resolve) => {
        streaming.once('text', resolve);
      });
      streaming.abort();
      await expect(streaming.done()).rejects.toMatchObject({
        constructor: Client.APIUserAbortError,
      });
      await expectAborted(stage(), `${leaving} early`);

      const controller = new AbortController();
      const whole = open().messages.create(
        {
          model,
          max_tokens: 1_000,
          messages: [user(prompt(`[tokens=900] [pace=50] ${leaving} late`))],
        },
        { signal: controller.signal },
      );
      await stage().untilVendorHas(`${leaving} late`);
      controller.abort();
      await expect(whole).rejects.toMatchObject({ constructor: Client.APIUserAbortError });
      await expectAborted(stage(), `${leaving} late`);
    });

    it('lists the models and finds one', async () => {
      const ids: string[] = [];
      for await (const { id } of open().models.list({ limit: 50 })) ids.push(id);

      expect(ids).toEqual(
        expect.arrayContaining(['sandbox-video', 'sandbox-messages', 'sandbox-chat']),
      );
      expect(new Set(ids).size).toBe(ids.length);
      expect(await open().models.retrieve(model)).toMatchObject({
        id: model,
        type: 'model',
        display_name: expect.stringContaining('Sandbox'),
        created_at: expect.any(String),
      });
      await expect(open().models.retrieve('no-such-model')).rejects.toMatchObject({
        constructor: Client.NotFoundError,
      });
    });

    it('counts tokens before it sends them', async () => {
      const wish = {
        messages: [user(prompt('count these words '.repeat(50)))],
        system: 'be brief',
        tools,
      };
      const { input_tokens: counted } = await open().messages.countTokens({ model, ...wish });

      const told = promptTokens(await create(wish));
      if (isTranslated) expect(counted / told).toBeGreaterThan(0.8);
      else expect(counted).toBe(told);
      expect(counted / told).toBeLessThan(2);
    });

    it('may send all that a coding agent sends', async () => {
      const mark = { type: 'ephemeral' as const };
      const stream = open().beta.messages.stream({
        model,
        max_tokens: 4_000,
        betas: [
          'claude-code-20250219',
          'interleaved-thinking-2025-05-14',
          'context-management-2025-06-27',
          'fine-grained-tool-streaming-2025-05-14',
        ],
        system: [
          { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli;' },
          { type: 'text', text: 'You write code.', cache_control: mark },
        ],
        tools: [
          {
            name: 'Read',
            description: 'Reads a file',
            input_schema: {
              type: 'object',
              properties: {
                file: { type: 'string' },
                limit: { type: 'number', exclusiveMinimum: 0 },
              },
              required: ['file'],
              additionalProperties: false,
            },
            eager_input_streaming: true,
            cache_control: mark,
          },
        ],
        thinking: { type: 'adaptive' },
        output_config: { effort: 'high' },
        metadata: { user_id: `user_${'0'.repeat(64)}_account__session_1` },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: '<system-reminder>be careful</system-reminder>' },
              {
                type: 'text',
                text: prompt('[call=Read {"file":"/a.ts"}] look'),
                cache_control: mark,
              },
            ],
          },
        ],
      });

      const message = await stream.finalMessage();

      expect(message).toMatchObject({ model, stop_reason: 'tool_use' });
      expect(message.content.at(-1)).toMatchObject({
        type: 'tool_use',
        name: 'Read',
        input: { file: '/a.ts' },
      });
    });

    it('may use the beta namespace', async () => {
      const message = await open().beta.messages.create({
        model,
        max_tokens: 1_000,
        betas: ['context-management-2025-06-27'],
        messages: [{ role: 'user', content: prompt('by beta') }],
        context_management: { edits: [] },
      });

      expect(message).toMatchObject({ model, stop_reason: 'end_turn' });
    });
  });
});
