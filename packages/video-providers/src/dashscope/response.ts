import type { CancelFormat } from '../cancel-while-queued.ts';
import type { VendorResponse } from '../http.ts';
import { isOwn } from '../own-response.ts';
import { createTaskReader } from '../poll-response.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import {
  classIn,
  readCreation,
  type ClassTable,
  type ErrorClass,
  type ErrorFormat,
  type VendorError,
} from '../refusal.ts';
import {
  known,
  readCode,
  readLink,
  readNumber,
  readRecord,
  readRoundedSeconds,
  readText,
  readWholeNumber,
  readWord,
  type UncheckedRecord,
} from '../vendor-value.ts';

/** First match wins; the part after the first dot refines the class. */
const classOfCode: ClassTable = [
  [/^(DataInspection(Failed)?|IPInfringementSuspect)(\.|$)/i, 'moderation'],
  [/^(ModelNotFound|ModelNotExist|Model\.(AccessDenied|NotExist))(\.|$)/i, 'model'],
  [
    /^(InvalidApiKey|Arrearage|AccessDenied|AllocationQuota|Workspace\.?AccessDenied)(\.|$)/i,
    'account',
  ],
  [/^(Throttling|LimitRequests)(\.|$)/i, 'busy'],
  [/^(InternalError|SystemError|ServiceUnavailable|ModelServiceFailed)(\.|$)/i, 'vendor'],
  [/^(InvalidParameter|InvalidURL|BadRequest|InvalidFile|InvalidImage)(\.|$)/i, 'invalid'],
];

/** What moderation says where its code is another. */
const moderationWords = /green net|data inspection|inappropriate content/i;

/** A task that the vendor knows no more, never knew, or has from somebody else: with a 200. */
const unknownTask = 'UNKNOWN';

/** `{code,message}` of a response or of a failed task; a task that is not known is an error too. */
function readError(record: UncheckedRecord | undefined): VendorError | undefined {
  const output = readRecord(record?.['output']);
  if (output?.['task_status'] === unknownTask) {
    return { code: unknownTask, message: readText(output['message']) };
  }
  const code = readText(record?.['code']);
  return code === undefined ? undefined : { code, message: readText(record?.['message']) };
}

const classOfError = (error: VendorError | undefined): ErrorClass | undefined =>
  moderationWords.test(error?.message ?? '') ? 'moderation' : classIn(classOfCode, error?.code);

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'status',
  'usage',
  'task_id',
  'task_status',
  'video_url',
  'submit_time',
  'scheduled_time',
  'end_time',
  'orig_prompt',
  'actual_prompt',
  'code',
  'message',
  'check_audio',
];
const envelopeFields: readonly string[] = ['output', 'usage', 'request_id'];

const errorFormat: ErrorFormat = {
  errorShapes: [{ code: 'text', message: 'text' }, { output: { task_status: 'text' } }],
  readError,
  classOfError,
};

/** What the one create request led to. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, {
    ...errorFormat,
    idIn: ({ output }) => readRecord(output)?.['task_id'],
  });

/** A success with nothing in it but the number of the request; proxies add a sentence. */
export const cancelFormat: CancelFormat = {
  ...errorFormat,
  isDone: (response) => isOwn(response, [{ request_id: 'code', message: 'absent' }]),
};

/** The task with what is used for it, which stands beside it. */
function findTask(body: UncheckedRecord): UncheckedRecord | undefined {
  const task = readRecord(body['output']);
  return (
    task && { ...task, id: task['task_id'], status: task['task_status'], usage: body['usage'] }
  );
}

const taskReader = createTaskReader({
  fields,
  envelopeFields,
  noun: 'task',
  // The vendor's own client knows the last one.
  pendingStatuses: ['pending', 'running', 'suspended'],
  successStatus: 'succeeded',
  ...errorFormat,
  readOutput,
  findTask,
  isMissing: ({ code }) => code === unknownTask,
});

/** The response to a poll of one task, which must be the task that was asked for. */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  taskReader.readResponse(response, { vendorTaskId });

/** What is charged is `usage.duration`: output and input together, which may be a fraction. */
function readOutput(task: UncheckedRecord): VendorOutput | undefined {
  const videoUrl = readLink(task['video_url']);
  if (videoUrl === undefined) return undefined;
  const usage = readRecord(task['usage']) ?? {};
  const lines = readWholeNumber(readCode(usage['SR'])?.replace(/p$/i, ''), 1);
  const charged = readNumber(usage['duration']);
  return {
    videoUrl,
    ...known({
      seconds: readRoundedSeconds(usage['output_video_duration'] ?? charged),
      chargedSeconds: charged !== undefined && charged > 0 ? charged : undefined,
      resolution: lines === undefined ? undefined : `${lines}p`,
      ratio: readWord(usage['video_ratio'] ?? usage['ratio']),
    }),
  };
}
