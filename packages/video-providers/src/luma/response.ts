import type { VendorResponse } from '../http.ts';
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
import { readLink, readList, readRecord, readText, type UncheckedRecord } from '../vendor-value.ts';

/** `failure_code` of a generation. */
const classOfCode: ReadonlyMap<string, ErrorClass> = new Map([
  ['content_moderated', 'moderation'],
  ['generation_failed', 'vendor'],
  ['output_not_found', 'vendor'],
  ['budget_exhausted', 'account'],
]);

/**
 * Responses have sentences and no codes; the first that fits counts, then the status. The service
 * that fetches images works before anything is created, so nothing is lost by asking again.
 */
const classOfSentence: ClassTable = [
  [/moderat|content policy/i, 'moderation'],
  [/ingestion unavailable/i, 'busy'],
  [/\bmodel\b.*\b(?:not found|not available|unknown|does not exist|unsupported)/i, 'model'],
  [/\b(?:unknown|unsupported|invalid) model\b/i, 'model'],
];

/** `{detail}` of a response, `{failure_code,failure_reason}` of a generation. */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const code = readText(body?.['failure_code']);
  const message = readText(body?.['failure_reason']) ?? sentenceOf(body?.['detail']);
  return code === undefined && message === undefined ? undefined : { code, message };
}

/** A sentence, or the list of fields that FastAPI writes. */
const sentenceOf = (detail: unknown): string | undefined =>
  readText(detail) ??
  readList(detail)
    ?.map((part) => readText(readRecord(part)?.['msg']))
    .find((text) => text !== undefined);

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'type',
  'state',
  'status',
  'model',
  'created_at',
  'output',
  'failure_reason',
  'failure_code',
];

const errorFormat: ErrorFormat = {
  errorShapes: [{ detail: 'text' }, { detail: 'list' }],
  readError,
  classOfError: (error) =>
    error?.code === undefined
      ? classIn(classOfSentence, error?.message)
      : classOfCode.get(error.code),
};

/** What the one create request led to: 201 with the generation. */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, { ...errorFormat, idIn: ({ id }) => id });

const generationReader = createTaskReader({
  fields,
  noun: 'generation',
  pendingStatuses: ['queued', 'processing'],
  successStatus: 'completed',
  ...errorFormat,
  readOutput,
  findTask: (body) => ({ ...body, status: body['state'] }),
});

/** The response to a poll of one generation. Each poll signs the link anew, for an hour. */
export const readPollResponse = (response: VendorResponse, vendorTaskId: string): PollOutcome =>
  generationReader.readResponse(response, { vendorTaskId });

/** The vendor says neither the length nor the size of what it made. */
function readOutput(generation: UncheckedRecord): VendorOutput | undefined {
  const files = (readList(generation['output']) ?? []).map(readRecord);
  const videoUrl = files
    .filter((file) => (readText(file?.['type']) ?? 'video') === 'video')
    .map((file) => readLink(file?.['url']))
    .find((url) => url !== undefined);
  return videoUrl === undefined ? undefined : { videoUrl };
}
