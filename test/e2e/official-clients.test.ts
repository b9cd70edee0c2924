import { describe, expect, it } from '@jest/globals';
import { generateText } from 'ai';
import { aiSdks, chatSdks, messagesSdks, onTextStage, prompt } from './text-clients.ts';

const messages = [{ role: 'user' as const, content: prompt('good morning') }];

/** In a few words; `test/long` asks the same clients for everything they can. */
onTextStage((stage) => {
  describe('official clients', () => {
    it.each(chatSdks)(
      '%s on %s gets an answer, whole and streamed',
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
      '%s on %s gets an answer, whole and streamed',
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

    it.each(aiSdks)('%s on %s gets an answer', async (_name, model, { open }) => {
      const { apiKey } = stage().customer;

      const { text } = await generateText({
        model: open({ baseURL: stage().versionedUrl, apiKey })(model),
        maxRetries: 0,
        prompt: prompt('good morning'),
      });

      expect(text).toContain('good morning');
    });
  });
});
