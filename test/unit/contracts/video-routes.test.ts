import { describe, expect, it } from '@jest/globals';
import {
  createVideoRequestReader,
  mediaKinds,
  routeProblems,
  type ReadVideoRequest,
  type VendorCapabilities,
  type VideoModel,
  type VideoRoute,
} from '@gateway/contracts';
import { capabilitiesOf, videoVendors } from '@gateway/video-providers';
import { aModel, aRoute, aTask, refusalOf } from './samples.ts';

const generous: VendorCapabilities = {
  promptFlags: undefined,
  inlineKinds: mediaKinds,
  audioNeedsPicture: false,
};
const ark = aRoute({ name: 'one/up', provider: 'one' });
const hailuo = aRoute({
  name: 'two/h3',
  provider: 'two',
  bounds: { ...videoVendors['minimax'], resolutions: ['768p', '480p'] },
});
const sora = aRoute({ name: 'three/s', provider: 'three', bounds: videoVendors['openai-videos']! });
const kindOf: Readonly<Record<string, string>> = {
  one: 'ark',
  two: 'minimax',
  three: 'openai-videos',
};

const arkWithOptions = aRoute({ name: 'one/up', provider: 'one', bounds: videoVendors['ark']! });

const model = (routes: readonly VideoRoute[], fields: Partial<VideoModel> = {}): VideoModel =>
  aModel({
    routes,
    duration: { min: 4, max: 20, default: 6, auto: true },
    ratio: { allowed: ['16:9', '9:16', 'adaptive', '2:1'], default: '16:9' },
    resolution: { allowed: ['480p', '768p', '720p'], default: '480p' },
    promptMaxCharacters: 10_000,
    ...fields,
  });

function readWith(
  routes: readonly VideoRoute[],
  fields: Partial<VideoModel> = {},
  now = 0,
): (body: object) => ReadVideoRequest {
  const read = createVideoRequestReader({
    models: new Map([['film-1', model(routes, fields)]]),
    capabilitiesOf: ({ provider }) => capabilitiesOf(kindOf[provider]!),
    checks: {
      callbackUrl: () => undefined,
      referenceUrl: () => undefined,
      dataUrl: () => undefined,
    },
    clock: { now: () => now },
  });
  return (body) => read({ model: 'film-1', prompt: 'a cat', ...body });
}

const image = (url: string, role?: string) => ({ type: 'image', url, ...(role && { role }) });
const clip = (url: string) => ({ type: 'video', url });
const sound = (url: string) => ({ type: 'audio', url });

describe('the routes that can have a request', () => {
  it.each<[string, object, string[]]>([
    ['nothing special', {}, ['one/up', 'two/h3']],
    ['a length that one vendor has', { duration: 20 }, ['one/up']],
    ['a length that the vendor chooses', { duration: -1 }, ['one/up']],
    ['a resolution that one vendor has', { resolution: '720p' }, ['one/up']],
    ['a ratio that one vendor has', { ratio: '2:1' }, ['one/up']],
    ['a ratio without its reference', { ratio: 'adaptive' }, ['one/up']],
    ['a seed', { seed: 7 }, ['one/up']],
    ['audio as the model has it anyway, but said', { generate_audio: false }, ['one/up']],
    ['a watermark', { watermark: true }, ['one/up', 'two/h3']],
    ['a last frame', { return_last_frame: true }, ['one/up']],
    ['a long text', { prompt: 'x'.repeat(7_001) }, ['one/up']],
    ['a flag of one vendor', { prompt: 'a cat --ratio 1:1' }, ['two/h3']],
    ['a clip as data', { references: [clip('data:video/mp4;base64,AA')] }, ['two/h3']],
    ['a clip as an address', { references: [clip('https://x.example/a')] }, ['one/up', 'two/h3']],
    ['an asset', { references: [clip('asset_1')] }, ['one/up', 'two/h3']],
  ])('%s', (_what, body, names) => {
    expect(readWith([ark, hailuo])(body).routes.map(({ name }) => name)).toEqual(names);
  });

  it.each<[string, object, string[]]>([
    ['no picture', { duration: 8, resolution: '720p' }, ['one/up', 'three/s']],
    ['a length between those it has', { duration: 7, resolution: '720p' }, ['one/up']],
    ['a size that it has not', { duration: 8, resolution: '480p' }, ['one/up']],
    [
      'a reference image',
      {
        duration: 8,
        resolution: '720p',
        references: [image('data:image/png;base64,AA', 'reference_image')],
      },
      ['one/up'],
    ],
    [
      'a first frame as data',
      { duration: 8, resolution: '720p', references: [image('data:image/png;base64,AA')] },
      ['one/up', 'three/s'],
    ],
    [
      'a first frame from an address',
      { duration: 8, resolution: '720p', references: [image('https://x.example/a')] },
      ['one/up'],
    ],
    [
      'both frames',
      {
        duration: 8,
        resolution: '720p',
        references: [
          image('data:image/png;base64,AA', 'first_frame'),
          image('data:image/png;base64,AA', 'last_frame'),
        ],
      },
      ['one/up'],
    ],
  ])('beside a vendor with few words: %s', (_what, body, names) => {
    expect(readWith([ark, sora])(body).routes.map(({ name }) => name)).toEqual(names);
  });

  it('have the options that are asked for', () => {
    const read = readWith([arkWithOptions, hailuo], { options: ['draft', 'priority', 'edit'] });
    const names = (body: object): string[] => read(body).routes.map(({ name }) => name);

    expect(names({ draft: true })).toEqual(['one/up']);
    expect(names({ priority: 3 })).toEqual(['one/up']);
    expect(
      names({ task: 'edit', duration: -1, references: [clip('https://x.example/a')] }),
    ).toEqual(['one/up']);
    expect(names({ service_tier: 'standard' })).toEqual(['one/up', 'two/h3']);
  });

  it('are none of those that have ended', () => {
    const read = readWith([{ ...ark, retiresAt: new Date(1_000) }, hailuo], {}, 1_000);

    expect(read({}).routes).toEqual([hailuo]);
    expect(refusalOf(read as (body: unknown) => ReadVideoRequest, { seed: 1 })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'seed',
      message: 'seed: film-1 cannot do seed',
    });
  });

  it('are told apart by what the customer sent, which the task keeps', () => {
    expect(readWith([ark, hailuo])({ seed: 7, watermark: false }).request.needs).toEqual([
      'seed',
      'watermark',
    ]);
    expect(readWith([ark])({ seed: 7 }).request).not.toHaveProperty('needs');
  });

  it('need not know what no route of the model knows', () => {
    const read = readWith([hailuo], { unsupported: ['generate_audio'] });
    expect(read({}).routes).toEqual([hailuo]);
    const { request } = readWith([hailuo, sora], {
      unsupported: ['generate_audio'],
      generateAudioByDefault: true,
    })({});
    const vendor = { capabilities: generous, canFetch: true };

    expect(
      routeProblems({ request, model: model([hailuo]), route: { bounds: hailuo.bounds }, vendor }),
    ).toEqual([]);
  });
});

describe('a request that no route can have', () => {
  const two = (body: object) =>
    refusalOf(readWith([hailuo, sora]) as (value: unknown) => ReadVideoRequest, body);

  it('is refused for what all of them cannot do', () => {
    expect(two({ seed: 7, duration: 8 })).toMatchObject({
      code: 'unsupported_parameter',
      param: 'seed',
      message: 'seed: film-1 cannot do seed',
    });
    expect(two({ duration: 6, aspect_ratio: '2:1' })).toMatchObject({
      code: 'invalid_parameter',
      param: 'aspect_ratio',
      message: 'aspect_ratio: film-1 cannot do the ratio 2:1 at 480p',
    });
  });

  it('is refused for what only different ones can do', () => {
    const error = two({ resolution: '720p', references: [clip('https://x.example/a')] });

    expect(error).toMatchObject({ code: 'invalid_parameter' });
    expect(error.message).toContain('film-1 cannot do this in one video: ');
    expect(error.message).toContain('the resolution 720p');
    expect(error.message).toContain('leave one of it out');
  });

  it('is refused in the words that a model of one route has always had', () => {
    const one = (body: object) =>
      refusalOf(
        readWith([hailuo], { unsupported: ['seed'] }) as (value: unknown) => ReadVideoRequest,
        body,
      );

    expect(one({ seed: 7 }).message).toBe('seed is not supported by film-1; leave it out');
    expect(one({ ratio: 'adaptive' }).message).toContain('adaptive takes the ratio of a reference');
    expect(one({ references: [sound('https://x.example/a')] }).message).toContain(
      'an audio reference needs an image or a video beside it',
    );
  });
});

describe('a route for a task that exists', () => {
  const problems = (request: Partial<ReturnType<typeof aTask>['request']>, canFetch = true) =>
    routeProblems({
      request: { ...aTask().request, ratio: '16:9', resolution: '768p', ...request },
      model: model([ark, hailuo]),
      route: hailuo,
      vendor: { capabilities: capabilitiesOf('minimax'), canFetch },
    }).map(({ what }) => what);
  const quiet = { seed: null, generateAudio: false, returnLastFrame: false };

  it('is judged by its values where it does not say what was sent', () => {
    expect(problems(quiet)).toEqual([]);
    expect(problems({ ...quiet, seed: 3, generateAudio: true, returnLastFrame: true })).toEqual([
      'seed',
      'generate_audio',
      'return_last_frame',
    ]);
    expect(problems({ ...quiet, needs: ['seed'] })).toEqual(['seed']);
  });

  it('is judged by where its files are', () => {
    const asset = {
      type: 'asset',
      assetId: 'asset_1',
      key: 'k',
      mediaType: 'audio/mpeg',
      sizeBytes: 1,
      sha256: 'x',
    } as const;
    const references = [{ kind: 'video', role: 'reference_video', source: asset }] as const;
    const askArk = (canFetch: boolean) =>
      routeProblems({
        request: { ...aTask().request, ...quiet, references },
        model: model([ark]),
        route: ark,
        vendor: { capabilities: capabilitiesOf('ark'), canFetch },
      }).map(({ what }) => what);

    expect(askArk(true)).toEqual([]);
    expect(askArk(false)).toEqual(['a reference video from an asset']);
    expect(problems({ ...quiet, references }, false)).toEqual([]);
  });
});
