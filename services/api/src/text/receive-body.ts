import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/domain';

/** Sent by curl when nobody says what the body is; JSON all the same, or it fails as such. */
const tolerated = /json|^text\/plain|^application\/x-www-form-urlencoded/i;

/** The whole body. Throws unsupported_media_type or payload_too_large before reading, and when the body lies about its length. */
export function receiveBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const refusal = refusalOf(request, limitBytes);
  if (refusal !== undefined) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= limitBytes) chunks.push(chunk);
      else reject(tooLarge(limitBytes));
    });
    request.once('end', () => { resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, Math.min(sizeBytes, limitBytes))); });
    request.once('close', () => { if (!request.complete) reject(new GatewayError('invalid_json', 'the body ended early')); });
    request.once('error', (error) => { reject(new GatewayError('invalid_json', 'the body ended early', { cause: error })); });
  });
}

function refusalOf({ headers }: IncomingMessage, limitBytes: number): GatewayError | undefined {
  if (Number(headers['content-length'] ?? 0) > limitBytes) return tooLarge(limitBytes);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return new GatewayError('unsupported_media_type', `send the body without content-encoding; got ${encoding.slice(0, 40)}`);
  const type = headers['content-type'];
  if (type !== undefined && !tolerated.test(type)) return new GatewayError('unsupported_media_type', `content-type must be application/json; got ${type.slice(0, 80)}`);
  return undefined;
}

/** The rest of the body is not read: the connection ends with the answer. */
const tooLarge = (limitBytes: number): GatewayError =>
  new GatewayError('payload_too_large', `the body is larger than ${limitBytes} bytes, the most this route takes`, { headers: { connection: 'close' } });
