import type { GatewayError } from '@gateway/domain';
import { gatewayErrorBody, writeFailure, type UpstreamFailure } from '@gateway/text-dialects';
import { writeWhole } from '../hot-path/index.ts';
import type { TextRequest } from '../request/index.ts';

/** Sends a whole response: status, headers and body at once. */
export function sendResponse(
  { response, headers }: TextRequest,
  whole: { status: number; headers: readonly string[]; body: Buffer | string },
): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body } = whole;
  const sizeBytes = Buffer.byteLength(body);
  response.writeHead(status, [...whole.headers, ...headers, 'content-length', String(sizeBytes)]);
  writeWhole(response, body, sizeBytes);
}

const json: readonly string[] = ['content-type', 'application/json', 'cache-control', 'no-store'];

/** Sends one of the gateway's own failures, in the client's dialect. */
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

/** Clients should not multiply the gateway's own attempts by retries of theirs. */
export const retryAdvice = ({ facts }: TextRequest, status: number): readonly string[] =>
  facts.attempts > 1 && status >= 500 ? ['x-should-retry', 'false'] : [];

/** A longer wait than a day is a fault of whoever asks for it. */
const longestWaitSeconds = 86_400;

/** Sends a failure of the upstream, in the client's dialect. */
export function sendUpstreamFailure(request: TextRequest, reported: UpstreamFailure): void {
  const failure = {
    ...reported,
    ...(reported.retryAfterSeconds !== undefined && {
      retryAfterSeconds: Math.min(reported.retryAfterSeconds, longestWaitSeconds),
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
