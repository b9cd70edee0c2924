import type { VendorResponse } from '../http.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import type { CancelFormat } from '../cancel-while-queued.ts';
import { isOwn } from '../own-response.ts';
import { createTaskReader } from '../poll-response.ts';
import { readCreation, type ErrorClass, type ErrorFormat, type VendorError } from '../refusal.ts';
import {
  known,
  readCode,
  readLink,
  readNumber,
  readRecord,
  readRoundedSeconds,
  readText,
  readWord,
  type UncheckedRecord,
} from '../vendor-value.ts';

/** The codes of all of the vendor's interfaces. */
const classOfCode: Readonly<Partial<Record<string, ErrorClass>>> = {
  1000: 'vendor',
  1001: 'vendor',
  1024: 'vendor',
  1033: 'vendor',
  1002: 'busy',
  1004: 'account',
  1008: 'account',
  2049: 'account',
  1026: 'moderation',
  1027: 'moderation',
  2013: 'invalid',
};

/** In front of the table of codes: what `error.type` says where a sentence comes without a code. */
const classOfType: Readonly<Partial<Record<string, ErrorClass>>> = {
  authorized_error: 'account',
  bad_request_error: 'invalid',
  rate_limit_error: 'busy',
  unprocessable_entity_error: 'invalid',
};

/** The vendor ends its sentences with the code: `input new_sensitive (1026)`. */
const codeAtEnd = /\s*\((\d{4})\)\s*$/;

/**
 * An error, which may stand in a response of any status:
 * `{"type":"error","error":{type,message,http_code}}`, with a code or with one at the end of the
 * sentence, or `{"base_resp":{status_code,status_msg}}` with another code than 0.
 */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const record = readRecord(body?.['error']);
  if (record !== undefined) {
    return asError(record['code'], { sentence: record['message'], type: record['type'] });
  }
  const base = readRecord(body?.['base_resp']);
  const code = readCode(base?.['status_code']);
  return code === undefined || code === '0'
    ? undefined
    : asError(code, { sentence: base?.['status_msg'], type: undefined });
}

function asError(
  code: unknown,
  { sentence, type }: { sentence: unknown; type: unknown },
): VendorError {
  const text = readText(sentence);
  return {
    code: readCode(code) ?? codeAtEnd.exec(text ?? '')?.[1],
    message: text?.replace(codeAtEnd, ''),
    type: readText(type),
  };
}

const lookUp = <Value>(
  table: Readonly<Partial<Record<string, Value>>>,
  key: string | undefined,
): Value | undefined => (key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined);

const classOfError = (error: VendorError | undefined): ErrorClass | undefined =>
  lookUp(classOfCode, error?.code) ?? lookUp(classOfType, error?.type);

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'model',
  'status',
  'content',
  'resolution',
  'duration',
  'ratio',
  'usage',
  'error',
  'created_at',
  'updated_at',
  'task_type',
  'modality',
  'base_resp',
];
const envelopeFields: readonly string[] = ['task', 'base_resp', 'request_id', 'trace_id'];

const errorFormat: ErrorFormat = {
  errorShapes: [
    { type: 'text', error: { message: 'text' } },
    { error: { type: 'text', message: 'text' } },
    { error: { code: 'code', message: 'text' } },
    { base_resp: { status_code: 'code' } },
  ],
  readError,
  classOfError,
};

/**
 * What the one create request led to. A task's id is an acceptance whatever stands beside it;
 * without one, a 200 may hold a refusal.
 */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, { ...errorFormat, idIn: ({ task_id: id }) => id });

/** A cancellation repeats the task, or has the older envelope. */
export const cancelFormat: CancelFormat = {
  ...errorFormat,
  isDone: (response) =>
    isOwn(response, [{ base_resp: { status_code: 'code' } }, { task_id: 'code', status: 'text' }]),
};

/** What the envelope says of an error counts where the task says nothing. */
function findTask(body: UncheckedRecord): UncheckedRecord | undefined {
  const task = readRecord(body['task']);
  return task === undefined ? undefined : { base_resp: body['base_resp'], ...task };
}

/** The vendor forgets a task after seven days: "invalid task_id", with bad-parameter's code. */
const isMissing = (error: VendorError): boolean =>
  classOfError(error) === 'invalid' && /\btask[ _]?id\b/i.test(error.message ?? '');

const taskReader = createTaskReader({
  fields,
  envelopeFields,
  noun: 'task',
  pendingStatuses: ['queued', 'running'],
  successStatus: 'succeeded',
  ...errorFormat,
  readOutput,
  findTask,
  isMissing,
});

/** The response to a poll of one task, which must be the task that was asked for. */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  taskReader.readResponse(response, { vendorTaskId });

/**
 * Each poll signs the link anew, so one that has run out is replaced by the next poll. The vendor
 * counts seconds, and no tokens.
 */
function readOutput(task: UncheckedRecord): VendorOutput | undefined {
  const videoUrl = readLink(readRecord(task['content'])?.['url']);
  if (videoUrl === undefined) return undefined;
  return {
    videoUrl,
    ...known({
      seconds: readRoundedSeconds(
        readNumber(task['duration']) ?? readRecord(task['usage'])?.['output_seconds'],
      ),
      ratio: readWord(task['ratio']),
      resolution: readWord(task['resolution'])?.toLowerCase(),
    }),
  };
}
