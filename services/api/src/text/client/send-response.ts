import type { ServerResponse } from 'node:http';
import type { GatewayError } from '@gateway/domain';
import { gatewayErrorBody, writeFailure, type UpstreamFailure } from '@gateway/text-dialects';
import { atTurnEnd } from '../hot-path/index.ts';
import type { TextRequest } from '../request/index.ts';

/** A whole answer: status, headers and body at once. */
export function sendResponse(
  { response, headers }: TextRequest,
  answer: { status: number; headers: readonly string[]; body: Buffer | string },
): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body } = answer;
  const sizeBytes = Buffer.byteLength(body);
  response.writeHead(status, [...answer.headers, ...headers, 'content-length', String(sizeBytes)]);
  if (sizeBytes > largestJoined) {
    response.end(typeof body === 'string' ? Buffer.from(body) : body);
    return;
  }
  // Node joins a string with the head. Ended in the same turn, nothing would be written beside it,
  // as a write of two parts: a tenth of what answering costs.
  const { socket } = response;
  socket?.cork();
  response.write(latin1Of(body, sizeBytes), 'latin1');
  atTurnEnd('send', () => {
    socket?.uncork();
    process.nextTick(end, response);
  });
}

/** A string whose characters are the bytes; a text of ASCII is one already. */
function latin1Of(body: Buffer | string, sizeBytes: number): string {
  if (typeof body !== 'string') return body.toString('latin1');
  return body.length === sizeBytes ? body : Buffer.from(body).toString('latin1');
}

/**
 * Node holds what is written back until the next tick, which comes after every promise that is due:
 * a stream's first event goes at once.
 */
export const sendNow = ({ socket }: ServerResponse): void => {
  socket?.uncork();
};

const end = (response: ServerResponse): void => {
  response.end();
};

/** Copying more would cost more than a write of two parts. */
const largestJoined = 16_384;

const json: readonly string[] = ['content-type', 'application/json', 'cache-control', 'no-store'];

/** One of the gateway's own failures, in the dialect of the route. */
export function sendGatewayError(request: TextRequest, error: GatewayError): void {
  const { status, body } = gatewayErrorBody({
    dialect: request.path.dialect,
    error,
    requestId: request.requestId,
  });
  const headers = [...json, ...Object.entries(error.headers).flat()];
  if (error.retryAfterMs !== undefined) {
    headers.push('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  }
  request.facts.error = error.code;
  sendResponse(request, { status, headers, body: JSON.stringify(body) });
}

/**
 * What the gateway has tried again already, clients should not multiply by retries of their own.
 */
export const retryAdvice = ({ facts }: TextRequest, status: number): readonly string[] =>
  facts.attempts > 1 && status >= 500 ? ['x-should-retry', 'false'] : [];

/** A longer wait than a day is a fault of whoever asks for it. */
const longestWaitSeconds = 86_400;

/** A failure of the upstream, told in the client's dialect. */
export function sendUpstreamFailure(request: TextRequest, told: UpstreamFailure): void {
  const failure = {
    ...told,
    ...(told.retryAfterSeconds !== undefined && {
      retryAfterSeconds: Math.min(told.retryAfterSeconds, longestWaitSeconds),
    }),
  };
  const { status, body, headers } = writeFailure({
    dialect: request.path.dialect,
    failure,
    requestId: request.requestId,
  });
  request.facts.error = failure.code;
  sendResponse(request, {
    status,
    headers: [...json, ...Object.entries(headers).flat(), ...retryAdvice(request, status)],
    body: JSON.stringify(body),
  });
}
