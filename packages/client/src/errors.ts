/** Everything that this package throws by itself; an aborted call throws its signal's reason. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
}

/** One thing that is wrong with a request. */
export interface Violation {
  readonly param: string | null;
  readonly message: string;
}

interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | undefined;
  readonly details: readonly Violation[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** The gateway has refused; branch on `code`, whose meaning never changes. */
export class ApiError extends GatewayError implements Refusal {
  override readonly name = 'ApiError';
  readonly status: number;
  /** One of the codes in docs/errors.md; undefined when something between has answered. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  /** The JSON path of the field. */
  readonly param: string | undefined;
  /** Every violation of an invalid request, the one in `message` first. */
  readonly details: readonly Violation[];
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, refusal: Refusal) {
    super(message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.type = refusal.type;
    this.param = refusal.param;
    this.details = refusal.details;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** There was no response, or it broke off, as often as the call was repeated. */
export class ConnectionError extends GatewayError {
  override readonly name = 'ConnectionError';
}

/** The file is not the one that the download began with. */
export class FileChangedError extends GatewayError {
  override readonly name = 'FileChangedError';
}

/** A message that claims to come from the gateway and does not, or is too old. */
export class SignatureError extends GatewayError {
  override readonly name = 'SignatureError';
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The error that a response stands for, whoever wrote it: the gateway, or a proxy before it. */
export function apiErrorOf(
  response: Pick<Response, 'status' | 'statusText' | 'headers'>,
  body: string,
): ApiError {
  const { status, statusText, headers } = response;
  const error = errorIn(body);
  const details = Array.isArray(error['details']) ? (error['details'] as Violation[]) : [];
  return new ApiError(textOf(error['message']) ?? `${status} ${statusText}`.trim(), {
    status,
    code: textOf(error['code']),
    type: textOf(error['type']),
    param: textOf(error['param']),
    details,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMsOf(headers.get('retry-after'), Date.now()),
  });
}

function errorIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) && isObject(parsed['error']) ? parsed['error'] : {};
  } catch {
    return {};
  }
}

/** `Retry-After` in seconds or as a date, as milliseconds from now. */
export function retryAfterMsOf(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A broken connection in words, with what broke it. */
export function connectionErrorOf(error: unknown): ConnectionError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ConnectionError(`The gateway could not be reached, or hung up: ${why}`, {
    cause: error,
  });
}
