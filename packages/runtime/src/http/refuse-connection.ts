import type { Duplex } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { GatewayError, errorCatalogue, type ErrorCode } from '@gateway/domain';
import { requestIdOf } from './request-id.ts';

interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What Node's parser and its clock find wrong before, or while, a handler has the request. */
const refusals: Partial<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    message:
      'the headers of the request are larger than 16 KiB together; send fewer or shorter ones',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'payload_too_large',
    message: 'the chunk extensions of the body are larger than 16 KiB',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    message: 'the request took too long to arrive; send it again, faster',
  },
};
const malformed: Refusal = {
  code: 'malformed_request',
  message: 'the request is not HTTP/1.1 as it should be',
};

export interface RefuseConnectionOptions {
  readonly error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer };
  readonly socket: Duplex;
  /** The latest response on this connection, and the path that was asked for. */
  readonly latest: { readonly response: ServerResponse; readonly path: string } | undefined;
  /** The error body of this path. */
  readonly bodyOf: (
    error: GatewayError,
    at: { readonly path: string; readonly requestId: string },
  ) => unknown;
}

/**
 * Responds to a request that never reached a handler, or not whole, with an error body like any other,
 * and ends its connection.
 */
export function refuseConnection({ error, socket, latest, bodyOf }: RefuseConnectionOptions): void {
  const underWay = latest?.response.writableFinished === false ? latest : undefined;
  if (!canRespond(socket, error, underWay?.response)) {
    socket.destroy();
    return;
  }
  const { code, message } = refusalFor(error);
  const requestId = requestIdOf(underWay?.response.getHeader('x-request-id')?.toString());
  const body = Buffer.from(
    JSON.stringify(
      bodyOf(new GatewayError(code, message), {
        path: underWay?.path ?? pathIn(error.rawPacket),
        requestId,
      }),
    ),
  );
  end(
    socket,
    Buffer.concat([Buffer.from(headOf({ code, requestId, sizeBytes: body.length })), body]),
  );
}

const refusalFor = ({ code }: NodeJS.ErrnoException): Refusal => refusals[code ?? ''] ?? malformed;

/** Nothing else may be written into a response that has begun. */
const canRespond = (
  socket: Duplex,
  { code }: NodeJS.ErrnoException,
  response: ServerResponse | undefined,
): boolean => socket.writable && code !== 'ECONNRESET' && response?.headersSent !== true;

function headOf({
  code,
  requestId,
  sizeBytes,
}: {
  code: ErrorCode;
  requestId: string;
  sizeBytes: number;
}): string {
  const { status } = errorCatalogue[code];
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}`,
    'connection: close',
    'cache-control: no-store',
    'content-type: application/json; charset=utf-8',
    `content-length: ${sizeBytes}`,
    'x-content-type-options: nosniff',
    `x-request-id: ${requestId}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function end(socket: Duplex, response: Buffer): void {
  socket.end(response);
  // Whoever keeps sending into a connection that is refused does not keep it.
  const cut = setTimeout(() => {
    socket.destroy();
  }, lingerMs).unref();
  socket.once('close', () => {
    clearTimeout(cut);
  });
}

const lingerMs = 500;
const reasons: Partial<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

/** The path in the request line of what could not be read; empty when there is none. */
const pathIn = (packet: Buffer | undefined): string =>
  /^[A-Z]{1,20} (\/\S{0,2000}) HTTP\//.exec(
    packet?.subarray(0, 2_100).toString('latin1') ?? '',
  )?.[1] ?? '';

/** The error body of every path but those of the messages dialect. */
export const plainErrorBody = (error: GatewayError): unknown => ({
  error: {
    message: error.message,
    type: errorCatalogue[error.code].type,
    code: error.code,
    param: error.param,
    ...(error.details.length > 0 && { details: error.details }),
  },
});
