import type { AskedTask, CreateCall, ShownTask, VendorTable } from '../tables/table.ts';
import { closed } from '../tables/schema.ts';
import { tableVendor } from '../tables/table-vendor.ts';

interface Image {
  readonly url?: string;
  readonly data?: string;
  readonly media_type?: string;
}

interface CreateBody {
  readonly model: string;
  readonly type: string;
  readonly prompt: string;
  readonly aspect_ratio?: string;
  readonly video?: {
    readonly resolution?: string;
    readonly duration?: string;
    readonly start_frame?: Image;
    readonly end_frame?: Image;
  };
}

const image = closed({
  url: { type: 'string', pattern: '^https?://' },
  data: { type: 'string' },
  media_type: { type: 'string', pattern: '^image/' },
});

const schema = closed(
  {
    model: { type: 'string' },
    type: { const: 'video' },
    prompt: { type: 'string', minLength: 1, maxLength: 6_000 },
    aspect_ratio: { enum: ['9:16', '3:4', '1:1', '4:3', '16:9', '21:9'] },
    video: closed({
      resolution: { enum: ['360p', '540p', '720p', '1080p'] },
      duration: { enum: ['5s', '10s'] },
      start_frame: image,
      end_frame: image,
    }),
  },
  ['model', 'type', 'prompt'],
);

/** An address that its image service cannot be had for: a word in it that nobody else uses. */
const ingestionFails = /\/ingestion-unavailable\b/;

function asked(body: CreateBody, { refuse }: CreateCall): AskedTask {
  const { model, prompt, aspect_ratio: ratio = '16:9', video = {} } = body;
  const frames = [
    ['first_frame', video.start_frame],
    ['last_frame', video.end_frame],
  ] as const;
  const media = frames.flatMap(([role, frame]) =>
    frame === undefined ? [] : [{ kind: 'image' as const, role, url: addressOf(frame, refuse) }],
  );
  if (video.duration === '10s' && media.length > 0) {
    throw refuse('invalid', 'duration 10s is not available with start_frame or end_frame');
  }
  if (media.some(({ url }) => ingestionFails.test(url))) {
    throw refuse('internal', 'Image URL ingestion unavailable', { status: 503 });
  }
  return {
    model,
    prompt,
    ratio,
    resolution: video.resolution ?? '720p',
    seconds: video.duration === '10s' ? 10 : 5,
    media,
  };
}

function addressOf({ url, data, media_type: type }: Image, refuse: CreateCall['refuse']): string {
  if (url !== undefined && data === undefined) return url;
  if (url === undefined && data !== undefined && type !== undefined) {
    return `data:${type};base64,${data}`;
  }
  throw refuse('invalid', 'an image has a url, or data with a media_type');
}

const show = ({ task, status, failure, videoUrl }: ShownTask): object => ({
  id: task.id,
  type: 'video',
  state: status,
  model: task.model,
  created_at: new Date(task.createdAtMs).toISOString(),
  output: videoUrl === undefined ? [] : [{ type: 'video', url: videoUrl }],
  failure_reason: failure?.message ?? null,
  failure_code: failure?.code ?? null,
});

const table: VendorTable<CreateBody> = {
  format: 'luma',
  path: '/luma/v1',
  speaks: 'the format of Luma’s Agents API',
  models: ['ray-3.2'],
  key: { header: 'authorization', prefix: 'Bearer ' },
  create: { paths: ['/generations'], status: 201, schema, asked, response: show },
  statuses: {
    queued: 'queued',
    running: 'processing',
    succeeded: 'completed',
    failed: 'failed',
    expired: 'failed',
    cancelled: 'failed',
  },
  failures: {
    internal: { code: 'generation_failed', message: 'The generation failed' },
    moderated: { code: 'content_moderated', message: 'The output was moderated' },
    expired: { code: 'generation_failed', message: 'The generation took too long' },
    unreadableInput: { code: 'generation_failed', message: 'An image could not be read' },
  },
  refusals: {
    invalid: [400, '', 'The request is not valid'],
    moderated: [400, '', 'The prompt was rejected by content moderation'],
    rateLimited: [
      429,
      '',
      'Rate limit exceeded',
      { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0', 'retry-after': '2' },
    ],
    busy: [429, '', 'Too many concurrent jobs', { 'retry-after': '60' }],
    overdue: [402, '', 'Insufficient credits'],
    unauthorized: [401, '', 'Invalid API key'],
    noModel: [400, '', 'Model not found'],
    notFound: [404, '', 'Generation not found'],
    notCancellable: [405, '', 'Method not allowed'],
    internal: [500, '', 'Internal server error'],
  },
  writeRefusal: ({ message }) => ({ detail: message }),
  show,
  read: { path: '/generations/:id' },
  resigns: true,
};

/** Luma's Agents API, whose links run out and are signed anew by each poll. */
export const luma = tableVendor(table);
