import { describeResponse, type VendorResponse } from '../http.ts';
import type { PollManyOutcome, PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { unknownResponse } from '../drift.ts';
import type { CancelFormat } from '../cancel-while-queued.ts';
import { readManyTasks } from '../poll-many.ts';
import { createTaskReader } from '../poll-response.ts';
import {
  isSuccess,
  notAccepted,
  classIn,
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
  readNumber,
  readRecord,
  readRoundedSeconds,
  readText,
  readVendorTaskId,
  readWholeNumber,
  readWord,
  type UncheckedRecord,
} from '../vendor-value.ts';

/** Ark's dotted codes, first match wins. The part after the first dot only refines the class. */
const classOfCode: ClassTable = [
  [/SensitiveContentDetected|RiskDetection|^ContentSecurityDetectionError$/i, 'moderation'],
  [
    /^(AuthenticationError|InvalidAccountStatus|AccessDenied|OperationDenied|AccountOverdueError|QuotaExceeded|SetLimitExceeded)(\.|$)/i,
    'account',
  ],
  // The model or endpoint that the operator configured does not exist, is closed or not opened for
  // the account.
  [/^(InvalidEndpoint|InvalidEndpointOrModel|ModelNotOpen|NotFound)(\.|$)/i, 'model'],
  [
    /RateLimitExceeded(\.|$)|^(RequestBurstTooFast|InflightBatchsizeExceeded|ServerOverloaded)(\.|$)/i,
    'busy',
  ],
  [/^(MissingParameter|InvalidParameter|InvalidImageURL)(\.|$)/i, 'invalid'],
  [/^InternalServiceError(\.|$)/i, 'vendor'],
];

/**
 * `{"error":{code,message}}`; a list item may have `failure_reason` in its place, as an object or
 * as bare text.
 */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const written = body?.['error'] ?? body?.['failure_reason'];
  const record = readRecord(written);
  if (record !== undefined) {
    return { code: readCode(record['code']), message: readText(record['message']) };
  }
  const text = readText(written);
  return text === undefined
    ? undefined
    : { code: /^[\w.]+$/.test(text) ? text : undefined, message: text };
}

const classOfError = (error: VendorError | undefined): ErrorClass | undefined =>
  classIn(classOfCode, error?.code);

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'model',
  'status',
  'error',
  'failure_reason',
  'content',
  'usage',
  'created_at',
  'updated_at',
  'seed',
  'resolution',
  'ratio',
  'duration',
  'frames',
  'framespersecond',
  'generate_audio',
  'draft',
  'draft_task_id',
  'service_tier',
  'execution_expires_after',
  'priority',
  'tools',
  'safety_identifier',
  'output_format',
  'revised_prompt',
  'subdivisionlevel',
  'fileformat',
  'return_last_frame',
  'watermark',
  'camera_fixed',
  'callback_url',
  'omni_reference_task_type',
];

/** By code first: one status means several things (429 is a rate, a spending cap or an overload). */
const errorFormat: ErrorFormat = {
  errorShapes: [
    { error: { code: 'code', message: 'text' } },
    { error: { type: 'text', message: 'text' } },
  ],
  readError,
  classOfError,
};

/** A cancellation is a 204 without a body. */
export const cancelFormat: CancelFormat = {
  ...errorFormat,
  isDone: ({ status }) => status === 204,
};

const readTaskId = (body: UncheckedRecord | undefined): string | undefined =>
  readVendorTaskId(body?.['id']);

/**
 * What the one create request led to. Whatever is not clearly an acceptance or a refusal is
 * `unknown`.
 */
export function readSubmitResponse(response: VendorResponse): SubmitOutcome {
  if (isSuccess(response.status)) {
    const vendorTaskId = readTaskId(readRecord(response.json));
    return vendorTaskId === undefined
      ? { kind: 'unknown', detail: describeResponse(response), ...unknownResponse(response) }
      : { kind: 'accepted', vendorTaskId };
  }
  return notAccepted(response, errorFormat);
}

const taskReader = createTaskReader({
  fields,
  noun: 'task',
  pendingStatuses: ['queued', 'running'],
  successStatus: 'succeeded',
  ...errorFormat,
  readOutput,
});

/**
 * One task, alone or of a list. Undefined when it is not the task that was asked for, or has no
 * status.
 */
export const readTask = (task: UncheckedRecord, vendorTaskId: string): PollOutcome | undefined =>
  taskReader.readTask(task, { vendorTaskId });

/** The response to a poll of one task, which must be the task that was asked for. */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  taskReader.readResponse(response, { vendorTaskId });

function readOutput(task: UncheckedRecord): VendorOutput | undefined {
  const content = readRecord(task['content']);
  const usage = readRecord(task['usage']);
  const videoUrl = readLink(content?.['video_url']);
  if (videoUrl === undefined) return undefined;
  return {
    videoUrl,
    ...known({
      lastFrameUrl: readLink(content?.['last_frame_url']),
      seconds: readSeconds(task),
      ratio: readWord(task['ratio']),
      resolution: readWord(task['resolution']),
      seed: readWholeNumber(task['seed'], -1),
      completionTokens: readWholeNumber(usage?.['completion_tokens']),
      totalTokens: readWholeNumber(usage?.['total_tokens']),
    }),
  };
}

/**
 * Ark reports either `duration` or `frames`; by its own rule the length is then frames/24, rounded
 * down.
 */
function readSeconds(task: UncheckedRecord): number | undefined {
  const frames = readNumber(task['frames']);
  if (readNumber(task['duration']) !== undefined) return readRoundedSeconds(task['duration']);
  return frames === undefined ? undefined : readWholeNumber(Math.floor(frames / 24), 1);
}

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
  ArkListPage | { readonly kind: 'error'; readonly detail: string; readonly retryAfterMs?: number };

/** One page of `GET /contents/generations/tasks`, which shows the last seven days. */
export function readListResponse(response: VendorResponse): ArkListOutcome {
  const page = isSuccess(response.status) ? readRecord(response.json) : undefined;
  const items = readList(page?.['items']);
  if (items === undefined) {
    return {
      kind: 'error',
      detail: describeResponse(response),
      ...known({ retryAfterMs: response.retryAfterMs }),
    };
  }
  return {
    kind: 'page',
    items: items.flatMap(readListItem),
    itemCount: items.length,
    total: readWholeNumber(page?.['total']) ?? 0,
  };
}

function readListItem(value: unknown): ArkListItem[] {
  const item = readRecord(value);
  const vendorTaskId = readTaskId(item);
  const createdAtSeconds = readNumber(item?.['created_at']);
  if (vendorTaskId === undefined) return [];
  return [
    {
      vendorTaskId,
      correlation: readText(item?.['safety_identifier']),
      createdAtMs: createdAtSeconds === undefined ? undefined : createdAtSeconds * 1_000,
    },
  ];
}

/** A page that was asked for certain ids. */
export function readManyResponse(
  response: VendorResponse,
  asked: readonly string[],
): PollManyOutcome {
  const page = isSuccess(response.status) ? readRecord(response.json) : undefined;
  return readManyTasks(response, { items: readList(page?.['items']), asked, readTask });
}
