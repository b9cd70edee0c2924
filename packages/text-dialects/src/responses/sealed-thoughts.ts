import { vendorSeal } from '../vendor-seal.ts';
import { type Fields, isFields, parseJson } from '../json.ts';
import type { ReasoningPart } from '../neutral.ts';
import { known, readString, readText } from '../values.ts';

/** What a client includes to be shown `encrypted_content`. */
export const sealedThoughts = 'reasoning.encrypted_content';

/** Begins the `encrypted_content` that this gateway wrote: another vendor's says nothing here. */
const mark = 'gw1r.';

/**
 * Thoughts with their proof as `encrypted_content`, which clients carry to their next request
 * unread. It is packed and not encrypted: the client has seen the thoughts, and a false proof is
 * refused by the upstream that gave it.
 */
export function sealThoughts({ text, signature, redacted }: Omit<ReasoningPart, 'type'>): string {
  const packed = JSON.stringify(redacted === undefined ? { text, signature } : { redacted });
  return mark + Buffer.from(packed).toString('base64url');
}

/** What `sealThoughts` packed; undefined for what came from elsewhere. */
export function unsealThoughts(sealed: unknown): ReasoningPart | undefined {
  const text = readText(sealed);
  if (text?.startsWith(mark) !== true) return undefined;
  const packed = parseJson(Buffer.from(text.slice(mark.length), 'base64url').toString());
  if (!isFields(packed)) return undefined;
  const redacted = readText(packed['redacted']);
  return {
    type: 'reasoning',
    text: readString(packed['text']) ?? '',
    ...known({ signature: readText(packed['signature']), redacted }),
  };
}

/**
 * A reasoning item as an upstream of this format takes it: what it encrypted itself, out of the
 * gateway's packing; undefined for what came from an upstream of another format.
 */
export function reasoningForUpstream(item: Fields): Fields | undefined {
  const sealed = item['encrypted_content'];
  if (readText(sealed)?.startsWith(mark) !== true) return item;
  const encrypted = vendorSeal(unsealThoughts(sealed)?.signature);
  return encrypted === undefined ? undefined : { ...item, encrypted_content: encrypted };
}
