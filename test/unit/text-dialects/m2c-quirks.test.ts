import { describe, expect, it } from '@jest/globals';
import { createAjv } from '../../../packages/contracts/src/index.ts';
import { estimateTokens } from '../../../packages/text-dialects/src/estimate.ts';
import {
  chatQuirksOf,
  chatVendorNames,
} from '../../../packages/text-dialects/src/chat/choose-quirks.ts';
import { chatVendorPresets } from '../../../packages/text-dialects/src/chat/vendor-presets.ts';
import { chatQuirksFor } from '../../../packages/text-dialects/src/upstream-sides.ts';
import { chatQuirksSchema } from '../../../packages/text-dialects/src/chat/quirks-schema.ts';
import { readMessagesRequest } from '../../../packages/text-dialects/src/messages/read-request.ts';
import { aBody, type Json } from './m2c-samples.ts';

const snakeCase = (key: string): string =>
  key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const validate = createAjv().compile(chatQuirksSchema);

describe("a chat upstream's quirks", () => {
  it.each(chatVendorNames)('of %s can all be said in the configuration', (vendor) => {
    const overrides = Object.fromEntries(
      Object.entries(chatVendorPresets[vendor]).map(([key, value]) => [
        snakeCase(key),
        value as unknown,
      ]),
    );

    expect(validate(overrides)).toBe(true);
    expect(chatQuirksOf({ vendor: 'generic', model: 'm', overrides })).toEqual(
      chatVendorPresets[vendor],
    );
  });

  it('refuse an unknown word and a wrong value', () => {
    expect([
      validate({ topK: true }),
      validate({ top_k: 'yes' }),
      validate({ system_role: 'boss' }),
    ]).toEqual([false, false, false]);
  });

  it.each<[string, string, Json]>([
    [
      'openai',
      'gpt-4o',
      {
        systemRole: 'system',
        sampling: true,
        reasoningStyle: 'none',
        structuredOutput: 'json_schema',
      },
    ],
    ['openai', 'gpt-4-turbo', { structuredOutput: 'json_object', reasoningStyle: 'none' }],
    [
      'openai',
      'o4-mini',
      {
        systemRole: 'developer',
        sampling: false,
        maxStops: 0,
        reasoningWords: ['low', 'medium', 'high'],
      },
    ],
    ['openai', 'gpt-5-chat-latest', { systemRole: 'system', sampling: true }],
    ['openai', 'gpt-5.6', { reasoningWithTools: false, maxTokensField: 'max_completion_tokens' }],
    ['azure', 'gpt-4o', { maxTokensField: 'max_tokens' }],
    ['azure', 'gpt-5-mini', { maxTokensField: 'max_completion_tokens' }],
    ['generic', 'openai/gpt-5', { maxTokensField: 'max_completion_tokens' }],
    ['deepseek', 'deepseek-reasoner', { reasoningStyle: 'none', reasoningDefaultOn: false }],
    ['kimi', 'kimi-k2-0905-preview', { reasoningStyle: 'none' }],
    ['kimi', 'kimi-k2.5', { reasoningStyle: 'thinking_type', reasoningDefaultOn: true }],
    ['gemini', 'gemini-2.5-pro', { reasoningWords: ['low', 'medium', 'high'] }],
    ['gemini', 'gemini-2.5-flash', { reasoningWords: ['none', 'low', 'medium', 'high'] }],
    ['vllm', 'mistralai/Mistral-7B', { toolIdRule: 'alphanumeric_9', mergeSameRole: true }],
    ['nobody', 'm', chatVendorPresets.generic as unknown as Json],
  ])('of %s know the family of %s', (vendor, model, quirks) => {
    expect(chatQuirksOf({ vendor, model })).toMatchObject(quirks);
  });

  it('follow the operator before everything else', () => {
    expect(
      chatQuirksOf({
        vendor: 'openai',
        model: 'gpt-5',
        overrides: { system_role: 'system', max_stops: 2 },
      }),
    ).toMatchObject({ systemRole: 'system', maxStops: 2, sampling: false });
  });

  it('are worked out once for each description of an upstream', () => {
    const upstream = {
      dialect: 'chat',
      vendor: 'openai',
      model: 'gpt-5',
      overrides: { max_stops: 2 },
    } as const;

    expect(chatQuirksFor(upstream)).toEqual(chatQuirksOf(upstream));
    expect(chatQuirksFor(upstream)).toBe(chatQuirksFor(upstream));
    expect(chatQuirksFor({ ...upstream, model: 'gpt-4o' })).not.toEqual(chatQuirksFor(upstream));
  });
});

describe('the estimate of a prompt', () => {
  const estimateOf = (fields: Json): number =>
    estimateTokens(readMessagesRequest(aBody(fields)).request);
  const english = 'The quick brown fox jumps over the lazy dog and then walks home slowly. '.repeat(
    100,
  );

  it('is a little too high for English: 1,500 tokens of known text', () => {
    // A usual tokenizer makes 15 tokens of the sentence.
    const tokens = estimateOf({ system: english });

    expect(tokens).toBeGreaterThan(1_500);
    expect(tokens).toBeLessThan(2_400);
  });

  it('is not far too low for Chinese: about a token a character', () => {
    expect(estimateOf({ system: '汉字'.repeat(500) })).toBeGreaterThan(900);
  });

  it.each<[string, Json, number]>([
    ['tools', { tools: [{ name: 'f', description: english, input_schema: {} }] }, 1_500],
    [
      'calls and results',
      {
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'a', name: 'f', input: { english } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: english }] },
        ],
      },
      3_000,
    ],
    [
      'thoughts',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'thinking', thinking: english, signature: '' }] },
        ],
      },
      1_500,
    ],
    [
      'pictures',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'url', url: 'https://a.example' } }],
          },
        ],
      },
      1_600,
    ],
    [
      'documents',
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'document',
                source: {
                  type: 'base64',
                  media_type: 'application/pdf',
                  data: 'A'.repeat(400_000),
                },
              },
            ],
          },
        ],
      },
      9_000,
    ],
  ])('counts %s', (_case, fields, least) => {
    expect(estimateOf(fields)).toBeGreaterThan(least);
  });
});
