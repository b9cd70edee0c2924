import { canonicalMediaType, sniffMediaType } from './sniff.ts';

export interface DataUrlRule {
  /** Registered names, for instance `image/png`. */
  readonly allowedTypes: readonly string[];
  readonly maxBytes: number;
}

export type DataUrlVerdict =
  | { readonly ok: true; readonly mediaType: string; readonly bytes: Uint8Array }
  /** `message` continues a sentence that starts with the field's name. */
  | {
      readonly ok: false;
      readonly reason: 'malformed' | 'type_not_allowed' | 'too_large' | 'type_mismatch';
      readonly message: string;
    };

const headerPattern = /^data:([a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64});base64$/i;

/**
 * Takes `data:<type>;base64,<base64>` and nothing else. Size is judged before decoding, the type by
 * the bytes themselves.
 */
export function parseDataUrl(
  text: string,
  { allowedTypes, maxBytes }: DataUrlRule,
): DataUrlVerdict {
  const comma = text.indexOf(',');
  const declared = headerPattern.exec(text.slice(0, Math.max(comma, 0)))?.[1];
  if (declared === undefined) {
    return {
      ok: false,
      reason: 'malformed',
      message: 'must be written as data:<type>/<subtype>;base64,<data>',
    };
  }
  const mediaType = canonicalMediaType(declared);
  if (!allowedTypes.includes(mediaType)) {
    return {
      ok: false,
      reason: 'type_not_allowed',
      message: `must be one of ${allowedTypes.join(', ')}; got ${mediaType}`,
    };
  }
  const encoded = text.slice(comma + 1);
  if (decodedLength(encoded) > maxBytes) {
    return { ok: false, reason: 'too_large', message: `must be at most ${maxBytes} bytes` };
  }
  const bytes = decode(encoded);
  if (bytes === undefined) {
    return {
      ok: false,
      reason: 'malformed',
      message: 'must be plain base64 with its padding, without spaces or line breaks',
    };
  }
  const found = sniffMediaType(bytes);
  if (found === mediaType) return { ok: true, mediaType, bytes };
  return {
    ok: false,
    reason: 'type_mismatch',
    message: `must contain what it declares; declared ${mediaType}, found ${found ?? 'something else'}`,
  };
}

const decodedLength = (encoded: string): number =>
  (encoded.length / 4) * 3 - (/={0,2}$/.exec(encoded.slice(-2))?.[0].length ?? 0);

function decode(encoded: string): Uint8Array | undefined {
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // the last group may carry bits that belong to no byte; only one spelling of the same bytes is
  // taken
  return bytes.subarray(-(bytes.length % 3 || 3)).toString('base64') === encoded.slice(-4)
    ? bytes
    : undefined;
}
