import type { CancelFormat } from '../cancel-while-queued.ts';
import type { VendorResponse } from '../http.ts';
import { createTaskReader } from '../poll-response.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import {
  classIn,
  readCreation,
  type ClassTable,
  type ErrorFormat,
  type VendorError,
} from '../refusal.ts';
import {
  known,
  readLink,
  readList,
  readNumber,
  readRecord,
  readText,
  type UncheckedRecord,
} from '../vendor-value.ts';

/** `failureCode` of a task, by its first segments: what follows is for diagnosis only. */
const classOfCode: ClassTable = [
  [/^SAFETY\b/, 'moderation'],
  [/^(?:INPUT_PREPROCESSING|ASSET)\b.*\bSAFETY\b/, 'moderation'],
  [/^(?:INPUT_PREPROCESSING|ASSET)\b/, 'invalid'],
  [/^(?:INTERNAL|THIRD_PARTY)\b/, 'vendor'],
];

/** A refusal has a sentence and no code. */
const classOfSentence: ClassTable = [
  [/moderation|safety|content policy/i, 'moderation'],
  [/\bcredits?\b/i, 'account'],
];

/** `{error}` of a response, `{failureCode,failure}` of a task. */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const code = readText(body?.['failureCode']);
  const message = readText(body?.['failure']) ?? readText(body?.['error']);
  return code === undefined && message === undefined ? undefined : { code, message };
}

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'status',
  'createdAt',
  'progress',
  'output',
  'failure',
  'failureCode',
  'estimatedCost',
  'cost',
];

const errorFormat: ErrorFormat = {
  // Web frameworks have an `error` too, between a time and a path.
  errorShapes: [{ error: 'text', timestamp: 'absent', path: 'absent' }],
  readError,
  classOfError: (error) =>
    error?.code === undefined
      ? classIn(classOfSentence, error?.message)
      : classIn(classOfCode, error.code),
};

/** What the one create request led to. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, { ...errorFormat, idIn: ({ id }) => id });

/** A cancellation has no body. */
export const cancelFormat: CancelFormat = {
  ...errorFormat,
  isDone: ({ status }) => status === 204,
};

/** A throttled task waits for one of the account's slots. */
export const cancellableStatuses = ['pending', 'throttled', 'running'] as const;

const taskReader = createTaskReader({
  fields,
  noun: 'task',
  pendingStatuses: cancellableStatuses,
  successStatus: 'succeeded',
  ...errorFormat,
  readOutput,
});

/** The response to a poll of one task. Each poll gives fresh links, for a day or two. */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  taskReader.readResponse(response, { vendorTaskId });

/** A credit is a cent. Older versions of the interface do not say what a task has cost. */
function readOutput(task: UncheckedRecord): VendorOutput | undefined {
  const videoUrl = (readList(task['output']) ?? []).map(readLink).find((url) => url !== undefined);
  return videoUrl === undefined ? undefined : { videoUrl, ...known({ cost: costOf(task) }) };
}

function costOf(task: UncheckedRecord): VendorOutput['cost'] | undefined {
  const credits = readNumber(readRecord(task['cost'])?.['credits'] ?? task['cost']);
  return credits === undefined || credits < 0
    ? undefined
    : { amount: (credits / 100).toFixed(4), currency: 'USD' };
}
