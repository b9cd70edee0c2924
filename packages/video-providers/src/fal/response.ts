import { describeResponse, type VendorResponse } from '../http.ts';
import { unknownError, unknownFields, unknownResponse, unknownStatus } from '../drift.ts';
import { isOwn, type Shape } from '../own-response.ts';
import type { CancelFormat } from '../cancel-while-queued.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { isSuccess, failureOf, readCreation, type VendorError } from '../refusal.ts';
import { logText } from '../vendor-text.ts';
import {
  known,
  readLink,
  readRecord,
  readRoundedSeconds,
  readText,
  readWholeNumber,
  type UncheckedRecord,
} from '../vendor-value.ts';
import { errorFormat, ownError } from './errors.ts';
import { taskIdOf } from './task-id.ts';

/** Proxies name a request too, beside a sentence. */
const acceptance: Shape = { request_id: 'text', message: 'absent' };

/** What the one create request led to. */
export const readSubmitResponse = (
  response: VendorResponse,
  where: Parameters<typeof taskIdOf>[1],
): SubmitOutcome =>
  readCreation(response, {
    ...errorFormat,
    idIn: (body) => (isOwn(response, [acceptance]) ? taskIdOf(body, where) : undefined),
  });

/** `completed`: it is over, well or not; only the result says which. */
export type StatusOutcome = PollOutcome | { readonly kind: 'completed'; readonly error?: string };

const pendingStatuses: readonly string[] = ['in_queue', 'in_progress'];
/** What the queue says of a request. What a model says of a result, each decides. */
const fields: readonly string[] = [
  'status',
  'request_id',
  'response_url',
  'status_url',
  'cancel_url',
  'queue_position',
  'logs',
  'metrics',
  'error',
  'error_type',
];

/** The response to the question for a request's status, which must be the request asked about. */
export function readStatusResponse(response: VendorResponse, requestId: string): StatusOutcome {
  if (!isSuccess(response.status)) return notToldOf(response);
  const body = readRecord(response.json);
  const status = statusIn(body, requestId);
  if (status === undefined) return { ...pollError(response), ...unknownResponse(response) };
  return status === 'completed'
    ? { kind: 'completed', ...known({ error: readText(body?.['error']) }) }
    : {
        ...unknownFields(body ?? {}, fields),
        kind: 'pending',
        vendorStatus: status.slice(0, 64),
        ...(pendingStatuses.includes(status) ? {} : unknownStatus(status)),
      };
}

/** Undefined for another request, and for what the queue did not say. */
function statusIn(body: UncheckedRecord | undefined, requestId: string): string | undefined {
  const named = readText(body?.['request_id']) ?? requestId;
  return named === requestId && isOfQueue(body)
    ? readText(body?.['status'])?.toLowerCase()
    : undefined;
}

/** Whatever the queue says of a request names it or its addresses; no page in front of it does. */
const isOfQueue = (body: UncheckedRecord | undefined): boolean =>
  ['request_id', 'response_url', 'status_url', 'queue_position', 'logs', 'metrics'].some(
    (field) => body?.[field] !== undefined,
  );

const pollError = (response: VendorResponse): PollOutcome & { kind: 'error' } => ({
  kind: 'error',
  detail: describeResponse(response),
  ...known({ retryAfterMs: response.retryAfterMs }),
});

const notToldOf = (response: VendorResponse): PollOutcome =>
  response.status === 404 && ownError(response) !== undefined
    ? { kind: 'missing', detail: describeResponse(response) }
    : pollError(response);

/** Statuses of a result that say nothing of the request. */
const askAgain: readonly number[] = [401, 402, 403, 405, 408, 409, 425, 429];
const startTimedOut = 504;

/**
 * The result of a request that is completed: its file, or the verdict of its model as 4xx. A 5xx is
 * final where the status told of an error too, and else passes.
 */
export function readResultResponse(
  response: VendorResponse,
  statusError: string | undefined,
): PollOutcome {
  if (isSuccess(response.status)) return readResult(response);
  if (startedTooLate(response)) {
    return { kind: 'failed', failure: 'expired', detail: describeResponse(response) };
  }
  const error = ownError(response);
  if (response.status === 404) return notToldOf(response);
  return error === undefined || saysNothing(response, { error, statusError })
    ? pollError(response)
    : failed(response, { error, statusError });
}

const startedTooLate = ({ status, headers }: VendorResponse): boolean =>
  status === startTimedOut && headers['x-fal-request-timeout-type'] === 'user';

interface ResultError {
  readonly error: VendorError;
  readonly statusError: string | undefined;
}

const saysNothing = ({ status }: VendorResponse, { error, statusError }: ResultError): boolean =>
  askAgain.includes(status) ||
  (status >= 500 && statusError === undefined) ||
  (status === 400 && /still in progress/i.test(error.message ?? ''));

function failed(response: VendorResponse, { error, statusError }: ResultError): PollOutcome {
  const errorClass = errorFormat.classOfError(error);
  return {
    kind: 'failed',
    ...failureOf(errorClass ?? (response.status < 500 ? 'invalid' : 'vendor'), {
      error,
      detail: logText(`${describeResponse(response)} ${statusError ?? ''}`),
    }),
    ...(errorClass === undefined ? unknownError(error.code) : {}),
  };
}

/** A model's output is JSON; anything else in its place is a page. */
function readResult(response: VendorResponse): PollOutcome {
  const body = readRecord(response.json);
  if (body === undefined || isOwn(response, frameworkShapes)) return pollError(response);
  const output = readOutput(body);
  return output === undefined
    ? { kind: 'failed', failure: 'no_output', detail: describeResponse(response) }
    : { kind: 'succeeded', output };
}

/** What proxies and web frameworks say with JSON, which no model does. */
const frameworkShapes = [
  { message: 'text', request_id: 'code' },
  { timestamp: 'text', path: 'text' },
] as const;

/** The file's address is public, and its life the vendor's setting. */
function readOutput(body: UncheckedRecord): VendorOutput | undefined {
  const video = readRecord(body['video']);
  const videoUrl = readLink(video?.['url']);
  return videoUrl === undefined
    ? undefined
    : {
        videoUrl,
        ...known({
          seconds: readRoundedSeconds(video?.['duration'] ?? body['duration']),
          seed: readWholeNumber(body['seed']),
        }),
      };
}

/** Cancelled at once while it waits; it has no status of its own for that. */
export const cancelFormat: CancelFormat = {
  errorShapes: [...errorFormat.errorShapes, { status: 'text' }],
  readError: (body) => {
    const status = readText(body?.['status']);
    return status === 'ALREADY_COMPLETED' || status === 'NOT_FOUND'
      ? { code: status, message: undefined }
      : errorFormat.readError(body);
  },
  isDone: (response) =>
    readText(readRecord(response.json)?.['status']) === 'CANCELLATION_REQUESTED',
};
