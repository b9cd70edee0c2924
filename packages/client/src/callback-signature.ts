import { SignatureError } from './errors.ts';
import type { CallbackMessage } from './types.ts';

export interface VerifyOptions {
  /** How old, or how far ahead, a message may be; five minutes when left out. */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since 1970; the time of this machine when left out. */
  readonly now?: number | undefined;
}

/** The headers of a message, as a server has them. */
export type MessageHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

interface Message {
  /** Raw: the bytes as they came, before anything has parsed them. */
  readonly body: string | Uint8Array;
  readonly headers: MessageHeaders;
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' } as const;

/**
 * The message of a callback, if it was signed with this secret (`whsec_…`) and is fresh; otherwise
 * a `SignatureError`. The scheme is Standard Webhooks; signatures are compared in constant time.
 */
export async function verifyCallback(
  { body, headers }: Message,
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<CallbackMessage> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new SignatureError(`The message was signed at ${timestamp}, which is too long ago.`);
  }
  const encoder = new TextEncoder();
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const signed = new Uint8Array([...encoder.encode(`${id}.${timestamp}.`), ...bytes]);
  const key = await crypto.subtle.importKey('raw', secretBytes(secret), algorithm, false, [
    'verify',
  ]);
  for (const signature of signatures) {
    const given = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
    if (given !== undefined && (await crypto.subtle.verify(algorithm, key, given, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as CallbackMessage;
    }
  }
  throw new SignatureError('No signature of the message was made with this secret.');
}

function headerOf(headers: MessageHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') {
    throw new SignatureError(`The message has no header ${name}.`);
  }
  return value;
}

const isHeaders = (headers: MessageHeaders): headers is Pick<Headers, 'get'> =>
  typeof headers.get === 'function';

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0) {
    throw new SignatureError('The secret is not whsec_ and base64: see GET /v1/callback-secret.');
  }
  return bytes;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
