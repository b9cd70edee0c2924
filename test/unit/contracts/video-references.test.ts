import { describe, expect, it } from '@jest/globals';
import type { ReadVideoRequest, VideoModel, WrittenReference } from '@gateway/contracts';
import type { ErrorCode } from '@gateway/domain';
import { aModel, aReader, inShort, refusalOf } from './samples.ts';

const read = aReader();
const url = 'https://files.example/a';
const body = (...references: object[]): object => ({
  model: 'film-1',
  prompt: 'a cat',
  references: references.map((reference) => ({ url, ...reference })),
});
const rolesOf = ({ request }: ReadVideoRequest): string[] =>
  request.references.map(({ role }) => role);

describe('the role of a reference', () => {
  it.each<[string, object[], string[]]>([
    ['a single image', [{ type: 'image' }], ['first_frame']],
    ['a single video', [{ type: 'video' }], ['reference_video']],
    ['a single sound', [{ type: 'audio' }], ['reference_audio']],
    ['two images', [{ type: 'image' }, { type: 'image' }], ['reference_image', 'reference_image']],
    [
      'an image and a video',
      [{ type: 'image' }, { type: 'video' }],
      ['reference_image', 'reference_video'],
    ],
    [
      'an image beside one with a role',
      [{ type: 'image', role: 'reference_image' }, { type: 'image' }],
      ['reference_image', 'reference_image'],
    ],
    [
      'a single image with a role',
      [{ type: 'image', role: 'reference_image' }],
      ['reference_image'],
    ],
    [
      'the two frames',
      [
        { type: 'image', role: 'first_frame' },
        { type: 'image', role: 'last_frame' },
      ],
      ['first_frame', 'last_frame'],
    ],
    [
      'the two frames the other way round',
      [
        { type: 'image', role: 'last_frame' },
        { type: 'image', role: 'first_frame' },
      ],
      ['last_frame', 'first_frame'],
    ],
    [
      'as many as the model takes',
      [
        { type: 'image' },
        { type: 'image' },
        { type: 'image' },
        { type: 'video' },
        { type: 'video' },
        { type: 'audio' },
      ],
      [
        'reference_image',
        'reference_image',
        'reference_image',
        'reference_video',
        'reference_video',
        'reference_audio',
      ],
    ],
  ])('of %s is understood', (_case, references, roles) => {
    expect(rolesOf(read(body(...references)))).toEqual(roles);
  });

  it.each<[string, object[], string[]]>([
    [
      'a single image',
      [{ type: 'image_url', image_url: { url }, role: 'reference_image' }],
      ['reference_image'],
    ],
    [
      'the two frames',
      [
        { type: 'image_url', image_url: { url }, role: 'last_frame' },
        { type: 'image_url', image_url: { url }, role: 'first_frame' },
      ],
      ['last_frame', 'first_frame'],
    ],
    [
      'a video beside a frame that was meant as reference',
      [
        { type: 'image_url', image_url: { url }, role: 'reference_image' },
        { type: 'video_url', video_url: { url } },
      ],
      ['reference_image', 'reference_video'],
    ],
  ])('of %s is understood in the other format', (_case, items, roles) => {
    expect(
      rolesOf(read({ model: 'film-1', content: [{ type: 'text', text: 'a cat' }, ...items] })),
    ).toEqual(roles);
  });

  it('of a single image is a reference where the model takes no first frame', () => {
    const reader = aReader({ models: [aModel({ frames: [] })] });

    expect(rolesOf(reader(body({ type: 'image' })))).toEqual(['reference_image']);
  });

  it.each<[string, object[], ErrorCode, string]>([
    [
      'a video as first frame',
      [{ type: 'video', role: 'first_frame' }],
      'invalid_parameter',
      'references[0].role',
    ],
    [
      'a sound as last frame',
      [{ type: 'audio', role: 'last_frame' }],
      'invalid_parameter',
      'references[0].role',
    ],
    [
      'an image as reference_video',
      [{ type: 'image', role: 'reference_video' }],
      'invalid_parameter',
      'references[0].role',
    ],
    [
      'a video as reference_audio',
      [{ type: 'video' }, { type: 'video', role: 'reference_audio' }],
      'invalid_parameter',
      'references[1].role',
    ],
    [
      'a sound as reference_image',
      [{ type: 'audio', role: 'reference_image' }],
      'invalid_parameter',
      'references[0].role',
    ],
  ])('must fit the type: %s is refused', (...[, references, code, param]) => {
    expect(inShort(refusalOf(read, body(...references)))).toMatchObject({ code, param });
  });

  it('must fit the type also in the other format, and the response says both', () => {
    const refusal = refusalOf(read, {
      model: 'film-1',
      content: [
        { type: 'text', text: 'a cat' },
        { type: 'video_url', video_url: { url }, role: 'first_frame' },
      ],
    });

    expect(inShort(refusal)).toMatchObject({ code: 'invalid_parameter', param: 'content[1].role' });
    expect(refusal.message).toMatch(/video.*"first_frame"/);
  });

  it.each<[string, object[], RegExp]>([
    [
      'a first frame beside a reference',
      [{ type: 'image', role: 'first_frame' }, { type: 'image' }],
      /mixed/,
    ],
    [
      'a first frame beside a reference video',
      [{ type: 'video' }, { type: 'image', role: 'first_frame' }],
      /mixed/,
    ],
    [
      'two first frames',
      [
        { type: 'image', role: 'first_frame' },
        { type: 'image', role: 'first_frame' },
      ],
      /once/,
    ],
    [
      'two last frames',
      [
        { type: 'image', role: 'first_frame' },
        { type: 'image', role: 'last_frame' },
        { type: 'image', role: 'last_frame' },
      ],
      /once/,
    ],
    ['a last frame alone', [{ type: 'image', role: 'last_frame' }], /first_frame/],
  ])('must fit the others: %s is refused', (_case, references, message) => {
    const refusal = refusalOf(read, body(...references));

    expect({ code: refusal.code, param: refusal.param }).toEqual({
      code: 'invalid_parameter',
      param: expect.stringMatching(/^references\[\d\]/),
    });
    expect(refusal.message).toMatch(message);
  });

  it.each<[string, Partial<VideoModel>, object[]]>([
    ['first_frame', { frames: [] }, [{ type: 'image', role: 'first_frame' }]],
    [
      'last_frame',
      { frames: ['first_frame'] },
      [
        { type: 'image', role: 'first_frame' },
        { type: 'image', role: 'last_frame' },
      ],
    ],
  ])('must be one that the model takes: %s is not for every model', (role, fields, references) => {
    const refusal = refusalOf(aReader({ models: [aModel(fields)] }), body(...references));

    expect(refusal.code).toBe('unsupported_parameter');
    expect(refusal.message).toMatch(new RegExp(`film-1 .*${role}`));
  });
});

describe('the number of references', () => {
  it.each<[string, object[], string]>([
    ['images', Array.from({ length: 4 }, () => ({ type: 'image' })), 'references[3].url'],
    [
      'videos',
      [{ type: 'video' }, { type: 'video' }, { type: 'image' }, { type: 'video' }],
      'references[3].url',
    ],
    ['sounds', [{ type: 'audio' }, { type: 'audio' }], 'references[1].url'],
  ])(
    'of %s has the model’s limit, and the first beyond it is named',
    (_case, references, param) => {
      expect(inShort(refusalOf(read, body(...references)))).toEqual({
        code: 'invalid_parameter',
        param,
        all: [param],
      });
    },
  );

  it('says the limit and what was sent', () => {
    const noVideo = aReader({ models: [aModel({ references: { image: 3, video: 0, audio: 0 } })] });

    expect(
      refusalOf(read, body({ type: 'video' }, { type: 'video' }, { type: 'video' })).message,
    ).toMatch(/film-1 .*2 .*video.*3$/);
    expect(refusalOf(noVideo, body({ type: 'video' })).message).toMatch(/film-1 .*no .*video.*1$/);
  });

  it('is none for a kind that the model does not take', () => {
    const reader = aReader({ models: [aModel({ references: { image: 3, video: 0, audio: 1 } })] });

    expect(inShort(refusalOf(reader, body({ type: 'image' }, { type: 'video' })))).toEqual({
      code: 'unsupported_parameter',
      param: 'references[1].url',
      all: ['references[1].url'],
    });
  });

  it('has no part in frames', () => {
    const reader = aReader({ models: [aModel({ references: { image: 0, video: 0, audio: 0 } })] });

    expect(
      rolesOf(
        reader(body({ type: 'image', role: 'first_frame' }, { type: 'image', role: 'last_frame' })),
      ),
    ).toEqual(['first_frame', 'last_frame']);
  });

  it('of every kind is reported at once', () => {
    const references = [
      ...Array.from({ length: 3 }, () => ({ type: 'video' })),
      { type: 'audio' },
      { type: 'audio' },
    ];

    expect(inShort(refusalOf(read, body(...references))).all).toEqual([
      'references[2].url',
      'references[4].url',
    ]);
  });
});

describe('a sound as reference', () => {
  const reader = aReader({ capabilities: { audioNeedsPicture: true } });

  it('needs a picture beside it where the vendor says so', () => {
    expect(inShort(refusalOf(reader, body({ type: 'audio' })))).toEqual({
      code: 'invalid_parameter',
      param: 'references[0].url',
      all: ['references[0].url'],
    });
  });

  it.each<[string, object[]]>([
    ['an image', [{ type: 'audio' }, { type: 'image' }]],
    ['a video', [{ type: 'video' }, { type: 'audio' }]],
    ['nothing, when there is no sound', []],
  ])('is taken beside %s', (_case, references) => {
    expect(reader(body(...references)).request.references).toHaveLength(references.length);
  });

  it('is taken alone by other vendors', () => {
    expect(rolesOf(read(body({ type: 'audio' })))).toEqual(['reference_audio']);
  });
});

describe('where a reference is', () => {
  const sourceOf = (item: object): WrittenReference | undefined =>
    read({ model: 'film-1', ...item }).request.references[0];
  const own = (address: string): object => ({
    prompt: 'a cat',
    references: [{ type: 'image', url: address }],
  });
  const industry = (locator: object, kind = 'image'): object => ({
    content: [
      { type: 'text', text: 'a cat' },
      { type: `${kind}_url`, [`${kind}_url`]: locator },
    ],
  });

  it.each<[string, object, WrittenReference]>([
    [
      'an address',
      own(url),
      {
        kind: 'image',
        role: 'first_frame',
        source: { type: 'url', text: url },
        param: 'references[0].url',
      },
    ],
    [
      'an address in capitals',
      own('HTTP://FILES.EXAMPLE/A'),
      {
        kind: 'image',
        role: 'first_frame',
        source: { type: 'url', text: 'HTTP://FILES.EXAMPLE/A' },
        param: 'references[0].url',
      },
    ],
    [
      'its bytes',
      own('data:image/png;base64,AAAA'),
      {
        kind: 'image',
        role: 'first_frame',
        source: { type: 'data', text: 'data:image/png;base64,AAAA' },
        param: 'references[0].url',
      },
    ],
    [
      'its bytes in capitals',
      own('DATA:image/png;base64,AAAA'),
      {
        kind: 'image',
        role: 'first_frame',
        source: { type: 'data', text: 'DATA:image/png;base64,AAAA' },
        param: 'references[0].url',
      },
    ],
    [
      'an address in a locator',
      industry({ url }),
      {
        kind: 'image',
        role: 'first_frame',
        source: { type: 'url', text: url },
        param: 'content[1].image_url.url',
      },
    ],
    [
      'the bytes of a video',
      industry({ url: 'data:video/mp4;base64,AAAA' }, 'video'),
      {
        kind: 'video',
        role: 'reference_video',
        source: { type: 'data', text: 'data:video/mp4;base64,AAAA' },
        param: 'content[1].video_url.url',
      },
    ],
    [
      'the address of a sound',
      industry({ url }, 'audio'),
      {
        kind: 'audio',
        role: 'reference_audio',
        source: { type: 'url', text: url },
        param: 'content[1].audio_url.url',
      },
    ],
  ])('may be %s', (_case, item, reference) => {
    expect(sourceOf(item)).toStrictEqual(reference);
  });

  it.each([
    'ftp://files.example/a',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//files.example/a',
    'cat.png',
    'blob:https://a',
    ' https://files.example/a',
    'https:/files.example',
    'assets_1',
  ])('may not be %j', (address) => {
    const refusal = refusalOf(read, { model: 'film-1', ...own(address) });

    expect(inShort(refusal)).toEqual({
      code: 'invalid_parameter',
      param: 'references[0].url',
      all: ['references[0].url'],
    });
    expect(refusal.message).toMatch(/URL.*data:.*asset/);
    expect(refusal.message).toContain(address);
  });

  it('of which only the beginning is repeated', () => {
    expect(
      refusalOf(read, { model: 'film-1', ...own('x'.repeat(100_000)) }).message.length,
    ).toBeLessThan(200);
  });

  it('is asked of the rule for addresses, which may refuse it', () => {
    const asked: string[] = [];
    const reader = aReader({
      checks: {
        referenceUrl: (address) => {
          asked.push(address);
          return address.includes('10.0.0.1') ? 'must be a public address' : undefined;
        },
      },
    });
    const refusal = refusalOf(
      reader,
      body({ type: 'image' }, { type: 'image', url: 'https://10.0.0.1/a' }),
    );

    expect(inShort(refusal)).toEqual({
      code: 'invalid_parameter',
      param: 'references[1].url',
      all: ['references[1].url'],
    });
    expect(refusal.message).toBe('references[1].url must be a public address');
    expect(asked).toEqual([url, 'https://10.0.0.1/a']);
  });

  it('is asked of the rule for data URLs, with what it is meant to be', () => {
    const asked: [string, WrittenReference['kind']][] = [];
    const reader = aReader({
      checks: {
        referenceUrl: () => 'must not be asked',
        dataUrl: (address, { kind }) => {
          asked.push([address, kind]);
          return 'must be base64';
        },
      },
    });
    const refusal = refusalOf(reader, body({ type: 'video', url: 'data:video/mp4,AAAA' }));

    expect(inShort(refusal)).toEqual({
      code: 'invalid_parameter',
      param: 'references[0].url',
      all: ['references[0].url'],
    });
    expect(asked).toEqual([['data:video/mp4,AAAA', 'video']]);
  });

  it.each<[string, object]>([
    ['as own address', own('asset_01h455vb4pex5vsknk084sn02q')],
    ['as address in a locator', industry({ url: 'asset_1' })],
    ['by its name in a locator', industry({ asset_id: 'asset_1' })],
    ['as an address where only a name may be', industry({ asset_id: url })],
  ])('is an asset, to be looked up by who knows the account, given %s', (_case, item) => {
    const { request } = aReader({
      checks: { referenceUrl: () => 'must not be asked', dataUrl: () => 'must not be asked' },
    })({ model: 'film-1', ...item });

    expect(request.references.map(({ source, param }) => [source.type, param])).toEqual([
      [
        'asset',
        expect.stringMatching(/^(references\[0\]\.url|content\[1\]\.image_url\.(url|asset_id))$/),
      ],
    ]);
  });

  it.each<[string, object, string]>([
    ['as own address', own('video_01h455vb4pex5vsknk084sn02q'), 'references[0].url'],
    ['as address in a locator', industry({ url: 'video_1' }), 'content[1].image_url.url'],
  ])('is an own video, to be looked up as well, given %s', (_case, item, param) => {
    const { request } = aReader({
      capabilities: { urlKinds: [] },
      checks: { referenceUrl: () => 'must not be asked', dataUrl: () => 'must not be asked' },
    })({ model: 'film-1', ...item });

    expect(request.references.map(({ source, param: at }) => [source.type, at])).toEqual([
      ['task', param],
    ]);
  });

  it('may be an address only for the kinds that the vendor fetches', () => {
    const reader = aReader({ capabilities: { urlKinds: ['video'] } });

    expect(inShort(refusalOf(reader, body({ type: 'image' })))).toMatchObject({
      code: 'unsupported_parameter',
      param: 'references[0].url',
    });
    expect(reader(body({ type: 'video' })).request.references).toHaveLength(1);
  });

  it('may be its bytes only for the kinds that the vendor takes inline', () => {
    const reader = aReader({
      capabilities: { inlineKinds: ['image'] },
      checks: {
        dataUrl: (_text, { kind }) => (kind === 'image' ? undefined : 'must not be asked'),
      },
    });

    expect(
      reader(body({ type: 'image', url: 'data:image/png;base64,AAAA' })).request.references,
    ).toHaveLength(1);
    expect(
      inShort(refusalOf(reader, body({ type: 'video', url: 'data:video/mp4;base64,AAAA' }))),
    ).toEqual({
      code: 'unsupported_parameter',
      param: 'references[0].url',
      all: ['references[0].url'],
    });
  });
});

describe('the ratio adaptive, of a vendor that takes it from a reference', () => {
  const ratio = { allowed: ['16:9', 'adaptive'], default: '16:9' };
  const reader = aReader({
    models: [aModel({ ratio })],
    capabilities: { adaptiveNeedsReference: true },
  });
  const byDefault = aReader({
    models: [aModel({ ratio: { ...ratio, default: 'adaptive' } })],
    capabilities: { adaptiveNeedsReference: true },
  });
  const picture = { references: [{ type: 'image', url: 'https://files.example/cat.png' }] };

  it.each(['ratio', 'aspect_ratio'])('is refused as %s without one', (field) => {
    const refusal = refusalOf(reader, { model: 'film-1', prompt: 'a cat', [field]: 'adaptive' });

    expect(inShort(refusal)).toEqual({ code: 'invalid_parameter', param: field, all: [field] });
    expect(refusal.message).toContain('16:9');
  });

  it('is refused as the model’s default without one, and another ratio is not', () => {
    expect(inShort(refusalOf(byDefault, { model: 'film-1', prompt: 'a cat' }))).toEqual({
      code: 'invalid_parameter',
      param: 'ratio',
      all: ['ratio'],
    });
    expect(byDefault({ model: 'film-1', prompt: 'a cat', ratio: '16:9' }).request.ratio).toBe(
      '16:9',
    );
  });

  it('is taken with one', () => {
    expect(
      reader({ model: 'film-1', prompt: 'a cat', ratio: 'adaptive', ...picture }).request.ratio,
    ).toBe('adaptive');
    expect(
      aReader({ models: [aModel({ ratio })] })({
        model: 'film-1',
        prompt: 'a cat',
        ratio: 'adaptive',
      }).request.ratio,
    ).toBe('adaptive');
  });
});
