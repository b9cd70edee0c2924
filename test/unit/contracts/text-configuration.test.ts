import { describe, expect, it } from '@jest/globals';
import type { ConfigurationProblem } from '@gateway/contracts';
import { changed, configurationIn, lineOf, minimal, problemsIn } from './configuration-text.ts';

/** A text configuration without anything that has a default. */
const text = `providers:
  claude: { kind: messages, base_url: https://api.anthropic.com, api_key: \${STUDIO_KEY} }
  openai:
    kind: chat
    base_url: https://api.openai.com/v1
    api_key: \${STUDIO_KEY}
models:
  claude-sonnet:
    kind: text
    routes:
      - { provider: claude, model: claude-sonnet-4-5 }
      - { provider: openai, model: gpt-5, fallback: true }
`;

const problem = (line: number, message: string): ConfigurationProblem => ({
  line,
  message: expect.stringContaining(message) as unknown as string,
});
const withModel = (...lines: string[]): string =>
  changed(
    '    kind: text\n',
    `    kind: text\n${lines.map((line) => `    ${line}\n`).join('')}`,
    text,
  );
const withProvider = (...lines: string[]): string =>
  changed(
    '    kind: chat\n',
    `    kind: chat\n${lines.map((line) => `    ${line}\n`).join('')}`,
    text,
  );

describe('text in a configuration', () => {
  it('fills in everything that was left out', () => {
    const { providers, models, textProviders, textModels, limits } = configurationIn(text);

    expect([...providers, ...models]).toEqual([]);
    expect(textProviders.get('claude')).toStrictEqual({
      name: 'claude',
      kind: 'messages',
      vendor: 'anthropic',
      baseUrl: 'https://api.anthropic.com',
      apiKey: 'sk-studio',
      maxConcurrent: undefined,
      connectTimeoutMs: 5_000,
      firstByteTimeoutMs: 60_000,
      idleTimeoutMs: 120_000,
      responseTimeoutMs: 600_000,
      forward: { headers: [], query: [], fields: [], tools: [], betas: [] },
      fetchesMedia: 'public',
      quirks: {},
    });
    expect([...textModels]).toStrictEqual([
      [
        'claude-sonnet',
        {
          name: 'claude-sonnet',
          displayName: 'claude-sonnet',
          maxOutputTokens: undefined,
          contextTokens: undefined,
          holdOutputTokens: 4_096,
          retiresAt: undefined,
          tokenPrice: undefined,
          routes: [
            {
              name: 'claude/claude-sonnet-4-5',
              provider: 'claude',
              upstreamModel: 'claude-sonnet-4-5',
              weight: 1,
              fallback: false,
              quirks: {},
            },
            {
              name: 'openai/gpt-5',
              provider: 'openai',
              upstreamModel: 'gpt-5',
              weight: 1,
              fallback: true,
              quirks: {},
            },
          ],
        },
      ],
    ]);
    expect(limits).toStrictEqual({
      defaultKey: { requestsPerMinute: 600, concurrentRequests: 100 },
      defaultAccount: { activeVideos: 100, assetBytes: 10_737_418_240 },
      assetBytes: { image: 30_000_000, video: 200_000_000, audio: 15_000_000 },
    });
  });

  it('takes over everything that was said', () => {
    const { textProviders, textModels, limits } = configurationIn(
      changed(
        'model: claude-sonnet-4-5 }',
        'model: claude-sonnet-4-5, weight: 2.5, quirks: { prefill: false } }',
        withModel(
          'display_name: Claude',
          'max_output_tokens: 64000',
          'context_tokens: 200000',
          'hold_output_tokens: 1000',
          'token_quota: { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75, per: 1000 }',
        ),
      ) +
        'limits:\n  default_key: { requests_per_minute: 6, concurrent_requests: 2 }\n  default_account: { active_videos: 3 }\n',
    );

    expect(textModels.get('claude-sonnet')).toMatchObject({
      displayName: 'Claude',
      maxOutputTokens: 64_000,
      contextTokens: 200_000,
      holdOutputTokens: 1_000,
      retiresAt: undefined,
      tokenPrice: { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75, per: 1_000 },
      routes: [{ weight: 2.5, quirks: { prefill: false } }, {}],
    });
    expect(limits).toStrictEqual({
      defaultKey: { requestsPerMinute: 6, concurrentRequests: 2 },
      defaultAccount: { activeVideos: 3, assetBytes: 10_737_418_240 },
      assetBytes: { image: 30_000_000, video: 200_000_000, audio: 15_000_000 },
    });
    expect(
      configurationIn(
        withProvider(
          'vendor: deepseek',
          'max_concurrent: 20',
          'connect_timeout_seconds: 0.5',
          'first_byte_timeout_seconds: 1',
          'idle_timeout_seconds: 2',
          'answer_timeout_seconds: 3',
          'forward: { headers: [OpenAI-Project], fields: [store], tools: [web_search*] }',
          'fetches_media: private',
          'quirks: { max_stops: 1 }',
        ),
      ).textProviders.get('openai'),
    ).toMatchObject({
      vendor: 'deepseek',
      maxConcurrent: 20,
      connectTimeoutMs: 500,
      firstByteTimeoutMs: 1_000,
      idleTimeoutMs: 2_000,
      responseTimeoutMs: 3_000,
      forward: { headers: ['openai-project'], fields: ['store'], tools: ['web_search*'] },
      fetchesMedia: 'private',
      quirks: { max_stops: 1 },
    });
    expect(textProviders.get('openai')).toMatchObject({ vendor: 'openai' });
  });

  it('prices a cache as input where nothing else is said', () => {
    expect(
      configurationIn(withModel('token_quota: { input: 3, output: 15, per: 1000 }')).textModels.get(
        'claude-sonnet',
      )?.tokenPrice,
    ).toEqual({
      input: 3,
      output: 15,
      cachedInput: 3,
      cacheWrite: 3,
      cacheWrite1h: 3,
      per: 1_000,
    });
  });

  it('prices a cache write for an hour as one for minutes where nothing else is said', () => {
    const priceWith = (entry: string) =>
      configurationIn(
        withModel(`token_quota: { input: 3, output: 15, per: 1000, cache_write: 4${entry} }`),
      ).textModels.get('claude-sonnet')?.tokenPrice;

    expect(priceWith('')).toMatchObject({ cacheWrite: 4, cacheWrite1h: 4 });
    expect(
      priceWith(
        ', cache_write_1h: 6, server_tools: { web_search: 10 }, service_tier: { flex: 0.5 }',
      ),
    ).toMatchObject({
      cacheWrite: 4,
      cacheWrite1h: 6,
      serverTools: { web_search: 10 },
      serviceTiers: { flex: 0.5 },
    });
  });

  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://api.deepseek.com', 'deepseek'],
    ['https://mine.openai.azure.com/openai/v1', 'azure'],
    ['https://api.anthropic.com/v1', 'generic'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'qwen'],
    ['http://127.0.0.1:8000/v1', 'generic'],
    ['https://notapi.openai.com.evil.example/v1', 'generic'],
    ['https://xdeepseek.com', 'generic'],
  ])('knows the vendor of %s among those of its dialect: %s', (address, vendor) => {
    expect(
      configurationIn(changed('https://api.openai.com/v1', address, text)).textProviders.get(
        'openai',
      )?.vendor,
    ).toBe(vendor);
  });

  it('may stand beside video, whose providers and models stay apart', () => {
    const both = changed(
      'models:\n',
      `models:\n${text.split('models:\n')[1] ?? ''}`,
      changed(
        'providers:\n',
        `providers:\n${(text.split('models:\n')[0] ?? '').replace('providers:\n', '')}`,
      ),
    );
    const { providers, models, textProviders, textModels } = configurationIn(both);

    expect([
      [...providers.keys()],
      [...models.keys()],
      [...textProviders.keys()],
      [...textModels.keys()],
    ]).toEqual([['studio'], ['film-1'], ['claude', 'openai'], ['claude-sonnet']]);
  });

  it.each(['vendor/model', 'vendor/model:free', 'gpt-4.1-mini', 'x'.repeat(128)])(
    'may call a model %s',
    (name) => {
      expect([
        ...configurationIn(changed('claude-sonnet:\n', `${name}:\n`, text)).textModels.keys(),
      ]).toEqual([name]);
    },
  );

  it.each(['/model', 'a model', '-model', 'x'.repeat(129)])('may not call a model %s', (name) => {
    expect(problemsIn(changed('claude-sonnet:\n', `"${name}":\n`, text))).toHaveLength(1);
  });
});

describe('a problem of text in a configuration', () => {
  it.each<[string, string, string, string]>([
    [
      'a vendor of the other dialect',
      withProvider('vendor: anthropic'),
      'vendor:',
      'providers.openai.vendor must be one of',
    ],
    [
      'a field of a video provider',
      withProvider('poll_seconds: { first: 1 }'),
      'poll_seconds',
      'providers.openai.poll_seconds',
    ],
    [
      'a time that is none',
      withProvider('idle_timeout_seconds: 0'),
      'idle_timeout',
      'providers.openai.idle_timeout_seconds',
    ],
    [
      'a list of what is forwarded that is not known',
      withProvider('forward: { cookies: [a] }'),
      'forward',
      'providers.openai.forward.cookies',
    ],
    [
      'something to forward that is no name',
      withProvider('forward: { fields: ["*a"] }'),
      'forward',
      'providers.openai.forward.fields[0]',
    ],
    [
      'another place to fetch media from',
      withProvider('fetches_media: inside'),
      'fetches_media',
      'providers.openai.fetches_media',
    ],
    [
      'a factor that is none',
      withModel('token_quota: { input: 3, output: 15, per: 1000, service_tier: { flex: -1 } }'),
      'token_quota',
      'models.claude-sonnet.token_quota.service_tier.flex must be a factor from 0 to 1000',
    ],
    [
      'a tool that has no name',
      withModel(
        'token_quota: { input: 3, output: 15, per: 1000, server_tools: { "Web search": 1 } }',
      ),
      'token_quota',
      'models.claude-sonnet.token_quota.server_tools',
    ],
    [
      'a quirk that is not known',
      withProvider('quirks: { max_stop: 1 }'),
      'quirks',
      'providers.openai.quirks.max_stop',
    ],
    [
      'a quirk with a wrong value',
      withProvider('quirks: { max_stops: -1 }'),
      'quirks',
      'providers.openai.quirks.max_stops',
    ],
    [
      'a quirk of the other dialect in a route',
      changed('model: gpt-5,', 'model: gpt-5, quirks: { image_urls: true },', text),
      'gpt-5',
      'models.claude-sonnet.routes[1].quirks.image_urls is not possible',
    ],
    [
      'no routes',
      changed(/routes:[^]*$/.exec(text)?.[0] ?? '', 'routes: []\n', text),
      'routes',
      'models.claude-sonnet.routes',
    ],
    [
      'a route without a model',
      changed(', model: gpt-5', '', text),
      '{ provider: openai',
      'models.claude-sonnet.routes[1].model',
    ],
    [
      'a weight of nothing',
      changed('fallback: true', 'weight: 0', text),
      'gpt-5',
      'models.claude-sonnet.routes[1].weight',
    ],
    [
      'only fallbacks',
      changed('sonnet-4-5 }', 'sonnet-4-5, fallback: true }', text),
      '- { provider: claude',
      'models.claude-sonnet.routes has only fallbacks',
    ],
    [
      'the same route twice',
      changed('provider: openai, model: gpt-5', 'provider: claude, model: claude-sonnet-4-5', text),
      '- { provider: claude, model: claude-sonnet-4-5, fallback',
      'models.claude-sonnet.routes[1].model',
    ],
    [
      'a provider that is not there',
      changed('provider: openai', 'provider: other', text),
      'provider: other',
      'names the provider other, which is not under providers',
    ],
    [
      'a price without its unit',
      withModel('token_quota: { input: 3, output: 15 }'),
      'token_quota',
      'models.claude-sonnet.token_quota.per',
    ],
    [
      'a negative price',
      withModel('token_quota: { input: -3, output: 15, per: 1 }'),
      'token_quota',
      'models.claude-sonnet.token_quota.input',
    ],
    [
      'a field of a video model',
      withModel('second_quota: 5'),
      'second_quota',
      'models.claude-sonnet.second_quota',
    ],
    [
      'a limit of nothing',
      `${text}limits: { default_key: { requests_per_minute: 0 } }\n`,
      'limits',
      'limits.default_key.requests_per_minute',
    ],
    [
      'a limit that is not known',
      `${text}limits: { default_keys: {} }\n`,
      'limits',
      'limits.default_keys',
    ],
  ])('is %s, told with its line and path', (_case, wrong, passage, path) => {
    expect(problemsIn(wrong)).toEqual([problem(lineOf(wrong, passage), path)]);
  });

  it('is a video provider in a route, and a text provider behind a video model', () => {
    const textWithVideo = changed('kind: chat\n', 'kind: ark\n', text);

    expect(problemsIn(textWithVideo)).toEqual([
      problem(lineOf(textWithVideo, '- { provider: openai'), 'is a video provider'),
    ]);
    expect(problemsIn(changed('kind: ark\n', 'kind: chat\n', minimal))).toEqual([
      problem(9, 'is a text provider'),
    ]);
  });

  it('has its own line also in a model whose name has dots', () => {
    const dotted = changed('film-1:\n', 'film-1.5:\n', changed('default: 6', 'default: 16'));

    expect(problemsIn(dotted)).toEqual([problem(12, 'models.film-1.5.duration.default')]);
    expect(problemsIn(changed('max: 15', 'max: never', dotted))).toEqual([
      problem(12, 'models.film-1.5.duration.max'),
    ]);
  });

  it('is told in one round with those of other parts, whatever their kind', () => {
    const wrong = changed(
      'provider: claude',
      'provider: other',
      changed('kind: chat\n', 'kind: chat\n    vendor: nobody\n', text),
    );

    expect(problemsIn(wrong, { environment: {} })).toEqual([
      problem(2, 'STUDIO_KEY'),
      problem(5, 'providers.openai.vendor'),
      problem(7, 'STUDIO_KEY'),
      problem(12, 'names the provider other'),
    ]);
  });
});

describe('a reference to the environment', () => {
  it('may stand without quotes inside braces', () => {
    expect(configurationIn(text).textProviders.get('claude')).toMatchObject({
      apiKey: 'sk-studio',
      baseUrl: 'https://api.anthropic.com',
    });
  });

  it('is a problem when an address keeps it, although it begins like one', () => {
    const wrong = changed(
      'https://api.openai.com/v1',
      'https://${REGION}.example/${PATH_PART}',
      text,
    );

    expect(problemsIn(wrong)).toEqual([
      problem(5, 'REGION, which is not set'),
      problem(5, 'PATH_PART, which is not set'),
    ]);
  });

  it('does not move the line of anything behind it', () => {
    const wrong = changed('{ kind: messages', '{ kind: message', text);

    expect(problemsIn(wrong)).toEqual([problem(2, 'providers.claude.kind must be one of ')]);
    expect(problemsIn('a: ${B} ]\nc: }')[0]).toMatchObject({
      line: expect.any(Number),
      message: expect.not.stringContaining('\uE000'),
    });
  });
});

describe('the configuration that the documentation shows', () => {
  it('is valid as it stands there', () => {
    const shown = `providers:
  ark:                         # any name
    kind: ark                  # the adapter
    base_url: https://ark.ap-southeast.bytepluses.com/api/v3
    api_key: \${ARK_API_KEY}    # or api_key_file: /run/secrets/ark
    max_concurrent: 10         # tasks (video) or requests (text) at the vendor at once, over all replicas
    requests_per_second: 10    # control calls to the vendor, over all replicas
    poll_seconds: { first: 3, max: 30 }   # pace of looks; grows between the two
  claude: { kind: messages, base_url: https://api.anthropic.com, api_key: \${ANTHROPIC_API_KEY} }
  openai: { kind: chat, base_url: https://api.openai.com/v1, api_key: \${OPENAI_API_KEY} }
models:
  seedance-2:
    kind: video
    provider: ark
    upstream_model: seedance-2-0-260128
    second_quota: 100          # or { 480p: 60, 720p: 100, 1080p: 220 }
    duration: { min: 4, max: 15, default: 5, auto: true }
    ratio: { allowed: ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"], default: "16:9" }
    resolution: { allowed: [480p, 720p, 1080p], default: 720p }
    references: { image: 9, video: 3, audio: 3 }
    expires_after_seconds: 172800
    retention_days: 30
  claude-sonnet:
    kind: text
    max_output_tokens: 64000
    token_quota: { input: 3, output: 15, cached_input: 0.3, per: 1000 }   # optional: charge text
    routes:
      - { provider: claude, model: claude-sonnet-4-5, weight: 1 }
      - { provider: openai, model: gpt-5, fallback: true }
limits:
  default_key: { requests_per_minute: 600, concurrent_requests: 100 }
  default_account: { active_videos: 100 }
`;
    const environment = { ARK_API_KEY: 'a', ANTHROPIC_API_KEY: 'b', OPENAI_API_KEY: 'c' };

    expect(problemsIn(shown, { environment })).toEqual([]);
    expect(
      [...configurationIn(shown, { environment }).textProviders.values()].map(
        ({ apiKey }) => apiKey,
      ),
    ).toEqual(['b', 'c']);
  });
});
