import type { Log } from '@gateway/runtime';
import type { ErrorRequestHandler } from 'express';
import { PlainFailure } from '../http/plain-failure.ts';

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
  /** When the response has another status than the code's own. */
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

/** The body of an error response. */
function errorBody({ code, message, param, type }: ArkError, requestId: string): object {
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

/**
 * Responds in this vendor's words with what its routes throw, and what those routes of the sandbox throw
 * that belong to no vendor.
 */
export function errorResponder(log: Log): ErrorRequestHandler {
  // eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return (thrown, _request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const error = asArkError(thrown);
    if (!(thrown instanceof ArkError || thrown instanceof PlainFailure) && error.status >= 500) {
      log.error('request failed', { error: thrown as unknown });
    }
    response.status(error.status).json(errorBody(error, response.locals['requestId'] as string));
  };
}

const classOfStatus: Partial<Record<number, ArkErrorClass>> = {
  400: 'InvalidParameter',
  401: 'AuthenticationError',
  403: 'AccountOverdueError',
  404: 'NotFound',
  429: 'RateLimitExceeded',
};

/** Body parser and router throw plain errors with a status. */
function asArkError(thrown: unknown): ArkError {
  if (thrown instanceof ArkError) return thrown;
  if (thrown instanceof PlainFailure) {
    const { status, message } = thrown;
    return new ArkError(classOfStatus[status] ?? 'InternalServiceError', message, { status });
  }
  const { status } = (thrown ?? {}) as { status?: number };
  if (status === 413) {
    return new ArkError('InvalidParameter', 'The request body is too large.', {
      detail: 'BodyTooLarge',
      status,
    });
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return new ArkError('InvalidParameter', 'The request body cannot be read as JSON.', {
      param: 'body',
    });
  }
  return new ArkError(
    'InternalServiceError',
    'The service encountered an unexpected internal error.',
  );
}
