import { createHash } from 'node:crypto';

/**
 * Stands where a signature of the vendor would: clients insist on one, and upstreams must be able
 * to tell it from a real one.
 */
export const signatureOf = (text: string, signature: string | undefined): string =>
  signature ?? `gw1.${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;

/** The completion's id in the form clients know, traceable to the upstream's. */
export function messageId(id: string, newSuffix: () => string): string {
  const rest = id.replace(/^(?:msg_|chatcmpl-)/, '').replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return `msg_${rest === '' ? newSuffix() : rest}`;
}
