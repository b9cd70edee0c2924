import { isOwn } from '../own-response.ts';
import type { VendorResponse } from '../http.ts';
import { classIn, type ClassTable, type ErrorFormat, type VendorError } from '../refusal.ts';
import { readList, readRecord, readText, type UncheckedRecord } from '../vendor-value.ts';

/** `type` of a part of `detail`, or `error_type` beside a sentence; first match wins. */
const classOfType: ClassTable = [
  [/^content_policy_violation$/, 'moderation'],
  [
    /^(?:internal_\w+|generation_timeout|downstream_\w+|no_media_generated|runner_\w+|request_timeout|startup_timeout|bad_gateway|gateway_timeout|service_unavailable)$/,
    'vendor',
  ],
  [/^(?:concurrent_requests_limit|rate_limit\w*|too_many_requests)$/, 'busy'],
  [/^(?:client_disconnected|client_cancelled)$/, 'vendor'],
  [/^bad_request$/, 'invalid'],
  // Types of checks: value_error, image_too_small, file_download_error, unsupported_image_format…
  [
    /^(?:value_error\S*|type_error\S*|missing|\w+_too_\w+|\w+_parsing|\w+_type|file_\w+|image_\w+|video_\w+|audio_\w+|unsupported_\w+|invalid_\w+|greater_than\w*|less_than\w*|multiple_of|sequence_\w+|one_of|literal_error|enum|extra_forbidden|feature_not_supported|face_detection_error)$/,
    'invalid',
  ],
];

const classOfSentence: ClassTable = [
  [/exhausted balance|user is locked|billing/i, 'account'],
  [/concurrent requests? limit|rate limit/i, 'busy'],
];

/** `{detail:[{loc,msg,type}]}` of a model, `{detail,error_type}` of the queue. */
function readError(body: UncheckedRecord | undefined): VendorError | undefined {
  const sentence = readText(body?.['detail']);
  if (sentence !== undefined) {
    return { code: readText(body?.['error_type']), message: sentence };
  }
  const parts = (readList(body?.['detail']) ?? []).map(readRecord);
  // One flagged input makes it a matter of content, whatever else is wrong.
  const part =
    parts.find((one) => one?.['type'] === 'content_policy_violation') ??
    parts.find((one) => one !== undefined);
  return part === undefined
    ? undefined
    : { code: readText(part['type']), message: readText(part['msg']) };
}

export const errorFormat: ErrorFormat = {
  errorShapes: [{ detail: 'text' }, { detail: 'list' }],
  readError,
  classOfError: (error) =>
    classIn(classOfType, error?.code) ?? classIn(classOfSentence, error?.message),
};

/** The vendor's own error, and not a page of something in front of it. */
export const ownError = (response: VendorResponse): VendorError | undefined =>
  isOwn(response, errorFormat.errorShapes) ? readError(readRecord(response.json)) : undefined;
