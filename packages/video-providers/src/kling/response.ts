import type { VendorResponse } from '../http.ts';
import type { FindOutcome, PollManyOutcome, PollOutcome, SubmitOutcome } from '../port.ts';
import type { VendorOutput, VendorUsage } from '../port.ts';
import { describeResponse } from '../http.ts';
import { readMoney } from '../money.ts';
import { readManyTasks } from '../poll-many.ts';
import { createTaskReader } from '../poll-response.ts';
import {
  isSuccess,
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
  readList,
  readRecord,
  readRoundedSeconds,
  readText,
  readVendorTaskId,
  type UncheckedRecord,
} from '../vendor-value.ts';

/** First match wins; a 429 is a rate, an empty account or a list of addresses. */
const classOfCode: ClassTable = [
  [/^(100[0-4]|110[0-3]|1304)$/, 'account'],
  [/^120[01]$/, 'invalid'],
  // The model is part of the path.
  [/^120[23]$/, 'model'],
  [/^130[01]$/, 'moderation'],
  [/^130[23]$/, 'busy'],
  [/^500\d$/, 'vendor'],
];

/** A failed task has a sentence and no code: only the sentence tells that content was refused. */
const moderationWords = /risk control|sensitive|moderat|content policy|safety|violat|prohibited/i;

/** The code of a list without the task that it was asked for. */
const notListed = 'not_listed';
const missingCodes: readonly string[] = ['1203', notListed];

/** Of the envelope, where every code but 0 is an error whatever the status; or of a failed task. */
function readError(record: UncheckedRecord | undefined): VendorError | undefined {
  if (record === undefined) return undefined;
  const message = readText(record['message']);
  if (readText(record['status']) !== undefined) {
    return record['status'] === 'failed' ? { code: undefined, message } : undefined;
  }
  const code = readCode(record['code']);
  if (code !== undefined && code !== '0') return { code, message };
  const isEmpty = readList(record['data'])?.length === 0;
  return isEmpty ? { code: notListed, message: 'the list is empty' } : undefined;
}

function classOfError(error: VendorError | undefined): ErrorClass | undefined {
  if (error === undefined) return undefined;
  const { code, message } = error;
  if (code !== undefined) return classIn(classOfCode, code);
  return moderationWords.test(message ?? '') ? 'moderation' : 'vendor';
}

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'status',
  'message',
  'create_time',
  'update_time',
  'external_id',
  'outputs',
  'billing',
];
const envelopeFields: readonly string[] = ['code', 'message', 'request_id', 'data'];

const errorFormat: ErrorFormat = {
  errorShapes: [{ code: 'code' }],
  readError,
  classOfError,
};

/** What the one create request led to: only a task's id is an acceptance. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, {
    ...errorFormat,
    idIn: ({ code, data }) => (readCode(code) === '0' ? readRecord(data)?.['id'] : undefined),
  });

/** The older interface spells the word differently. */
const asTask = (task: UncheckedRecord): UncheckedRecord =>
  task['status'] === 'succeed' ? { ...task, status: 'succeeded' } : task;

const listed = (body: UncheckedRecord | undefined): readonly unknown[] | undefined =>
  readCode(body?.['code']) === '0' ? readList(body?.['data']) : undefined;

function findTask(body: UncheckedRecord): UncheckedRecord | undefined {
  const task = readRecord(listed(body)?.[0]);
  return task && asTask(task);
}

const taskReader = createTaskReader({
  fields,
  envelopeFields,
  noun: 'task',
  pendingStatuses: ['submitted', 'processing'],
  successStatus: 'succeeded',
  ...errorFormat,
  readOutput,
  findTask,
  isMissing: ({ code }) => code !== undefined && missingCodes.includes(code),
});

/** The response to a poll of one task, which must be the task that was asked for. */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  taskReader.readResponse(response, { vendorTaskId });

/** The tasks of a list that was asked for by id. */
export const readManyResponse = (
  response: VendorResponse,
  asked: readonly string[],
): PollManyOutcome =>
  readManyTasks(response, {
    items: isSuccess(response.status) ? listed(readRecord(response.json)) : undefined,
    asked,
    readTask: (task, vendorTaskId) => taskReader.readTask(asTask(task), { vendorTaskId }),
  });

/** A list that was asked for by our name of a task; that a name is used once, nobody checks. */
export function readFindResponse(response: VendorResponse, correlation: string): FindOutcome {
  const body = isSuccess(response.status) ? readRecord(response.json) : undefined;
  const items = listed(body);
  if (items === undefined) {
    return {
      kind: 'error',
      detail: describeResponse(response),
      ...known({ retryAfterMs: response.retryAfterMs }),
    };
  }
  const found = items.flatMap((item) => {
    const task = readRecord(item);
    const id = readVendorTaskId(task?.['id']);
    return id === undefined || task?.['external_id'] !== correlation ? [] : [id];
  });
  const [first, ...others] = new Set(found);
  if (first === undefined) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'found', vendorTaskId: first }
    : { kind: 'several', vendorTaskIds: [first, ...others] };
}

function readOutput(task: UncheckedRecord): VendorOutput | undefined {
  const video = (readList(task['outputs']) ?? [])
    .map(readRecord)
    .find((output) => output?.['type'] === 'video');
  const videoUrl = readLink(video?.['url']);
  if (videoUrl === undefined) return undefined;
  return {
    videoUrl,
    ...known({ seconds: readRoundedSeconds(video?.['duration']), cost: readCost(task) }),
  };
}

/** The sum of what was taken in money; of units nothing says what they are worth. */
function readCost(task: UncheckedRecord): VendorUsage['cost'] {
  const [charge, ...others] = (readList(task['billing']) ?? []).map(readRecord);
  return charge?.['charge_type'] === 'cash' && others.length === 0
    ? readMoney(charge['amount'], charge['currency'])
    : undefined;
}
