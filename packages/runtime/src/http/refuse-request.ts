import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, errorCatalogue } from '@gateway/domain';
import type { RefuseConnectionOptions } from './refuse-connection.ts';
import { requestIdOf } from './request-id.ts';

/** Refuses a request before any handler has it, with an error body like any other. */
export function refuseRequest(
  { headers, url = '' }: IncomingMessage,
  response: ServerResponse,
  { error, bodyOf }: { error: GatewayError; bodyOf: RefuseConnectionOptions['bodyOf'] },
): void {
  const given = headers['x-request-id'];
  const requestId = requestIdOf(typeof given === 'string' ? given : undefined);
  const body = Buffer.from(JSON.stringify(bodyOf(error, { path: url, requestId })));
  response
    .writeHead(errorCatalogue[error.code].status, {
      connection: 'close',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
    })
    .end(body);
}

/**
 * What is wrong with the request's `Host` (RFC 9112, 3.2). Node takes the first of two, and a proxy
 * before us may have taken the other.
 */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): GatewayError | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return new GatewayError(
    'malformed_request',
    `the request must have one Host header; it has ${hosts === 0 ? 'none' : hosts}`,
  );
}

export const unknownExpectation = ({ headers: { expect = '' } }: IncomingMessage): GatewayError =>
  new GatewayError(
    'expectation_failed',
    `the only expectation that can be met is 100-continue; got ${JSON.stringify(expect.slice(0, 80))}`,
    { param: 'Expect' },
  );
