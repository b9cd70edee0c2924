import type { TaskFailureCode } from '@gateway/domain';
import { unknownError, unknownFields, unknownResponse, unknownStatus } from '../drift.ts';
import { describeResponse, type VendorResponse } from '../http.ts';
import { readTicks } from '../money.ts';
import { isOwn, type Shape } from '../own-response.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { isSuccess, failureOf, readCreation, type VendorError } from '../refusal.ts';
import {
  known,
  readLink,
  readRecord,
  readRoundedSeconds,
  readText,
  type UncheckedRecord,
} from '../vendor-value.ts';
import { errorFormat, ownError } from './errors.ts';

/** Proxies name a request too, beside a sentence. */
const acceptance: Shape = { request_id: 'text', message: 'absent' };

/** What the one create request led to. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, {
    ...errorFormat,
    idIn: ({ request_id: id }) => (isOwn(response, [acceptance]) ? id : undefined),
  });

const stillPending = 202;
const gone: readonly number[] = [404, 410];
/** Statuses that say nothing of the task; any other of the 400s is the vendor's verdict on it. */
const askAgain: readonly number[] = [401, 402, 403, 405, 408, 409, 425, 429];

/**
 * The response to a poll of one request. The vendor repeats no id, so the response counts for the
 * request that was asked about.
 */
export function readPollResponse(response: VendorResponse): PollOutcome {
  if (response.status === stillPending && saysNothingElse(response)) {
    return {
      ...unknownFields(readRecord(response.json) ?? {}, fields),
      kind: 'pending',
      vendorStatus: 'pending',
    };
  }
  return (
    (isSuccess(response.status) ? readKnownTask(response) : readRefusal(response)) ?? {
      kind: 'error',
      detail: describeResponse(response),
      ...known({ retryAfterMs: response.retryAfterMs }),
      ...(isSuccess(response.status) ? unknownResponse(response) : {}),
    }
  );
}

/** What a task is shown with. */
const fields: readonly string[] = [
  'request_id',
  'status',
  'progress',
  'model',
  'video',
  'usage',
  'error',
  'code',
];

function readKnownTask(response: VendorResponse): PollOutcome | undefined {
  const outcome = readTask(response);
  return outcome && { ...unknownFields(readRecord(response.json) ?? {}, fields), ...outcome };
}

/** Undefined for a refusal that says nothing of the task. */
function readRefusal(response: VendorResponse): PollOutcome | undefined {
  const error = ownError(response);
  if (error === undefined) return undefined;
  if (gone.includes(response.status)) {
    return { kind: 'missing', detail: describeResponse(response) };
  }
  return isVerdict(response.status) ? failed(response, error) : undefined;
}

/** A 202 has no body, or a task that is pending; a page of a proxy is neither. */
const saysNothingElse = ({ text, json }: VendorResponse): boolean =>
  text.trim() === '' || readText(readRecord(json)?.['status'])?.toLowerCase() === 'pending';

const isVerdict = (status: number): boolean =>
  status >= 400 && status < 500 && !askAgain.includes(status);

/** A link is a success even without a status; undefined for a body that is no task. */
function readTask(response: VendorResponse): PollOutcome | undefined {
  const task = readRecord(response.json) ?? {};
  const video = readRecord(task['video']);
  if (video?.['respect_moderation'] === false) return ended(response, 'content_policy');
  const output = readOutput(task, video);
  const status = readText(task['status'])?.toLowerCase() ?? (output && 'done');
  if (status === 'done' && output !== undefined) return { kind: 'succeeded', output };
  return status === 'failed' ? readFailure(response, task) : readOther(response, status);
}

function readOther(response: VendorResponse, status: string | undefined): PollOutcome | undefined {
  const failure = failureOfStatus.get(status);
  return failure === undefined ? pending(status) : ended(response, failure);
}

const failureOfStatus: ReadonlyMap<string | undefined, TaskFailureCode> = new Map([
  ['done', 'no_output'],
  ['expired', 'expired'],
]);

const pending = (status: string | undefined): PollOutcome | undefined =>
  status === undefined
    ? undefined
    : {
        kind: 'pending',
        vendorStatus: status.slice(0, 64),
        ...(status === 'pending' ? {} : unknownStatus(status)),
      };

/** The pages of web frameworks have a sentence in place of an error. */
function readFailure(response: VendorResponse, task: UncheckedRecord): PollOutcome | undefined {
  const error = ownError(response);
  return error === undefined && readText(task['error']) !== undefined
    ? undefined
    : failed(response, error);
}

const ended = (response: VendorResponse, failure: TaskFailureCode): PollOutcome => ({
  kind: 'failed',
  failure,
  detail: describeResponse(response),
  ...usageIn(response),
});

function failed(response: VendorResponse, error: VendorError | undefined): PollOutcome {
  const errorClass = errorFormat.classOfError(error);
  const detail = describeResponse(response);
  return {
    kind: 'failed',
    ...failureOf(errorClass ?? (isSuccess(response.status) ? 'vendor' : 'invalid'), {
      error,
      detail,
    }),
    ...usageIn(response),
    ...(errorClass === undefined ? unknownError(error?.code) : {}),
  };
}

function readOutput(
  task: UncheckedRecord,
  video: UncheckedRecord | undefined,
): VendorOutput | undefined {
  const videoUrl = readLink(video?.['url']);
  return videoUrl === undefined
    ? undefined
    : {
        videoUrl,
        ...known({ seconds: readRoundedSeconds(video?.['duration']), cost: costOf(task) }),
      };
}

/** A tick is 10^-10 of a dollar. */
const tickPlaces = 10;

/** A failure may be charged for as well. */
function usageIn({ json }: VendorResponse) {
  const cost = costOf(readRecord(json));
  return cost === undefined ? {} : { usage: { cost } };
}

/** What the vendor charges, also for a video that it then withholds. */
function costOf(body: UncheckedRecord | undefined): VendorOutput['cost'] | undefined {
  const amount = readTicks(readRecord(body?.['usage'])?.['cost_in_usd_ticks'], tickPlaces);
  return amount === undefined ? undefined : { amount, currency: 'USD' };
}
