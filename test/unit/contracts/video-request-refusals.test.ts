import { describe, expect, it } from '@jest/globals';
import { errorCatalogue, type ErrorCode } from '@gateway/domain';
import { aModel, aReader, inShort, refusalOf } from './samples.ts';

const read = aReader();
const prompt = 'a cat';
const text = { type: 'text', text: prompt };
const image = { type: 'image', url: 'https://files.example/cat.png' };
const refused = (body: object, reader = read): ReturnType<typeof inShort> =>
  inShort(refusalOf(reader, { model: 'film-1', ...body }));

describe('a video request that mixes the two formats', () => {
  it.each<[string, object, string]>([
    ['prompt and content', { prompt, content: [text] }, 'prompt'],
    ['references and content', { references: [image], content: [text] }, 'references'],
    ['all three', { prompt, references: [image], content: [text] }, 'prompt'],
    ['no references and content', { references: [], content: [text] }, 'references'],
    ['an empty prompt and content', { prompt: '', content: [text] }, 'prompt'],
  ])('is refused with %s', (_case, body, param) => {
    expect(refused(body)).toEqual({ code: 'mixed_formats', param, all: [param] });
  });

  it.each<[string, object]>([
    ['broken content', { prompt, content: 5 }],
    ['content of null', { prompt, content: null }],
    ['a prompt of null', { prompt: null, content: [text] }],
  ])('is refused for that first, also with %s', (_case, body) => {
    expect(refused(body)).toMatchObject({ code: 'mixed_formats', param: 'prompt' });
  });

  it('is refused with status 400, saying which fields do not go together', () => {
    const refusal = refusalOf(read, {
      model: 'film-1',
      prompt,
      references: [image],
      content: [text],
    });

    expect(errorCatalogue[refusal.code].status).toBe(400);
    expect(refusal.message).toMatch(
      /content and prompt and references .*either content, or prompt/,
    );
  });
});

describe('a video request with both names of an alias pair', () => {
  it.each<[string, object, string]>([
    ['ratio and aspect_ratio', { ratio: '16:9', aspect_ratio: '9:16' }, 'aspect_ratio'],
    [
      'ratio and aspect_ratio of one value',
      { ratio: '16:9', aspect_ratio: '16:9' },
      'aspect_ratio',
    ],
    ['watermark and aigc_watermark', { watermark: true, aigc_watermark: false }, 'aigc_watermark'],
    [
      'watermark and aigc_watermark of one value',
      { watermark: false, aigc_watermark: false },
      'aigc_watermark',
    ],
  ])('is refused for %s, in both formats', (_case, pair, param) => {
    const refusal = { code: 'conflicting_aliases', param, all: [param] };

    expect([refused({ prompt, ...pair }), refused({ content: [text], ...pair })]).toEqual([
      refusal,
      refusal,
    ]);
  });

  it('is refused for both pairs at once', () => {
    expect(
      refused({
        prompt,
        ratio: '16:9',
        aspect_ratio: '16:9',
        watermark: true,
        aigc_watermark: true,
      }),
    ).toEqual({
      code: 'conflicting_aliases',
      param: 'aspect_ratio',
      all: ['aigc_watermark', 'aspect_ratio'],
    });
  });

  it('is refused with status 400, saying both names', () => {
    const refusal = refusalOf(read, {
      model: 'film-1',
      prompt,
      ratio: '16:9',
      aspect_ratio: '16:9',
    });

    expect(errorCatalogue[refusal.code].status).toBe(400);
    expect(refusal.message).toMatch(/^ratio and aspect_ratio /);
  });
});

describe('a video request with a field that is not known', () => {
  it.each<[string, object, string]>([
    ['a misspelled one', { prompt, duratoin: 5 }, 'duratoin'],
    ['a field of the resource', { prompt, status: 'queued' }, 'status'],
    ['a name that every object has', { prompt, constructor: 1 }, 'constructor'],
    [
      'the prototype',
      JSON.parse('{"prompt":"a cat","__proto__":{"duration":15}}') as object,
      '__proto__',
    ],
    [
      'one in a reference',
      { prompt, references: [image, { ...image, weight: 1 }] },
      'references[1].weight',
    ],
    ['one in a text', { content: [{ ...text, lang: 'en' }] }, 'content[0].lang'],
    [
      'one in a media item',
      { content: [text, { type: 'image_url', image_url: { url: image.url }, detail: 'high' }] },
      'content[1].detail',
    ],
    [
      'the locator of another kind',
      {
        content: [
          text,
          { type: 'image_url', image_url: { url: image.url }, video_url: { url: image.url } },
        ],
      },
      'content[1].video_url',
    ],
  ])('is refused: %s', (_case, body, param) => {
    expect(refused(body)).toEqual({ code: 'unknown_parameter', param, all: [param] });
  });

  it('is refused for one in a locator', () => {
    expect(
      refused({
        content: [text, { type: 'image_url', image_url: { url: image.url, detail: 'high' } }],
      }).all,
    ).toContain('content[1].image_url.detail');
  });
});

describe('a video request without a field that it needs', () => {
  it.each<[string, unknown, string]>([
    ['the model', { prompt }, 'model'],
    ['the prompt', { model: 'film-1' }, 'prompt'],
    ['the prompt beside references', { model: 'film-1', references: [image] }, 'prompt'],
    [
      'the type of a reference',
      { model: 'film-1', prompt, references: [{ url: image.url }] },
      'references[0].type',
    ],
    [
      'the address of a reference',
      { model: 'film-1', prompt, references: [{ type: 'image' }] },
      'references[0].url',
    ],
    ['the text of a text', { model: 'film-1', content: [{ type: 'text' }] }, 'content[0].text'],
    [
      'the address of an image',
      { model: 'film-1', content: [text, { type: 'image_url' }] },
      'content[1].image_url',
    ],
    [
      'the address of a video',
      { model: 'film-1', content: [text, { type: 'video_url' }] },
      'content[1].video_url',
    ],
    [
      'the address of a sound',
      { model: 'film-1', content: [text, { type: 'audio_url' }] },
      'content[1].audio_url',
    ],
    [
      'a text among its content',
      { model: 'film-1', content: [{ type: 'image_url', image_url: { url: image.url } }] },
      'content',
    ],
  ])('is refused: %s', (_case, body, param) => {
    expect(inShort(refusalOf(read, body))).toMatchObject({ code: 'missing_parameter', param });
  });

  it('is refused for the type of an item', () => {
    expect(refused({ content: [text, {}] })).toMatchObject({
      code: 'missing_parameter',
      param: 'content[1].type',
    });
  });
});

describe('a video request with a wrong value', () => {
  it.each<[string, object, string]>([
    ['a model that is no text', { model: 5, prompt }, 'model'],
    ['an empty model', { model: '', prompt }, 'model'],
    ['a prompt that is no text', { prompt: ['a cat'] }, 'prompt'],
    ['an empty prompt', { prompt: '' }, 'prompt'],
    ['a blank prompt', { prompt: ' \n\t' }, 'prompt'],
    ['a prompt that is too long', { prompt: 'x'.repeat(41) }, 'prompt'],
    ['references that are no list', { prompt, references: image }, 'references'],
    [
      'more references than anybody takes',
      { prompt, references: Array.from({ length: 65 }, () => image) },
      'references',
    ],
    [
      'a reference that is no object',
      { prompt, references: ['https://files.example/cat.png'] },
      'references[0]',
    ],
    [
      'a type of reference that is not known',
      { prompt, references: [{ ...image, type: 'gif' }] },
      'references[0].type',
    ],
    [
      'a role that is not known',
      { prompt, references: [{ ...image, role: 'middle_frame' }] },
      'references[0].role',
    ],
    ['a role of null', { prompt, references: [{ ...image, role: null }] }, 'references[0].role'],
    [
      'an address that is no text',
      { prompt, references: [{ ...image, url: { url: 'x' } }] },
      'references[0].url',
    ],
    ['an empty address', { prompt, references: [{ ...image, url: '' }] }, 'references[0].url'],
    ['content that is no list', { content: prompt }, 'content'],
    ['empty content', { content: [] }, 'content'],
    ['too much content', { content: Array.from({ length: 66 }, () => text) }, 'content'],
    ['content of an item that is no object', { content: [prompt] }, 'content[0]'],
    [
      'an item of a type that is not known',
      { content: [text, { type: 'gif_url', gif_url: { url: image.url } }] },
      'content[1]',
    ],
    ['an item whose type is no text', { content: [{ type: 1, text: prompt }] }, 'content[0]'],
    ['a text that is no text', { content: [{ type: 'text', text: 1 }] }, 'content[0].text'],
    ['an empty text', { content: [{ type: 'text', text: '' }] }, 'content[0].text'],
    ['a blank text', { content: [{ type: 'text', text: '  ' }] }, 'content'],
    ['two texts', { content: [text, text] }, 'content'],
    ['a text that is too long', { content: [{ type: 'text', text: 'x'.repeat(41) }] }, 'content'],
    [
      'a locator that is a text',
      { content: [text, { type: 'image_url', image_url: image.url }] },
      'content[1].image_url',
    ],
    [
      'a locator without anything',
      { content: [text, { type: 'image_url', image_url: {} }] },
      'content[1].image_url',
    ],
    [
      'a locator with both',
      {
        content: [text, { type: 'image_url', image_url: { url: image.url, asset_id: 'asset_1' } }],
      },
      'content[1].image_url',
    ],
    [
      'an empty address in a locator',
      { content: [text, { type: 'image_url', image_url: { url: '' } }] },
      'content[1].image_url.url',
    ],
    [
      'an empty asset id',
      { content: [text, { type: 'image_url', image_url: { asset_id: '' } }] },
      'content[1].image_url.asset_id',
    ],
    [
      'a role in content that is not known',
      { content: [text, { type: 'image_url', image_url: { url: image.url }, role: 'x' }] },
      'content[1].role',
    ],
    ['a ratio that the model has not', { prompt, ratio: '2:1' }, 'ratio'],
    ['a ratio that is no text', { prompt, ratio: 1.78 }, 'ratio'],
    ['an aspect_ratio that the model has not', { prompt, aspect_ratio: '2:1' }, 'aspect_ratio'],
    ['a length as text', { prompt, duration: '5' }, 'duration'],
    ['a length with a fraction', { prompt, duration: 5.5 }, 'duration'],
    ['a length that is too short', { prompt, duration: 3 }, 'duration'],
    ['a length that is too long', { prompt, duration: 16 }, 'duration'],
    ['a length of null', { prompt, duration: null }, 'duration'],
    ['a resolution that the model has not', { prompt, resolution: '1080p' }, 'resolution'],
    ['a resolution that is no text', { prompt, resolution: 720 }, 'resolution'],
    ['a watermark as text', { prompt, watermark: 'true' }, 'watermark'],
    ['a watermark as number', { prompt, aigc_watermark: 0 }, 'aigc_watermark'],
    ['a seed that is too small', { prompt, seed: -2 }, 'seed'],
    ['a seed that is too great', { prompt, seed: 4_294_967_296 }, 'seed'],
    ['a seed with a fraction', { prompt, seed: 0.5 }, 'seed'],
    ['a seed as text', { prompt, seed: '7' }, 'seed'],
    ['audio as number', { prompt, generate_audio: 1 }, 'generate_audio'],
    ['a last frame as null', { prompt, return_last_frame: null }, 'return_last_frame'],
    ['a callback address that is no text', { prompt, callback_url: 7 }, 'callback_url'],
    ['an empty callback address', { prompt, callback_url: '' }, 'callback_url'],
    ['metadata that is no object', { prompt, metadata: 'order=17' }, 'metadata'],
    ['metadata in a list', { prompt, metadata: ['order'] }, 'metadata'],
    [
      'seventeen pairs of metadata',
      {
        prompt,
        metadata: Object.fromEntries(
          Array.from({ length: 17 }, (_, index) => [`key${index}`, 'v']),
        ),
      },
      'metadata',
    ],
    ['metadata with an empty name', { prompt, metadata: { '': 'v' } }, 'metadata'],
    [
      'metadata with a name that is too long',
      { prompt, metadata: { ['n'.repeat(65)]: 'v' } },
      'metadata',
    ],
    [
      'metadata with a value that is too long',
      { prompt, metadata: { note: 'v'.repeat(513) } },
      'metadata.note',
    ],
    ['metadata with a number', { prompt, metadata: { order: 17 } }, 'metadata.order'],
  ])('is refused: %s', (_case, body, param) => {
    expect(refused(body)).toEqual({ code: 'invalid_parameter', param, all: [param] });
  });

  it.each([null, undefined, [], 'a cat', 5, true])('is refused when the body is %j', (body) => {
    expect(inShort(refusalOf(read, body))).toEqual({
      code: 'invalid_parameter',
      param: null,
      all: [null],
    });
  });

  it.each<[object, RegExp]>([
    [{ duration: '5' }, /^duration must be an integer between 4 and 15; got "5"$/],
    [{ ratio: '2:1' }, /^ratio .*"16:9", "9:16", "1:1".*"2:1"$/],
    [{ aspect_ratio: '2:1' }, /^aspect_ratio .*"16:9", "9:16", "1:1".*"2:1"$/],
    [{ resolution: '4k' }, /^resolution .*"480p", "720p".*"4k"$/],
    [{ seed: -2 }, /^seed .*-1 and 4294967295.*-2$/],
    [{ watermark: 'yes' }, /^watermark .*true or false.*"yes"$/],
    [{ prompt: 'x'.repeat(41) }, /^prompt .*40 characters/],
    [{ prompt: ' ' }, /^prompt .*empty/],
    [
      { references: [{ ...image, type: 'gif' }] },
      /^references\[0\]\.type .*image, video, audio.*"gif"$/,
    ],
    [
      { references: [{ ...image, role: 'x' }] },
      /^references\[0\]\.role .*reference_image, reference_video, reference_audio, first_frame, last_frame.*"x"$/,
    ],
  ])('says for %j what would be right', (fields, message) => {
    expect(refusalOf(read, { model: 'film-1', prompt, ...fields }).message).toMatch(message);
  });
});

describe('the text of a video request in the other format', () => {
  it.each<[string, object[], RegExp]>([
    [
      'is missing',
      [{ type: 'image_url', image_url: { url: image.url } }],
      /^content .*one item of type text/,
    ],
    ['is there twice', [text, text], /^content .*one item of type text.*2$/],
    ['is blank', [{ type: 'text', text: ' ' }], /^content .*blank/],
    ['is too long', [{ type: 'text', text: 'x'.repeat(41) }], /^content.* 40 characters.*41$/],
  ])('that %s is refused with what would be right', (_case, content, message) => {
    expect(refusalOf(read, { model: 'film-1', content }).message).toMatch(message);
  });
});

describe('a video request with several violations', () => {
  it('is refused for all of them together, the first one in the message', () => {
    const refusal = refusalOf(read, {
      model: 'film-1',
      prompt,
      ratio: '2:1',
      duration: '5',
      resolution: '4k',
      seed: -2,
      watermark: 1,
      colour: 'red',
      references: [{ type: 'gif', url: '' }],
      metadata: { a: 1 },
    });

    expect(inShort(refusal).all).toEqual([
      'colour',
      'duration',
      'metadata.a',
      'ratio',
      'references[0].type',
      'references[0].url',
      'resolution',
      'seed',
      'watermark',
    ]);
    expect({ param: refusal.param, message: refusal.message }).toEqual(refusal.details[0]);
  });

  it('is refused for all that only the model and the network know', () => {
    const reader = aReader({
      models: [aModel({ unsupported: ['seed'] })],
      checks: { callbackUrl: () => 'must be public', referenceUrl: () => 'must be public' },
    });
    const references = [image, { type: 'video', url: 'https://10.0.0.1/a.mp4' }];

    expect(
      refused({ prompt: '', references, seed: 1, callback_url: 'https://10.0.0.1' }, reader),
    ).toEqual({
      code: 'invalid_parameter',
      param: 'prompt',
      all: ['callback_url', 'prompt', 'references[0].url', 'references[1].url', 'seed'],
    });
  });
});

describe('a video request for a model', () => {
  it.each(['film-9', 'FILM-1', 'film-1 ', '__proto__', 'constructor', 'x'.repeat(10_000)])(
    'that does not exist is a 404 (case %#)',
    (name) => {
      const refusal = refusalOf(read, { model: name, prompt });

      expect({ code: refusal.code, param: refusal.param }).toEqual({
        code: 'model_not_found',
        param: 'model',
      });
      expect(refusal.message).toContain(name.slice(0, 50));
      expect(refusal.message).toContain('film-1');
      expect(refusal.message.length).toBeLessThan(200);
      expect(errorCatalogue[refusal.code].status).toBe(404);
    },
  );

  it('that does not exist is told which there are, twenty at most', () => {
    const models = Array.from({ length: 25 }, (_, index) => aModel({ name: `film-${index}` }));

    expect(
      refusalOf(aReader({ models }), { model: 'film', prompt }).message.match(/film-\d+/g),
    ).toEqual(models.slice(0, 20).map(({ name }) => name));
  });

  it.each<[string, object, ErrorCode, string]>([
    ['seed', { seed: 0 }, 'unsupported_parameter', 'seed'],
    ['watermark', { watermark: false }, 'unsupported_parameter', 'watermark'],
    ['watermark', { aigc_watermark: true }, 'unsupported_parameter', 'aigc_watermark'],
    ['generate_audio', { generate_audio: true }, 'unsupported_parameter', 'generate_audio'],
    [
      'return_last_frame',
      { return_last_frame: true },
      'unsupported_parameter',
      'return_last_frame',
    ],
  ])('that cannot honour %s is refused with %j', (...[field, body, code, param]) => {
    const reader = aReader({ models: [aModel({ unsupported: [field as 'seed'] })] });

    expect(refused({ prompt, ...body }, reader)).toEqual({ code, param, all: [param] });
    expect(reader({ model: 'film-1', prompt }).request.prompt).toBe(prompt);
  });

  it('that makes no last frame may be told so', () => {
    const reader = aReader({ models: [aModel({ unsupported: ['return_last_frame'] })] });

    expect(
      reader({ model: 'film-1', prompt, return_last_frame: false }).request.returnLastFrame,
    ).toBe(false);
  });
});

describe('a prompt with flags that the vendor reads', () => {
  const reader = aReader({ capabilities: { promptFlags: /(?:^|\s)--(?:rs|dur)\b/i } });

  it.each<[string, object, string]>([
    ['a prompt', { prompt: 'a cat --rs 1080p' }, 'prompt'],
    ['a text', { content: [{ type: 'text', text: '--DUR 10 a cat' }] }, 'content'],
  ])('is refused in %s, naming the flag', (_case, body, param) => {
    expect(refused(body, reader)).toEqual({ code: 'invalid_parameter', param, all: [param] });
    expect(refusalOf(reader, { model: 'film-1', ...body }).message).toMatch(/"--(rs|DUR)"/);
  });

  it('is taken by a vendor that reads none', () => {
    expect(read({ model: 'film-1', prompt: 'a cat --rs 1080p' }).request.prompt).toBe(
      'a cat --rs 1080p',
    );
  });

  it('is no other text with dashes', () => {
    expect(reader({ model: 'film-1', prompt: 'a cat --resting' }).request.prompt).toBe(
      'a cat --resting',
    );
  });
});

describe('the callback address of a video request', () => {
  it('is refused when the rule for addresses finds a problem, which the response tells', () => {
    const asked: string[] = [];
    const reader = aReader({
      checks: {
        callbackUrl: (address) => {
          asked.push(address);
          return 'must be a public address';
        },
      },
    });
    const refusal = refusalOf(reader, {
      model: 'film-1',
      prompt,
      callback_url: 'https://10.0.0.1/push',
    });

    expect(inShort(refusal)).toEqual({
      code: 'invalid_callback_url',
      param: 'callback_url',
      all: ['callback_url'],
    });
    expect(refusal.message).toBe('callback_url must be a public address');
    expect(asked).toEqual(['https://10.0.0.1/push']);
  });

  it('is not asked about when there is none', () => {
    const reader = aReader({ checks: { callbackUrl: () => 'must not be asked' } });

    expect(reader({ model: 'film-1', prompt }).callbackUrl).toBeNull();
  });
});
