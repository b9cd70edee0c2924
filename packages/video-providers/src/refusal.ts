import type { TaskFailureCode } from '@gateway/domain';
import { unknownError, unknownResponse, type MayDrift } from './drift.ts';
import { describeResponse, type VendorResponse } from './http.ts';
import type { SubmitOutcome } from './port.ts';
import { isOwn, isRefusedInFront, type Shape } from './own-response.ts';
import { cleanReason } from './vendor-text.ts';
import { known, readRecord, readVendorTaskId, type UncheckedRecord } from './vendor-value.ts';

/**
 * What a vendor's error means for us; every wire format has its own table from codes to these.
 * `account` and `model` are the operator's: the vendor would serve nobody, or nobody with this model.
 */
export type ErrorClass = 'invalid' | 'moderation' | 'account' | 'model' | 'busy' | 'vendor';

/** An error as the vendor wrote it, once it is found in the response. */
export interface VendorError {
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** The vendor's kind of error, in a format that has kinds beside the codes. */
  readonly type?: string | undefined;
}

/** From a code or a sentence to its class: the first pattern that fits counts. */
export type ClassTable = readonly (readonly [pattern: RegExp, errorClass: ErrorClass])[];

/** Undefined for no text, and for one that is not in the table. */
export const classIn = (table: ClassTable, text: string | undefined): ErrorClass | undefined =>
  text === undefined ? undefined : table.find(([pattern]) => pattern.test(text))?.[1];

/** How one wire format tells of errors. */
export interface ErrorFormat {
  /** By which an error is known as the vendor's own. */
  readonly errorShapes: readonly Shape[];
  /** The error that a response or a task holds. */
  readonly readError: (record: UncheckedRecord | undefined) => VendorError | undefined;
  /** What an error's code and type mean; undefined when they are in no table. */
  readonly classOfError: (error: VendorError | undefined) => ErrorClass | undefined;
}

/**
 * For an error of the vendor's whose code is in no table. A status that is missing here says nothing
 * for sure about the request.
 */
const classOfStatus: Partial<Record<number, ErrorClass>> = {
  400: 'invalid',
  401: 'account',
  402: 'account',
  403: 'account',
  404: 'model',
  405: 'account',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'busy',
};

const tooManyRequests = 429;

const failureOfClass = {
  invalid: 'invalid_request',
  moderation: 'content_policy',
  account: 'vendor_account',
  model: 'vendor_account',
  busy: 'vendor_error',
  vendor: 'vendor_error',
} as const satisfies Record<ErrorClass, TaskFailureCode>;

const isOperators = (errorClass: ErrorClass): errorClass is 'account' | 'model' =>
  errorClass === 'account' || errorClass === 'model';

/** The operator's account is nobody else's business, so an account failure carries no reason. */
export function failureOf(
  errorClass: ErrorClass,
  { error, detail }: { error: VendorError | undefined; detail: string },
) {
  const reason = isOperators(errorClass) ? undefined : cleanReason(error?.message);
  return { failure: failureOfClass[errorClass], detail, ...known({ reason }) };
}

/**
 * What the one create request led to: a success with an id where this format has it is the only
 * acceptance.
 */
export function readCreation(
  response: VendorResponse,
  { idIn, ...format }: ErrorFormat & { readonly idIn: (body: UncheckedRecord) => unknown },
): SubmitOutcome {
  const body = isSuccess(response.status) ? readRecord(response.json) : undefined;
  const vendorTaskId = body && readVendorTaskId(idIn(body));
  return vendorTaskId === undefined
    ? notAccepted(response, format)
    : { kind: 'accepted', vendorTaskId };
}

/**
 * What a create request came to that was not accepted: by the vendor's code first, then by the
 * status. Whatever is not certain is `unknown`.
 */
export function notAccepted(response: VendorResponse, format: ErrorFormat): SubmitOutcome {
  const detail = describeResponse(response);
  const { status, retryAfterMs } = response;
  if (!isSuccess(status) && status < 400) return { kind: 'unknown', detail };
  if (!isOwn(response, format.errorShapes)) {
    return {
      ...pageAtCreation(response, detail),
      ...(isSuccess(status) ? unknownResponse(response) : {}),
    };
  }
  const error = format.readError(readRecord(response.json));
  const knownClass = format.classOfError(error);
  const errorClass = knownClass ?? classOfStatus[status];
  return {
    ...outcomeOf(errorClass, { error, detail, retryAfterMs }),
    ...driftIn(response, { error, knownClass }),
  };
}

function outcomeOf(
  errorClass: ErrorClass | undefined,
  {
    error,
    detail,
    retryAfterMs,
  }: { error: VendorError | undefined; detail: string; retryAfterMs: number | undefined },
): SubmitOutcome {
  if (errorClass === undefined || errorClass === 'vendor') return { kind: 'unknown', detail };
  if (errorClass === 'busy') return { kind: 'busy', detail, ...known({ retryAfterMs }) };
  return isOperators(errorClass)
    ? { kind: 'unavailable', cause: errorClass, detail }
    : { kind: 'refused', ...failureOf(errorClass, { error, detail }) };
}

function driftIn(
  response: VendorResponse,
  { error, knownClass }: { error: VendorError | undefined; knownClass: ErrorClass | undefined },
): MayDrift {
  if (knownClass !== undefined) return {};
  return error === undefined && isSuccess(response.status)
    ? unknownResponse(response)
    : unknownError(error?.code);
}

function pageAtCreation({ status, retryAfterMs }: VendorResponse, detail: string): SubmitOutcome {
  if (status === tooManyRequests) return { kind: 'busy', detail, ...known({ retryAfterMs }) };
  return isRefusedInFront(status)
    ? { kind: 'unavailable', cause: 'page', detail }
    : { kind: 'unknown', detail };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
