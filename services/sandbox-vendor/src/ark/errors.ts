/**
 * Status and type of each error code, as the vendor documents them; a detail may follow the code
 * after a dot.
 */
export const arkErrors = {
  MissingParameter: { status: 400, type: 'BadRequest' },
  InvalidParameter: { status: 400, type: 'BadRequest' },
  InvalidImageURL: { status: 400, type: 'BadRequest' },
  InputTextSensitiveContentDetected: { status: 400, type: 'BadRequest' },
  AuthenticationError: { status: 401, type: 'Unauthorized' },
  AccountOverdueError: { status: 403, type: 'Forbidden' },
  InvalidEndpointOrModel: { status: 404, type: 'NotFound' },
  NotFound: { status: 404, type: 'NotFound' },
  OperationDenied: { status: 409, type: 'Conflict' },
  RateLimitExceeded: { status: 429, type: 'TooManyRequests' },
  AccountRateLimitExceeded: { status: 429, type: 'TooManyRequests' },
  ServerOverloaded: { status: 429, type: 'TooManyRequests' },
  InternalServiceError: { status: 500, type: 'InternalServerError' },
} as const satisfies Readonly<Record<string, { status: number; type: string }>>;

export type ArkErrorClass = keyof typeof arkErrors;

interface ArkErrorOptions {
  /** What follows the class after a dot: `InvalidEndpointOrModel.NotFound`. */
  readonly detail?: string;
  readonly param?: string;
  /** When the answer has another status than the code's own. */
  readonly status?: number;
}

/** A refusal in the vendor's words. */
export class ArkError extends Error {
  override readonly name = 'ArkError';
  readonly code: string;
  readonly status: number;
  readonly type: string;
  readonly param: string | undefined;

  constructor(
    errorClass: ArkErrorClass,
    message: string,
    { detail, param, status }: ArkErrorOptions = {},
  ) {
    super(message);
    this.code = detail === undefined ? errorClass : `${errorClass}.${detail}`;
    this.status = status ?? arkErrors[errorClass].status;
    this.type = arkErrors[errorClass].type;
    this.param = param;
  }
}

/** The body of an error answer. */
export function errorBody({ code, message, param, type }: ArkError, requestId: string): object {
  return {
    error: {
      code,
      message: `${message} Request id: ${requestId}`,
      ...(param !== undefined && { param }),
      type,
    },
    request_id: requestId,
  };
}
