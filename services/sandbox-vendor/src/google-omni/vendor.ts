import { firstBroken } from '../tables/rules.ts';
import { closed } from '../tables/schema.ts';
import type {
  AskedMedia,
  AskedTask,
  CreateCall,
  Polled,
  Reply,
  ShownTask,
  VendorTable,
} from '../tables/table.ts';
import { tableVendor } from '../tables/table-vendor.ts';

interface Part {
  readonly type: 'text' | 'image' | 'video';
  readonly text?: string;
  readonly data?: string;
  readonly mime_type?: string;
}

interface Body {
  readonly model: string;
  readonly background?: boolean;
  readonly input: string | readonly Part[];
  readonly response_format: {
    readonly aspect_ratio?: string;
    readonly resolution?: string;
    readonly duration?: string;
  };
  readonly generation_config?: { readonly video_config?: { readonly task?: string } };
}

const text = { type: 'string' } as const;

const schema = closed(
  {
    model: text,
    background: { type: 'boolean' },
    store: { type: 'boolean' },
    input: {
      anyOf: [
        text,
        {
          type: 'array',
          minItems: 1,
          items: closed(
            { type: { enum: ['text', 'image', 'video'] }, text, data: text, mime_type: text },
            ['type'],
          ),
        },
      ],
    },
    response_format: closed(
      {
        type: { const: 'video' },
        aspect_ratio: { enum: ['16:9', '9:16'] },
        resolution: { enum: ['360p', '720p', '1080p', '4k'] },
        duration: { type: 'string', pattern: '^([3-9]|10)s$' },
        delivery: { enum: ['uri', 'inline'] },
      },
      ['type'],
    ),
    generation_config: closed({
      video_config: closed({ task: { enum: ['image_to_video', 'reference_to_video'] } }),
    }),
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
  },
  ['model', 'input', 'response_format'],
);

const partsOf = ({ input }: Body): readonly Part[] =>
  typeof input === 'string' ? [{ type: 'text', text: input }] : input;

const mostClips = 3;

/** The first rule of the vendor's that a creation breaks. */
function brokenRule(body: Body): string | undefined {
  const media = partsOf(body).filter(({ type }) => type !== 'text');
  const task = body.generation_config?.video_config?.task;
  return firstBroken([
    [body.background !== true, 'this simulator answers to background requests only'],
    [
      partsOf(body).some(({ type, data = '', mime_type: mediaType = '' }) =>
        type === 'text' ? false : data === '' || !mediaType.startsWith(`${type}/`),
      ),
      'media need data and a mime_type',
    ],
    [task === 'image_to_video' && (media.length === 0 || media.length > 2), 'one or two images'],
    [media.filter(({ type }) => type === 'video').length > mostClips, 'at most three videos'],
  ]);
}

function asked(body: Body, { refuse }: CreateCall): AskedTask {
  const broken = brokenRule(body);
  if (broken !== undefined) throw refuse('invalid', broken);
  const { aspect_ratio: ratio, resolution = '720p', duration = '10s' } = body.response_format;
  const parts = partsOf(body);
  return {
    model: body.model,
    prompt: parts.map(({ text: words = '' }) => words).join(' '),
    seconds: Number.parseInt(duration, 10),
    resolution,
    ratio,
    media: parts.flatMap(mediaOf),
  };
}

const mediaOf = ({ type, data = '', mime_type: mediaType = '' }: Part): AskedMedia[] =>
  type === 'text' ? [] : [{ kind: type, url: `data:${mediaType};base64,${data}` }];

/** Tokens of a second of 720p. */
const secondTokens = 5_792;

/** What a video has cost, whether the response has it or not. */
function usageOf({ task, seconds }: ShownTask): object {
  const tokens = task.status === 'succeeded' ? seconds * secondTokens : 0;
  return {
    usage: {
      total_output_tokens: tokens,
      total_tokens: tokens + 10,
      output_tokens_by_modality: tokens === 0 ? [] : [{ modality: 'video', tokens }],
    },
  };
}

const moderated = 'SAFETY';

/** A withheld video is a completed task with words in it. */
const stepsOf = ({ failure }: ShownTask, video: object | undefined): object[] => [
  { type: 'thought', content: [] },
  {
    type: 'model_output',
    content: failure === undefined ? (video ?? []) : [{ type: 'text', text: failure.message }],
  },
];

function interaction(shown: ShownTask, video: object | undefined): object {
  const { task, failure } = shown;
  const isWithheld = failure?.code === moderated;
  const isOver = task.status === 'succeeded' || isWithheld;
  return {
    id: task.id,
    object: 'interaction',
    model: task.model,
    status: isWithheld ? 'completed' : shown.status,
    created: new Date(task.createdAtMs).toISOString(),
    updated: new Date(task.updatedAtMs).toISOString(),
    ...(isOver && { steps: stepsOf(shown, video && [video]), ...usageOf(shown) }),
    ...(failure !== undefined && !isWithheld && { error: failure }),
  };
}

const show = (shown: ShownTask): object =>
  interaction(
    shown,
    shown.videoUrl === undefined
      ? undefined
      : { type: 'video', mime_type: 'video/mp4', uri: shown.videoUrl },
  );

/** The file itself, where the prompt asks for it: this vendor does so although a link was asked for. */
async function reply(shown: ShownTask, { poll, videos, refuse }: Polled): Promise<Reply> {
  const { quirks, task } = shown;
  if (poll <= (quirks['spurious-400'] ?? 0)) {
    throw refuse('invalid', 'Request contains an invalid argument.');
  }
  const { output } = task;
  if (quirks['inline'] === undefined || output === undefined) {
    return { status: 200, body: show(shown) };
  }
  const { mp4 } = await videos.get(output.file.spec);
  const data = Buffer.from(mp4).toString('base64');
  return {
    status: 200,
    body: interaction(shown, { type: 'video', mime_type: 'video/mp4', data }),
  };
}

const table: VendorTable<Body> = {
  format: 'google-omni',
  path: '/google-omni/v1beta',
  speaks: 'Google’s Interactions API',
  models: ['gemini-omni-1.1-flash'],
  key: { header: 'x-goog-api-key', prefix: '' },
  create: {
    paths: ['/interactions'],
    schema,
    asked,
    newId: (random) => `v1_${random}`,
    response: show,
  },
  statuses: {
    queued: 'queued',
    running: 'in_progress',
    succeeded: 'completed',
    failed: 'failed',
    expired: 'incomplete',
    cancelled: 'cancelled',
  },
  failures: {
    internal: { code: 'INTERNAL', message: 'An internal error has occurred.' },
    moderated: { code: moderated, message: 'I cannot make this video: it is against our policy.' },
    expired: { code: 'DEADLINE_EXCEEDED', message: 'The video took too long.' },
    unreadableInput: { code: 'INVALID_ARGUMENT', message: 'A medium could not be read.' },
  },
  refusals: {
    invalid: [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'],
    moderated: [400, moderated, 'The prompt was blocked by our safety policy.'],
    rateLimited: [429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for requests per minute.'],
    busy: [429, 'RESOURCE_EXHAUSTED', 'Spend limit of the last ten minutes reached.'],
    overdue: [403, 'PERMISSION_DENIED', 'Billing is not enabled for this project.'],
    unauthorized: [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'],
    noModel: [404, 'NOT_FOUND', 'The model is not found, or is no longer available.'],
    notFound: [400, 'INVALID_ARGUMENT', 'Invalid interaction name.'],
    notCancellable: [400, 'FAILED_PRECONDITION', 'The interaction is over.'],
    internal: [500, 'INTERNAL', 'An internal error has occurred.'],
  },
  writeRefusal: ({ status, code, message }) => {
    const body = { error: { code: status, message, status: code } };
    // What stands in front of the service writes a list.
    return status === 429 ? [body] : body;
  },
  show,
  read: { path: '/interactions/:id', reply },
  cancel: {
    method: 'post',
    path: '/interactions/:id/cancel',
    cancels: ['queued', 'running'],
    reply: (shown) => ({ status: 200, body: show(shown) }),
  },
  quirks: {
    inline: { when: 'poll', description: 'the file is part of the response to a poll' },
    'spurious-400': {
      when: 'poll',
      argument: { unit: 'count', min: 0, max: 1_000 },
      description: 'the first so many GETs of the task return a 400 that means nothing',
    },
  },
};

/** Gemini Omni by the Interactions API: a finished video is a link, or part of the response. */
export const googleOmni = tableVendor(table);
