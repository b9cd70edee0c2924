/** @workers 3: it promises no times. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { generateText } from 'ai';
import { createAnthropic as createAnthropic2 } from 'ai-sdk-anthropic-2';
import { createAnthropic as createAnthropic3 } from 'ai-sdk-anthropic-3';
import type OpenAI from 'openai';
import {
  aiSdks,
  chatSdks,
  messagesSdks,
  onTextStage,
  prompt,
  timeSchema,
  twoCalls,
  weatherSchema,
} from '../e2e/text-clients.ts';

const messages = [{ role: 'user' as const, content: prompt('good morning') }];

/** One round with each client; files beside this one ask them for everything they can. */
onTextStage((stage) => {
  describe('official clients', () => {
    it.each(chatSdks)(
      '%s on %s gets a response, whole and streamed',
      async (_name, model, Client) => {
        const { apiKey } = stage().customer;
        const { chat } = new Client({ apiKey, baseURL: stage().versionedUrl, maxRetries: 0 });

        const whole = await chat.completions.create({ model, messages });
        const streamed = await chat.completions.stream({ model, messages }).finalContent();

        expect(whole.choices[0]?.message.content).toContain('good morning');
        expect(streamed).toBe(whole.choices[0]?.message.content);
      },
    );

    it.each(messagesSdks)(
      '%s on %s gets a response, whole and streamed',
      async (_name, model, Client) => {
        const { apiKey } = stage().customer;
        const client = new Client({ apiKey, baseURL: stage().rootUrl, maxRetries: 0 });
        const request = { model, max_tokens: 400, messages };

        const { content } = await client.messages.create(request);
        const streamed = await client.messages.stream(request).finalText();

        expect(content).toEqual([
          expect.objectContaining({ type: 'text', text: expect.stringContaining('good morning') }),
        ]);
        expect(content[0]).toMatchObject({ text: streamed });
      },
    );

    it.each(aiSdks)('%s on %s gets a response', async (_name, model, { open }) => {
      const { apiKey } = stage().customer;

      const { text } = await generateText({
        model: open({ baseURL: stage().versionedUrl, apiKey })(model),
        maxRetries: 0,
        prompt: prompt('good morning'),
      });

      expect(text).toContain('good morning');
    });
  });

  describe.each([
    ['5', createAnthropic2],
    ['6', createAnthropic3],
  ])('the messages provider of AI SDK %s', (_version, createProvider) => {
    it.each(['sandbox-chat', 'sandbox-messages'])('reads a whole response of %s', async (model) => {
      const provider = createProvider({
        apiKey: stage().customer.apiKey,
        baseURL: stage().versionedUrl,
      });

      const { content } = await provider(model).doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text: prompt('good morning') }] }],
      });

      expect(content).toMatchObject([
        { type: 'text', text: expect.stringContaining('good morning') },
      ]);
    });
  });

  describe('the tool runner of @anthropic-ai/sdk', () => {
    it.each([
      ['sandbox-chat', false],
      ['sandbox-chat', true],
      ['sandbox-messages', false],
      ['sandbox-messages', true],
    ])(
      'keeps the conversation with %s, where it may open no thread, streamed: %s',
      async (model, stream) => {
        const client = new Anthropic({
          apiKey: stage().customer.apiKey,
          baseURL: stage().rootUrl,
          maxRetries: 0,
        });
        const called: unknown[] = [];
        const tool = (name: string, schema: object, result: string) => ({
          type: 'custom' as const,
          name,
          input_schema: schema as Anthropic.Beta.BetaTool.InputSchema,
          run: (input: unknown) => {
            called.push(input);
            return result;
          },
          parse: (input: unknown) => input,
        });

        const last = await client.beta.messages
          .toolRunner({
            model,
            max_tokens: 1_000,
            stream,
            messages: [{ role: 'user', content: twoCalls }],
            tools: [
              tool('get_weather', weatherSchema, '19 degrees'),
              tool('get_time', timeSchema, 'noon'),
            ],
          })
          .runUntilDone();

        expect(called).toEqual([{ city: 'Lisbon' }, { zone: 'WET' }]);
        expect(JSON.stringify(last.content)).toMatch(/get_weather.*19 degrees.*get_time.*noon/);
      },
    );
  });

  describe.each(chatSdks.filter(([, model]) => model === 'sandbox-messages'))(
    '%s on %s',
    (name, model, Client) => {
      it.each(['whole', 'streamed'])('keeps the model thinking over a call, %s', async (way) => {
        const { apiKey } = stage().customer;
        const { chat } = new Client({ apiKey, baseURL: stage().versionedUrl, maxRetries: 0 });
        const mark = `${name} thinks, ${way}`;
        const request = {
          model,
          reasoning_effort: 'high' as const,
          tools: [
            { type: 'function' as const, function: { name: 'get_time', parameters: timeSchema } },
          ],
          messages: [
            { role: 'user' as const, content: `${mark} [call=get_time {"zone":"WET"}] when?` },
          ],
        };
        const asked =
          way === 'whole'
            ? await chat.completions.create(request)
            : await chat.completions.stream(request).finalChatCompletion();
        const message = JSON.parse(
          JSON.stringify(asked.choices[0]!.message, (field, value: unknown) =>
            field.startsWith('parsed') ? undefined : value,
          ),
        ) as OpenAI.ChatCompletionMessage;

        await chat.completions.create({
          ...request,
          messages: [
            ...request.messages,
            message,
            { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'noon' },
          ],
        });

        const [, second] = await stage().vendorRequests(mark);
        expect(second?.body).toMatchObject({
          thinking: { type: expect.stringMatching(/enabled|adaptive/) },
          messages: [
            { role: 'user' },
            {
              role: 'assistant',
              content: [
                {
                  type: 'thinking',
                  thinking: expect.stringMatching(/./),
                  signature: expect.stringMatching(/./),
                },
                { type: 'tool_use' },
              ],
            },
            { role: 'user' },
          ],
        });
      });
    },
  );
});
