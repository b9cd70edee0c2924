import type { Refusal } from '../tables/refusal.ts';
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
import { familyOf, type Family } from './families.ts';

type CreateBody = Readonly<Record<string, unknown>>;

/** A failed request is run again so often, unless the caller asked for none of it. */
const runsAgain = 10;

function asked(body: CreateBody, { path, header, baseUrl, refuse }: CreateCall): AskedTask {
  const endpoint = path.slice(1);
  const family = familyOf(endpoint);
  if (family === undefined) {
    throw refuse('noModel', `Application "${endpoint}" not found`);
  }
  const broken = brokenRule(family, body);
  if (broken !== undefined) {
    const [code, field, message] = broken;
    throw refuse('invalid', message, { code, field });
  }
  const { prompt, aspect_ratio: ratio, seed, resolution = family.resolutions[0] ?? '' } = body;
  const words = String(prompt);
  const runs = header('x-fal-no-retry') === '1' ? 0 : runsAgain;
  return {
    model: endpoint,
    prompt: words,
    seconds: Number(body['duration']),
    ratio: typeof ratio === 'string' ? ratio : '16:9',
    resolution: String(resolution).toLowerCase(),
    media: mediaOf(family, body),
    ...(typeof seed === 'number' && { seed }),
    ...(words.includes('[fail]') && { slowSeconds: runs }),
    // The rest of the path is dropped: the request is found below its application.
    echo: { app: `${baseUrl}/${endpoint.split('/').slice(0, 2).join('/')}` },
  };
}

type Rule = readonly [code: string, field: string, message: string];

/** The model's verdict on a body that its family does not take. */
function brokenRule(family: Family, body: CreateBody): Rule | undefined {
  const strange = Object.keys(body).find((field) => !family.fields.includes(field));
  if (strange !== undefined) {
    return ['extra_forbidden', strange, 'Extra inputs are not permitted'];
  }
  const { prompt, duration, resolution = family.resolutions[0] } = body;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    return ['missing', 'prompt', 'Field required'];
  }
  if (typeof duration !== family.durationType) {
    return ['literal_error', 'duration', `Input should be a ${family.durationType}`];
  }
  if (family.resolutions.length > 0 && !family.resolutions.includes(resolution as string)) {
    const all = family.resolutions.join(', ');
    return ['literal_error', 'resolution', `Input should be one of ${all}`];
  }
  return undefined;
}

const mediaOf = ({ media }: Family, body: CreateBody): AskedMedia[] =>
  Object.entries(media).flatMap(([field, { kind, role }]) => {
    const given = body[field];
    const urls = Array.isArray(given) ? (given as unknown[]) : given === undefined ? [] : [given];
    return urls.map((url) => ({ kind, role, url: String(url) }));
  });

const addresses = ({ task: { id }, echo }: ShownTask): object => {
  const address = `${String(echo['app'])}/requests/${id}`;
  return {
    request_id: id,
    response_url: address,
    status_url: `${address}/status`,
    cancel_url: `${address}/cancel`,
  };
};

const completed = 'COMPLETED';
const internalError = 'internal_error';

const show = (shown: ShownTask): object => ({
  status: shown.status,
  ...addresses(shown),
  ...(shown.status === 'IN_QUEUE' && { queue_position: 0 }),
  ...(shown.status === completed && { metrics: { inference_time: 1 } }),
  ...(shown.failure?.code === internalError && { error: shown.failure.message }),
});

/** What a vendor says that is no verdict of a model: a sentence, and a kind of error where it has one. */
const plain = (status: number, detail: string, kind = ''): Reply => ({
  status,
  body: { detail, ...(kind !== '' && { error_type: kind }) },
});

/** A model's own verdict on its input, or on what it made. */
const verdict = (type: string, msg: string, field = 'prompt'): object => ({
  detail: [{ loc: ['body', field], msg, type, url: `https://docs.fal.ai/errors#${type}` }],
});

/** The failures that are no verdicts, with their statuses. */
const statusOfFailure: Readonly<Partial<Record<string, number>>> = {
  [internalError]: 500,
  request_timeout: 504,
};

/** The first results of a task with failing polls are a gateway's timeout, and say nothing. */
function showResult({ task, failure, videoUrl }: ShownTask, { poll }: Polled): Reply {
  if (task.status === 'queued' || task.status === 'running') {
    return plain(400, 'Request is still in progress');
  }
  if (task.status === 'cancelled') {
    return plain(400, 'Request was cancelled', 'client_cancelled');
  }
  if (poll <= (task.directives['poll-errors'] ?? 0)) return plain(504, 'Gateway timeout');
  if (failure !== undefined) {
    const { code, message } = failure;
    const status = statusOfFailure[code];
    return status === undefined
      ? { status: verdictStatus, body: verdict(code, message) }
      : plain(status, message, code);
  }
  return {
    status: 200,
    body: {
      ...(videoUrl !== undefined && {
        video: { url: videoUrl, content_type: 'video/mp4', file_name: 'video.mp4' },
      }),
      seed: task.parameters.seed,
    },
  };
}

const verdictStatus = 422;
const alreadyCompleted = 'ALREADY_COMPLETED';

function writeRefusal({ status, code, message, field }: Refusal): object {
  if (code === alreadyCompleted) return { status: code };
  return status === verdictStatus
    ? verdict(String(code), message, field)
    : { detail: message, ...(code !== '' && { error_type: code }) };
}

const table: VendorTable<CreateBody> = {
  format: 'fal',
  path: '/fal',
  speaks: 'the format of fal’s queue',
  models: ['bytedance/seedance-2.5/{mode}', 'fal-ai/kling-video/v3/standard/{mode}'],
  key: { header: 'authorization', prefix: 'Key ' },
  create: {
    paths: ['/*endpoint'],
    schema: { type: 'object' },
    hasModel: (endpoint) => familyOf(endpoint) !== undefined,
    asked,
    response: (shown) => ({ status: 'IN_QUEUE', queue_position: 0, ...addresses(shown) }),
  },
  // There is no status of failure: what came of it, the result says.
  statuses: {
    queued: 'IN_QUEUE',
    running: 'IN_PROGRESS',
    succeeded: completed,
    failed: completed,
    expired: completed,
    cancelled: completed,
  },
  failures: {
    internal: { code: internalError, message: 'Internal Server Error' },
    moderated: {
      code: 'content_policy_violation',
      message: 'The generated video was flagged by a content checker.',
    },
    expired: { code: 'request_timeout', message: 'Request timed out' },
    unreadableInput: { code: 'file_download_error', message: 'Failed to download the file.' },
  },
  refusals: {
    invalid: [verdictStatus, 'value_error', 'The input is not valid'],
    moderated: [verdictStatus, 'content_policy_violation', 'The content was flagged.'],
    rateLimited: [429, '', 'Rate limit exceeded'],
    busy: [429, 'concurrent_requests_limit', 'Too many queued requests'],
    overdue: [403, '', 'User is locked. Reason: Exhausted balance.'],
    unauthorized: [401, '', 'Cannot access application. Authentication is required.'],
    noModel: [404, '', 'Application not found'],
    notFound: [404, '', 'Request not found'],
    notCancellable: [400, alreadyCompleted, ''],
    internal: [500, internalError, 'Internal Server Error'],
  },
  writeRefusal,
  show,
  read: {
    path: '/*app/requests/:id/status',
    reply: (shown) => ({ status: shown.status === completed ? 200 : 202, body: show(shown) }),
  },
  result: { path: '/*app/requests/:id', reply: showResult },
  cancel: {
    method: 'put',
    path: '/*app/requests/:id/cancel',
    cancels: ['queued'],
    reply: () => ({ status: 202, body: { status: 'CANCELLATION_REQUESTED' } }),
  },
};

/** fal's queue: a request's status first, and then its result, which may be a refusal. */
export const fal = tableVendor(table);
