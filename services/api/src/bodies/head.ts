import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '@gateway/domain';

const json = /^application\/(?:[\w.!#$&^-]+\+)?json[ \t]*(?:;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)/i;

/** The rest of the body is not read: the connection ends with the response. */
export const lastResponse = { headers: { connection: 'close' } } as const;

/**
 * What is wrong with a JSON body as far as its headers say: unsupported_media_type or
 * payload_too_large.
 */
export function headRefusal(
  headers: IncomingHttpHeaders,
  limitBytes: number,
): GatewayError | undefined {
  if (announcedBytes(headers) > limitBytes) return tooLarge(limitBytes);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return unsupported(`send the body without content-encoding; got ${encoding.slice(0, 40)}`);
  }
  const type = headers['content-type'];
  if (type === undefined || !json.test(type)) {
    return unsupported(
      `content-type must be application/json; ${type === undefined ? 'there is none' : `got ${JSON.stringify(type.slice(0, 80))}`}. Send the header "content-type: application/json"`,
    );
  }
  const named = charset.exec(type)?.[1];
  return named === undefined || /^utf-?8$/i.test(named)
    ? undefined
    : unsupported(`the charset of the body must be utf-8; got ${named.slice(0, 40)}`);
}

/** 0 where the length is not known before the end. */
export const announcedBytes = (headers: IncomingHttpHeaders): number =>
  Number(headers['content-length'] ?? 0);

/** HTTP knows a body by these two headers and by nothing else. */
export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || announcedBytes(headers) > 0;

export const tooLarge = (limitBytes: number): GatewayError =>
  new GatewayError(
    'payload_too_large',
    `the body is larger than ${limitBytes} bytes, the most this route takes`,
    lastResponse,
  );

const unsupported = (message: string): GatewayError =>
  new GatewayError('unsupported_media_type', message, lastResponse);
