import type { CancelFormat } from '../cancel-while-queued.ts';
import type { VendorResponse } from '../http.ts';
import { isOwn } from '../own-response.ts';
import { createTaskReader, type PolledTask } from '../poll-response.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import {
  classIn,
  readCreation,
  type ClassTable,
  type ErrorFormat,
  type VendorError,
} from '../refusal.ts';
import {
  readCode,
  readLink,
  readList,
  readRecord,
  readText,
  type UncheckedRecord,
} from '../vendor-value.ts';

const classOfCode: ClassTable = [
  [
    /^(AuditSubmitIllegal|AuditFailed|PhotoAuditNotPass|TaskPromptPolicyViolation|CreationPolicyViolation)$/i,
    'moderation',
  ],
  [/^(CreditInsufficient|Unauthorized|Forbidden)$/i, 'account'],
  [/^ModelUnavailable$/i, 'model'],
  [/^(QuotaExceeded|TooManyRequests|SystemThrottling|OperationInProcess)$/i, 'busy'],
  [/^(InternalServiceFailure|Conflict|Unknown)$/i, 'vendor'],
  [
    /^(BadRequest|Field\w+|PageSizeOutOfRange|\w*FaceDetect\w*|(Image|Video|Audio)\w+)$/i,
    'invalid',
  ],
];

const notFound = /^(TaskNotFound|CreationNotFound|NotFound)$/i;

/** `{code,reason,message}` of a response, where `code` may be a number; `{err_code}` of a task. */
function readError(record: UncheckedRecord | undefined): VendorError | undefined {
  const code =
    readText(record?.['reason']) ?? readText(record?.['err_code']) ?? readText(record?.['code']);
  const message = readText(record?.['message']) ?? readText(record?.['err_msg']);
  return code === undefined ? undefined : { code, message };
}

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'status',
  'task_id',
  'state',
  'err_code',
  'err_msg',
  'credits',
  'payload',
  'creations',
  'model',
  'created_at',
  'bgm',
  'off_peak',
  'cus_priority',
];

const errorFormat: ErrorFormat = {
  errorShapes: [
    { reason: 'text', message: 'text' },
    { reason: 'text', code: 'code' },
    { err_code: 'text' },
    { code: 'text', message: 'text' },
  ],
  readError,
  classOfError: (error) => classIn(classOfCode, error?.code),
};

/** What the one create request led to. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, { ...errorFormat, idIn: ({ task_id: id }) => id });

/** A success is an object with nothing in it; what stands in front of the vendor says more. */
export const cancelFormat: CancelFormat = {
  ...errorFormat,
  isDone: (response) =>
    isOwn(response, [{ message: 'absent', error: 'absent', timestamp: 'absent' }]),
};

/** How a task ends that was called off. */
const calledOff = 'UserCancelled';

/** A task that the response need not name, with its status where the others have it. */
const findTask = (body: UncheckedRecord, { vendorTaskId }: PolledTask): UncheckedRecord => ({
  ...body,
  id: readCode(body['task_id']) ?? readCode(body['id']) ?? vendorTaskId,
  status: body['err_code'] === calledOff ? 'cancelled' : body['state'],
});

const taskReader = createTaskReader({
  fields,
  noun: 'task',
  pendingStatuses: ['created', 'queueing', 'processing'],
  successStatus: 'success',
  ...errorFormat,
  readOutput,
  findTask,
  isMissing: ({ code }) => notFound.test(code ?? ''),
});

/**
 * The response to a poll of one task. It may name no task, and then counts for the one that was
 * asked for.
 */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  taskReader.readResponse(response, { vendorTaskId });

/** Credits are charged, whose worth depends on the contract. */
function readOutput(task: UncheckedRecord): VendorOutput | undefined {
  const videoUrl = (readList(task['creations']) ?? [])
    .map((creation) => readLink(readRecord(creation)?.['url']))
    .find((url) => url !== undefined);
  return videoUrl === undefined ? undefined : { videoUrl };
}
