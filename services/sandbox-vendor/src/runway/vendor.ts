import type { AskedMedia, AskedTask, CreateCall, ShownTask, VendorTable } from '../tables/table.ts';
import { firstBroken } from '../tables/rules.ts';
import { closed } from '../tables/schema.ts';
import { tableVendor } from '../tables/table-vendor.ts';
import { models, type Model } from './models.ts';

interface Media {
  readonly uri: string;
  readonly type?: string;
  readonly position?: 'first' | 'last';
}

interface CreateBody {
  readonly model: string;
  readonly promptText?: string;
  readonly promptImage?: string | readonly Media[];
  readonly references?: readonly Media[];
  readonly referenceVideos?: readonly Media[];
  readonly referenceAudio?: readonly Media[];
  readonly ratio?: string;
  readonly resolution?: string;
  readonly duration: number;
  readonly audio?: boolean;
  readonly seed?: number;
}

const media = {
  type: 'array',
  maxItems: 30,
  items: closed(
    {
      uri: { type: 'string', pattern: '^(https?://|data:[a-z0-9.+/-]+;base64,)' },
      type: { enum: ['video', 'audio'] },
      position: { enum: ['first', 'last'] },
    },
    ['uri'],
  ),
};

const schema = closed(
  {
    model: { type: 'string' },
    promptText: { type: 'string', minLength: 1 },
    promptImage: { anyOf: [{ type: 'string' }, media] },
    references: media,
    referenceVideos: media,
    referenceAudio: media,
    ratio: { type: 'string' },
    resolution: { type: 'string' },
    duration: { type: 'integer', minimum: 1, maximum: 30 },
    audio: { type: 'boolean' },
    seed: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
  },
  ['model', 'duration'],
);

const imagePath = '/v1/image_to_video';

function asked(body: CreateBody, { path, refuse }: CreateCall): AskedTask {
  const model = Object.hasOwn(models, body.model) ? models[body.model] : undefined;
  if (model === undefined) throw refuse('noModel');
  const picture = model.pictures[`${body.ratio ?? ''}${body.resolution ?? ''}`];
  const broken = brokenRule(body, { model, path, picture });
  if (broken !== undefined || picture === undefined) throw refuse('invalid', broken);
  return {
    model: body.model,
    prompt: body.promptText ?? '',
    seconds: body.duration,
    ...picture,
    seed: body.seed,
    media: [
      ...framesOf(body.promptImage),
      ...referencesOf('image', body.references),
      ...referencesOf('video', body.referenceVideos),
      ...referencesOf('audio', body.referenceAudio),
    ],
    echo: { credits: body.duration * model.creditsPerSecond },
  };
}

/** The first rule of the model's that a creation breaks. */
function brokenRule(
  body: CreateBody,
  {
    model,
    path,
    picture,
  }: { readonly model: Model; readonly path: string; readonly picture: object | undefined },
): string | undefined {
  const unknown = (['audio', 'seed', 'resolution'] as const).find(
    (field) => body[field] !== undefined && !model.fields.includes(field),
  );
  return firstBroken([
    [unknown !== undefined, `Unrecognized key ${unknown ?? ''} for ${body.model}.`],
    [picture === undefined, `ratio must be one of those of ${body.model}.`],
    [
      !model.seconds.includes(body.duration),
      `duration must be one of ${model.seconds.join(', ')}.`,
    ],
    [
      framesOf(body.promptImage).length > 0 !== (path === imagePath),
      `promptImage belongs to ${imagePath}, and only there.`,
    ],
  ]);
}

const framesOf = (image: CreateBody['promptImage']): AskedMedia[] =>
  (typeof image === 'string' ? [{ uri: image, position: 'first' as const }] : (image ?? [])).map(
    ({ uri, position }) => ({
      kind: 'image',
      role: position === undefined ? 'reference_image' : `${position}_frame`,
      url: uri,
    }),
  );

const referencesOf = (kind: AskedMedia['kind'], found: readonly Media[] = []): AskedMedia[] =>
  found.map(({ uri }) => ({ kind, role: `reference_${kind}`, url: uri }));

function show({ task, status, failure, videoUrl, echo }: ShownTask): object {
  return {
    id: task.id,
    createdAt: new Date(task.createdAtMs).toISOString(),
    status,
    ...(status === 'RUNNING' && { progress: 0.5 }),
    ...(status === 'SUCCEEDED' && {
      output: videoUrl === undefined ? [] : [videoUrl],
      cost: { credits: echo['credits'] },
    }),
    ...(failure && { failure: failure.message, failureCode: failure.code }),
  };
}

const badOutput = 'INTERNAL.BAD_OUTPUT.CODE01';

const table: VendorTable<CreateBody> = {
  format: 'runway',
  path: '/runway',
  speaks: 'the format of Runway’s developer interface',
  models: Object.keys(models),
  key: { header: 'authorization', prefix: 'Bearer ' },
  requires: { header: 'x-runway-version', value: '2024-11-06' },
  create: {
    paths: ['/v1/text_to_video', imagePath],
    schema,
    asked,
    response: ({ task: { id }, echo }) => ({
      id,
      estimatedCost: { credits: echo['credits'] },
    }),
  },
  // A queued task waits for a slot of the account: a state, and no error.
  statuses: {
    queued: 'THROTTLED',
    running: 'RUNNING',
    succeeded: 'SUCCEEDED',
    failed: 'FAILED',
    expired: 'FAILED',
    cancelled: 'CANCELLED',
  },
  failures: {
    internal: { code: badOutput, message: 'An unexpected error occurred.' },
    moderated: {
      code: 'SAFETY.OUTPUT.VIDEO',
      message: 'The generated video did not pass content moderation.',
    },
    expired: { code: badOutput, message: 'An unexpected error occurred.' },
    unreadableInput: {
      code: 'INPUT_PREPROCESSING.DOWNLOAD',
      message: 'An input could not be downloaded.',
    },
  },
  refusals: {
    invalid: [400, '', 'The request is not valid.'],
    moderated: [400, '', 'The prompt did not pass content moderation.'],
    rateLimited: [429, '', 'Rate limit exceeded.', { 'retry-after': '2' }],
    busy: [429, '', 'Daily task limit reached.'],
    overdue: [400, '', 'You do not have enough credits to run this task.'],
    unauthorized: [401, '', 'The API key you provided is invalid.'],
    noModel: [400, '', 'Unknown model.'],
    notFound: [404, '', 'The requested task was not found.'],
    notCancellable: [404, '', 'The requested task was not found.'],
    internal: [500, '', 'An unexpected error occurred.'],
  },
  writeRefusal: ({ message }) => ({ error: message }),
  show,
  read: { path: '/v1/tasks/:id' },
  cancel: {
    method: 'delete',
    path: '/v1/tasks/:id',
    cancels: ['queued', 'running'],
    erases: true,
    reply: () => ({ status: 204 }),
  },
};

/** Runway's developer interface: its DELETE cancels what is not over, and erases what is. */
export const runway = tableVendor(table);
