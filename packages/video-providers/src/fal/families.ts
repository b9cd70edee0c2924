import type { Submission } from '../port.ts';

/** The field names of one family of models; each endpoint takes only its own. */
export interface FalFamily {
  /** Which endpoints speak so. */
  readonly endpoint: RegExp;
  readonly firstFrame: string;
  readonly lastFrame?: string;
  /** By the kind of reference; a kind without a field cannot be sent. */
  readonly references?: Readonly<Partial<Record<'image' | 'video' | 'audio', string>>>;
  readonly duration: (seconds: number) => number | string;
  /** Absent where the endpoint stands for a resolution. */
  readonly resolution?: (resolution: string) => string;
  /** Left out where a frame decides the ratio. */
  readonly ratioWithFrames: boolean;
  readonly audio?: string;
  readonly seed: 'always' | 'with_frames' | 'never';
}

const wholeNumber = (seconds: number): number => seconds;
const text = (seconds: number): string => (seconds < 0 ? 'auto' : String(seconds));
const asItIs = (resolution: string): string => resolution;
const upperCase = (resolution: string): string => resolution.toUpperCase();

const lists = { image: 'image_urls', video: 'video_urls', audio: 'audio_urls' } as const;

/** First match wins. */
const families: readonly FalFamily[] = [
  {
    endpoint: /^fal-ai\/kling-video\//,
    firstFrame: 'start_image_url',
    lastFrame: 'end_image_url',
    duration: text,
    ratioWithFrames: false,
    audio: 'generate_audio',
    seed: 'never',
  },
  {
    endpoint: /^minimax\/h3/,
    firstFrame: 'image_url',
    lastFrame: 'end_image_url',
    references: lists,
    duration: wholeNumber,
    resolution: upperCase,
    ratioWithFrames: true,
    seed: 'always',
  },
  {
    endpoint: /^(?:fal-ai\/)?bytedance\/seedance/,
    firstFrame: 'image_url',
    lastFrame: 'end_image_url',
    references: lists,
    duration: text,
    resolution: asItIs,
    ratioWithFrames: true,
    audio: 'generate_audio',
    seed: 'with_frames',
  },
  {
    endpoint: /^alibaba\/wan-3/,
    firstFrame: 'start_image_url',
    lastFrame: 'end_image_url',
    references: lists,
    duration: wholeNumber,
    resolution: asItIs,
    ratioWithFrames: true,
    audio: 'audio',
    seed: 'always',
  },
  {
    endpoint: /^lightricks\/ltx-2/,
    firstFrame: 'image_url',
    lastFrame: 'end_image_url',
    duration: wholeNumber,
    resolution: asItIs,
    ratioWithFrames: true,
    audio: 'generate_audio',
    seed: 'never',
  },
];

/** What most endpoints have; the configuration says what a model of no known family takes. */
const usual: FalFamily = {
  endpoint: /^/,
  firstFrame: 'image_url',
  references: { image: 'image_urls', video: 'video_urls' },
  duration: wholeNumber,
  resolution: asItIs,
  ratioWithFrames: true,
  seed: 'always',
};

/** How an endpoint is asked. */
export const familyOf = (endpoint: string): FalFamily =>
  families.find((family) => family.endpoint.test(endpoint)) ?? usual;

const modes = {
  first_frame: 'image-to-video',
  last_frame: 'image-to-video',
  reference: 'reference-to-video',
} as const;

/**
 * The endpoint for a submission: `{mode}` in the upstream model stands for what the video is made
 * from, in the words that the endpoints use.
 */
export function endpointOf({
  upstreamModel,
  references,
}: Pick<Submission, 'upstreamModel' | 'references'>): string {
  const role = references[0]?.role;
  const mode =
    role === undefined
      ? 'text-to-video'
      : role === 'first_frame' || role === 'last_frame'
        ? modes[role]
        : modes.reference;
  return upstreamModel.replaceAll('{mode}', mode);
}
