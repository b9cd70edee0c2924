import { firstBroken } from '../tables/rules.ts';
import { closed } from '../tables/schema.ts';
import type { AskedMedia, AskedTask, CreateCall, ShownTask, VendorTable } from '../tables/table.ts';
import { tableVendor } from '../tables/table-vendor.ts';

interface Body {
  readonly model: string;
  readonly prompt?: string;
  readonly images?: readonly string[];
  readonly videos?: readonly string[];
  readonly duration?: number;
  readonly resolution?: string;
  readonly aspect_ratio?: string;
  readonly seed?: number;
  readonly watermark?: boolean;
  readonly off_peak?: boolean;
  readonly payload?: string;
}

const text = { type: 'string' } as const;
const boolean = { type: 'boolean' } as const;

/** Every field that some endpoint has: which has which, the table below says. */
const schema = closed(
  {
    model: text,
    prompt: { ...text, minLength: 1, maxLength: 5_000 },
    images: { type: 'array', minItems: 1, maxItems: 7, items: text },
    videos: { type: 'array', minItems: 1, maxItems: 2, items: text },
    duration: { type: 'integer', minimum: 1, maximum: 16 },
    resolution: { enum: ['540p', '720p', '1080p', '2K', '4K'] },
    aspect_ratio: { enum: ['16:9', '9:16', '3:4', '4:3', '1:1'] },
    seed: { type: 'integer' },
    audio: boolean,
    watermark: boolean,
    off_peak: boolean,
    payload: text,
  },
  ['model'],
);

interface Endpoint {
  readonly images: readonly [least: number, most: number];
  /** Fields that others have, and this one refuses. */
  readonly unwanted: readonly (keyof Body)[];
  readonly models: readonly string[];
  readonly roles: readonly string[];
}

const q3 = ['viduq3-pro', 'viduq3-turbo'];
const frames = ['first_frame', 'last_frame'];

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/ent/v2/text2video': {
    images: [0, 0],
    unwanted: ['images', 'videos'],
    models: q3,
    roles: [],
  },
  '/ent/v2/img2video': {
    images: [1, 1],
    unwanted: ['videos', 'aspect_ratio'],
    models: [...q3, 'viduq3-pro-fast'],
    roles: frames,
  },
  '/ent/v2/start-end2video': {
    images: [2, 2],
    unwanted: ['videos', 'aspect_ratio'],
    models: q3,
    roles: frames,
  },
  '/ent/v2/reference2video': {
    images: [1, 7],
    unwanted: [],
    models: ['viduq3-turbo', 'viduq3-mix', 'viduq3-drama', 'viduq3-ad'],
    roles: [],
  },
};

const allModels = [...new Set(Object.values(endpoints).flatMap(({ models }) => models))];

/** Credits of a second at 720p. */
const secondCredits = 20;

/** The first rule of an endpoint that a creation breaks, with the code for it. */
function brokenRule(
  body: Body,
  { unwanted, models, images: [least, most] }: Endpoint,
): readonly [code: string, sentence: string] | undefined {
  const strange = unwanted.find((field) => body[field] !== undefined);
  const isElsewhere = allModels.includes(body.model) && !models.includes(body.model);
  const count = body.images?.length ?? 0;
  return firstBroken<readonly [code: string, sentence: string]>([
    [strange !== undefined, ['FieldUnwanted', `field ${strange ?? ''} is unwanted`]],
    [isElsewhere, ['FieldInvalid', `model ${body.model} is not supported`]],
    [count < least || count > most, ['FieldItemCountOutOfRange', 'number of images']],
  ]);
}

function asked(body: Body, { path, refuse }: CreateCall): AskedTask {
  const endpoint = endpoints[path];
  if (endpoint === undefined) throw refuse('notFound');
  const broken = brokenRule(body, endpoint);
  if (broken !== undefined) throw refuse('invalid', broken[1], { code: broken[0] });
  const { prompt = '', payload = '', duration = 5, resolution = '720p' } = body;
  return {
    model: body.model,
    prompt,
    seconds: duration,
    resolution: resolution.toLowerCase(),
    ratio: body.aspect_ratio,
    seed: body.seed,
    watermark: body.watermark,
    media: mediaOf(body, endpoint),
    echo: {
      payload,
      credits: (duration * secondCredits) / (body.off_peak === true ? 2 : 1),
    },
  };
}

const mediaOf = ({ images = [], videos = [] }: Body, { roles }: Endpoint): AskedMedia[] => [
  ...images.map(
    (url, index) => ({ kind: 'image', role: roles[index] ?? 'reference_image', url }) as const,
  ),
  ...videos.map((url) => ({ kind: 'video', role: 'reference_video', url }) as const),
];

const created = ({ task, status, echo }: ShownTask): object => ({
  task_id: task.id,
  state: status,
  model: task.model,
  prompt: task.prompt,
  payload: echo['payload'],
  credits: echo['credits'],
  created_at: new Date(task.createdAtMs).toISOString(),
});

const calledOff = 'UserCancelled';

const show = ({ task, status, failure, videoUrl, echo }: ShownTask): object => ({
  id: task.id,
  state: status,
  err_code: task.status === 'cancelled' ? calledOff : (failure?.code ?? ''),
  credits: echo['credits'],
  payload: echo['payload'],
  creations:
    videoUrl === undefined
      ? []
      : [{ id: `${task.id}1`, url: videoUrl, cover_url: '', watermarked_url: '' }],
});

const table: VendorTable<Body> = {
  format: 'vidu',
  path: '/vidu',
  speaks: 'the format of Vidu',
  models: allModels,
  key: { header: 'authorization', prefix: 'Token ' },
  create: {
    paths: Object.keys(endpoints),
    schema,
    asked,
    newId: (random) => String(BigInt(`0x${random.slice(0, 14)}`) + 800_000_000_000_000_000n),
    response: created,
  },
  statuses: {
    queued: 'queueing',
    running: 'processing',
    succeeded: 'success',
    failed: 'failed',
    expired: 'failed',
    cancelled: 'failed',
  },
  failures: {
    internal: { code: 'InternalServiceFailure', message: 'internal service failure' },
    moderated: { code: 'CreationPolicyViolation', message: 'creation policy violation' },
    expired: { code: 'Unknown', message: 'the task took too long' },
    unreadableInput: { code: 'ImageDownloadFailure', message: 'image download failure' },
  },
  refusals: {
    invalid: [400, 'FieldInvalid', 'a field is invalid'],
    moderated: [400, 'AuditSubmitIllegal', 'the input did not pass the audit'],
    rateLimited: [429, 'TooManyRequests', 'too many requests'],
    busy: [429, 'QuotaExceeded', 'too many tasks at once'],
    overdue: [400, 'CreditInsufficient', 'not enough credits'],
    unauthorized: [401, 'Unauthorized', 'unauthorized'],
    noModel: [400, 'ModelUnavailable', 'the model is not available'],
    notFound: [404, 'TaskNotFound', 'the task does not exist'],
    notCancellable: [400, 'Conflict', 'the task cannot be cancelled'],
    internal: [500, 'InternalServiceFailure', 'internal service failure'],
  },
  writeRefusal: ({ status, code, message }) => ({
    code: status,
    reason: code,
    message,
    metadata: {},
  }),
  show,
  read: { path: '/ent/v2/tasks/:id/creations' },
  cancel: {
    method: 'post',
    path: '/ent/v2/tasks/:id/cancel',
    cancels: ['queued', 'running'],
    reply: () => ({ status: 200, body: {} }),
  },
};

/** Vidu, whose endpoints refuse the fields of one another. */
export const vidu = tableVendor(table);
