import { describe, expect, it } from '@jest/globals';
import type { ReadVideoRequest } from '@gateway/contracts';
import { aModel, aReader, inShort, refusalOf } from './samples.ts';

const read = aReader();
const model = 'film-1';
const requestOf = (body: object, reader = read): ReadVideoRequest['request'] =>
  reader({ model, ...body }).request;
const cat = 'https://files.example/cat.png';
const dog = 'https://files.example/dog.mp4';
const song = 'https://files.example/song.mp3';

describe('reading a video request', () => {
  it('fills in everything that was left out', () => {
    expect(read({ model, prompt: 'a cat' })).toStrictEqual({
      model: aModel(),
      routes: aModel().routes,
      request: {
        prompt: 'a cat',
        references: [],
        ratio: '16:9',
        duration: 6,
        resolution: '720p',
        watermark: false,
        seed: null,
        generateAudio: false,
        returnLastFrame: false,
        metadata: {},
        unsupported: [],
      },
      callbackUrl: null,
    });
  });

  it('takes over everything that was said', () => {
    const body = {
      model,
      prompt: 'a cat',
      references: [{ type: 'image', role: 'reference_image', url: cat }],
      ratio: '9:16',
      duration: 15,
      resolution: '480p',
      watermark: true,
      seed: 7,
      generate_audio: true,
      return_last_frame: true,
      callback_url: 'https://customer.example/push',
      metadata: { order: '17' },
    };

    expect(read(body)).toStrictEqual({
      model: aModel(),
      routes: aModel().routes,
      request: {
        prompt: 'a cat',
        references: [
          {
            kind: 'image',
            role: 'reference_image',
            source: { type: 'url', text: cat },
            param: 'references[0].url',
          },
        ],
        ratio: '9:16',
        duration: 15,
        resolution: '480p',
        watermark: true,
        seed: 7,
        generateAudio: true,
        returnLastFrame: true,
        metadata: { order: '17' },
        unsupported: [],
      },
      callbackUrl: 'https://customer.example/push',
    });
  });

  it('takes over what was said against the model’s defaults', () => {
    const reader = aReader({ models: [aModel({ generateAudioByDefault: true })] });

    expect(requestOf({ prompt: 'a cat' }, reader).generateAudio).toBe(true);
    expect(
      requestOf(
        { prompt: 'a cat', generate_audio: false, watermark: false, return_last_frame: false },
        reader,
      ),
    ).toMatchObject({ generateAudio: false, watermark: false, returnLastFrame: false });
  });

  it('keeps with the request which fields the model does not know', () => {
    const reader = aReader({ models: [aModel({ unsupported: ['seed', 'watermark'] })] });

    expect(requestOf({ prompt: 'a cat' }, reader).unsupported).toEqual(['seed', 'watermark']);
  });

  it('asks only the model that was named', () => {
    const reader = aReader({
      models: [
        aModel(),
        aModel({ name: 'film-2', duration: { min: 1, max: 2, default: 1, auto: false } }),
      ],
    });

    expect(reader({ model: 'film-2', prompt: 'a cat', duration: 2 }).model.name).toBe('film-2');
    expect(inShort(refusalOf(reader, { model, prompt: 'a cat', duration: 2 }))).toEqual({
      code: 'invalid_parameter',
      param: 'duration',
      all: ['duration'],
    });
  });

  it.each<[string, object]>([
    ['the shortest', { duration: 4 }],
    ['the longest', { duration: 15 }],
    ['the least seed', { seed: -1 }],
    ['a seed of zero', { seed: 0 }],
    ['the greatest seed', { seed: 4_294_967_295 }],
    ['the longest prompt', { prompt: 'x'.repeat(40) }],
    ['an empty list of references', { references: [] }],
    ['no metadata', { metadata: {} }],
    [
      'sixteen pairs of metadata',
      {
        metadata: Object.fromEntries(
          Array.from({ length: 16 }, (_, index) => [`key${index}`, 'v']),
        ),
      },
    ],
    ['the longest name and value of metadata', { metadata: { ['n'.repeat(64)]: 'v'.repeat(512) } }],
    ['an empty value of metadata', { metadata: { note: '' } }],
  ])('takes %s', (_case, fields) => {
    expect(requestOf({ prompt: 'a cat', ...fields })).toMatchObject(fields);
  });

  it('keeps odd names of metadata as they are, and away from its own objects', () => {
    const metadata = JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}') as object;

    expect(Object.entries(requestOf({ prompt: 'a cat', metadata }).metadata)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ]);
  });

  it('does not change the body that it reads', () => {
    const body = {
      model,
      prompt: 'a cat',
      references: [{ type: 'image', url: cat }],
      aspect_ratio: '1:1',
    };
    const before = structuredClone(body);
    read(body);

    expect(body).toEqual(before);
  });
});

describe('the two formats of a video request', () => {
  const withoutPaths = (body: object): object => {
    const { references, ...rest } = requestOf(body);
    return {
      ...rest,
      references: references.map(({ kind, role, source }) => ({ kind, role, source })),
    };
  };

  it.each<[string, object, object]>([
    ['a text', { prompt: 'a cat' }, { content: [{ type: 'text', text: 'a cat' }] }],
    [
      'a single image',
      { prompt: 'a cat', references: [{ type: 'image', url: cat }] },
      {
        content: [
          { type: 'text', text: 'a cat' },
          { type: 'image_url', image_url: { url: cat } },
        ],
      },
    ],
    [
      'an image before the text',
      { prompt: 'a cat', references: [{ type: 'image', url: cat }] },
      {
        content: [
          { type: 'image_url', image_url: { url: cat } },
          { type: 'text', text: 'a cat' },
        ],
      },
    ],
    [
      'roles and kinds',
      {
        prompt: 'a cat',
        references: [
          { type: 'image', role: 'reference_image', url: cat },
          { type: 'video', role: 'reference_video', url: dog },
          { type: 'audio', role: 'reference_audio', url: song },
        ],
      },
      {
        content: [
          { type: 'text', text: 'a cat' },
          { type: 'image_url', image_url: { url: cat }, role: 'reference_image' },
          { type: 'video_url', video_url: { url: dog }, role: 'reference_video' },
          { type: 'audio_url', audio_url: { url: song }, role: 'reference_audio' },
        ],
      },
    ],
    [
      'the common fields',
      { prompt: 'a cat', aspect_ratio: '1:1', duration: 9, seed: 3, metadata: { a: 'b' } },
      {
        content: [{ type: 'text', text: 'a cat' }],
        ratio: '1:1',
        duration: 9,
        seed: 3,
        metadata: { a: 'b' },
      },
    ],
  ])('say the same with %s', (_case, own, industry) => {
    expect(withoutPaths(own)).toStrictEqual(withoutPaths(industry));
  });

  it.each<[object, object]>([
    [{ ratio: '9:16' }, { aspect_ratio: '9:16' }],
    [{ watermark: true }, { aigc_watermark: true }],
    [{ watermark: false }, { aigc_watermark: false }],
  ])('know %j also as %j', (one, other) => {
    expect(requestOf({ prompt: 'a cat', ...other })).toStrictEqual(
      requestOf({ prompt: 'a cat', ...one }),
    );
    expect(requestOf({ content: [{ type: 'text', text: 'a cat' }], ...other })).toStrictEqual(
      requestOf({ prompt: 'a cat', ...one }),
    );
  });

  it('need no text where the model takes media alone', () => {
    const reader = aReader({ models: [aModel({ mediaOnly: true })] });

    expect(
      requestOf({ content: [{ type: 'image_url', image_url: { url: cat } }] }, reader),
    ).toMatchObject({ prompt: '', references: [{ role: 'first_frame' }] });
    expect(requestOf({ content: [{ type: 'text', text: 'a cat' }] }, reader).prompt).toBe('a cat');
  });
});

describe('the length of a video', () => {
  const auto = aReader({
    models: [aModel({ duration: { min: 4, max: 15, default: 6, auto: true } })],
  });

  it('may be left to a model that decides itself', () => {
    expect(requestOf({ prompt: 'a cat', duration: -1 }, auto).duration).toBe(-1);
    expect(requestOf({ prompt: 'a cat' }, auto).duration).toBe(6);
  });

  it.each([0, -2, 3, 16])(
    'of %d is refused also there, and the response says that -1 is possible',
    (duration) => {
      const refusal = refusalOf(auto, { model, prompt: 'a cat', duration });

      expect(inShort(refusal)).toEqual({
        code: 'invalid_parameter',
        param: 'duration',
        all: ['duration'],
      });
      expect(refusal.message).toMatch(/between 4 and 15.*-1/);
    },
  );

  it('of -1 is refused where the model does not decide', () => {
    expect(refusalOf(read, { model, prompt: 'a cat', duration: -1 }).message).toBe(
      'duration must be an integer between 4 and 15; got -1',
    );
  });
});
