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

/** What a data URL holds, whatever is allowed; plain data. */
export interface ReadDataUrl {
  /** Undefined when it is not written as one. */
  readonly mediaType: string | undefined;
  readonly sizeBytes: number;
  /** Undefined for what is no plain base64. */
  readonly bytes: Uint8Array | undefined;
  /** The type that the bytes show. */
  readonly found: string | undefined;
}

/**
 * Takes `data:<type>;base64,<base64>` and nothing else. Size is judged before decoding, the type by
 * the bytes themselves.
 */
export function parseDataUrl(text: string, rule: DataUrlRule): DataUrlVerdict {
  const head = readHead(text);
  return headVerdict(head, rule) ?? bytesVerdict(head, readBytes(text));
}

/**
 * Reads a data URL before its rule is known, for `judgeDataUrl`. `allocate` gives the memory for
 * the bytes; new memory of its own when left out.
 */
export function readDataUrl(
  text: string,
  allocate: (sizeBytes: number) => Buffer = Buffer.alloc,
): ReadDataUrl {
  const head = readHead(text);
  return { ...head, ...(head.mediaType === undefined ? nothing : readBytes(text, allocate)) };
}

/** The verdict of `parseDataUrl` on a data URL that was read before. */
export const judgeDataUrl = (read: ReadDataUrl, rule: DataUrlRule): DataUrlVerdict =>
  headVerdict(read, rule) ?? bytesVerdict(read, read);

type Head = Pick<ReadDataUrl, 'mediaType' | 'sizeBytes'>;
type Content = Pick<ReadDataUrl, 'bytes' | 'found'>;

const nothing: Content = { bytes: undefined, found: undefined };

function readHead(text: string): Head {
  const comma = text.indexOf(',');
  const declared = headerPattern.exec(text.slice(0, Math.max(comma, 0)))?.[1];
  return {
    mediaType: declared === undefined ? undefined : canonicalMediaType(declared),
    sizeBytes: decodedLength(text.slice(comma + 1)),
  };
}

function readBytes(text: string, allocate?: (sizeBytes: number) => Buffer): Content {
  const bytes = decode(text.slice(text.indexOf(',') + 1), allocate);
  return bytes === undefined ? nothing : { bytes, found: sniffMediaType(bytes) };
}

function headVerdict(
  { mediaType, sizeBytes }: Head,
  { allowedTypes, maxBytes }: DataUrlRule,
): DataUrlVerdict | undefined {
  if (mediaType === undefined) {
    return {
      ok: false,
      reason: 'malformed',
      message: 'must be written as data:<type>/<subtype>;base64,<data>',
    };
  }
  if (!allowedTypes.includes(mediaType)) {
    return {
      ok: false,
      reason: 'type_not_allowed',
      message: `must be one of ${allowedTypes.join(', ')}; got ${mediaType}`,
    };
  }
  return sizeBytes > maxBytes
    ? { ok: false, reason: 'too_large', message: `must be at most ${maxBytes} bytes` }
    : undefined;
}

function bytesVerdict({ mediaType = '' }: Head, { bytes, found }: Content): DataUrlVerdict {
  if (bytes === undefined) {
    return {
      ok: false,
      reason: 'malformed',
      message: 'must be plain base64 with its padding, without spaces or line breaks',
    };
  }
  if (found === mediaType) return { ok: true, mediaType, bytes };
  return {
    ok: false,
    reason: 'type_mismatch',
    message: `must contain what it declares; declared ${mediaType}, found ${found ?? 'something else'}`,
  };
}

const decodedLength = (encoded: string): number =>
  (encoded.length / 4) * 3 - (/={0,2}$/.exec(encoded.slice(-2))?.[0].length ?? 0);

function decode(
  encoded: string,
  allocate: (sizeBytes: number) => Buffer = Buffer.alloc,
): Uint8Array | undefined {
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  const bytes = allocate(decodedLength(encoded));
  bytes.write(encoded, 'base64');
  // the last group may carry bits that belong to no byte; only one spelling of the same bytes is
  // taken
  return bytes.subarray(-(bytes.length % 3 || 3)).toString('base64') === encoded.slice(-4)
    ? bytes
    : undefined;
}
