import { openaiVideosFormat } from '@gateway/contracts';
import { describeAnswer, type VendorAnswer } from '../http.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { classByStatus, failureOf, isSuccess, notAccepted, type ErrorClass, type VendorError } from '../refusal.ts';
import { known, readCode, readNumber, readRecord, readText, readVendorTaskId, readWholeNumber, type UncheckedRecord } from '../vendor-value.ts';
import { logText } from '../vendor-text.ts';

/** Codes, first match wins. Hosts that speak the format write their own beside the original ones. */
const classOfCode: readonly (readonly [code: RegExp, errorClass: ErrorClass])[] = [
  [/moderation|content_policy|content_filter|safety|sensitive/i, 'moderation'],
  [/^(insufficient_quota|insufficient_user_quota|billing_\w+|invalid_api_key|invalid_organization|account_\w+|model_not_found|unknown_url|permission_\w+|authentication_\w+)$/i, 'account'],
  [/^(rate_limit\w*|too_many_requests)$/i, 'busy'],
  [/^(server_error|internal_\w+|service_unavailable|video_generation_failed)$/i, 'vendor'],
  // Azure's word for a fault of the caller.
  [/^(invalid_\w+|missing_\w+|unsupported_\w+|unknown_parameter|video_generation_user_error)$/i, 'invalid'],
];

interface VideoError extends VendorError {
  readonly type: string | undefined;
}

/** `{"error":{message,type,param,code}}` of an answer, `{code,message}` of a video. */
function readError(body: UncheckedRecord | undefined): VideoError | undefined {
  const error = readRecord(body?.['error']);
  return error === undefined ? undefined : { code: readCode(error['code']), type: readCode(error['type']), message: readText(error['message']) };
}

const classNamed = (word: string | undefined): ErrorClass | undefined => (word === undefined ? undefined : classOfCode.find(([pattern]) => pattern.test(word))?.[1]);

/** `invalid_request_error` is the type of a wrong key and of a wrong address too. */
const classOfError = (error: VideoError | undefined): ErrorClass | undefined =>
  classNamed(error?.code) ?? (error?.type === 'invalid_request_error' ? undefined : classNamed(error?.type));

/** What the one create request led to. Whatever is not clearly an acceptance or a refusal is `unknown`. */
export function readSubmitAnswer(answer: VendorAnswer): SubmitOutcome {
  const body = readRecord(answer.json);
  const vendorTaskId = isSuccess(answer.status) ? readVendorTaskId(body?.['id']) : undefined;
  if (vendorTaskId !== undefined) return { kind: 'accepted', vendorTaskId };
  if (answer.status < 400) return { kind: 'unknown', detail: describeAnswer(answer) };
  const error = readError(body);
  // By code first: a 429 is a rate or an empty account.
  return notAccepted(answer, { errorClass: classOfError(error) ?? classByStatus(answer), error });
}

/** What is asked beside the answer. */
export interface PollContext {
  readonly vendorTaskId: string;
  /** Where the file of a completed video is: this format gives no link. */
  readonly contentUrl: string;
  readonly nowMs: number;
}

type StatusReader = (video: UncheckedRecord, context: PollContext) => PollOutcome;

/** A status that is not in the table counts as still running. */
const statusReaders: Readonly<Partial<Record<string, StatusReader>>> = {
  queued: (video) => pending(video),
  in_progress: (video) => pending(video),
  completed: readCompleted,
  failed: (video) => ended(classOfError(readError(video)) ?? 'vendor', video),
  expired: (video) => ({ kind: 'failed', failure: 'expired', detail: describeVideo(video) }),
  cancelled: (video) => ({ kind: 'failed', failure: 'cancelled', detail: describeVideo(video) }),
  canceled: (video) => ({ kind: 'failed', failure: 'cancelled', detail: describeVideo(video) }),
};

/** One look at a video, which must be the video that was asked for. */
export function readPollAnswer(answer: VendorAnswer, context: PollContext): PollOutcome {
  const video = readRecord(answer.json);
  // A 404 page of a proxy in between says nothing about the video: only the vendor's own error body does.
  if (answer.status === 404 && readError(video) !== undefined) return { kind: 'missing', detail: describeAnswer(answer) };
  const status = isSuccess(answer.status) ? readText(video?.['status']) : undefined;
  const isAnother = video?.['id'] !== undefined && readCode(video['id']) !== context.vendorTaskId;
  if (video === undefined || status === undefined || isAnother) return { kind: 'error', detail: describeAnswer(answer), ...known({ retryAfterMs: answer.retryAfterMs }) };
  return statusReader(status)(video, context);
}

const statusReader = (status: string): StatusReader => {
  const name = status.toLowerCase();
  return (Object.hasOwn(statusReaders, name) ? statusReaders[name] : undefined) ?? pending;
};

const pending = (video: UncheckedRecord): PollOutcome => ({ kind: 'pending', vendorStatus: (readText(video['status']) ?? '').toLowerCase().slice(0, 64) });

const ended = (errorClass: ErrorClass, video: UncheckedRecord): PollOutcome => ({
  kind: 'failed', ...failureOf(errorClass, { error: readError(video), detail: describeVideo(video) }),
});

/** "Completed" with an error is a failure, and so is one whose file the vendor has already removed. */
function readCompleted(video: UncheckedRecord, { contentUrl, nowMs }: PollContext): PollOutcome {
  if (readError(video) !== undefined) return ended(classOfError(readError(video)) ?? 'vendor', video);
  const expiresAtSeconds = readNumber(video['expires_at']);
  const isGone = expiresAtSeconds !== undefined && expiresAtSeconds * 1_000 <= nowMs;
  return isGone ? { kind: 'failed', failure: 'no_output', detail: describeVideo(video) } : { kind: 'succeeded', output: readOutput(video, contentUrl) };
}

/** Length and size come as text; there is no seed and no count of tokens. */
function readOutput(video: UncheckedRecord, videoUrl: string): VendorOutput {
  const seconds = readNumber(video['seconds']);
  return {
    videoUrl,
    ...known({ seconds: seconds === undefined ? undefined : readWholeNumber(Math.round(seconds), 1), ...pictureOf(readText(video['size'])) }),
  };
}

/** The resolution and the ratio that a size stands for; nothing for one that is not in the table. */
function pictureOf(size: string | undefined): { resolution?: string; ratio?: string } {
  const pictures = Object.entries(openaiVideosFormat.sizes).flatMap(([resolution, sizes]) => Object.entries(sizes).map(([ratio, word]) => ({ resolution, ratio, word })));
  const picture = pictures.find(({ word }) => word === size);
  return picture === undefined ? {} : { resolution: picture.resolution, ratio: picture.ratio };
}

const describeVideo = (video: UncheckedRecord): string => {
  const error = readError(video);
  return logText(['video', readCode(video['id']) ?? '?', readText(video['status']) ?? '?', error?.code ?? '', error?.message ?? ''].join(' '));
};
