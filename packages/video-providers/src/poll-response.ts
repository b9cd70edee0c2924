import type { TaskFailureCode } from '@gateway/domain';
import { unknownError, unknownFields, unknownResponse, unknownStatus } from './drift.ts';
import { describeResponse, type VendorResponse } from './http.ts';
import type { PollOutcome, VendorOutput, VendorUsage } from './port.ts';
import { isOwn } from './own-response.ts';
import { failureOf, isSuccess, type ErrorFormat, type VendorError } from './refusal.ts';
import { logText } from './vendor-text.ts';
import { known, readCode, readRecord, readText, type UncheckedRecord } from './vendor-value.ts';

/** The task that a poll asks about. */
export interface PolledTask {
  readonly vendorTaskId: string;
}

/** How one wire format shows a task: what differs between the formats, and nothing else. */
export interface TaskFormat<Asked extends PolledTask> extends ErrorFormat {
  /** The vendor's word for a task, for the log. */
  readonly noun: string;
  /** The fields of a task that are known; another one changes nothing, and is told. */
  readonly fields: readonly string[];
  /** The same of what stands around a task; without this nothing does. */
  readonly envelopeFields?: readonly string[];
  /** The statuses of a task that is being made. */
  readonly pendingStatuses: readonly string[];
  /** The status of a task whose video is made. */
  readonly successStatus: string;
  /** The video of a task that succeeded; undefined without a file. */
  readonly readOutput: (task: UncheckedRecord, asked: Asked) => VendorOutput | undefined;
  /** Of a vendor that charges for failures too: what it says of that. */
  readonly readUsage?: (task: UncheckedRecord) => VendorUsage | undefined;
  /** Where a response has its task; without this the response is the task. */
  readonly findTask?: (body: UncheckedRecord, asked: Asked) => UncheckedRecord | undefined;
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
   * asked for, and for one without an id or a status.
   */
  readTask(task: UncheckedRecord, asked: Asked): PollOutcome | undefined;
  /** The whole response to a poll of one task. */
  readResponse(response: VendorResponse, asked: Asked): PollOutcome;
}

/** The statuses, the same in every format, that end a task without saying why. */
const failureOfStatus: ReadonlyMap<string, TaskFailureCode> = new Map([
  ['expired', 'expired'],
  ['cancelled', 'cancelled'],
  ['canceled', 'cancelled'],
]);

/** Reads the responses to polls. A status that is not known counts as still running. */
export const createTaskReader = <Asked extends PolledTask>(
  format: TaskFormat<Asked>,
): TaskReader<Asked> => ({
  readTask: (task, asked) => readTask(format, task, asked),
  readResponse: (response, asked) => readResponse(format, response, asked),
});

function readResponse<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  response: VendorResponse,
  asked: Asked,
): PollOutcome {
  const body = readRecord(response.json);
  const error = format.readError(body);
  if (saysMissing(format, response, error)) {
    return { kind: 'missing', detail: describeResponse(response) };
  }
  const outcome =
    body !== undefined && isSuccess(response.status)
      ? readEnvelope(format, body, asked)
      : undefined;
  return (
    outcome ?? {
      kind: 'error',
      detail: describeResponse(response),
      ...known({ retryAfterMs: response.retryAfterMs }),
      ...(isSuccess(response.status) && error === undefined ? unknownResponse(response) : {}),
    }
  );
}

/** The task that a response holds, with what is new around it. */
function readEnvelope<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  body: UncheckedRecord,
  asked: Asked,
): PollOutcome | undefined {
  const { findTask = (all: UncheckedRecord) => all, envelopeFields } = format;
  const task = findTask(body, asked);
  const outcome = task && readTask(format, task, asked);
  return outcome && envelopeFields !== undefined
    ? { ...unknownFields(body, envelopeFields), ...outcome }
    : outcome;
}

/** Only an error of the vendor's own does: a page says nothing about the task. */
const saysMissing = (
  { errorShapes, isMissing = () => false }: Pick<TaskFormat<never>, 'errorShapes' | 'isMissing'>,
  response: VendorResponse,
  error: VendorError | undefined,
): boolean =>
  error !== undefined &&
  isOwn(response, errorShapes) &&
  (response.status === 404 || isMissing(error));

function readTask<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  task: UncheckedRecord,
  asked: Asked,
): PollOutcome | undefined {
  const status = readText(task['status'])?.toLowerCase();
  if (status === undefined || readCode(task['id']) !== asked.vendorTaskId) return undefined;
  return { ...unknownFields(task, format.fields), ...readStatus(format, { task, status }, asked) };
}

function readStatus<Asked extends PolledTask>(
  format: TaskFormat<Asked>,
  { task, status }: { readonly task: UncheckedRecord; readonly status: string },
  asked: Asked,
): PollOutcome {
  if (status === format.successStatus) return succeeded(format, task, asked);
  if (status === 'failed') return failedByError(format, task);
  const failure = failureOfStatus.get(status);
  return failure === undefined
    ? {
        kind: 'pending',
        vendorStatus: status.slice(0, 64),
        ...(format.pendingStatuses.includes(status) ? {} : unknownStatus(status)),
      }
    : { kind: 'failed', failure, detail: describeTask(format, task), ...usageIn(format, task) };
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
    : {
        kind: 'failed',
        failure: 'no_output',
        detail: describeTask(format, task),
        ...usageIn(format, task),
      };
}

type NamedFormat = Pick<TaskFormat<never>, 'noun' | 'readError' | 'classOfError' | 'readUsage'>;

const usageIn = ({ readUsage }: NamedFormat, task: UncheckedRecord) =>
  known({ usage: readUsage?.(task) });

function failedByError(format: NamedFormat, task: UncheckedRecord): PollOutcome {
  const error = format.readError(task);
  const detail = describeTask(format, task);
  const errorClass = format.classOfError(error);
  return {
    kind: 'failed',
    ...failureOf(errorClass ?? 'vendor', { error, detail }),
    ...usageIn(format, task),
    ...(errorClass === undefined ? unknownError(error?.code) : {}),
  };
}

function describeTask({ noun, readError }: NamedFormat, task: UncheckedRecord): string {
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
