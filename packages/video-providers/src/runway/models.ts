import type { OptionalField } from '@gateway/contracts';

/** How one model of the vendor is asked for a picture, and which fields it has a place for. */
export interface RunwayModel {
  /**
   * The vendor's `ratio` by resolution and ratio: `1280:720`. Without it the ratio goes as it is,
   * beside a `resolution`.
   */
  readonly sizes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How a `resolution` is written; as it stands when left out. */
  readonly spells?: Readonly<Record<string, string>>;
  /** Lengths, where not every one between the bounds can be asked for. */
  readonly seconds?: readonly number[];
  readonly bounds: { readonly min: number; readonly max: number };
  /** Whether a video can be made of no frame; without one it is refused at creation by the vendor. */
  readonly frames: readonly ('first_frame' | 'last_frame')[];
  readonly references: { readonly image: number; readonly video: number; readonly audio: number };
  readonly promptMaxCharacters?: number;
  readonly takes: readonly OptionalField[];
}

const none = { image: 0, video: 0, audio: 0 } as const;
const hd = { '16:9': '1280:720', '9:16': '720:1280' } as const;
const fullHd = { '16:9': '1920:1080', '9:16': '1080:1920' } as const;

const generation4 = {
  '720p': {
    ...hd,
    '4:3': '1104:832',
    '1:1': '960:960',
    '3:4': '832:1104',
    '21:9': '1584:672',
  },
} as const;

const seedance480 = {
  '21:9': '992:432',
  '16:9': '864:496',
  '4:3': '752:560',
  '1:1': '640:640',
  '3:4': '560:752',
  '9:16': '496:864',
} as const;
const seedance720 = {
  ...hd,
  '21:9': '1470:630',
  '4:3': '1112:834',
  '1:1': '960:960',
  '3:4': '834:1112',
} as const;
const seedance1080 = {
  ...fullHd,
  '21:9': '2206:946',
  '4:3': '1664:1248',
  '1:1': '1440:1440',
  '3:4': '1248:1664',
} as const;

const wan = {
  '480p': {
    '16:9': '832:480',
    '4:3': '640:480',
    '1:1': '480:480',
    '3:4': '480:640',
    '9:16': '480:832',
    adaptive: 'auto_480p',
  },
  '720p': {
    ...hd,
    '4:3': '960:720',
    '1:1': '720:720',
    '3:4': '720:960',
    adaptive: 'auto_720p',
  },
  '1080p': {
    ...fullHd,
    '4:3': '1440:1080',
    '1:1': '1080:1080',
    '3:4': '1080:1440',
    adaptive: 'auto_1080p',
  },
} as const;

const bothFrames = ['first_frame', 'last_frame'] as const;
const firstFrame = ['first_frame'] as const;

const veo: RunwayModel = {
  sizes: { '720p': hd, '1080p': fullHd },
  seconds: [4, 6, 8],
  bounds: { min: 4, max: 8 },
  frames: bothFrames,
  references: none,
  promptMaxCharacters: 1_000,
  takes: ['generate_audio'],
};

const seedance2: RunwayModel = {
  sizes: { '480p': seedance480, '720p': seedance720 },
  bounds: { min: 4, max: 15 },
  frames: bothFrames,
  references: { image: 9, video: 3, audio: 3 },
  promptMaxCharacters: 3_500,
  takes: ['generate_audio'],
};

/**
 * The models that are known by name, after the vendor's own client. Of any other, the vendor is told
 * ratio and resolution as they are, and the configuration decides what the model promises.
 */
export const runwayModels: Readonly<Partial<Record<string, RunwayModel>>> = {
  'gen4.5': {
    sizes: generation4,
    bounds: { min: 2, max: 10 },
    frames: firstFrame,
    references: none,
    promptMaxCharacters: 1_000,
    takes: ['seed'],
  },
  gen4_turbo: {
    sizes: generation4,
    bounds: { min: 2, max: 10 },
    frames: firstFrame,
    references: none,
    promptMaxCharacters: 1_000,
    takes: ['seed'],
  },
  'veo3.1': veo,
  'veo3.1_fast': veo,
  gemini_omni_flash: {
    sizes: { '720p': hd },
    bounds: { min: 3, max: 10 },
    frames: [],
    references: none,
    takes: [],
  },
  seedance2: {
    ...seedance2,
    sizes: { '480p': seedance480, '720p': seedance720, '1080p': seedance1080 },
  },
  seedance2_fast: seedance2,
  seedance2_mini: seedance2,
  seedance2_5: {
    ...seedance2,
    sizes: {
      '480p': { ...seedance480, '16:9': '854:480', '9:16': '480:854' },
      '720p': seedance720,
      '1080p': seedance1080,
    },
    bounds: { min: 4, max: 30 },
    references: { image: 30, video: 3, audio: 3 },
    promptMaxCharacters: 15_000,
  },
  wan3: {
    sizes: wan,
    bounds: { min: 2, max: 30 },
    frames: bothFrames,
    references: { image: 9, video: 3, audio: 3 },
    takes: ['generate_audio'],
  },
  hailuo3: {
    spells: { '768p': '768P', '2k': '2K' },
    bounds: { min: 4, max: 15 },
    frames: bothFrames,
    references: { image: 9, video: 3, audio: 3 },
    takes: [],
  },
  grok_imagine_1_5: {
    bounds: { min: 1, max: 15 },
    frames: firstFrame,
    references: { image: 7, video: 0, audio: 3 },
    takes: [],
  },
};

/** What is known of a model by the vendor's name for it. */
export const runwayModel = (name: string): RunwayModel | undefined =>
  Object.hasOwn(runwayModels, name) ? runwayModels[name] : undefined;
