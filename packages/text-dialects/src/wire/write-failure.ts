import { errorCatalogue, type GatewayError } from '@gateway/domain';
import { lookUp } from '../json.ts';
import type { Dialect, UpstreamFailure, UpstreamFailureCode } from '../neutral.ts';
import { type ErrorWords, overflowSentences } from './overflow.ts';

export interface FailureToWrite {
  readonly dialect: Dialect;
  readonly failure: UpstreamFailure;
  readonly requestId: string;
}

export interface WrittenFailure {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Those that belong to the failure: `retry-after`, `x-should-retry`. */
  readonly headers: Record<string, string>;
}

/** Whose words the errors of each dialect are in. */
const wordsOf: Readonly<Record<Dialect, ErrorWords>> = {
  messages: 'messages',
  chat: 'chat',
  responses: 'chat',
};

interface Column {
  readonly status: number;
  readonly type: string;
  readonly code?: string;
}

/**
 * Each failure in the words of both. The gateway's own credential at the upstream is never the client's
 * 401: it would ask its user to log in.
 */
const columns: Readonly<Record<UpstreamFailureCode, Readonly<Record<ErrorWords, Column>>>> = {
  invalid_request: {
    messages: { status: 400, type: 'invalid_request_error' },
    chat: { status: 400, type: 'invalid_request_error' },
  },
  context_length_exceeded: {
    messages: { status: 400, type: 'invalid_request_error' },
    chat: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  },
  content_filter: {
    messages: { status: 400, type: 'invalid_request_error' },
    chat: { status: 400, type: 'invalid_request_error', code: 'content_filter' },
  },
  authentication: {
    messages: { status: 502, type: 'api_error' },
    chat: { status: 502, type: 'server_error', code: 'upstream_error' },
  },
  insufficient_quota: {
    messages: { status: 402, type: 'billing_error' },
    chat: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  },
  permission: {
    messages: { status: 403, type: 'permission_error' },
    chat: { status: 403, type: 'permission_error' },
  },
  not_found: {
    messages: { status: 404, type: 'not_found_error' },
    chat: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  },
  payload_too_large: {
    messages: { status: 413, type: 'request_too_large' },
    chat: { status: 413, type: 'invalid_request_error', code: 'payload_too_large' },
  },
  rate_limited: {
    messages: { status: 429, type: 'rate_limit_error' },
    chat: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  },
  overloaded: {
    messages: { status: 529, type: 'overloaded_error' },
    chat: { status: 503, type: 'server_error', code: 'overloaded' },
  },
  timeout: {
    messages: { status: 504, type: 'timeout_error' },
    chat: { status: 504, type: 'server_error', code: 'upstream_timeout' },
  },
  server_error: {
    messages: { status: 502, type: 'api_error' },
    chat: { status: 502, type: 'server_error', code: 'server_error' },
  },
  truncated: {
    messages: { status: 502, type: 'api_error' },
    chat: { status: 502, type: 'server_error', code: 'upstream_truncated' },
  },
};

/**
 * An upstream's failure as a response in the client's dialect: status, body and the headers that
 * belong to it.
 */
export function writeFailure({ dialect, failure, requestId }: FailureToWrite): WrittenFailure {
  const { status } = columns[failure.code][wordsOf[dialect]];
  const { retryAfterSeconds } = failure;
  return {
    // An internal error of the upstream stays a 500; all else that went wrong there is a 502.
    status: failure.code === 'server_error' && failure.status === 500 ? 500 : status,
    body: failureBody({ dialect, failure, requestId }),
    headers: {
      ...(retryAfterSeconds !== undefined && {
        'retry-after': String(Math.ceil(retryAfterSeconds)),
      }),
      ...(failure.code === 'insufficient_quota' && { 'x-should-retry': 'false' }),
    },
  };
}

/**
 * The failure of a stream that has begun, as its last event. Nothing may follow, also no `[DONE]`:
 * naive clients take that for success.
 */
export function writeFailureEvent({
  dialect,
  failure,
  requestId,
}: Omit<FailureToWrite, 'requestId'> & { readonly requestId?: string }): string {
  if (dialect === 'responses') {
    const data = { type: 'error', sequence_number: 0, ...responseFailure(failure) };
    return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
  }
  const data = JSON.stringify(
    failureBody({ dialect, failure, ...(requestId !== undefined && { requestId }) }),
  );
  return dialect === 'messages' ? `event: error\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

/** Where a stream of the responses format stands that fails. */
interface FailedPlace {
  readonly sequence: number;
  readonly response: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The failure of a response that has begun: `error` and, where the response is known,
 * `response.failed`. Some clients look at the one, some at the other.
 */
export function writeResponseFailure(
  failure: UpstreamFailure,
  { sequence, response }: FailedPlace,
): string {
  const told = responseFailure(failure);
  const { code, message } = told;
  const event = (type: string, number: number, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...fields })}\n\n`;
  const error = event('error', sequence, told);
  if (response === undefined) return error;
  const failed = { ...response, status: 'failed', error: { code, message } };
  return error + event('response.failed', sequence + 1, { response: failed });
}

/** An `error` event of the responses format, and the `error` of a response that failed. */
export interface ResponseFailure {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /**
   * The same once more: the interface document has it flat and the vendor sends it nested, where
   * older official clients look for it.
   */
  readonly error: Readonly<Record<string, unknown>>;
}

/** The failure of a response, as its clients read it: they look at the code first. */
export function responseFailure(failure: UpstreamFailure): ResponseFailure {
  const { type, code = type } = columns[failure.code].chat;
  const said = {
    code,
    message: sentenceFor(failure, overflowSentences.chat),
    param: failure.param ?? null,
  };
  return { ...said, error: { type, ...said } };
}

/**
 * What official clients of the messages dialect look for in a refusal, by the field that it names:
 * they send the request again in another way then.
 */
const detailCodes: Readonly<Record<string, string>> = { thread: 'thread_unsupported_request' };

const detailCodeOf = ({ code, param }: GatewayError): string | undefined =>
  code === 'unsupported_parameter' && param !== null ? lookUp(detailCodes, param) : undefined;

/** Whether official clients go on by themselves after this refusal, with a request that can be served. */
export const clientsRecoverFrom = (error: GatewayError): boolean =>
  detailCodeOf(error) !== undefined;

/** One of the gateway's own errors in the dialect of the route it happened on. */
export function gatewayErrorBody({
  dialect,
  error,
  requestId,
}: {
  readonly dialect: Dialect;
  readonly error: GatewayError;
  readonly requestId: string;
}): { status: number; body: Record<string, unknown> } {
  const { status, type } = errorCatalogue[error.code];
  const { message, code, param, details } = error;
  if (dialect === 'messages') {
    const detailCode = detailCodeOf(error);
    return {
      status,
      body: messagesBody({ type: messagesType(status), message, requestId, detailCode }),
    };
  }
  return {
    status,
    body: { error: { message, type, code, param, ...(details.length > 0 && { details }) } },
  };
}

/** A sign of life for clients that wait; only between events. */
export const pingEvent = (dialect: Dialect): string =>
  dialect === 'messages' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': ping\n\n';

const messagesTypes: Readonly<Record<string, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const messagesType = (status: number): string =>
  lookUp(messagesTypes, String(status)) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

function failureBody({
  dialect,
  failure,
  requestId,
}: Omit<FailureToWrite, 'requestId'> & { readonly requestId?: string }): Record<string, unknown> {
  const words = wordsOf[dialect];
  const { type, code } = columns[failure.code][words];
  const message = sentenceFor(failure, overflowSentences[words]);
  if (dialect === 'messages') {
    return messagesBody({
      type,
      message,
      ...(requestId !== undefined && { requestId }),
    });
  }
  return {
    error: {
      message,
      type,
      param: failure.param ?? null,
      code: code ?? null,
    },
  };
}

/** A vendor's refusal of our credential may quote it. */
function sentenceFor(
  { code, message }: UpstreamFailure,
  overflow: (message: string) => string,
): string {
  if (code === 'authentication') {
    return 'The upstream refused the credential of the gateway. This is for the operator to mend; quote the request id.';
  }
  return code === 'context_length_exceeded' ? overflow(message) : message;
}

const messagesBody = ({
  type,
  message,
  requestId,
  detailCode,
}: {
  type: string;
  message: string;
  requestId?: string;
  detailCode?: string | undefined;
}): Record<string, unknown> => ({
  type: 'error',
  error: {
    type,
    message,
    ...(detailCode !== undefined && { details: { error_code: detailCode } }),
  },
  ...(requestId !== undefined && { request_id: requestId }),
});
