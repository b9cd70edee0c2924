import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/domain';
import type { Deadlines } from '../hot-path/index.ts';

/** Sent by curl when no type is given; JSON all the same, or it is refused as such. */
const tolerated = /json|^text\/plain|^application\/x-www-form-urlencoded/i;

export interface BodyBounds {
  readonly limitBytes: number;
  /** For the whole of it, however steadily it comes. */
  readonly timeoutMs: number;
}

/**
 * The whole body. Throws unsupported_media_type or payload_too_large before reading,
 * request_timeout when it takes too long, and invalid_json when it ends early, also when that was
 * before anybody listened.
 */
export function receiveBody(
  request: IncomingMessage,
  { limitBytes, timeoutMs }: BodyBounds,
  deadlines: Deadlines,
): Promise<Buffer> {
  const refusal = request.destroyed ? endedEarly() : refusalOf(request, limitBytes);
  if (refusal !== undefined) return Promise.reject(refusal);
  return new Promise((resolve, reject) => {
    const gathering = gatherInto(Number(request.headers['content-length'] ?? 0));
    let sizeBytes = 0;
    const deadline = {
      place: -1,
      dueMs: performance.now() + timeoutMs,
      expire: () => {
        reject(tooSlow(timeoutMs));
      },
    };
    deadlines.watch(deadline);
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= limitBytes) gathering.add(chunk);
      else reject(tooLarge(limitBytes));
    });
    let isWhole = false;
    request.on('end', () => {
      isWhole = true;
      deadlines.release(deadline);
      resolve(gathering.whole());
    });
    request.on('close', () => {
      deadlines.release(deadline);
      // Every request is closed in the end; a failure costs a stack. A request that is complete may
      // be closed unread.
      if (!isWhole) reject(endedEarly());
    });
    request.on('error', (error) => {
      reject(endedEarly(error));
    });
  });
}

/**
 * Bodies up to this are parsed where they arrive: 256 KiB take about a millisecond, and a thread's
 * round trip a third of that.
 */
export const largestInlineBytes = 262_144;

/**
 * A large body is put together chunk by chunk in memory that the thread which parses it sees too:
 * no copy of 20 MB holds other streams up.
 */
function gatherInto(announcedBytes: number): { add(chunk: Buffer): void; whole(): Buffer } {
  if (announcedBytes > largestInlineBytes) {
    const whole = Buffer.from(new SharedArrayBuffer(announcedBytes));
    let at = 0;
    return {
      add: (chunk) => {
        at += chunk.copy(whole, at);
      },
      whole: () => whole.subarray(0, at),
    };
  }
  const chunks: Buffer[] = [];
  return {
    add: (chunk) => {
      chunks.push(chunk);
    },
    whole: () =>
      chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks),
  };
}

function refusalOf({ headers }: IncomingMessage, limitBytes: number): GatewayError | undefined {
  if (Number(headers['content-length'] ?? 0) > limitBytes) return tooLarge(limitBytes);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    return new GatewayError(
      'unsupported_media_type',
      `send the body without content-encoding; got ${encoding.slice(0, 40)}`,
    );
  }
  const type = headers['content-type'];
  if (type !== undefined && !tolerated.test(type)) {
    return new GatewayError(
      'unsupported_media_type',
      `content-type must be application/json; got ${type.slice(0, 80)}`,
    );
  }
  return undefined;
}

/** The rest of the body is not read: the connection ends with the response. */
const lastAnswer = { headers: { connection: 'close' } } as const;

const tooLarge = (limitBytes: number): GatewayError =>
  new GatewayError(
    'payload_too_large',
    `the body is larger than ${limitBytes} bytes, the most this route takes`,
    lastAnswer,
  );

const tooSlow = (timeoutMs: number): GatewayError =>
  new GatewayError(
    'request_timeout',
    `the body did not arrive within ${timeoutMs} ms; send it faster`,
    lastAnswer,
  );

const endedEarly = (cause?: Error): GatewayError =>
  new GatewayError('invalid_json', 'the body ended early', { cause });
