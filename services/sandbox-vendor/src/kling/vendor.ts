import { firstBroken } from '../tables/rules.ts';
import { closed } from '../tables/schema.ts';
import type { AskedMedia, AskedTask, CreateCall, ShownTask, VendorTable } from '../tables/table.ts';
import { tableVendor } from '../tables/table-vendor.ts';

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
}

interface Body {
  readonly prompt?: string;
  readonly contents?: readonly Content[];
  readonly settings: {
    readonly resolution: string;
    readonly aspect_ratio?: string;
    readonly duration?: number;
    readonly audio?: string;
  };
  readonly options?: {
    readonly external_task_id?: string;
    readonly watermark_info?: { readonly enabled?: boolean };
  };
}

const text = { type: 'string' } as const;
const schema = closed(
  {
    prompt: { ...text, minLength: 1, maxLength: 3_072 },
    contents: {
      type: 'array',
      minItems: 1,
      maxItems: 16,
      items: closed({ type: text, text, url: text, id: text }, ['type']),
    },
    settings: closed(
      {
        resolution: { enum: ['720p', '1080p', '4k'] },
        aspect_ratio: { enum: ['16:9', '9:16', '1:1'] },
        duration: { type: 'integer', minimum: 3, maximum: 15 },
        audio: { enum: ['native', 'off', 'original'] },
        multi_shot: { type: 'boolean' },
      },
      ['resolution'],
    ),
    options: closed({
      callback_url: text,
      external_task_id: text,
      watermark_info: closed({ enabled: { type: 'boolean' } }),
    }),
  },
  ['settings'],
);

const frames = ['first_frame', 'last_frame'];
const clips = ['feature_video', 'base_video'];

/** The first rule of the vendor's that a creation breaks. */
function brokenRule(body: Body, path: string): string | undefined {
  const { contents = [], settings } = body;
  const types = contents.map(({ type }) => type);
  const has = (...wanted: readonly string[]): boolean =>
    types.some((type) => wanted.includes(type));
  const [family] = path.split('/').filter(Boolean);
  const needsRatio =
    family === 'text-to-video' || (family === 'omni-video' && !has(...frames, ...clips));
  return firstBroken([
    [promptOf(body) === '', 'prompt is required'],
    [(family === 'text-to-video') !== (body.contents === undefined), 'contents do not belong here'],
    [family === 'image-to-video' && !has('first_frame'), 'first_frame is required'],
    [has('last_frame') && !has('first_frame'), 'last_frame needs first_frame'],
    [needsRatio !== (settings.aspect_ratio !== undefined), 'aspect_ratio is not valid here'],
    [has(...clips) !== (settings.duration === undefined), 'duration is not valid here'],
    [has('feature_video') && settings.audio === 'native', 'audio must be off with feature_video'],
    [contents.some(({ url }) => url?.startsWith('data:')), 'base64 must not have a data: prefix'],
  ]);
}

const promptOf = ({ prompt, contents = [] }: Body): string =>
  prompt ?? contents.find(({ type }) => type === 'prompt')?.text ?? '';

function asked(body: Body, { path, params, refuse }: CreateCall): AskedTask {
  const { contents = [], settings, options = {} } = body;
  const broken = brokenRule(body, path);
  if (broken !== undefined) throw refuse('invalid', broken);
  return {
    model: params['model'] ?? '',
    prompt: promptOf(body),
    seconds: settings.duration ?? 5,
    resolution: settings.resolution,
    ratio: settings.aspect_ratio,
    watermark: options.watermark_info?.enabled,
    media: contents.flatMap(mediaOf),
    echo: { external_id: options.external_task_id ?? '' },
  };
}

/** Bare base64 is what a picture has when it is no address. */
function mediaOf({ type, url }: Content): AskedMedia[] {
  if (url === undefined) return [];
  if (clips.includes(type)) return [{ kind: 'video', url }];
  return [{ kind: 'image', url: /^https?:/.test(url) ? url : `data:image/png;base64,${url}` }];
}

/** What the vendor takes for a second: one unit is 0.14 USD. */
const secondUsd = 0.084;

function show({ task, status, failure, seconds, videoUrl, echo, quirks }: ShownTask): object {
  const isOver = task.status === 'succeeded';
  return {
    id: task.id,
    status,
    message: failure?.message ?? '',
    create_time: task.createdAtMs,
    update_time: task.updatedAtMs,
    external_id: echo['external_id'],
    outputs:
      isOver && videoUrl !== undefined
        ? [{ type: 'video', id: `${task.id}1`, url: videoUrl, duration: String(seconds) }]
        : [],
    billing: !isOver
      ? []
      : quirks['billed-in-units'] === undefined
        ? [{ charge_type: 'cash', amount: (seconds * secondUsd).toFixed(3), currency: 'USD' }]
        : [{ charge_type: 'unit', amount: (seconds * 0.6).toFixed(1), package_type: 'video' }],
  };
}

const table: VendorTable<Body> = {
  format: 'kling',
  path: '/kling',
  speaks: 'the newer interface of Kling',
  models: [
    'kling-3.0',
    'kling-3.0-turbo',
    'kling-2.6',
    'kling-2.5-turbo',
    'kling-3.0-omni',
    'kling-o1',
  ],
  key: { header: 'authorization', prefix: 'Bearer ' },
  create: {
    paths: ['/text-to-video/:model', '/image-to-video/:model', '/omni-video/:model'],
    schema,
    asked,
    newId: (random) => String(BigInt(`0x${random.slice(0, 14)}`) + 800_000_000_000_000_000n),
    response: (shown) => ({
      code: 0,
      message: 'SUCCEED',
      request_id: shown.task.id,
      data: show(shown),
    }),
  },
  statuses: {
    queued: 'submitted',
    running: 'processing',
    succeeded: 'succeeded',
    failed: 'failed',
    expired: 'failed',
    cancelled: 'failed',
  },
  failures: {
    internal: { code: '', message: 'Internal error, please try again later' },
    moderated: { code: '', message: 'Failure to pass the risk control system' },
    expired: { code: '', message: 'The task took too long' },
    unreadableInput: { code: '', message: 'A file of the request could not be downloaded' },
  },
  refusals: {
    invalid: [400, 1201, 'invalid request parameters'],
    moderated: [400, 1301, 'the request triggered the content security policy'],
    rateLimited: [429, 1302, 'the request frequency is too high'],
    busy: [429, 1303, 'parallel task over resource pack limit'],
    overdue: [429, 1102, 'resource pack exhausted'],
    unauthorized: [401, 1002, 'authorization is invalid'],
    noModel: [404, 1203, 'the requested resource does not exist'],
    notFound: [404, 1203, 'the requested resource does not exist'],
    notCancellable: [404, 1202, 'the requested method is invalid'],
    internal: [500, 5000, 'internal server error'],
  },
  writeRefusal: ({ code, message }, requestId) => ({ code, message, request_id: requestId }),
  show,
  batch: {
    path: '/tasks',
    select({ task_ids: ids, external_task_ids: names }, { tasks, refuse }) {
      if ((ids === undefined) === (names === undefined)) {
        throw refuse('invalid', 'give task_ids or external_task_ids');
      }
      const wanted = String(ids ?? names).split(',');
      return tasks.filter(({ task, echo }) =>
        wanted.includes(ids === undefined ? String(echo['external_id']) : task.id),
      );
    },
    listed: (data) => ({ code: 0, message: 'SUCCEED', data }),
  },
  quirks: {
    'billed-in-units': { when: 'life', description: 'is charged in units of a package' },
  },
};

export const kling = tableVendor(table);
