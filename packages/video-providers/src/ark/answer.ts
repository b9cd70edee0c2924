import { describeAnswer, type VendorAnswer } from '../http.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { classByStatus, failureOf, isSuccess, notAccepted, type ErrorClass, type VendorError } from '../refusal.ts';
import { known, readCode, readLink, readList, readNumber, readRecord, readText, readVendorTaskId, readWholeNumber, readWord, type UncheckedRecord } from '../vendor-value.ts';
import { logText } from '../vendor-text.ts';

/** Ark's dotted codes, first match wins. The part after the first dot only refines the class. */
const classOfCode: readonly (readonly [code: RegExp, errorClass: ErrorClass])[] = [
  [/SensitiveContentDetected|RiskDetection|^ContentSecurityDetectionError$/i, 'moderation'],
  [/^(AuthenticationError|InvalidAccountStatus|AccessDenied|OperationDenied|AccountOverdueError|QuotaExceeded|SetLimitExceeded)(\.|$)/i, 'account'],
  // The model or endpoint that the operator configured does not exist, is closed or not opened for the account.
  [/^(InvalidEndpoint|InvalidEndpointOrModel|ModelNotOpen|NotFound)(\.|$)/i, 'account'],
  [/RateLimitExceeded(\.|$)|^(RequestBurstTooFast|InflightBatchsizeExceeded|ServerOverloaded)(\.|$)/i, 'busy'],
  [/^(MissingParameter|InvalidParameter|InvalidImageURL)(\.|$)/i, 'invalid'],
  [/^InternalServiceError(\.|$)/i, 'vendor'],
];

/** `{"error":{code,message}}`; a list item may have `failure_reason` in its place, as an object or as bare text. */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const written = body?.['error'] ?? body?.['failure_reason'];
  const record = readRecord(written);
  if (record !== undefined) return { code: readCode(record['code']), message: readText(record['message']) };
  const text = readText(written);
  return text === undefined ? undefined : { code: /^[\w.]+$/.test(text) ? text : undefined, message: text };
}

const classOfError = (error: VendorError | undefined): ErrorClass | undefined => {
  const code = error?.code;
  return code === undefined ? undefined : classOfCode.find(([pattern]) => pattern.test(code))?.[1];
};

/** By code first: one status means several things (429 is a rate, a spending cap or an overload). */
const classOfRefusal = (answer: VendorAnswer, error: VendorError | undefined): ErrorClass | undefined => classOfError(error) ?? classByStatus(answer);

const readTaskId = (body: UncheckedRecord | undefined): string | undefined => readVendorTaskId(body?.['id']);

/** What the one create request led to. Whatever is not clearly an acceptance or a refusal is `unknown`. */
export function readSubmitAnswer(answer: VendorAnswer): SubmitOutcome {
  if (isSuccess(answer.status)) {
    const vendorTaskId = readTaskId(readRecord(answer.json));
    return vendorTaskId === undefined ? { kind: 'unknown', detail: describeAnswer(answer) } : { kind: 'accepted', vendorTaskId };
  }
  const error = readError(readRecord(answer.json));
  return notAccepted(answer, { errorClass: answer.status < 400 ? undefined : classOfRefusal(answer, error), error });
}

/** A status that is not in the table counts as still running. */
const statusReaders: Readonly<Partial<Record<string, (task: UncheckedRecord) => PollOutcome>>> = {
  queued: (task) => pending(task),
  running: (task) => pending(task),
  succeeded: readSucceeded,
  failed: (task) => ended(classOfError(readError(task)) ?? 'vendor', task),
  expired: (task) => ({ kind: 'failed', failure: 'expired', detail: describeTask(task) }),
  cancelled: (task) => ({ kind: 'failed', failure: 'cancelled', detail: describeTask(task) }),
  canceled: (task) => ({ kind: 'failed', failure: 'cancelled', detail: describeTask(task) }),
};

/** One look at a task, which must be the task that was asked for. */
export function readPollAnswer(answer: VendorAnswer, vendorTaskId: string): PollOutcome {
  const task = readRecord(answer.json);
  // A 404 page of a proxy in between says nothing about the task: only the vendor's own error body does.
  if (answer.status === 404 && readError(task) !== undefined) return { kind: 'missing', detail: describeAnswer(answer) };
  const status = isSuccess(answer.status) ? readText(task?.['status']) : undefined;
  const isAnother = task?.['id'] !== undefined && readCode(task['id']) !== vendorTaskId;
  if (task === undefined || status === undefined || isAnother) return { kind: 'error', detail: describeAnswer(answer), ...known({ retryAfterMs: answer.retryAfterMs }) };
  return statusReader(status)(task);
}

const statusReader = (status: string): ((task: UncheckedRecord) => PollOutcome) => {
  const name = status.toLowerCase();
  return (Object.hasOwn(statusReaders, name) ? statusReaders[name] : undefined) ?? pending;
};

const pending = (task: UncheckedRecord): PollOutcome => ({ kind: 'pending', vendorStatus: (readText(task['status']) ?? '').toLowerCase().slice(0, 64) });

const ended = (errorClass: ErrorClass, task: UncheckedRecord): PollOutcome => ({
  kind: 'failed', ...failureOf(errorClass, { error: readError(task), detail: describeTask(task) }),
});

/** "Succeeded" without a file is a failure: of moderation when an error says so, else without a reason that the vendor would know. */
function readSucceeded(task: UncheckedRecord): PollOutcome {
  const content = readRecord(task['content']);
  const videoUrl = readLink(content?.['video_url']);
  if (videoUrl !== undefined) return { kind: 'succeeded', output: readOutput(task, videoUrl) };
  if (classOfError(readError(task)) === 'moderation') return ended('moderation', task);
  return { kind: 'failed', failure: 'no_output', detail: describeTask(task) };
}

function readOutput(task: UncheckedRecord, videoUrl: string): VendorOutput {
  const usage = readRecord(task['usage']);
  return {
    videoUrl,
    ...known({
      lastFrameUrl: readLink(readRecord(task['content'])?.['last_frame_url']),
      seconds: readSeconds(task),
      ratio: readWord(task['ratio']),
      resolution: readWord(task['resolution']),
      seed: readWholeNumber(task['seed'], -1),
      completionTokens: readWholeNumber(usage?.['completion_tokens']),
      totalTokens: readWholeNumber(usage?.['total_tokens']),
    }),
  };
}

/** Ark reports either `duration` or `frames`; by its own rule the length is then frames/24, rounded down. */
function readSeconds(task: UncheckedRecord): number | undefined {
  const duration = readNumber(task['duration']);
  const frames = readNumber(task['frames']);
  if (duration !== undefined) return readWholeNumber(Math.round(duration), 1);
  return frames === undefined ? undefined : readWholeNumber(Math.floor(frames / 24), 1);
}

const describeTask = (task: UncheckedRecord): string => {
  const error = readError(task);
  return logText(['task', readCode(task['id']) ?? '?', readText(task['status']) ?? '?', error?.code ?? '', error?.message ?? ''].join(' '));
};

export interface ArkListItem {
  readonly vendorTaskId: string;
  readonly correlation: string | undefined;
  readonly createdAtMs: number | undefined;
}

export interface ArkListPage {
  readonly kind: 'page';
  /** Those that can be read. */
  readonly items: readonly ArkListItem[];
  readonly itemCount: number;
  /** Of all pages, as far as the vendor says; else 0. */
  readonly total: number;
}

export type ArkListOutcome =
  | ArkListPage
  | { readonly kind: 'error'; readonly detail: string; readonly retryAfterMs?: number };

/** One page of `GET /contents/generations/tasks`, which shows the last seven days. */
export function readListAnswer(answer: VendorAnswer): ArkListOutcome {
  const page = isSuccess(answer.status) ? readRecord(answer.json) : undefined;
  const items = readList(page?.['items']);
  if (items === undefined) return { kind: 'error', detail: describeAnswer(answer), ...known({ retryAfterMs: answer.retryAfterMs }) };
  return { kind: 'page', items: items.flatMap(readListItem), itemCount: items.length, total: readWholeNumber(page?.['total']) ?? 0 };
}

function readListItem(value: unknown): ArkListItem[] {
  const item = readRecord(value);
  const vendorTaskId = readTaskId(item);
  const createdAtSeconds = readNumber(item?.['created_at']);
  if (vendorTaskId === undefined) return [];
  return [{ vendorTaskId, correlation: readText(item?.['safety_identifier']), createdAtMs: createdAtSeconds === undefined ? undefined : createdAtSeconds * 1_000 }];
}
