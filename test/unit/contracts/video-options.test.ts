import { describe, expect, it } from '@jest/globals';
import {
  factorsOf,
  videoOptions,
  type ReadVideoRequest,
  type VendorOptions,
} from '@gateway/contracts';
import { configurationIn, lineOf, problemsIn } from './configuration-text.ts';
import { aModel, aReader, inShort, refusalOf } from './samples.ts';

const options: VendorOptions = {
  flex: {},
  draft: { fixes: { resolution: '480p' }, excludes: ['flex', 'return_last_frame'] },
  priority: { excludes: ['flex'] },
  extend: { fixes: { ratio: 'adaptive' } },
  edit: { fixes: { ratio: 'adaptive', duration: -1 } },
};
const read = aReader({ models: [aModel({ options: videoOptions })], capabilities: { options } });
const source = { type: 'video', url: 'https://files.example/dog.mp4' };
const requestOf = (body: object, reader = read): ReadVideoRequest['request'] =>
  reader({ model: 'film-1', prompt: 'a cat', ...body }).request;
const refused = (body: object, reader = read) =>
  inShort(refusalOf(reader, { model: 'film-1', prompt: 'a cat', ...body }));

describe('the options of a video request', () => {
  it.each<[string, object, object]>([
    ['flex', { service_tier: 'flex' }, { serviceTier: 'flex' }],
    ['a draft', { draft: true }, { draft: true, resolution: '480p' }],
    ['a draft of its one size', { draft: true, resolution: '480p' }, { resolution: '480p' }],
    ['a priority', { priority: 0 }, { priority: 0 }],
    [
      'extending',
      { task: 'extend', references: [source], duration: 8 },
      { task: 'extend', ratio: 'adaptive', duration: 8 },
    ],
    [
      'editing',
      { task: 'edit', references: [source] },
      { task: 'edit', ratio: 'adaptive', duration: -1 },
    ],
  ])('take %s, with what goes with it', (_case, body, expected) => {
    expect(requestOf(body)).toMatchObject(expected);
  });

  it('take the other format, too', () => {
    expect(
      read({
        model: 'film-1',
        content: [
          { type: 'text', text: 'a cat' },
          { type: 'video_url', video_url: { url: source.url } },
        ],
        task: 'edit',
      }).request,
    ).toMatchObject({ task: 'edit', ratio: 'adaptive', duration: -1 });
  });

  it.each<[string, object, string]>([
    ['service_tier', { service_tier: 'flex' }, 'service_tier'],
    ['draft', { draft: true }, 'draft'],
    ['priority', { priority: 0 }, 'priority'],
    ['extending', { task: 'extend', references: [source] }, 'task'],
    ['editing', { task: 'edit', references: [source] }, 'task'],
  ])('are refused of a model, and of a vendor, without them: %s', (_case, body, param) => {
    const refusal = { code: 'unsupported_parameter', param, all: [param] };

    expect(refused(body, aReader({ capabilities: { options } }))).toEqual(refusal);
    expect(refused(body, aReader({ models: [aModel({ options: videoOptions })] }))).toEqual(
      refusal,
    );
  });

  it('may say of any model that nothing is asked for', () => {
    expect(requestOf({ service_tier: 'standard', draft: false }, aReader())).toMatchObject({
      serviceTier: 'standard',
      draft: false,
    });
  });

  it.each<[string, object, string]>([
    ['an unknown tier', { service_tier: 'priority' }, 'service_tier'],
    ['a draft of text', { draft: 'yes' }, 'draft'],
    ['a priority above nine', { priority: 10 }, 'priority'],
    ['a priority below zero', { priority: -1 }, 'priority'],
    ['an unknown task', { task: 'upscale' }, 'task'],
    ['a draft of another size', { draft: true, resolution: '720p' }, 'resolution'],
    ['a draft in the flex tier', { draft: true, service_tier: 'flex' }, 'service_tier'],
    ['a draft with a last frame', { draft: true, return_last_frame: true }, 'return_last_frame'],
    ['a priority in the flex tier', { priority: 3, service_tier: 'flex' }, 'service_tier'],
    ['editing nothing', { task: 'edit' }, 'task'],
    [
      'extending a picture',
      { task: 'extend', references: [{ type: 'image', url: source.url }] },
      'task',
    ],
    [
      'an edit of another shape',
      { task: 'edit', references: [source], aspect_ratio: '16:9' },
      'aspect_ratio',
    ],
    ['an edit of a length', { task: 'edit', references: [source], duration: 5 }, 'duration'],
  ])('are refused: %s', (_case, body, param) => {
    expect(refused(body)).toEqual({ code: 'invalid_parameter', param, all: [param] });
  });

  it('let a draft have a last frame that is cut from the video here', () => {
    const cutting = aReader({
      models: [aModel({ options: ['draft'], lastFrame: 'extract' })],
      capabilities: { options },
    });

    expect(requestOf({ draft: true, return_last_frame: true }, cutting).draft).toBe(true);
  });

  it('have the factors of a price', () => {
    expect(factorsOf({})).toEqual([]);
    expect(factorsOf({ serviceTier: 'standard', draft: false, priority: 9 })).toEqual([]);
    expect(factorsOf({ serviceTier: 'flex', draft: true })).toEqual(['flex', 'draft']);
  });
});

const fileOf = (kind: string, ...lines: readonly string[]): string =>
  [
    'providers:',
    `  studio: { kind: ${kind}, base_url: "https://vendor.example", api_key: "\${STUDIO_KEY}" }`,
    'models:',
    '  film-1:',
    '    kind: video',
    '    provider: studio',
    '    upstream_model: film-1-upstream',
    '    second_quota: 100',
    '    duration: { min: 4, max: 15, default: 6 }',
    '    ratio: { allowed: ["16:9"], default: "16:9" }',
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n');
const small = 'resolution: { allowed: [480p, 720p], default: 720p }';
const large = 'resolution: { allowed: [720p], default: 720p }';
const clips = 'references: { video: 1 }';

describe('the options of a model in the file', () => {
  it('are those of its vendor', () => {
    const text = fileOf('ark', small, clips, `options: [${videoOptions.join(', ')}]`);

    expect(configurationIn(text).models.get('film-1')?.options).toEqual(videoOptions);
  });

  it.each<[string, string, string]>([
    [
      'of a vendor without it',
      fileOf('minimax', 'resolution: { allowed: [768p], default: 768p }', 'options: [draft]'),
      'models.film-1.options names draft, which does not exist for film-1-upstream at a provider of kind minimax',
    ],
    [
      'drafts without their size',
      fileOf('ark', large, 'options: [draft]'),
      'models.film-1.options names draft, which is always made in 480p',
    ],
    [
      'edits of a model without videos to edit',
      fileOf('ark', large, 'options: [edit]'),
      'models.film-1.options names edit, which needs a source video',
    ],
    [
      'one that nobody has',
      fileOf('ark', large, 'options: [upscale]'),
      'models.film-1.options[0] must be one of flex, draft, priority, extend, edit',
    ],
  ])('are refused: %s', (_case, text, message) => {
    expect(problemsIn(text)).toEqual([
      { line: lineOf(text, 'options:'), message: expect.stringContaining(message) },
    ]);
  });
});
