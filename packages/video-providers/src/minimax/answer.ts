import { describeAnswer, type VendorAnswer } from '../http.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { classByStatus, failureOf, isSuccess, notAccepted, type ErrorClass, type VendorError } from '../refusal.ts';
import { known, readCode, readLink, readNumber, readRecord, readText, readVendorTaskId, readWholeNumber, readWord, type UncheckedRecord } from '../vendor-value.ts';
import { logText } from '../vendor-text.ts';

/** The codes of all of the vendor's interfaces. */
const classOfCode: Readonly<Partial<Record<string, ErrorClass>>> = {
  1000: 'vendor', 1001: 'vendor', 1024: 'vendor', 1033: 'vendor',
  1002: 'busy',
  1004: 'account', 1008: 'account', 2049: 'account',
  1026: 'moderation', 1027: 'moderation',
  2013: 'invalid',
};

/** In front of the table of codes: what `error.type` says where a sentence comes without a code. */
const classOfType: Readonly<Partial<Record<string, ErrorClass>>> = {
  authorized_error: 'account', bad_request_error: 'invalid', rate_limit_error: 'busy', unprocessable_entity_error: 'invalid',
};

interface MiniMaxError extends VendorError {
  readonly type: string | undefined;
}

/** The vendor ends its sentences with the code: `input new_sensitive (1026)`. */
const codeAtEnd = /\s*\((\d{4})\)\s*$/;

/**
 * An error, which may stand in an answer of any status: `{"type":"error","error":{type,message,http_code}}`, with a code or with one
 * at the end of the sentence, or `{"base_resp":{status_code,status_msg}}` with another code than 0.
 */
function readError(body: UncheckedRecord | undefined): MiniMaxError | undefined {
  const record = readRecord(body?.['error']);
  if (record !== undefined) return asError(record['code'], { sentence: record['message'], type: record['type'] });
  const base = readRecord(body?.['base_resp']);
  const code = readCode(base?.['status_code']);
  return code === undefined || code === '0' ? undefined : asError(code, { sentence: base?.['status_msg'], type: undefined });
}

function asError(code: unknown, { sentence, type }: { sentence: unknown; type: unknown }): MiniMaxError {
  const text = readText(sentence);
  return { code: readCode(code) ?? codeAtEnd.exec(text ?? '')?.[1], message: text?.replace(codeAtEnd, ''), type: readText(type) };
}

const lookUp = <Value>(table: Readonly<Partial<Record<string, Value>>>, key: string | undefined): Value | undefined =>
  key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

const classOfError = (error: MiniMaxError | undefined): ErrorClass | undefined => lookUp(classOfCode, error?.code) ?? lookUp(classOfType, error?.type);

/** What the one create request led to. A task's id is an acceptance whatever stands beside it; without one, a 200 may hold a refusal. */
export function readSubmitAnswer(answer: VendorAnswer): SubmitOutcome {
  const body = readRecord(answer.json);
  const vendorTaskId = isSuccess(answer.status) ? readVendorTaskId(body?.['task_id']) : undefined;
  if (vendorTaskId !== undefined) return { kind: 'accepted', vendorTaskId };
  const error = readError(body);
  const isAnswerOfVendor = isSuccess(answer.status) || answer.status >= 400;
  return notAccepted(answer, { errorClass: isAnswerOfVendor ? classOfError(error) ?? classByStatus(answer) : undefined, error });
}

/** Whether the answer to a `DELETE` holds an error although its status is a success. */
export const isRefusalInside = ({ status, json }: VendorAnswer): boolean => isSuccess(status) && readError(readRecord(json)) !== undefined;

/** A status that is not in the table counts as still running. */
const statusReaders: Readonly<Partial<Record<string, (task: UncheckedRecord) => PollOutcome>>> = {
  succeeded: readSucceeded,
  failed: (task) => ended(classOfError(readError(task)) ?? 'vendor', task),
  expired: (task) => ({ kind: 'failed', failure: 'expired', detail: describeTask(task) }),
  cancelled: (task) => ({ kind: 'failed', failure: 'cancelled', detail: describeTask(task) }),
  canceled: (task) => ({ kind: 'failed', failure: 'cancelled', detail: describeTask(task) }),
};

/** One look at a task, which must be the task that was asked for. */
export function readPollAnswer(answer: VendorAnswer, vendorTaskId: string): PollOutcome {
  const body = readRecord(answer.json);
  if (saysMissing(answer, readError(body))) return { kind: 'missing', detail: describeAnswer(answer) };
  const task = isSuccess(answer.status) ? readTask(body, vendorTaskId) : undefined;
  if (task === undefined) return { kind: 'error', detail: describeAnswer(answer), ...known({ retryAfterMs: answer.retryAfterMs }) };
  return lookUp(statusReaders, task.status)?.(task.record) ?? { kind: 'pending', vendorStatus: task.status.slice(0, 64) };
}

/** Undefined for another task, and for one without a status. What the envelope says of an error counts where the task says nothing. */
function readTask(body: UncheckedRecord | undefined, vendorTaskId: string): { readonly record: UncheckedRecord; readonly status: string } | undefined {
  const record = readRecord(body?.['task']);
  const status = readText(record?.['status']);
  const isAnother = record?.['id'] !== undefined && readCode(record['id']) !== vendorTaskId;
  return record === undefined || status === undefined || isAnother ? undefined : { record: { base_resp: body?.['base_resp'], ...record }, status: status.toLowerCase() };
}

/** A 404 page of a proxy says nothing about the task. The vendor forgets a task after seven days: "invalid task_id", with bad-parameter's code. */
const saysMissing = ({ status }: VendorAnswer, error: MiniMaxError | undefined): boolean =>
  error !== undefined && (status === 404 || (classOfError(error) === 'invalid' && /\btask[ _]?id\b/i.test(error.message ?? '')));

const ended = (errorClass: ErrorClass, task: UncheckedRecord): PollOutcome => ({
  kind: 'failed', ...failureOf(errorClass, { error: readError(task), detail: describeTask(task) }),
});

/** "Succeeded" without a file is a failure: of moderation when an error says so, else without a reason that the vendor would know. */
function readSucceeded(task: UncheckedRecord): PollOutcome {
  const videoUrl = readLink(readRecord(task['content'])?.['url']);
  if (videoUrl !== undefined) return { kind: 'succeeded', output: readOutput(task, videoUrl) };
  if (classOfError(readError(task)) === 'moderation') return ended('moderation', task);
  return { kind: 'failed', failure: 'no_output', detail: describeTask(task) };
}

/** Each look signs the link anew, so one that has run out is replaced by the next look. The vendor counts seconds, and no tokens. */
function readOutput(task: UncheckedRecord, videoUrl: string): VendorOutput {
  const seconds = readNumber(task['duration']) ?? readNumber(readRecord(task['usage'])?.['output_seconds']);
  return {
    videoUrl,
    ...known({
      seconds: seconds === undefined ? undefined : readWholeNumber(Math.round(seconds), 1),
      ratio: readWord(task['ratio']),
      resolution: readWord(task['resolution'])?.toLowerCase(),
    }),
  };
}

const describeTask = (task: UncheckedRecord): string => {
  const error = readError(task);
  return logText(['task', readCode(task['id']) ?? '?', readText(task['status']) ?? '?', error?.code ?? '', error?.message ?? ''].join(' '));
};
