import { accessErrors, type ErrorSpec, type ErrorType } from './access-errors.ts';

export type { ErrorType };

const invalid = { type: 'invalid_request_error' } as const;

/** The one list of failures this suite can name over HTTP. docs/errors.md is checked against it. */
export const errorCatalogue = {
  invalid_json: {
    status: 400,
    ...invalid,
    meaning: 'The body is not JSON. Send one JSON object in UTF-8.',
  },
  invalid_parameter: {
    status: 400,
    ...invalid,
    meaning:
      'A field has a value that is not allowed. The message names the field and says what would be right.',
  },
  malformed_request: {
    status: 400,
    ...invalid,
    meaning: 'The request is not valid HTTP. Check the proxies between you and the gateway.',
  },
  unknown_parameter: {
    status: 400,
    ...invalid,
    meaning:
      'The request has an unknown field. Check its spelling; unknown fields are rejected so that a typo costs nothing.',
  },
  missing_parameter: { status: 400, ...invalid, meaning: 'A required field is missing.' },
  mixed_formats: {
    status: 400,
    ...invalid,
    meaning:
      '`content` was sent together with `prompt` or `references`. Use one of the two formats.',
  },
  conflicting_aliases: {
    status: 400,
    ...invalid,
    meaning:
      'Both names of an alias pair were sent (`ratio`/`aspect_ratio`, `watermark`/`aigc_watermark`). Send one.',
  },
  previous_response_not_found: {
    status: 400,
    ...invalid,
    meaning:
      'No response with this `previous_response_id` is kept for your account: it expired, was deleted, was sent with `store: false`, or this gateway keeps none. Send the whole conversation as `input`.',
  },
  unsupported_parameter: {
    status: 400,
    ...invalid,
    meaning:
      'The model cannot honour this field or value, or the operator does not pass it on because it costs extra or picks another tenant at the vendor. Leave it out or choose another model.',
  },
  invalid_callback_url: {
    status: 400,
    ...invalid,
    meaning:
      'The gateway cannot push to this `callback_url`. It must be https and public, without credentials or a fragment.',
  },
  context_length_exceeded: {
    status: 400,
    ...invalid,
    meaning: 'The prompt is longer than the model accepts.',
  },
  ...accessErrors,
  account_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such account (administration only).',
  },
  key_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such API key, or it is not this account’s.',
  },
  session_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such session of this key, or the request was made without one.',
  },
  task_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such task in this account.',
  },
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such model; the message lists the models.',
  },
  item_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning:
      'An item that `input` refers to is not kept for your account: it expired, was deleted, or came with `store: false`. Send the item itself.',
  },
  asset_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such asset in this account.',
  },
  endpoint_not_found: {
    status: 404,
    type: 'not_found_error',
    meaning: 'No such endpoint in this account.',
  },
  content_not_ready: {
    status: 404,
    type: 'not_found_error',
    meaning: 'The task has no such file (yet): it is not finished, or the file was not requested.',
  },
  route_not_found: { status: 404, type: 'not_found_error', meaning: 'No such route.' },
  method_not_allowed: {
    status: 405,
    ...invalid,
    meaning: 'The route exists, but not with this method; `Allow` lists those it accepts.',
  },
  request_timeout: {
    status: 408,
    ...invalid,
    meaning: 'The request took too long to arrive. Send it again over a faster connection.',
  },
  payload_too_large: {
    status: 413,
    ...invalid,
    meaning: 'The body is larger than the route accepts.',
  },
  unsupported_media_type: {
    status: 415,
    ...invalid,
    meaning:
      'The body is not `application/json` in UTF-8, or the file is not of a type that assets may have.',
  },
  range_not_satisfiable: {
    status: 416,
    ...invalid,
    meaning: 'The requested range is outside the file; `Content-Range` gives its size.',
  },
  precondition_failed: {
    status: 412,
    ...invalid,
    meaning: '`If-Match` or `If-Unmodified-Since` does not match the file.',
  },
  expectation_failed: {
    status: 417,
    ...invalid,
    meaning:
      'The request’s `Expect` header asks for something other than `100-continue`. Leave it out.',
  },
  headers_too_large: {
    status: 431,
    ...invalid,
    meaning: 'The headers of the request exceed 16 KiB in total. Send fewer or shorter ones.',
  },
  idempotency_key_reused: {
    status: 409,
    type: 'conflict_error',
    meaning:
      'This `Idempotency-Key` was used in the last 24 hours with another body, or for a task that has been deleted; or, at any time, for another top-up or adjustment.',
  },
  receipt_unavailable: {
    status: 409,
    type: 'conflict_error',
    meaning:
      'There are receipts of succeeded videos only, and only where the operator has set `RECEIPT_KEYS`. The message says which it is.',
  },
  not_cancellable: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The task has ended, or the vendor has it and can no longer cancel it.',
  },
  task_not_terminal: {
    status: 409,
    type: 'conflict_error',
    meaning: 'Only a finished task can be deleted. Cancel it first, or wait.',
  },
  no_callback: {
    status: 409,
    type: 'conflict_error',
    meaning:
      'The task was created without `callback_url`, or is archived: there is nothing to deliver.',
  },
  asset_quota_exceeded: {
    status: 409,
    type: 'conflict_error',
    meaning:
      'The account’s assets would exceed the bytes it may store. Delete assets that you no longer need.',
  },
  content_purged: {
    status: 410,
    type: 'not_found_error',
    meaning: 'The file was removed after its retention period.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    meaning: 'Too many requests. Wait for as long as `retry-after` says.',
  },
  endpoint_exists: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The account has an endpoint with this address already. Change that one.',
  },
  too_many_endpoints: {
    status: 409,
    type: 'conflict_error',
    meaning: 'The account has as many endpoints as it may have. Delete some, or ask the operator.',
  },
  too_many_keys: {
    status: 409,
    type: 'conflict_error',
    meaning:
      'The account has as many valid keys as it may make itself, or made as many within a day. Revoke some, or ask the operator.',
  },
  too_many_tasks: {
    status: 429,
    type: 'rate_limit_error',
    meaning: 'The account has reached its limit of unfinished tasks. Wait for one to finish.',
  },
  internal: {
    status: 500,
    type: 'internal_error',
    meaning: 'Something went wrong on our side. Quote the request id.',
  },
  overloaded: {
    status: 503,
    type: 'upstream_error',
    meaning:
      'The gateway has as much of this under way as it takes: bodies that fill its memory, or requests of one account that wait for each other. Nothing was done. Try again after `retry-after`.',
  },
  outcome_unknown: {
    status: 503,
    type: 'upstream_error',
    meaning:
      'A store of the gateway fell silent in the middle, and nobody can tell yet whether the video was created. The message names it: read it, or repeat the request with the same `Idempotency-Key`; without a key a repetition may make a second video.',
  },
  upstream_error: { status: 502, type: 'upstream_error', meaning: 'The vendor failed.' },
  upstream_unavailable: {
    status: 503,
    type: 'upstream_error',
    meaning: 'The vendor, or a store of the gateway, cannot be reached right now. Try again.',
  },
  billing_unavailable: {
    status: 503,
    type: 'upstream_error',
    meaning:
      'The reservation could not be made, or a finished task is not settled yet; nothing was changed. Try again.',
  },
  upstream_timeout: {
    status: 504,
    type: 'upstream_error',
    meaning: 'The vendor did not respond in time.',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof errorCatalogue;
