import { connect } from 'node:net';
import type { WireRequest } from './wire-requests.ts';

/** The first final response on a connection of its own, as far as it came. */
export interface WireResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The first event of the feed of an account's events, which the server never ends. */
const endlessPattern = /\nevent: (ready|reset)\n/;

/** Longer than any response takes. */
const patienceMs = 20_000;

/**
 * Sends a request; undefined when the server closes the connection without a response. Rejects when
 * it does neither.
 */
export function exchange(
  url: string,
  { bytes, endsEarly }: Pick<WireRequest, 'bytes' | 'endsEarly'>,
): Promise<WireResponse | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(patienceMs, () => {
      socket.destroy();
      reject(new Error('neither a response nor the end of the connection'));
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (chunks.length < 5 && endlessPattern.test(Buffer.concat(chunks).toString())) {
        socket.destroy();
      }
    });
    // A refused body is cut off: what came before that counts.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      resolve(readResponse(Buffer.concat(chunks)));
    });
    if (endsEarly) socket.end(bytes);
    else socket.write(bytes);
  });
}

function readResponse(bytes: Buffer): WireResponse | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  const rest = bytes.subarray(end + 4);
  if (status < 200) return readResponse(rest);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status, headers, body: bodyOf(headers, rest) };
}

function bodyOf(headers: Readonly<Record<string, string>>, bytes: Buffer): Buffer {
  if (headers['transfer-encoding'] !== 'chunked') {
    return bytes.subarray(0, Number(headers['content-length'] ?? bytes.length));
  }
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    const size = line === -1 ? 0 : parseInt(bytes.toString('latin1', at, line), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
