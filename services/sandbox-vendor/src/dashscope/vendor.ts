import { firstBroken } from '../tables/rules.ts';
import { closed } from '../tables/schema.ts';
import type { AskedMedia, AskedTask, CreateCall, ShownTask, VendorTable } from '../tables/table.ts';
import { tableVendor } from '../tables/table-vendor.ts';

interface Media {
  readonly type: string;
  readonly url: string;
}

interface Body {
  readonly model: string;
  readonly input: { readonly prompt?: string; readonly media?: readonly Media[] };
  readonly parameters?: {
    readonly resolution?: string;
    readonly ratio?: string;
    readonly duration?: number;
    readonly seed?: number;
    readonly watermark?: boolean;
  };
}

/** The media that a creation may have, with how many of each. */
const most: Readonly<Record<string, number>> = {
  first_frame: 1,
  last_frame: 1,
  reference_image: 10,
  reference_video: 5,
  reference_audio: 5,
};

const schema = closed(
  {
    model: { type: 'string' },
    input: closed({
      prompt: { type: 'string', minLength: 1, maxLength: 20_000 },
      media: {
        type: 'array',
        minItems: 1,
        items: closed({ type: { enum: Object.keys(most) }, url: { type: 'string' } }, [
          'type',
          'url',
        ]),
      },
    }),
    parameters: closed({
      resolution: { enum: ['480P', '720P', '1080P'] },
      ratio: { enum: ['adaptive', '16:9', '4:3', '1:1', '3:4', '9:16'] },
      duration: { type: 'integer', minimum: -1, maximum: 30 },
      seed: { type: 'integer', minimum: -1, maximum: 2_147_483_647 },
      prompt_extend: { type: 'boolean' },
      watermark: { type: 'boolean' },
    }),
  },
  ['model', 'input'],
);

const isFrame = (type: string): boolean => type.endsWith('_frame');

/** The first rule of the vendor's that a creation breaks. */
function brokenRule({ input, parameters = {} }: Body): string | undefined {
  const { prompt, media = [] } = input;
  const { duration = 5 } = parameters;
  const types = media.map(({ type }) => type);
  const counts = Object.entries(most).map(
    ([type, max]) => types.filter((one) => one === type).length > max,
  );
  return firstBroken([
    [prompt === undefined && media.length === 0, 'prompt or media is required'],
    [duration !== -1 && duration < 2, 'duration must be -1 or from 2 to 30'],
    [counts.includes(true), 'too many media of one type'],
    [types.includes('last_frame') && !types.includes('first_frame'), 'last_frame is alone'],
    [types.some(isFrame) && !types.every(isFrame), 'frames and references exclude each other'],
  ]);
}

/** What a request gets that states no resolution: the dearest. */
const usualResolution = '1080P';
/** What the simulator takes each clip for that a video is made from, in seconds. */
const clipSeconds = 2.5;
/** What the model makes of a length that it may choose. */
const chosenSeconds = 5;

function asked(body: Body, { header, refuse }: CreateCall): AskedTask {
  if (header('x-dashscope-async') !== 'enable') {
    const sentence = 'current user api does not support synchronous calls.';
    throw refuse('invalid', sentence, { status: 403, code: 'AccessDenied' });
  }
  const broken = brokenRule(body);
  if (broken !== undefined) throw refuse('invalid', broken);
  const { prompt = '', media = [] } = body.input;
  const {
    resolution = usualResolution,
    ratio,
    duration = 5,
    seed,
    watermark,
  } = body.parameters ?? {};
  const clips = media.filter(({ type }) => type === 'reference_video').length;
  return {
    model: body.model,
    prompt,
    seconds: duration === -1 ? chosenSeconds : duration,
    resolution: resolution.toLowerCase(),
    ratio,
    seed,
    watermark,
    media: media.map(mediaOf),
    echo: { inputSeconds: clips * clipSeconds, lines: Number.parseInt(resolution, 10) },
  };
}

const kindOfType: Readonly<Partial<Record<string, AskedMedia['kind']>>> = {
  reference_video: 'video',
  reference_audio: 'audio',
};

const mediaOf = ({ type, url }: Media): AskedMedia => ({
  kind: kindOfType[type] ?? 'image',
  role: type,
  url,
});

/** Local time, without a zone. */
const timeOf = (ms: number): string =>
  new Date(ms).toISOString().replace('T', ' ').replace('Z', '');

function show({ task, status, failure, seconds, videoUrl, echo }: ShownTask): object {
  const isOver = task.status === 'succeeded';
  const input = Number(echo['inputSeconds']);
  return {
    request_id: task.id,
    output: {
      task_id: task.id,
      task_status: status,
      submit_time: timeOf(task.createdAtMs),
      scheduled_time: timeOf(task.createdAtMs),
      ...(isOver && { end_time: timeOf(task.updatedAtMs), orig_prompt: task.prompt }),
      ...(isOver && videoUrl !== undefined && { video_url: videoUrl }),
      ...failure,
    },
    ...(isOver && {
      usage: {
        duration: seconds + input,
        input_video_duration: input,
        output_video_duration: seconds,
        video_count: 1,
        SR: echo['lines'],
        ratio: task.parameters.ratio,
      },
    }),
  };
}

/** A task that is not known: a 200 all the same. */
const unknownTask = 'UNKNOWN';

const table: VendorTable<Body> = {
  format: 'dashscope',
  path: '/dashscope/api/v1',
  speaks: 'the format of DashScope',
  models: ['wan3.0-video', 'wan3.0-video-prime'],
  key: { header: 'authorization', prefix: 'Bearer ' },
  create: {
    paths: ['/services/aigc/video-generation/video-synthesis'],
    schema,
    asked,
    response: ({ task: { id }, status }) => ({
      output: { task_id: id, task_status: status },
      request_id: id,
    }),
  },
  statuses: {
    queued: 'PENDING',
    running: 'RUNNING',
    succeeded: 'SUCCEEDED',
    failed: 'FAILED',
    expired: 'FAILED',
    cancelled: 'CANCELED',
  },
  failures: {
    internal: { code: 'InternalError', message: 'Internal server error' },
    moderated: {
      code: 'DataInspectionFailed',
      message: 'Output data may contain inappropriate content.',
    },
    expired: { code: 'InternalError.Timeout', message: 'The task took too long' },
    unreadableInput: { code: 'InvalidURL', message: 'The url of a medium cannot be read' },
  },
  refusals: {
    invalid: [400, 'InvalidParameter', 'The request is not valid'],
    moderated: [400, 'DataInspectionFailed', 'Input data may contain inappropriate content.'],
    rateLimited: [429, 'Throttling.RateQuota', 'Requests rate limit exceeded'],
    busy: [429, 'Throttling.BurstRate', 'Too many tasks at once'],
    overdue: [
      400,
      'Arrearage',
      'Access denied, please make sure your account is in good standing.',
    ],
    unauthorized: [401, 'InvalidApiKey', 'Invalid API-key provided.'],
    noModel: [404, 'ModelNotFound', 'The model does not exist'],
    notFound: [200, unknownTask, 'The task does not exist'],
    notCancellable: [400, 'UnsupportedOperation', 'The task is not in PENDING status'],
    internal: [500, 'InternalError', 'Internal server error'],
  },
  writeRefusal: ({ status, code, message }, requestId) =>
    status === 200
      ? { output: { task_status: code, message }, request_id: requestId }
      : { code, message, request_id: requestId },
  show,
  read: { path: '/tasks/:id' },
  cancel: {
    method: 'post',
    path: '/tasks/:id/cancel',
    cancels: ['queued'],
    reply: ({ task: { id } }) => ({ status: 200, body: { request_id: id } }),
  },
};

/** DashScope, which charges the seconds of clips that a video is made from too. */
export const dashscope = tableVendor(table);
