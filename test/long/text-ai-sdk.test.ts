/** @workers 3: it promises no times. */
import { describe, expect, it } from '@jest/globals';
import {
  APICallError,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamText,
  tool,
  type LanguageModel,
} from 'ai';
import {
  aiSdks,
  brokenStreams,
  expectAborted,
  fewTokens,
  fallbackModelOf,
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

const silent = { maxRetries: 0, onError: () => undefined };

/** The other providers do not look at it. */
const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } };

/** Two tools that note what they were called with. */
function recordingTools(called: unknown[]) {
  const returning = <Input>(schema: object, result: string) =>
    tool({
      inputSchema: jsonSchema<Input>(schema),
      execute: (input: Input) => {
        called.push(input);
        return Promise.resolve(result);
      },
    });
  return {
    get_weather: returning<{ city: string }>(weatherSchema, '19 degrees'),
    get_time: returning<{ zone: string }>(timeSchema, 'noon'),
  };
}

onTextStage((stage) => {
  describe.each(aiSdks)('%s on %s', (name, model, { open, showsReasoning, takesStops = true }) => {
    const languageModel = (of: string = model, apiKey = stage().customer.apiKey): LanguageModel =>
      open({ baseURL: stage().versionedUrl, apiKey })(of);
    const generate = (options: Omit<Parameters<typeof generateText>[0], 'model'>) =>
      generateText({ model: languageModel(), maxRetries: 0, ...options } as Parameters<
        typeof generateText
      >[0]);

    it('gets a plain response', async () => {
      const { text, finishReason, usage, finalStep } = await generate({
        instructions: 'be brief',
        prompt: prompt('good morning'),
      });

      expect(text).toContain('good morning');
      expect(text).toContain('The system prompt says: "be brief"');
      expect(finishReason).toBe('stop');
      expect(usage.totalTokens).toBe(usage.inputTokens! + usage.outputTokens!);
      expect(finalStep.response.modelId).toBe(model);
    });

    it('streams the same completion, with the same usage', async () => {
      const whole = await generate({ prompt: prompt('tell me a story') });
      const deltas: string[] = [];

      const streamed = streamText({
        model: languageModel(),
        prompt: prompt('tell me a story'),
        ...silent,
      });
      for await (const delta of streamed.textStream) deltas.push(delta);

      expect(deltas.length).toBeGreaterThan(5);
      expect(deltas.join('')).toBe(whole.text);
      expect(await streamed.finishReason).toBe('stop');
      const usage = await streamed.usage;
      expect([usage.inputTokens, usage.outputTokens]).toEqual([
        whole.usage.inputTokens,
        whole.usage.outputTokens,
      ]);
    });

    it('runs tools in parallel until the final response, whole', async () => {
      const called: unknown[] = [];

      const { text, steps, finishReason } = await generate({
        prompt: twoCalls,
        tools: recordingTools(called),
        stopWhen: stepCountIs(3),
      });

      expect(called).toEqual([{ city: 'Lisbon' }, { zone: 'WET' }]);
      expect(steps.map((step) => step.finishReason)).toEqual(['tool-calls', 'stop']);
      expect(finishReason).toBe('stop');
      expect(text).toContain('The tool get_weather answered: "19 degrees"');
      expect(text).toContain('The tool get_time answered: "noon"');
    });

    it('runs tools in parallel until the final response, streamed and thinking', async () => {
      const called: unknown[] = [];

      const streamed = streamText({
        model: languageModel(),
        prompt: `${twoCalls} [think]`,
        tools: recordingTools(called),
        stopWhen: stepCountIs(3),
        providerOptions: thinking,
        ...silent,
      });

      expect(await streamed.text).toContain('The tool get_time answered: "noon"');
      expect(called).toEqual([{ city: 'Lisbon' }, { zone: 'WET' }]);
      expect((await streamed.steps).map((step) => step.finishReason)).toEqual([
        'tool-calls',
        'stop',
      ]);
    });

    it('sends an image and a document', async () => {
      const { text } = await generate({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: prompt('what is this?') },
              { type: 'file', mediaType: 'image/png', data: Buffer.from(png, 'base64') },
              {
                type: 'file',
                mediaType: 'application/pdf',
                filename: 'heron.pdf',
                data: Buffer.from(pdf, 'base64'),
              },
            ],
          },
        ],
      });

      expect(text).toContain(`You sent one image of type image/png with ${sizeOf(png)} bytes.`);
      expect(text).toContain(
        `You sent one document of type application/pdf with ${sizeOf(pdf)} bytes.`,
      );
    });

    it('keeps reasoning apart from the response', async () => {
      const whole = await generate({ prompt: prompt('[think] why?') });
      const streamed = streamText({
        model: languageModel(),
        prompt: prompt('[think] why?'),
        ...silent,
      });

      for (const [text, reasoning] of [
        [whole.text, whole.finalStep.reasoningText],
        [await streamed.text, (await streamed.finalStep).reasoningText],
      ]) {
        expect(text).toContain('why?');
        expect(text).not.toContain('The user wants');
        if (showsReasoning) expect(reasoning).toContain('The user wants an answer');
      }
    });

    it('gets an object in the shape of a schema', async () => {
      const output = Output.object({
        schema: jsonSchema<{ city: string; degrees: number }>({
          ...placeSchema,
          required: [...placeSchema.required],
        }),
      });

      expect(
        (
          await generateText({
            model: languageModel(),
            prompt: prompt('where?'),
            output,
            maxRetries: 0,
          })
        ).output,
      ).toEqual(placeCompletion);
      expect(
        await streamText({ model: languageModel(), prompt: prompt('where?'), output, ...silent })
          .output,
      ).toEqual(placeCompletion);
    });

    it('gets its completion from another vendor when its own has no such model', async () => {
      const { text, finishReason } = await generateText({
        model: languageModel(fallbackModelOf(model)),
        prompt: prompt('who is there?'),
        maxRetries: 0,
      });
      expect([finishReason, text]).toEqual(['stop', expect.stringContaining('who is there?')]);
    });

    it('stops before a stop sequence, and at the limit', async () => {
      const stopped = await generate({ prompt: prompt('go on'), stopSequences: [stopPhrase] });
      expect([stopped.finishReason, stopped.text.endsWith('in the same ')]).toEqual([
        'stop',
        takesStops,
      ]);
      const cut = await generate({ prompt: prompt('go on'), maxOutputTokens: fewTokens(model) });
      expect([cut.finishReason, cut.usage.outputTokens]).toEqual(['length', fewTokens(model)]);
    });

    it('throws for each refusal, in words of the gateway', async () => {
      const ask = (directive: string, of: string = stage().modelToBreak(model)) =>
        generateText({
          model: languageModel(of),
          prompt: prompt(`[${directive}] x`),
          maxRetries: 0,
        });
      const status = (statusCode: number, message: string | RegExp = /./) => ({
        constructor: APICallError,
        statusCode,
        message: expect.stringMatching(message),
      });
      await expect(ask('x', 'no-such-model')).rejects.toMatchObject(status(404, /no-such-model/));
      await expect(
        generateText({ model: languageModel(model, 'sk-gw-nobody'), prompt: 'x', maxRetries: 0 }),
      ).rejects.toMatchObject(status(401));
      await expect(
        generateText({ model: languageModel(), prompt: 'x', maxRetries: 0, topP: 7 }),
      ).rejects.toMatchObject(status(400, /top_p/));
      await expect(ask('rate-limited')).rejects.toMatchObject({
        ...status(429, /rate limit/i),
        isRetryable: true,
        responseHeaders: { 'retry-after': '2' },
      });
      await expect(ask('overloaded')).rejects.toMatchObject(
        status(name === '@ai-sdk/anthropic' ? 529 : 503, /overloaded/i),
      );
      await expect(ask('context')).rejects.toMatchObject({
        ...status(400, /too long|maximum context/),
        isRetryable: false,
      });
      await expect(ask('html')).rejects.toMatchObject(status(502, /^(?!.*<html)/));
    });

    it.each(brokenStreams.filter((fault) => fault !== 'garbage'))(
      'surfaces an error when a stream has %s, and never ends it cleanly',
      async (fault) => {
        const errors: unknown[] = [];

        const streamed = streamText({
          model: languageModel(stage().modelToBreak(model)),
          prompt: prompt(`[${fault}] x`),
          maxRetries: 0,
          onError: ({ error }) => {
            errors.push(error);
          },
        });
        const parts: { type: string; finishReason?: string }[] = [];
        for await (const part of streamed.stream) parts.push(part);

        expect(errors).not.toEqual([]);
        expect(parts.map(({ type }) => type)).toEqual(
          expect.arrayContaining(['text-delta', 'error']),
        );
        expect(parts.filter(({ finishReason }) => finishReason === 'stop')).toEqual([]);
      },
    );

    it('surfaces an error when an event of a stream is not JSON', async () => {
      const streamed = streamText({
        model: languageModel(stage().modelToBreak(model)),
        prompt: prompt('[garbage] x'),
        ...silent,
      });
      const types: string[] = [];
      for await (const { type } of streamed.stream) types.push(type);

      expect(types).toContain('error');
    });

    it('takes the vendor along when it leaves a stream or a whole response', async () => {
      const leaving = `leaving ${model} by ${name} at ${Date.now()}`;
      const early = new AbortController();
      const streamed = streamText({
        model: languageModel(),
        prompt: prompt(`[tokens=2000] [pace=100] ${leaving} early`),
        abortSignal: early.signal,
        ...silent,
      });
      for await (const part of streamed.stream) if (part.type === 'text-delta') early.abort();
      await expectAborted(stage(), `${leaving} early`);

      const late = new AbortController();
      const whole = generate({
        prompt: prompt(`[tokens=2000] [pace=100] ${leaving} late`),
        abortSignal: late.signal,
      });
      const refused = expect(whole).rejects.toMatchObject({ name: 'AbortError' });
      await stage().untilVendorHas(`${leaving} late`);
      late.abort();
      await refused;
      await expectAborted(stage(), `${leaving} late`);
    });
  });
});
