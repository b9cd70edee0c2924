import type { TaskFailureCode } from '@gateway/domain';
import { describeResponse, type VendorResponse } from './http.ts';
import type { PollOutcome, VendorOutput } from './port.ts';
import { failureOf, isSuccess, type ErrorClass, type VendorError } from './refusal.ts';
import { logText } from './vendor-text.ts';
import { known, readCode, readRecord, readText, type UncheckedRecord } from './vendor-value.ts';

/** The task that a poll asks about. */
export interface PolledTask {
  readonly vendorTaskId: string;
}

/** How one wire format shows a task: what differs between the formats, and nothing else. */
export interface TaskFormat<Asked extends PolledTask> {
  /** The vendor's word for a task, for the log. */
  readonly noun: string;
  /** The status of a task whose video is made. */
  readonly successStatus: string;
  /** The error that an answer or a task holds. */
  readonly readError: (record: UncheckedRecord | undefined) => VendorError | undefined;
  /** What an error's code and type mean; undefined when they are in no table. */
  readonly classOfError: (error: VendorError | undefined) => ErrorClass | undefined;
  /** The video of a task that succeeded; undefined without a file. */
  readonly readOutput: (task: UncheckedRecord, asked: Asked) => VendorOutput | undefined;
  /** Where an answer has its task; without this the answer is the task. */
  readonly findTask?: (body: UncheckedRecord) => UncheckedRecord | undefined;
  /** Whether an error that is no 404 says that the vendor does not know the task. */
  readonly isMissing?: (error: VendorError) => boolean;
  /**
   * In a format where an error makes a failure of a success, file or not. Elsewhere the file
   * decides.
   */
  readonly failsWithAnyError?: boolean;
}

export interface TaskReader<Asked extends PolledTask> {
  /**
   * One task as the vendor shows it, alone or in a list. Undefined for another task than the one
   * asked for, and for one without a status.
   */
  readTask(task: UncheckedRecord, asked: Asked): PollOutcome | undefined;
  /** The whole answer to a poll of one task. */
  readAnswer(answer: VendorResponse, asked: Asked): PollOutcome;
}

/** The statuses, the same in every format, that end a task without saying why. */
const failureOfStatus: ReadonlyMap<string, TaskFailureCode> = new Map([
  ['expired', 'expired'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
]);

/** Reads the answers to polls. A status that is not known counts as still running. */
export const createTaskReader = <Asked extends PolledTask>(
  format: TaskFormat<Asked>,
): TaskReader<Asked> => ({
  readTask: (task, asked) => readTask(format, task, asked),
  readAnswer: (answer, asked) => readAnswer(format, answer, asked),
});

function readAnswer<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  answer: VendorResponse,
  asked: Asked,
): PollOutcome {
  const { readError, findTask = (body: UncheckedRecord) => body } = format;
  const body = readRecord(answer.json);
  if (saysMissing(format, answer, readError(body))) {
    return { kind: 'missing', detail: describeResponse(answer) };
  }
  const task = body === undefined || !isSuccess(answer.status) ? undefined : findTask(body);
  const outcome = task === undefined ? undefined : readTask(format, task, asked);
  return (
    outcome ?? {
      kind: 'error',
      detail: describeResponse(answer),
      ...known({ retryAfterMs: answer.retryAfterMs }),
    }
  );
}

/**
 * A 404 page of a proxy in between says nothing about the task: only the vendor's own error body
 * does.
 */
const saysMissing = (
  { isMissing = () => false }: Pick<TaskFormat<never>, 'isMissing'>,
  { status }: VendorResponse,
  error: VendorError | undefined,
): boolean => error !== undefined && (status === 404 || isMissing(error));

function readTask<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  task: UncheckedRecord,
  asked: Asked,
): PollOutcome | undefined {
  const status = readText(task['status'])?.toLowerCase();
  const isAnother = task['id'] !== undefined && readCode(task['id']) !== asked.vendorTaskId;
  if (status === undefined || isAnother) return undefined;
  if (status === format.successStatus) return succeeded(format, task, asked);
  if (status === 'failed') return failedByError(format, task);
  const failure = failureOfStatus.get(status);
  return failure === undefined
    ? { kind: 'pending', vendorStatus: status.slice(0, 64) }
    : { kind: 'failed', failure, detail: describeTask(format, task) };
}

/**
 * A success without a file is a failure: of moderation when an error says so, else without a reason
 * that the vendor would know.
 */
function succeeded<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  task: UncheckedRecord,
  asked: Asked,
): PollOutcome {
  const { readError, classOfError, readOutput, failsWithAnyError = false } = format;
  const error = readError(task);
  if (failsWithAnyError && error !== undefined) return failedByError(format, task);
  const output = readOutput(task, asked);
  if (output !== undefined) return { kind: 'succeeded', output };
  return classOfError(error) === 'moderation'
    ? failedByError(format, task)
    : { kind: 'failed', failure: 'no_output', detail: describeTask(format, task) };
}

/** What reading an error takes, whatever else the format asks. */
type ErrorFormat = Pick<TaskFormat<never>, 'noun' | 'readError' | 'classOfError'>;

function failedByError(format: ErrorFormat, task: UncheckedRecord): PollOutcome {
  const error = format.readError(task);
  const detail = describeTask(format, task);
  return {
    kind: 'failed',
    ...failureOf(format.classOfError(error) ?? 'vendor', { error, detail }),
  };
}

function describeTask({ noun, readError }: ErrorFormat, task: UncheckedRecord): string {
  const error = readError(task);
  return logText(
    [
      noun,
      readCode(task['id']) ?? '?',
      readText(task['status']) ?? '?',
      error?.code ?? '',
      error?.message ?? '',
    ].join(' '),
  );
}
