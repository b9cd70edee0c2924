import { describe, expect, it } from '@jest/globals';
import type { Video } from '@gateway/client';
import {
  draftOf,
  emptyDraft,
  fieldsOf,
  requestOf,
  type Draft,
  type VideoModel,
} from '../../../services/console/src/pages/playground/fields.ts';
import { requestAgain } from '../../../services/console/src/parts/request-again.ts';

type Parameters = VideoModel['parameters'];

const model = (
  id: string,
  parameters: Partial<Parameters> = {},
  price: Partial<VideoModel['price']> = {},
): VideoModel => ({
  id,
  object: 'model',
  type: 'model',
  kind: 'video',
  created: 0,
  created_at: '2026-01-01T00:00:00Z',
  display_name: id,
  owned_by: 'gateway',
  retires_at: null,
  parameters: {
    duration: { min: 4, max: 6, default: 5, auto: true },
    ratio: { allowed: ['16:9', '1:1'], default: '16:9' },
    resolution: { allowed: ['480p', '720p'], default: '720p' },
    references: { image: 3, video: 0, audio: 0 },
    frames: ['first_frame', 'last_frame'],
    unsupported: [],
    options: ['flex', 'draft'],
    prompt_max_characters: 2_000,
    ...parameters,
  },
  price: { second_quota: 100, audio_second_quota: 0, ...price },
});

const draft: Draft = {
  ...emptyDraft,
  prompt: 'a boat',
  duration: 6,
  ratio: '1:1',
  resolution: '480p',
  seed: '7',
  hasSound: true,
  hasWatermark: true,
  isFlexible: true,
  isDraft: true,
  pictures: [
    { url: 'asset_1', name: 'one', role: 'first_frame' },
    { url: 'asset_2', name: 'two', role: 'reference' },
  ],
};

/** A video with every field that there is, and one that this console has never heard of. */
const video = {
  id: 'video_1',
  model: 'one',
  service_tier: 'flex',
  metadata: { order: '17', console_run: 'run', console_column: '0' },
  request: {
    prompt: 'a boat',
    references: [
      { type: 'image', role: 'first_frame', url: 'asset_1' },
      { type: 'image', role: 'reference', url: null, sha256: 'ab', size_bytes: 3 },
      { type: 'video', role: 'reference', url: 'video_2', sha256: 'cd', size_bytes: 4 },
    ],
    duration: 6,
    ratio: '1:1',
    resolution: '480p',
    watermark: true,
    seed: null,
    generate_audio: false,
    return_last_frame: false,
    callback_url: 'https://example.com/hook',
    service_tier: 'flex',
    draft: true,
    priority: 7,
    task: 'extend',
    yet_unheard_of: { deep: [1] },
  },
} as unknown as Video;

describe('the form of some models', () => {
  it('has every field of a model that takes all of them', () => {
    expect(fieldsOf([model('one')])).toEqual({
      durations: [4, 5, 6],
      canDecideDuration: true,
      usualDuration: 5,
      ratios: ['16:9', '1:1'],
      resolutions: ['480p', '720p'],
      hasSeed: true,
      hasSound: true,
      hasWatermark: true,
      hasLastFrame: true,
      hasFlex: true,
      hasDraft: true,
      roles: ['first_frame', 'last_frame', 'reference'],
      mostPictures: 3,
      longestPrompt: 2_000,
    });
  });

  it.each<[string, VideoModel, Partial<ReturnType<typeof fieldsOf>>]>([
    [
      'lengths that overlap',
      model('two', { duration: { min: 5, max: 9, default: 5, auto: false } }),
      { durations: [5, 6], canDecideDuration: false },
    ],
    [
      'lengths that are sold one by one',
      model('two', {}, { clip: { 5: 500, 10: 900 } }),
      { durations: [5] },
    ],
    [
      'no resolution in common',
      model('two', { resolution: { allowed: ['768p'], default: '768p' } }),
      { resolutions: [] },
    ],
    [
      'a ratio less',
      model('two', { ratio: { allowed: ['1:1'], default: '1:1' } }),
      { ratios: ['1:1'] },
    ],
    [
      'fields that one refuses',
      model('two', { unsupported: ['seed', 'generate_audio', 'watermark', 'return_last_frame'] }),
      { hasSeed: false, hasSound: false, hasWatermark: false, hasLastFrame: false },
    ],
    [
      'options that one lacks',
      model('two', { options: ['flex'] }),
      { hasFlex: true, hasDraft: false },
    ],
    [
      'no pictures but a first frame',
      model('two', { references: { image: 0, video: 0, audio: 0 }, frames: ['first_frame'] }),
      { roles: ['first_frame'], mostPictures: 0 },
    ],
    ['a shorter prompt', model('two', { prompt_max_characters: 500 }), { longestPrompt: 500 }],
  ])('has what two models share: %s', (_case, other, expected) => {
    expect(fieldsOf([model('one'), other])).toMatchObject(expected);
  });
});

describe('what is asked of a model', () => {
  it('is the whole draft where everything is taken', () => {
    expect(requestOf(draft, 'one', fieldsOf([model('one')]))).toEqual({
      model: 'one',
      prompt: 'a boat',
      duration: 6,
      ratio: '1:1',
      resolution: '480p',
      seed: 7,
      generate_audio: true,
      watermark: true,
      return_last_frame: true,
      service_tier: 'flex',
      draft: true,
      references: [
        { type: 'image', role: 'first_frame', url: 'asset_1' },
        { type: 'image', url: 'asset_2' },
      ],
    });
  });

  it('leaves out whatever the chosen models do not take', () => {
    const poor = model('poor', {
      duration: { min: 2, max: 3, default: 2, auto: false },
      ratio: { allowed: ['9:16'], default: '9:16' },
      resolution: { allowed: ['4k'], default: '4k' },
      references: { image: 0, video: 0, audio: 0 },
      frames: [],
      options: [],
      unsupported: ['seed', 'generate_audio', 'watermark', 'return_last_frame'],
    });

    expect(requestOf(draft, 'poor', fieldsOf([poor]))).toEqual({ model: 'poor', prompt: 'a boat' });
  });

  it.each([
    [-1, true, { duration: -1 }],
    [-1, false, {}],
    [5, false, { duration: 5 }],
    [undefined, true, {}],
  ])('has the length %p where the model decides: %p', (duration, auto, expected) => {
    const fields = fieldsOf([model('one', { duration: { min: 4, max: 6, default: 5, auto } })]);
    const { duration: asked } = requestOf({ ...draft, duration }, 'one', fields);

    expect(asked === undefined ? {} : { duration: asked }).toEqual(expected);
  });

  it('has no seed that is not a number', () => {
    expect(
      requestOf({ ...draft, seed: 'any' }, 'one', fieldsOf([model('one')])),
    ).not.toHaveProperty('seed');
  });
});

describe('the request of a video, once more', () => {
  const again = {
    model: 'one',
    prompt: 'a boat',
    duration: 6,
    ratio: '1:1',
    resolution: '480p',
    watermark: true,
    callback_url: 'https://example.com/hook',
    service_tier: 'flex',
    draft: true,
    priority: 7,
    task: 'extend',
    yet_unheard_of: { deep: [1] },
    metadata: { order: '17' },
  };

  it('has all that was asked for, what this console does not know too', () => {
    expect(requestAgain(video)).toEqual({
      ...again,
      generate_audio: false,
      return_last_frame: false,
      references: [
        { type: 'image', role: 'first_frame', url: 'asset_1' },
        { type: 'video', role: 'reference', url: 'video_2' },
      ],
    });
  });

  it('loses nothing on its way through the form', () => {
    expect(requestOf(draftOf(video), 'one', fieldsOf([model('one')]))).toEqual({
      ...again,
      references: [
        { type: 'video', role: 'reference', url: 'video_2' },
        { type: 'image', role: 'first_frame', url: 'asset_1' },
      ],
    });
  });

  it('is its model alone where the gateway shows no request', () => {
    const { request: _request, ...bare } = video;

    expect(requestAgain({ ...bare, metadata: {} })).toEqual({ model: 'one' });
  });
});
