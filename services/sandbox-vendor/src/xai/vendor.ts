import type {
  AskedMedia,
  AskedTask,
  CreateCall,
  Reply,
  ShownTask,
  VendorTable,
} from '../tables/table.ts';
import { firstBroken } from '../tables/rules.ts';
import { closed } from '../tables/schema.ts';
import { tableVendor } from '../tables/table-vendor.ts';
import type { TaskStatus } from '../tasks/task.ts';

interface Image {
  readonly url: string;
}

interface CreateBody {
  readonly model: string;
  readonly prompt: string;
  readonly image?: Image;
  readonly reference_images?: readonly Image[];
  readonly duration?: number;
  readonly aspect_ratio?: string;
  readonly resolution?: string;
}

/** Resolutions of each model, with what a second costs in ticks of 1e-10 US dollars. */
const models: Readonly<Record<string, Readonly<Partial<Record<string, number>>>>> = {
  'grok-imagine-video': { '480p': 500_000_000, '720p': 700_000_000 },
  'grok-imagine-video-1.5': {
    '480p': 800_000_000,
    '720p': 1_400_000_000,
    '1080p': 2_500_000_000,
  },
};

const image = closed(
  { url: { type: 'string', pattern: '^(https?://|data:image/[a-z]+;base64,)' } },
  ['url'],
);

const schema = closed(
  {
    model: { type: 'string' },
    prompt: { type: 'string', minLength: 1 },
    image,
    reference_images: { type: 'array', minItems: 1, maxItems: 7, items: image },
    duration: { type: 'integer', minimum: 1, maximum: 15 },
    aspect_ratio: { enum: ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'] },
    resolution: { enum: ['480p', '720p', '1080p'] },
    generate_audio: { type: 'boolean' },
  },
  ['model', 'prompt'],
);

const longestOfReferences = 10;

function asked(body: CreateBody, { refuse }: CreateCall): AskedTask {
  const { duration = 5, aspect_ratio: ratio = '16:9', resolution = '480p' } = body;
  const prices = Object.hasOwn(models, body.model) ? models[body.model] : undefined;
  if (prices === undefined) throw refuse('noModel');
  const broken = brokenRule(body, { duration, resolution, ticks: prices[resolution] });
  if (broken !== undefined) throw refuse('invalid', broken);
  return {
    model: body.model,
    prompt: body.prompt,
    seconds: duration,
    ratio,
    resolution,
    media: mediaOf(body),
    echo: { cost: duration * (prices[resolution] ?? 0) },
  };
}

const mediaOf = ({ image: first, reference_images: references = [] }: CreateBody): AskedMedia[] => [
  ...(first === undefined ? [] : [{ kind: 'image', role: 'first_frame', url: first.url } as const]),
  ...references.map(({ url }) => ({ kind: 'image', role: 'reference_image', url }) as const),
];

/** The first rule of the vendor's that a creation breaks. */
function brokenRule(
  { model, image: first, reference_images: references = [] }: CreateBody,
  {
    duration,
    resolution,
    ticks,
  }: { readonly duration: number; readonly resolution: string; readonly ticks: number | undefined },
): string | undefined {
  const hasReferences = references.length > 0;
  const isTooMuch = duration > longestOfReferences || resolution === '1080p';
  return firstBroken([
    [ticks === undefined, `Resolution ${resolution} is not available for ${model}.`],
    [hasReferences && first !== undefined, 'reference_images cannot be combined with image.'],
    [
      hasReferences && isTooMuch,
      `Duration ${duration}s exceeds the maximum allowed for reference-to-video, which is ${longestOfReferences}s, or the resolution 720p.`,
    ],
  ]);
}

/** What a moderated video has cost is charged all the same. */
const usageOf = ({ echo }: ShownTask): object => ({
  usage: { cost_in_usd_ticks: echo['cost'] },
});

const succeeded = (shown: ShownTask): Reply => ({
  status: 200,
  body: {
    status: shown.status,
    model: shown.task.model,
    video: {
      url: shown.videoUrl ?? '',
      duration: shown.seconds,
      respect_moderation: true,
    },
    ...usageOf(shown),
  },
});

const moderation = 'imagine:content-moderated';

const failed = (shown: ShownTask): Reply => {
  const { code = '', message = '' } = shown.failure ?? {};
  return code === moderation
    ? { status: 400, body: { code, error: message, ...usageOf(shown) } }
    : {
        status: 200,
        body: { status: shown.status, model: shown.task.model, error: { code, message } },
      };
};

const plain = ({ task: { model }, status }: ShownTask): Reply => ({
  status: 200,
  body: { status, model },
});

/** Pending is a 202, at first without a body; a moderated video is a 400 with its cost. */
const replies: Readonly<Record<TaskStatus, (shown: ShownTask) => Reply>> = {
  queued: () => ({ status: 202 }),
  running: ({ status }) => ({ status: 202, body: { status, progress: 50 } }),
  succeeded,
  failed,
  expired: plain,
  cancelled: plain,
};

const statuses = {
  queued: 'pending',
  running: 'pending',
  succeeded: 'done',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'expired',
} as const satisfies Record<TaskStatus, string>;

const reply = (shown: ShownTask): Reply =>
  (shown.status === statuses[shown.task.status] ? replies[shown.task.status] : plain)(shown);

const table: VendorTable<CreateBody> = {
  format: 'xai',
  path: '/xai/v1',
  speaks: 'the video format of xAI',
  models: Object.keys(models),
  key: { header: 'authorization', prefix: 'Bearer ' },
  create: {
    paths: ['/videos/generations'],
    schema,
    asked,
    response: ({ task: { id } }) => ({ request_id: id }),
  },
  statuses,
  failures: {
    internal: { code: 'internal-error', message: 'The video could not be generated.' },
    moderated: { code: moderation, message: 'Generated video rejected by content moderation.' },
    expired: { code: 'internal-error', message: 'The video took too long.' },
    unreadableInput: { code: 'internal-error', message: 'An image could not be downloaded.' },
  },
  refusals: {
    invalid: [400, 'invalid-argument', 'The request is not valid.'],
    moderated: [400, moderation, 'The prompt was rejected.'],
    rateLimited: [429, 'resource-exhausted', 'Too many requests.'],
    busy: [429, 'resource-exhausted', 'Too many concurrent requests.'],
    overdue: [403, 'permission-denied', 'Your team has used all available credits.'],
    unauthorized: [401, 'unauthenticated', 'Incorrect API key provided.'],
    noModel: [404, 'not-found', 'The model does not exist.'],
    notFound: [404, 'not-found', 'Video request not found.'],
    notCancellable: [404, 'not-found', 'Video request not found.'],
    internal: [500, 'internal-error', 'Internal error.'],
  },
  writeRefusal: ({ code, message }) => ({ code, error: message }),
  show: (shown) => reply(shown).body ?? {},
  read: { path: '/videos/:id', reply },
};

/** xAI's video interface: what became of a video is told by the status of the response, too. */
export const xai = tableVendor(table);
