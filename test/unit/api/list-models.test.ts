import { describe, expect, it } from '@jest/globals';
import { configurationIn, minimal } from '../contracts/configuration-text.ts';
import { createListModels } from '../../../services/api/src/use-cases/list-models.ts';
import type { Caller } from '../../../services/api/src/use-cases/authenticate.ts';

const configuration = configurationIn(
  minimal
    .replace(
      'providers:\n',
      `providers:
  openai: { kind: chat, base_url: https://api.openai.com/v1, api_key: \${STUDIO_KEY} }
`,
    )
    .replace(
      'models:\n',
      `models:
  gpt-5: { kind: text, display_name: GPT-5, max_output_tokens: 64000, context_tokens: 400000, token_quota: { input: 1, output: 8, per: 1000, server_tools: { web_search: 10 }, service_tier: { flex: 0.5 } }, routes: [{ provider: openai, model: gpt-5 }] }
  vendor/model:free: { kind: text, retires_at: 2027-01-31, routes: [{ provider: openai, model: free }] }
`,
    ),
);
let now = new Date('2026-11-21T12:00:00.789Z');
const models = createListModels(configuration, { now: () => now.getTime(), date: () => now });
const caller: Caller = {
  keyId: 'key_1',
  accountId: 'acct_1',
  scopes: [],
  models: [],
  requestsPerMinute: null,
  isSuspended: false,
  activeVideosLimit: null,
  expiresAt: null,
};
const ids = (page: Partial<Parameters<typeof models.list>[1]>, by: Caller = caller): unknown => {
  const { items, hasMore } = models.list(by, { limit: 10, ...page });
  return [items.map(({ id }) => id), hasMore];
};
const all = ['gpt-5', 'vendor/model:free', 'film-1'];

describe('the list of models', () => {
  it('has one shape for the clients of both dialects', () => {
    expect(models.list(caller, { limit: 1 })).toStrictEqual({
      hasMore: true,
      items: [
        {
          id: 'gpt-5',
          object: 'model',
          created: 1_795_262_400,
          owned_by: 'gateway',
          type: 'model',
          created_at: '2026-11-21T12:00:00Z',
          retires_at: null,
          kind: 'text',
          display_name: 'GPT-5',
          max_input_tokens: 400_000,
          max_tokens: 64_000,
          max_output_tokens: 64_000,
          price: {
            input: 1,
            output: 8,
            cached_input: 1,
            cache_write: 1,
            cache_write_1h: 1,
            server_tools: { web_search: 10 },
            service_tier: { flex: 0.5 },
            per: 1_000,
          },
        },
      ],
    });
  });

  it('shows what a video may be, and what it costs', () => {
    expect(models.find(caller, 'film-1')).toMatchObject({
      kind: 'video',
      display_name: 'film-1',
      price: { second_quota: 100, audio_second_quota: 0 },
      parameters: {
        duration: { min: 4, max: 15, default: 6, auto: false },
        ratio: { allowed: ['16:9', '1:1'], default: '16:9' },
        resolution: { allowed: ['480p', '720p'], default: '720p' },
      },
    });
  });

  it('shows all that a video is charged for, in the words of the configuration', () => {
    const price =
      'price: { clip: { 5: 300, 15: 900 }, reference: { image: 2 }, minimum: 80, factor: { flex: 0.5 } }';
    const text = `${minimal.replace('second_quota: 100', price)}    references: { image: 1 }\n`;

    expect(
      createListModels(configurationIn(text), { now: () => now.getTime(), date: () => now }).find(
        caller,
        'film-1',
      )['price'],
    ).toEqual({
      second_quota: 0,
      audio_second_quota: 0,
      clip: { 5: 300, 15: 900 },
      reference: { image: 2 },
      minimum: 80,
      factor: { flex: 0.5 },
    });
  });

  it('says nothing of prices and bounds that are not configured', () => {
    expect(models.find(caller, 'vendor/model:free')).toMatchObject({
      display_name: 'vendor/model:free',
      max_input_tokens: null,
      max_tokens: null,
      price: null,
    });
  });

  it.each<[string, Partial<Parameters<typeof models.list>[1]>, unknown]>([
    ['everything', {}, [all, false]],
    ['the first ones', { limit: 2 }, [all.slice(0, 2), true]],
    ['those after one', { after: 'gpt-5' }, [all.slice(1), false]],
    ['the next one after one', { after: 'gpt-5', limit: 1 }, [['vendor/model:free'], true]],
    ['those before one', { before: 'film-1' }, [all.slice(0, 2), false]],
    ['the nearest before one', { before: 'film-1', limit: 1 }, [['vendor/model:free'], true]],
    ['those between two', { after: 'gpt-5', before: 'film-1' }, [['vendor/model:free'], false]],
    ['nothing after the last', { after: 'film-1' }, [[], false]],
    ['everything after one that is gone', { after: 'gone' }, [all, false]],
  ])('gives %s', (_case, page, expected) => {
    expect(ids(page)).toEqual(expected);
  });

  it('shows when a model ends, and not the model from then on', () => {
    const before = now;
    expect(models.find(caller, 'vendor/model:free').retires_at).toBe('2027-01-31T00:00:00Z');

    now = new Date('2027-01-31');

    expect(ids({})).toEqual([['gpt-5', 'film-1'], false]);
    expect(() => models.find(caller, 'vendor/model:free')).toThrow(
      expect.objectContaining({ code: 'model_not_found' }),
    );
    now = before;
  });

  it('has only what the key may use, and hides the rest as if it did not exist', () => {
    const narrow = { ...caller, models: ['film-1', 'gone'] };

    expect(ids({}, narrow)).toEqual([['film-1'], false]);
    expect(() => models.find(narrow, 'gpt-5')).toThrow(
      expect.objectContaining({
        code: 'model_not_found',
        message: 'there is no model "gpt-5"; available models: film-1',
      }),
    );
    expect(() => models.find({ ...caller, models: ['gone'] }, 'gpt-5')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('none for this key') }),
    );
  });
});
