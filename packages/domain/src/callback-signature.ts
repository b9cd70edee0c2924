import { createHmac } from 'node:crypto';

export interface Signable {
  /** `webhook-id`: without a dot, which separates it from the timestamp. */
  readonly id: string;
  /** Unix time of this attempt. */
  readonly timestampSeconds: number;
  /** The bytes as they are sent. */
  readonly body: Uint8Array;
}

/**
 * The value of `webhook-signature` (Standard Webhooks 1.0): one `v1` signature for each secret, in
 * the order given.
 */
export function signatureHeader(
  { id, timestampSeconds, body }: Signable,
  secrets: readonly string[],
): string {
  return secrets
    .map((secret) =>
      createHmac('sha256', keyOf(secret))
        .update(`${id}.${timestampSeconds}.`)
        .update(body)
        .digest('base64'),
    )
    .map((signature) => `v1,${signature}`)
    .join(' ');
}

/** A secret is shown as `whsec_<base64>`; the key is the bytes behind the prefix. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
