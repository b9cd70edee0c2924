import type { ErrorRequestHandler } from 'express';
import type { PlainFailure } from '../http/plain-failure.ts';

/**
 * Status and type of each code. That of 1008 is documented nowhere; 429 is what other interfaces of
 * the vendor have been seen to respond.
 */
export const miniMaxErrors = {
  1000: { status: 500, type: 'api_error' },
  1002: { status: 429, type: 'rate_limit_error' },
  1004: { status: 401, type: 'authorized_error' },
  1008: { status: 429, type: 'rate_limit_error' },
  1026: { status: 422, type: 'unprocessable_entity_error' },
  2013: { status: 400, type: 'bad_request_error' },
} as const satisfies Readonly<Record<number, { status: number; type: string }>>;

export type MiniMaxCode = keyof typeof miniMaxErrors;

/** A refusal in this vendor's words. */
export class MiniMaxError extends Error {
  override readonly name = 'MiniMaxError';
  readonly code: MiniMaxCode;
  readonly status: number;

  constructor(code: MiniMaxCode, message: string, status: number = miniMaxErrors[code].status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

const codeOfStatus: Partial<Record<number, MiniMaxCode>> = {
  400: 2013,
  401: 1004,
  403: 1008,
  404: 2013,
  413: 2013,
  429: 1002,
};

/** What the rest of the sandbox throws, and what Express does, in this vendor's words. */
function asMiniMaxError(thrown: unknown): MiniMaxError {
  if (thrown instanceof MiniMaxError) return thrown;
  const { status = 500, message = '' } = (thrown ?? {}) as Partial<PlainFailure>;
  const code = codeOfStatus[status] ?? (status < 500 ? 2013 : 1000);
  return new MiniMaxError(code, code === 2013 ? `invalid params, ${message}` : message, status);
}

/** The body of an error response: the code stands at the end of the sentence. */
const errorBody = ({ code, message, status }: MiniMaxError, requestId: string): object => ({
  type: 'error',
  error: {
    type: miniMaxErrors[code].type,
    message: `${message} (${code})`,
    http_code: String(status),
  },
  request_id: requestId,
});

// eslint-disable-next-line max-params -- Express knows an error handler by its four parameters
export const errorResponder: ErrorRequestHandler = (thrown, _request, response, next) => {
  if (response.headersSent) {
    next(thrown);
    return;
  }
  const error = asMiniMaxError(thrown);
  response.status(error.status).json(errorBody(error, response.locals['requestId'] as string));
};
