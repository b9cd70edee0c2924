import type { TaskFailureCode } from '@gateway/domain';
import { describeResponse, type VendorResponse } from './http.ts';
import type { SubmitOutcome } from './port.ts';
import { known, readRecord } from './vendor-value.ts';
import { cleanReason } from './vendor-text.ts';

/** What a vendor's error means for us; every wire format has its own table from codes to these. */
export type ErrorClass = 'invalid' | 'moderation' | 'account' | 'busy' | 'vendor';

/** An error as the vendor wrote it, once it is found in the answer. */
export interface VendorError {
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** The vendor's kind of error, in a format that has kinds beside the codes. */
  readonly type?: string | undefined;
}

/**
 * For an error whose code is in no table. A status that is missing here says nothing for sure about
 * the request.
 */
const classOfStatus: Partial<Record<number, ErrorClass>> = {
  400: 'invalid',
  401: 'account',
  402: 'account',
  403: 'account',
  404: 'account',
  405: 'account',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'busy',
};

/**
 * Statuses that mean a refusal also when something in front of the vendor gives them, in its own
 * format.
 */
const plainRefusals: ReadonlySet<number> = new Set([401, 403, 404, 405, 413, 429]);

const failureOfClass = {
  invalid: 'invalid_request',
  moderation: 'content_policy',
  account: 'vendor_account',
  busy: 'vendor_error',
  vendor: 'vendor_error',
} as const satisfies Record<ErrorClass, TaskFailureCode>;

/**
 * The class of a status where the code says nothing; undefined when the status alone is not
 * certain.
 */
export const classByStatus = ({
  status,
  json,
}: Pick<VendorResponse, 'status' | 'json'>): ErrorClass | undefined =>
  readRecord(json) !== undefined || plainRefusals.has(status) ? classOfStatus[status] : undefined;

/** The operator's account is nobody else's business, so an account failure carries no reason. */
export function failureOf(
  errorClass: ErrorClass,
  { error, detail }: { error: VendorError | undefined; detail: string },
) {
  const reason = errorClass === 'account' ? undefined : cleanReason(error?.message);
  return { failure: failureOfClass[errorClass], detail, ...known({ reason }) };
}

/**
 * What a create request came to that was not accepted. Whatever is not clearly a refusal is
 * `unknown`.
 */
export function notAccepted(
  answer: VendorResponse,
  { errorClass, error }: { errorClass: ErrorClass | undefined; error: VendorError | undefined },
): SubmitOutcome {
  const detail = describeResponse(answer);
  if (errorClass === undefined || errorClass === 'vendor') return { kind: 'unknown', detail };
  if (errorClass === 'busy') {
    return { kind: 'busy', detail, ...known({ retryAfterMs: answer.retryAfterMs }) };
  }
  return { kind: 'refused', ...failureOf(errorClass, { error, detail }) };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
