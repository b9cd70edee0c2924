import { describe, expect, it } from '@jest/globals';
import { openaiVideosFormat } from '../../../packages/video-providers/src/openai-videos/sizes.ts';
import { changed, configurationIn, lineOf, minimal, problemsIn } from './configuration-text.ts';
import { aModel, aReader, inShort, refusalOf } from './samples.ts';

/** A model of the OpenAI videos format that promises only what there is. */
const possible = [
  ['kind: ark', 'kind: openai-videos'],
  ['{ min: 4, max: 15, default: 6 }', '{ min: 4, max: 12, default: 8 }'],
  ['["16:9", "1:1"]', '["16:9", "9:16"]'],
  ['[480p, 720p]', '[720p, 1080p]'],
].reduce((text, [from, to]) => changed(from!, to!, text), minimal);
const withLine = (line: string): string => `${possible}    ${line}\n`;

describe('a model of the OpenAI videos format', () => {
  it('may promise what the format can say', () => {
    const text = withLine('frames: [first_frame]\n    last_frame: extract');

    expect(configurationIn(text).models.get('film-1')).toMatchObject({
      duration: { min: 4, max: 12, default: 8 },
      frames: ['first_frame'],
      lastFrame: 'extract',
      unsupported: ['seed', 'watermark', 'generate_audio'],
    });
    expect(configurationIn(text).providers.get('studio')).toMatchObject({
      kind: 'openai-videos',
      apiKey: 'sk-studio',
    });
  });

  it('may have resolutions whose ratios differ', () => {
    expect(
      problemsIn(
        changed(
          '[720p, 1080p]',
          '[720p, 1024p]',
          changed('["16:9", "9:16"]', '["16:9", "7:4"]', possible),
        ),
      ),
    ).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      'a shortest length',
      changed('min: 4', 'min: 3', possible),
      'duration',
      'models.film-1.duration.min must be one of 4, 8, 12, 16, 20 for film-1-upstream at a provider of kind openai-videos',
    ],
    [
      'a longest length',
      changed('max: 12', 'max: 15', possible),
      'duration',
      'models.film-1.duration.max must be one of',
    ],
    [
      'a usual length',
      changed('default: 8', 'default: 6', possible),
      'duration',
      'models.film-1.duration.default must be one of',
    ],
    [
      'a length that the vendor chooses',
      changed('default: 8 }', 'default: 8, auto: true }', possible),
      'duration',
      'models.film-1.duration.auto must be false',
    ],
    [
      'a resolution',
      changed('[720p, 1080p]', '[480p, 720p]', possible),
      'resolution',
      'models.film-1.resolution.allowed names 480p',
    ],
    [
      'a resolution without any of its ratios',
      changed('[720p, 1080p]', '[720p, 1024p]', possible),
      'resolution',
      'models.film-1.resolution.allowed names 1024p, and for film-1-upstream at a provider of kind openai-videos that has only the ratios "7:4", "4:7"',
    ],
    [
      'a ratio',
      changed('"9:16"]', '"1:1"]', possible),
      ' ratio:',
      'models.film-1.ratio.allowed names 1:1',
    ],
    [
      'a ratio that the vendor chooses',
      changed('"9:16"]', 'adaptive]', possible),
      ' ratio:',
      'models.film-1.ratio.allowed names adaptive',
    ],
    [
      'a usual picture',
      changed(
        '[720p, 1080p], default: 720p',
        '[720p, 1024p], default: 1024p',
        changed('["16:9", "9:16"]', '["16:9", "7:4"]', possible),
      ),
      ' ratio:',
      'models.film-1.ratio.default is 16:9',
    ],
    [
      'a last frame as input',
      withLine('frames: [first_frame, last_frame]'),
      'frames',
      'models.film-1.frames names last_frame',
    ],
    [
      'references',
      withLine('references: { image: 1 }'),
      'references',
      'models.film-1.references.image must be at most 0',
    ],
    [
      'videos without a prompt',
      withLine('media_only: true'),
      'media_only',
      'models.film-1.media_only must be false',
    ],
    [
      'a last frame from the vendor',
      withLine('last_frame: vendor'),
      'last_frame',
      'models.film-1.last_frame must be extract or none',
    ],
  ])(
    'is refused at the start for promising %s that there is not, by its line',
    (_case, text, passage, message) => {
      expect(problemsIn(text)).toEqual([
        { line: lineOf(text, passage), message: expect.stringContaining(message) },
      ]);
    },
  );

  it('is not blamed again for a field that is wrong anyway', () => {
    const text = changed(
      '{ min: 4, max: 12, default: 8 }',
      'long',
      changed('[720p, 1080p]', '720p', withLine('frames: first_frame')),
    );

    expect(problemsIn(text).map(({ message }) => message.split(' ')[0])).toEqual([
      'models.film-1.duration',
      'models.film-1.resolution.allowed',
      'models.film-1.frames',
    ]);
  });
});

describe('a request for a vendor of the OpenAI videos format', () => {
  const model = aModel({
    duration: { min: 4, max: 12, default: 4, auto: false },
    ratio: { allowed: ['16:9', '9:16', '7:4'], default: '16:9' },
    resolution: { allowed: ['720p', '1024p'], default: '720p' },
    references: { image: 0, video: 0, audio: 0 },
    frames: ['first_frame'],
    unsupported: ['seed', 'watermark', 'generate_audio'],
  });
  const read = aReader({
    models: [model],
    capabilities: {
      format: openaiVideosFormat,
      lastFrame: false,
      inlineKinds: ['image'],
      urlKinds: [],
    },
  });
  const body = (fields: object): object => ({ model: 'film-1', prompt: 'a cat', ...fields });

  it.each([
    [{}],
    [{ duration: 12 }],
    [{ ratio: '9:16' }],
    [{ resolution: '1024p', ratio: '7:4' }],
    [{ references: [{ type: 'image', url: 'data:image/png;base64,AAAA' }] }],
  ])('is read with %j', (fields) => {
    expect(read(body(fields))).toMatchObject({ request: { prompt: 'a cat' } });
  });

  it.each<[object, string, string, RegExp]>([
    [{ duration: 5 }, 'invalid_parameter', 'duration', /one of 4, 8, 12;/],
    [{ duration: 16 }, 'invalid_parameter', 'duration', /one of 4, 8, 12;/],
    [
      { resolution: '1024p' },
      'invalid_parameter',
      'ratio',
      /"7:4" at the resolution "1024p"; got "16:9"/,
    ],
    [{ ratio: '7:4' }, 'invalid_parameter', 'ratio', /"16:9", "9:16" at the resolution "720p"/],
    [{ aspect_ratio: '7:4' }, 'invalid_parameter', 'aspect_ratio', /"16:9", "9:16"/],
    [{ seed: 7 }, 'unsupported_parameter', 'seed', /leave it out/],
    [{ watermark: false }, 'unsupported_parameter', 'watermark', /leave it out/],
    [{ generate_audio: false }, 'unsupported_parameter', 'generate_audio', /leave it out/],
    [{ return_last_frame: true }, 'unsupported_parameter', 'return_last_frame', /leave it out/],
    [
      { references: [{ type: 'image', url: 'https://files.example/a.png' }] },
      'unsupported_parameter',
      'references[0].url',
      /an asset id or a data: URL/,
    ],
    [
      {
        references: [{ type: 'image', role: 'reference_image', url: 'data:image/png;base64,AAAA' }],
      },
      'unsupported_parameter',
      'references[0].url',
      /no reference images/,
    ],
  ])('is refused with %j', (fields, code, param, message) => {
    const refusal = refusalOf(read, body(fields));

    expect(inShort(refusal)).toEqual({ code, param, all: [param] });
    expect(refusal.message).toMatch(message);
  });
});
