import type { VendorResponse } from '../http.ts';
import type { PollOutcome, SubmitOutcome, VendorOutput } from '../port.ts';
import { createTaskReader, type PolledTask } from '../poll-response.ts';
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
  readNumber,
  readRecord,
  readRoundedSeconds,
  readText,
  type UncheckedRecord,
} from '../vendor-value.ts';
import { openaiVideosFormat } from './sizes.ts';

/**
 * Codes, first match wins. Hosts that speak the format write their own beside the original ones.
 */
const classOfCode: ClassTable = [
  [/moderation|content_policy|content_filter|safety|sensitive/i, 'moderation'],
  [
    /^(insufficient_quota|insufficient_user_quota|billing_\w+|invalid_api_key|invalid_organization|account_\w+|unknown_url|permission_\w+|authentication_\w+)$/i,
    'account',
  ],
  [/^model_not_found$/i, 'model'],
  [/^(rate_limit\w*|too_many_requests)$/i, 'busy'],
  [/^(server_error|internal_\w+|service_unavailable|video_generation_failed)$/i, 'vendor'],
  // Azure's word for a fault of the caller.
  [
    /^(invalid_\w+|missing_\w+|unsupported_\w+|unknown_parameter|video_generation_user_error)$/i,
    'invalid',
  ],
];

/** `{"error":{message,type,param,code}}` of a response, `{code,message}` of a video. */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const error = readRecord(body?.['error']);
  return error === undefined
    ? undefined
    : {
        code: readCode(error['code']),
        type: readCode(error['type']),
        message: readText(error['message']),
      };
}

/** `invalid_request_error` is the type of a wrong key and of a wrong address too. */
const classOfError = (error: VendorError | undefined): ErrorClass | undefined =>
  classIn(classOfCode, error?.code) ??
  (error?.type === 'invalid_request_error' ? undefined : classIn(classOfCode, error?.type));

/** What a task is shown with. */
const fields: readonly string[] = [
  'id',
  'object',
  'model',
  'status',
  'progress',
  'prompt',
  'created_at',
  'completed_at',
  'expires_at',
  'seconds',
  'size',
  'remixed_from_video_id',
  'error',
];

/** By code first: a 429 is a rate or an empty account. */
const errorFormat: ErrorFormat = {
  errorShapes: [
    { error: { message: 'text', type: 'code' } },
    { error: { message: 'text', code: 'code' } },
    // Hosts that speak the format are often written with FastAPI, which has these of its own.
    { detail: 'text' },
    { detail: 'list' },
  ],
  readError,
  classOfError,
};

/**
 * What the one create request led to. Whatever is not clearly an acceptance or a refusal is
 * `unknown`.
 */
export const readSubmitResponse = (response: VendorResponse): SubmitOutcome =>
  readCreation(response, { ...errorFormat, idIn: ({ id }) => id });

export interface PolledVideo extends PolledTask {
  /** Where the file of a completed video is: this format gives no link. */
  readonly contentUrl: string;
  readonly nowMs: number;
}

/**
 * "Completed" with an error is a failure, and so is one whose file the vendor has already removed.
 */
const videoReader = createTaskReader<PolledVideo>({
  fields,
  noun: 'video',
  // The last one is new-api's, which many put in front of the vendor.
  pendingStatuses: ['queued', 'in_progress', 'not_start'],
  successStatus: 'completed',
  ...errorFormat,
  readOutput,
  failsWithAnyError: true,
});

/** The response to a poll of one video, which must be the video that was asked for. */
export const readPollResponse = (response: VendorResponse, asked: PolledVideo): PollOutcome =>
  videoReader.readResponse(response, asked);

/** Length and size come as text; there is no seed and no count of tokens. */
function readOutput(
  video: UncheckedRecord,
  { contentUrl, nowMs }: PolledVideo,
): VendorOutput | undefined {
  const expiresAtSeconds = readNumber(video['expires_at']);
  if (expiresAtSeconds !== undefined && expiresAtSeconds * 1_000 <= nowMs) return undefined;
  return {
    videoUrl: contentUrl,
    ...known({
      seconds: readRoundedSeconds(video['seconds']),
      ...pictureOf(readText(video['size'])),
    }),
  };
}

/**
 * The resolution and the ratio that a size stands for; nothing for one that is not in the table.
 */
function pictureOf(size: string | undefined): { resolution?: string; ratio?: string } {
  const pictures = Object.entries(openaiVideosFormat.sizes).flatMap(([resolution, sizes]) =>
    Object.entries(sizes).map(([ratio, word]) => ({ resolution, ratio, word })),
  );
  const picture = pictures.find(({ word }) => word === size);
  return picture === undefined ? {} : { resolution: picture.resolution, ratio: picture.ratio };
}
