import type { CancelFormat } from '../cancel-while-queued.ts';
import { describeResponse, type VendorResponse } from '../http.ts';
import { createTaskReader, type PolledTask } from '../poll-response.ts';
import type {
  FileOutcome,
  PollOutcome,
  SubmitOutcome,
  VendorOutput,
  VendorUsage,
} from '../port.ts';
import {
  classIn,
  isSuccess,
  readCreation,
  type ClassTable,
  type ErrorClass,
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
  readWholeNumber,
  type UncheckedRecord,
} from '../vendor-value.ts';

/** A finished task with words in place of a video: what it says is why there is none. */
const onlyWords = 'ONLY_WORDS';
/** Ends that the vendor has words of its own for. */
const failedStatuses: readonly string[] = ['incomplete', 'budget_exceeded', 'requires_action'];

const classOfCode: ClassTable = [
  [/^(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|ONLY_WORDS)$/, 'moderation'],
  [/^(UNAUTHENTICATED|PERMISSION_DENIED|FAILED_PRECONDITION|BUDGET_EXCEEDED)$/, 'account'],
  [/^NOT_FOUND$/, 'model'],
  [/^RESOURCE_EXHAUSTED$/, 'busy'],
  [
    /^(INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED|ABORTED|INCOMPLETE|REQUIRES_ACTION)$/,
    'vendor',
  ],
  [/^(INVALID_ARGUMENT|OUT_OF_RANGE|UNIMPLEMENTED)$/, 'invalid'],
];

/** What a sentence says goes before its code, which for all of these is one of bad parameters. */
const classOfSentence: ClassTable = [
  [/\bblocked\b.*\b(safety|polic)|\b(safety|polic)\w*\b.*\bblocked\b/is, 'moderation'],
  [/api key not valid|api key expired/i, 'account'],
];

/** `{error:{code,message,status}}`, where a code may be no more than the number of the response. */
function readError(record: UncheckedRecord | undefined): VendorError | undefined {
  const error = readRecord(record?.['error']);
  if (error === undefined) return undefined;
  const code = readText(error['status']) ?? readText(error['code']);
  return {
    code: code === undefined || /^\d+$/.test(code) ? undefined : code.toUpperCase(),
    message: readText(error['message']),
  };
}

const classOfError = (error: VendorError | undefined): ErrorClass | undefined =>
  classIn(classOfSentence, error?.message) ?? classIn(classOfCode, error?.code);

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'object',
  'model',
  'status',
  'created',
  'updated',
  'steps',
  'usage',
  'error',
  'role',
  'labels',
  'agent',
  'previous_interaction_id',
  'response_format',
  'generation_config',
  'service_tier',
  'background',
  'store',
];

const errorFormat: ErrorFormat = {
  errorShapes: [
    { error: { message: 'text', code: 'code' } },
    { error: { message: 'text', status: 'text' } },
  ],
  readError,
  classOfError,
};

/** What stands in front of the vendor writes its errors as a list of one. */
function unlisted(response: VendorResponse): VendorResponse {
  const [first] = readList(response.json) ?? [];
  return readRecord(first) === undefined ? response : { ...response, json: first };
}

/** What the one create request led to. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(unlisted(response), { ...errorFormat, idIn: ({ id }) => id });

/** A cancellation repeats the task. */
export const cancelFormat: CancelFormat = {
  ...errorFormat,
  isDone: ({ json }) => readText(readRecord(json)?.['status'])?.toLowerCase() === 'cancelled',
};

export interface PolledInteraction extends PolledTask {
  /** Where the response stands that the file may be a part of. */
  readonly url: string;
}

/** The parts of what the model said, of one type. */
const partsOf = (task: UncheckedRecord, type: string): UncheckedRecord[] =>
  recordsOf(task['steps'], 'model_output').flatMap((step) => recordsOf(step['content'], type));

const recordsOf = (list: unknown, type: string): UncheckedRecord[] =>
  (readList(list) ?? []).map(readRecord).flatMap((one) => (one?.['type'] === type ? [one] : []));

const videoPart = (task: UncheckedRecord): UncheckedRecord | undefined =>
  partsOf(task, 'video').find(({ uri, data }) => readLink(uri) ?? readText(data));

const videoTokens = (task: UncheckedRecord): number =>
  (readList(readRecord(task['usage'])?.['output_tokens_by_modality']) ?? [])
    .map(readRecord)
    .filter((one) => readText(one?.['modality'])?.toLowerCase() === 'video')
    .reduce((sum, one) => sum + (readNumber(one?.['tokens']) ?? 0), 0);

/** A task in the words of the others: an end of this vendor's own becomes a failure that it names. */
function findTask(task: UncheckedRecord): UncheckedRecord {
  const status = readText(task['status'])?.toLowerCase() ?? '';
  if (failedStatuses.includes(status)) {
    return { ...task, status: 'failed', error: task['error'] ?? { code: status } };
  }
  // With tokens of a video one was made, and charged: then it is we who do not see it.
  const hasNone = videoPart(task) === undefined && videoTokens(task) === 0;
  if (status !== 'completed' || !hasNone || readRecord(task['error']) !== undefined) return task;
  const message = partsOf(task, 'text')
    .map(({ text }) => readText(text) ?? '')
    .join(' ')
    .trim();
  return { ...task, error: { code: onlyWords, message } };
}

const interactionReader = createTaskReader<PolledInteraction>({
  fields,
  noun: 'interaction',
  pendingStatuses: ['queued', 'in_progress'],
  successStatus: 'completed',
  ...errorFormat,
  readOutput,
  readUsage: (task) => (videoTokens(task) > 0 ? usageOf(task) : undefined),
  findTask,
  // A 404 is not what this vendor says of an id that it does not know.
  isMissing: ({ message }) => /invalid interaction (name|id)/i.test(message ?? ''),
});

/** The response to a poll of one interaction. */
export const readPollResponse = (response: VendorResponse, asked: PolledInteraction): PollOutcome =>
  interactionReader.readResponse(unlisted(response), asked);

/** The vendor charges tokens, and says how many. */
function usageOf(task: UncheckedRecord): VendorUsage {
  const usage = readRecord(task['usage']) ?? {};
  return known({
    completionTokens: readWholeNumber(usage['total_output_tokens']),
    totalTokens: readWholeNumber(usage['total_tokens']),
  });
}

/** A link was asked for; the vendor may put the file into the response all the same. */
function readOutput(task: UncheckedRecord, { url }: PolledInteraction): VendorOutput | undefined {
  const part = videoPart(task);
  if (part === undefined) return undefined;
  const link = readLink(part['uri']);
  return link === undefined
    ? { videoUrl: url, isInline: true, ...usageOf(task) }
    : { videoUrl: downloadOf(link, url), ...usageOf(task) };
}

/** Without `alt` the vendor describes a file of its own in place of sending it. */
function downloadOf(link: string, base: string): string {
  const url = new URL(link);
  if (url.origin !== new URL(base).origin || url.searchParams.has('alt')) return link;
  url.searchParams.set('alt', 'media');
  return url.href;
}

/** The file in the response to a poll. */
export function readFileIn(response: VendorResponse): FileOutcome {
  const task = isSuccess(response.status) ? readRecord(response.json) : undefined;
  const data = readText((task && videoPart(task))?.['data']);
  const bytes = data === undefined ? undefined : Buffer.from(data, 'base64');
  return bytes === undefined || bytes.length === 0
    ? { kind: 'error', detail: describeResponse(response) }
    : { kind: 'file', bytes };
}
