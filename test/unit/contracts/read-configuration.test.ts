import { describe, expect, it } from '@jest/globals';
import { readConfiguration, type ConfigurationProblem } from '@gateway/contracts';
import { videoVendors } from '@gateway/video-providers';
import {
  changed,
  configurationIn,
  lineOf,
  minimal,
  problemsIn,
  withModelLines,
  withProviderLine,
} from './configuration-text.ts';
import { aRoute } from './samples.ts';

const problem = (line: number, message: string): ConfigurationProblem => ({
  line,
  message: expect.stringContaining(message) as unknown as string,
});

describe('reading a configuration', () => {
  it('fills in everything that was left out', () => {
    const { providers, models } = configurationIn(minimal);

    expect([...providers]).toStrictEqual([
      [
        'studio',
        {
          name: 'studio',
          kind: 'ark',
          baseUrl: 'https://vendor.example/api/v3',
          apiKey: 'sk-studio',
          maxConcurrent: 10,
          requestsPerSecond: 10,
          pace: { firstSeconds: 3, maxSeconds: 30 },
        },
      ],
    ]);
    expect([...models]).toStrictEqual([
      [
        'film-1',
        {
          name: 'film-1',
          routes: [aRoute({ bounds: videoVendors['ark']! })],
          busyAfterSeconds: 30,
          retryFailed: false,
          price: { secondQuota: 100, audioSecondQuota: 0 },
          duration: { min: 4, max: 15, default: 6, auto: false },
          ratio: { allowed: ['16:9', '1:1'], default: '16:9' },
          resolution: { allowed: ['480p', '720p'], default: '720p' },
          references: { image: 0, video: 0, audio: 0 },
          frames: [],
          generateAudioByDefault: false,
          mediaOnly: false,
          unsupported: [],
          options: [],
          promptMaxCharacters: 10_000,
          expiresAfterSeconds: 172_800,
          retentionDays: 30,
          retiresAt: undefined,
        },
      ],
    ]);
  });

  it('takes over everything that was said', () => {
    const text = withModelLines(
      'audio_second_quota: 20',
      'references: { image: 9, video: 3, audio: 2 }',
      'frames: [first_frame, last_frame]',
      'generate_audio: true',
      'media_only: true',
      'unsupported: [seed, watermark]',
      'prompt_max_characters: 800',
      'expires_after_seconds: 3600',
      'retention_days: 7',
    );
    const { models } = configurationIn(
      changed(
        'second_quota: 100',
        'second_quota: { 480p: 60, 720p: 100 }',
        changed('default: 6 }', 'default: 6, auto: true }', text),
      ),
    );

    expect(models.get('film-1')).toStrictEqual({
      name: 'film-1',
      routes: [aRoute({ bounds: videoVendors['ark']! })],
      busyAfterSeconds: 30,
      retryFailed: false,
      price: { secondQuota: { '480p': 60, '720p': 100 }, audioSecondQuota: 20 },
      duration: { min: 4, max: 15, default: 6, auto: true },
      ratio: { allowed: ['16:9', '1:1'], default: '16:9' },
      resolution: { allowed: ['480p', '720p'], default: '720p' },
      references: { image: 9, video: 3, audio: 2 },
      frames: ['first_frame', 'last_frame'],
      generateAudioByDefault: true,
      mediaOnly: true,
      unsupported: ['seed', 'watermark'],
      options: [],
      promptMaxCharacters: 800,
      expiresAfterSeconds: 3_600,
      retentionDays: 7,
      retiresAt: undefined,
    });
  });

  it.each<[string, object]>([
    ['max_concurrent: 50', { maxConcurrent: 50 }],
    ['requests_per_second: 0.5', { requestsPerSecond: 0.5 }],
    ['poll_seconds: { first: 0.25, max: 2 }', { pace: { firstSeconds: 0.25, maxSeconds: 2 } }],
    ['poll_seconds: { max: 60 }', { pace: { firstSeconds: 3, maxSeconds: 60 } }],
  ])('takes over %s of a provider', (line, settings) => {
    expect(configurationIn(withProviderLine(line)).providers.get('studio')).toMatchObject(settings);
  });

  it('gives every model and provider its own defaults', () => {
    const other = minimal.split('models:\n')[1]?.replace('film-1:', 'film-2:') ?? '';
    const { models } = configurationIn(minimal + other);

    expect([...models.keys()]).toEqual(['film-1', 'film-2']);
    expect(models.get('film-1')?.references).not.toBe(models.get('film-2')?.references);
  });

  it('drops slashes at the end of an address', () => {
    expect(configurationIn(changed('/api/v3', '/api/v3//')).providers.get('studio')?.baseUrl).toBe(
      'https://vendor.example/api/v3',
    );
  });
});

describe('a secret of the configuration', () => {
  it('comes from the environment', () => {
    expect(
      configurationIn(minimal, { environment: { STUDIO_KEY: 'from-environment' } }).providers.get(
        'studio',
      )?.apiKey,
    ).toBe('from-environment');
  });

  it('comes from a file, without the line end', () => {
    const text = changed('api_key: ${STUDIO_KEY}', 'api_key_file: /run/secrets/studio');
    const asked: string[] = [];

    expect(
      configurationIn(text, {
        environment: {},
        readFile: (path) => {
          asked.push(path);
          return 'from-file\n';
        },
      }).providers.get('studio')?.apiKey,
    ).toBe('from-file');
    expect(asked).toEqual(['/run/secrets/studio']);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['is not set', {}],
    ['is undefined', { STUDIO_KEY: undefined }],
    ['is empty', { STUDIO_KEY: '' }],
  ])('is a problem when its variable %s', (_case, environment) => {
    expect(problemsIn(minimal, { environment })).toEqual([
      problem(lineOf(minimal, '${STUDIO_KEY}'), 'STUDIO_KEY'),
    ]);
  });

  it.each<[string, string | undefined]>([
    ['cannot be read', undefined],
    ['is empty', ''],
    ['is blank', ' \n'],
  ])('is a problem when its file %s', (_case, content) => {
    const text = changed('api_key: ${STUDIO_KEY}', 'api_key_file: /run/secrets/studio');

    expect(problemsIn(text, { readFile: () => content })).toEqual([
      problem(lineOf(text, 'api_key_file'), '/run/secrets/studio'),
    ]);
  });

  it('is a problem when there is none', () => {
    expect(problemsIn(changed('    api_key: ${STUDIO_KEY}\n', ''))).toEqual([
      problem(3, 'api_key'),
    ]);
  });

  it.each(['studio-key', '$STUDIO_KEY', 'x${STUDIO_KEY}', '${studio_key}', '""', '7'])(
    'is never written in the file: %s',
    (value) => {
      expect(problemsIn(changed('${STUDIO_KEY}', value))).toEqual([
        problem(5, 'providers.studio.api_key'),
      ]);
    },
  );
});

describe('the address of a provider', () => {
  it.each<[string, Record<string, string>, string]>([
    ['${STUDIO_URL}', { STUDIO_URL: 'http://127.0.0.1:9' }, 'http://127.0.0.1:9'],
    ['${STUDIO_URL}/api/v3', { STUDIO_URL: 'http://127.0.0.1:9' }, 'http://127.0.0.1:9/api/v3'],
    [
      'https://${REGION}.vendor.example/${REGION}',
      { REGION: 'eu' },
      'https://eu.vendor.example/eu',
    ],
  ])('%s is completed from the environment', (written, environment, address) => {
    const text = changed('https://vendor.example/api/v3', written);

    expect(
      configurationIn(text, { environment: { STUDIO_KEY: 'k', ...environment } }).providers.get(
        'studio',
      )?.baseUrl,
    ).toBe(address);
  });

  it.each<[string, Record<string, string>]>([
    ['${STUDIO_URL}/api/v3', {}],
    ['${STUDIO_URL}', { STUDIO_URL: '' }],
    ['vendor.example', {}],
    ['ftp://vendor.example', {}],
    ['7', {}],
  ])('is a problem as %s with %j', (written, environment) => {
    const text = changed('https://vendor.example/api/v3', written);

    expect(problemsIn(text, { environment: { STUDIO_KEY: 'k', ...environment } })).toEqual([
      problem(4, 'providers.studio.base_url'),
    ]);
  });

  it('names the variable that is not set', () => {
    expect(problemsIn(changed('https://vendor.example', '${STUDIO_URL}'))).toEqual([
      problem(4, 'STUDIO_URL'),
    ]);
  });
});

describe('a problem of a configuration', () => {
  it.each<[string, string, string, string]>([
    ['an unknown field at the top', `${minimal}limit: {}\n`, 'limit:', 'limit'],
    [
      'an unknown field of a provider',
      withProviderLine('api_keys: x'),
      'api_keys',
      'providers.studio.api_keys',
    ],
    [
      'an unknown field of a model',
      withModelLines('retention: 7'),
      'retention',
      'models.film-1.retention',
    ],
    [
      'an unknown field of a choice',
      changed('default: "16:9" }', 'defaults: "1:1", default: "16:9" }'),
      ' ratio:',
      'models.film-1.ratio.defaults',
    ],
    [
      'a kind of provider that there is not',
      changed('kind: ark', 'kind: arc'),
      'kind: arc',
      'providers.studio.kind',
    ],
    [
      'a kind of model that there is not',
      changed('kind: video', 'kind: film'),
      'kind: film',
      'models.film-1.kind',
    ],
    [
      'no tasks at once',
      withProviderLine('max_concurrent: 0'),
      'max_concurrent',
      'providers.studio.max_concurrent',
    ],
    [
      'no requests',
      withProviderLine('requests_per_second: 0'),
      'requests_per_second',
      'providers.studio.requests_per_second',
    ],
    [
      'a pace that is too fast',
      withProviderLine('poll_seconds: { first: 0 }'),
      'poll_seconds',
      'providers.studio.poll_seconds.first',
    ],
    [
      'a pace that is not known',
      withProviderLine('poll_seconds: { last: 1 }'),
      'poll_seconds',
      'providers.studio.poll_seconds.last',
    ],
    [
      'an empty name of a model at the vendor',
      changed('film-1-upstream', '""'),
      'upstream_model',
      'models.film-1.upstream_model',
    ],
    [
      'a price as text',
      changed('second_quota: 100', 'second_quota: cheap'),
      'second_quota',
      'models.film-1.second_quota',
    ],
    [
      'a negative price',
      changed('second_quota: 100', 'second_quota: -1'),
      'second_quota',
      'models.film-1.second_quota',
    ],
    [
      'a broken price',
      changed('second_quota: 100', 'second_quota: 0.5'),
      'second_quota',
      'models.film-1.second_quota',
    ],
    [
      'a price beyond reason',
      changed('second_quota: 100', 'second_quota: 1000000001'),
      'second_quota',
      'models.film-1.second_quota',
    ],
    [
      'no price for any resolution',
      changed('second_quota: 100', 'second_quota: {}'),
      'second_quota',
      'models.film-1.second_quota',
    ],
    [
      'a negative price of audio',
      withModelLines('audio_second_quota: -1'),
      'audio_second_quota',
      'models.film-1.audio_second_quota',
    ],
    ['a length of zero', changed('min: 4', 'min: 0'), 'duration', 'models.film-1.duration.min'],
    [
      'a length beyond an hour',
      changed('max: 15', 'max: 3601'),
      'duration',
      'models.film-1.duration.max',
    ],
    [
      'a length with a fraction',
      changed('default: 6', 'default: 5.5'),
      'duration',
      'models.film-1.duration.default',
    ],
    ['a length without an end', changed('max: 15, ', ''), 'duration', 'models.film-1.duration.max'],
    [
      'a length that is no object',
      changed('{ min: 4, max: 15, default: 6 }', '6'),
      'duration',
      'models.film-1.duration',
    ],
    [
      'a ratio that is none',
      changed('"1:1"]', 'wide]'),
      ' ratio:',
      'models.film-1.ratio.allowed[1]',
    ],
    ['no ratio', changed('["16:9", "1:1"]', '[]'), ' ratio:', 'models.film-1.ratio.allowed'],
    ['a ratio twice', changed('"1:1"]', '"16:9"]'), ' ratio:', 'models.film-1.ratio.allowed'],
    [
      'a resolution that is no text',
      changed('480p, 720p', '480, 720p'),
      'resolution',
      'models.film-1.resolution.allowed[0]',
    ],
    [
      'too many references',
      withModelLines('references: { image: 65 }'),
      'references',
      'models.film-1.references.image',
    ],
    [
      'references of another kind',
      withModelLines('references: { text: 1 }'),
      'references',
      'models.film-1.references.text',
    ],
    [
      'a frame that there is not',
      withModelLines('frames: [middle_frame]'),
      'frames',
      'models.film-1.frames[0]',
    ],
    [
      'an unsupported field that there is not',
      withModelLines('unsupported: [prompt]'),
      'unsupported',
      'models.film-1.unsupported[0]',
    ],
    [
      'a switch as word',
      withModelLines('generate_audio: "on"'),
      'generate_audio',
      'models.film-1.generate_audio',
    ],
    [
      'no room for a prompt',
      withModelLines('prompt_max_characters: 0'),
      'prompt_max_characters',
      'models.film-1.prompt_max_characters',
    ],
    [
      'no time',
      withModelLines('expires_after_seconds: 0'),
      'expires_after_seconds',
      'models.film-1.expires_after_seconds',
    ],
    [
      'more than a week',
      withModelLines('expires_after_seconds: 604801'),
      'expires_after_seconds',
      'models.film-1.expires_after_seconds',
    ],
    [
      'no retention',
      withModelLines('retention_days: 0'),
      'retention_days',
      'models.film-1.retention_days',
    ],
    [
      'a provider that is not there',
      changed('provider: studio', 'provider: studoi'),
      'provider: studoi',
      'models.film-1.provider',
    ],
    [
      'a least length above the greatest',
      changed('min: 4, max: 15', 'min: 6, max: 5'),
      'duration',
      'models.film-1.duration.min',
    ],
    [
      'a default length below the least',
      changed('default: 6', 'default: 3'),
      'duration',
      'models.film-1.duration.default',
    ],
    [
      'a default length above the greatest',
      changed('default: 6', 'default: 16'),
      'duration',
      'models.film-1.duration.default',
    ],
    [
      'a default ratio that is not allowed',
      changed('default: "16:9"', 'default: "9:16"'),
      ' ratio:',
      'models.film-1.ratio.default',
    ],
    [
      'a default resolution that is not allowed',
      changed('default: 720p', 'default: 1080p'),
      'resolution',
      'models.film-1.resolution.default',
    ],
    [
      'no price for one resolution',
      changed('second_quota: 100', 'second_quota: { 480p: 60 }'),
      'second_quota',
      'models.film-1.second_quota',
    ],
  ])('is %s, told with its line and path', (...[, text, passage, path]) => {
    const [first] = problemsIn(text);

    expect(first).toEqual(problem(lineOf(text, passage), path));
  });

  it.each<[string, string]>([
    ['provider: studio\n', 'models.film-1.provider'],
    ['upstream_model: film-1-upstream\n', 'models.film-1.upstream_model'],
    ['second_quota: 100\n', 'models.film-1.second_quota'],
    ['duration: { min: 4, max: 15, default: 6 }\n', 'models.film-1.duration'],
    ['ratio: { allowed: ["16:9", "1:1"], default: "16:9" }\n', 'models.film-1.ratio'],
    ['resolution: { allowed: [480p, 720p], default: 720p }\n', 'models.film-1.resolution'],
    ['base_url: https://vendor.example/api/v3\n', 'providers.studio.base_url'],
  ])('is a model or provider without %j', (line, path) => {
    expect(problemsIn(changed(`    ${line}`, ''))).toEqual([
      problem(
        path.startsWith('providers') ? 3 : lineOf(changed(`    ${line}`, ''), 'film-1:') + 1,
        path,
      ),
    ]);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['only a comment', '# nothing\n'],
    ['a list', '- providers\n'],
    ['a text', 'providers\n'],
    ['no models', minimal.split('models:')[0] ?? ''],
    ['empty models', 'providers: {}\nmodels: {}\n'],
    ['models of null', 'providers:\nmodels:\n'],
    ['a provider of null', 'providers:\n  studio:\nmodels:\n  film-1:\n'],
    ['a name with a space', changed('film-1:', '"film 1":')],
    ['an endless name', changed('film-1:', `${'x'.repeat(129)}:`)],
  ])('is %s', (_case, text) => {
    expect(problemsIn(text).length).toBeGreaterThan(0);
  });

  it.each<[string, string, number]>([
    ['an open bracket', changed('allowed: [480p', 'allowed: [[480p'), 14],
    ['a name twice', `${minimal}providers: {}\n`, 15],
    ['a tab', changed('    kind: ark', '\tkind: ark'), 3],
  ])('is text that is not YAML: %s', (_case, text, line) => {
    expect(problemsIn(text)[0]).toEqual({
      line,
      message: expect.stringMatching(/\S/) as unknown as string,
    });
  });
});

describe('the problems of a configuration', () => {
  it.each<[string, string]>([
    ['that is not YAML', 'a: ['],
    ['of another shape', '- a'],
    ['that contradicts itself', changed('provider: studio', 'provider: other')],
  ])('%s come instead of it', (_case, text) => {
    expect(
      readConfiguration(
        text,
        { environment: { STUDIO_KEY: 'k' }, readFile: () => undefined },
        videoVendors,
      ),
    ).toStrictEqual({
      ok: false,
      problems: expect.arrayContaining([
        { line: expect.any(Number), message: expect.stringMatching(/\S/) },
      ]),
    });
  });

  it('are told all at once, each with its line', () => {
    const text = changed(
      'kind: ark',
      'kind: arc',
      changed('max: 15', 'max: never', `${withModelLines('retention: 7')}limit: {}\n`),
    );

    expect([...problemsIn(text)].sort((one, other) => one.line - other.line)).toEqual([
      problem(3, 'providers.studio.kind'),
      problem(12, 'models.film-1.duration.max'),
      problem(15, 'models.film-1.retention'),
      problem(16, 'limit'),
    ]);
  });

  it('are told all at once also where they are between two fields', () => {
    const text = changed(
      'provider: studio',
      'provider: other',
      changed(
        'default: 6',
        'default: 16',
        changed('default: "16:9"', 'default: "9:16"', changed('default: 720p', 'default: 1080p')),
      ),
    );

    expect(problemsIn(text, { environment: {} })).toEqual([
      problem(5, 'STUDIO_KEY'),
      problem(9, 'provider'),
      problem(12, 'duration.default'),
      problem(13, 'ratio.default'),
      problem(14, 'resolution.default'),
    ]);
  });

  it('are told in one round whether they are in a field or between two, for names with dots and in maps written on one line', () => {
    const text = `providers:
  a: { kind: ark, base_url: "https://\${HOST_A}/v3", api_key: \${KEY_A}, max_concurrent: many }
  "b.c": { "kind": "messages", "base_url": "https://x", "api_key": "\${KEY_B}", "quirk": 1 }
models:
  "gpt-4.1":
    kind: text
    colour: red
    routes:
      - { provider: nobody, model: x }
      - { provider: "b.c", model: y, weight: -1 }
      - 7
  "v/2.5:x": { kind: video, provider: nobody, upstream_model: 5, second_quota: 1, duration: 5, ratio: { allowed: ["16:9"], default: "1:1" }, resolution: { allowed: [480p], default: 480p } }
limits: { default_key: { requests_per_minute: 0 } }
`;

    expect(problemsIn(text, { environment: {} })).toEqual([
      problem(2, 'HOST_A'),
      problem(2, 'providers.a.max_concurrent'),
      problem(2, 'KEY_A'),
      problem(3, 'providers.b.c.quirk'),
      problem(3, 'KEY_B'),
      problem(7, 'colour'),
      problem(9, 'nobody'),
      problem(10, 'routes[1].weight'),
      problem(11, 'routes[2]'),
      problem(12, 'upstream_model'),
      problem(12, 'duration must be an object'),
      problem(12, 'names the provider nobody'),
      problem(12, 'ratio.default'),
      problem(13, 'requests_per_minute'),
    ]);
  });

  it.each<[string, string, string]>([
    [
      'a small letter in its name',
      changed('https://vendor.example/api/v3', '"https://${host}/v3"'),
      'base_url contains ${host}',
    ],
    [
      'another field',
      changed('film-1-upstream', '"${FILM}-upstream"'),
      'upstream_model contains ${FILM}',
    ],
  ])('name a reference that nothing replaces: %s', (_case, text, path) => {
    expect(problemsIn(text).map(({ message }) => message)).toEqual([expect.stringContaining(path)]);
  });
});

describe('a service that uses providers of one kind', () => {
  const text = changed(
    'models:',
    '  talk: { kind: chat, base_url: "https://x", api_key: "${TALK_KEY}" }\nmodels:',
  );
  const environment = { STUDIO_KEY: 'k' };
  const readFile = (): undefined => undefined;

  it('needs the keys of those alone', () => {
    expect(
      readConfiguration(text, { environment, readFile, of: 'video' }, videoVendors),
    ).toMatchObject({
      ok: true,
    });
    expect(readConfiguration(text, { environment, readFile }, videoVendors)).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('TALK_KEY') as unknown }],
    });
    expect(
      readConfiguration(text, { environment, readFile, of: 'text' }, videoVendors),
    ).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('TALK_KEY') as unknown }],
    });
  });

  it('is still told of a provider that names no key at all', () => {
    expect(
      readConfiguration(
        text.replace(', api_key: "${TALK_KEY}"', ''),
        {
          environment,
          readFile,
          of: 'video',
        },
        videoVendors,
      ).ok,
    ).toBe(false);
  });
});
