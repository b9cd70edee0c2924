import { parseJson } from '../json.ts';

/**
 * Where the value of one top-level key stands in a JSON text: bytes from `start` up to, not
 * including, `end`.
 */
export interface ValueSpan {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface TopLevel {
  /** Byte right after the first `{`; -1 when the text holds no object. */
  readonly inside: number;
  /** Spans of the wanted keys in the order of the text, duplicates included. */
  readonly spans: readonly ValueSpan[];
  /** False when the text ends inside the object. */
  readonly complete: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Finds the values of some top-level keys of a JSON object without parsing the rest: strings are
 * jumped over, nothing is copied. The text should be valid JSON; of a broken one it finds what it
 * can and never throws. Nothing is looked for behind the last of `most` values.
 */
export function readTopLevel(body: Uint8Array, keys: readonly string[], most = Infinity): TopLevel {
  const bytes = asBuffer(body);
  const inside = bytes.indexOf(openBrace) + 1;
  const spans: ValueSpan[] = [];
  if (inside === 0) return { inside: -1, spans, complete: false };
  let at = skipTo(bytes, inside);
  while (bytes[at] === quote) {
    const keyEnd = endOfString(bytes, at);
    const key = keyOf(bytes, { start: at, end: keyEnd });
    const colon = skipTo(bytes, keyEnd);
    const start = skipTo(bytes, colon + 1);
    const end = endOfValue(bytes, start);
    if (end > bytes.length || end === start) return { inside, spans, complete: false };
    if (keys.includes(key) && spans.push({ key, start, end }) >= most) break;
    at = skipTo(bytes, end);
    if (bytes[at] !== comma) break;
    at = skipTo(bytes, at + 1);
  }
  return { inside, spans, complete: bytes[at] === closeBrace };
}

/** One replacement of bytes; an insertion has `start` equal to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The bytes with all edits applied, which must not overlap; the same Buffer when there is none. */
export const applyEdits = (body: Buffer, edits: readonly Edit[]): Buffer =>
  edits.length === 0 ? body : Buffer.concat(editedPieces(body, edits));

/** The same in pieces: what no edit touches is not copied. */
export function editedPieces(body: Buffer, edits: readonly Edit[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { start, end, text } of edits.toSorted((one, other) => one.start - other.start)) {
    pieces.push(body.subarray(from, start), Buffer.from(text));
    from = end;
  }
  pieces.push(body.subarray(from));
  return pieces;
}

/** The parsed value of a span; undefined when it is not JSON. */
export function valueOf(body: Uint8Array, { start, end }: { start: number; end: number }): unknown {
  return parseJson(asBuffer(body).toString('utf8', start, end));
}

/** The same bytes, not copied. */
export const asBuffer = (body: Uint8Array): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);

/** A key may be written with escapes (`"mod\u0065l"`): then JSON reads it. */
function keyOf(bytes: Buffer, { start, end }: { start: number; end: number }): string {
  const written = bytes.toString('utf8', start + 1, end - 1);
  return written.includes('\\') ? String(parseJson(`"${written}"`)) : written;
}

/** The first byte from `at` on that is no white space. */
function skipTo(bytes: Buffer, at: number): number {
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** A call into native code pays only for long strings. */
const shortString = 32;

/**
 * One past the closing quote of the string that opens at `at`; past the end of the text when it
 * never closes.
 */
export function endOfString(bytes: Buffer, at: number): number {
  let from = at + 1;
  const near = Math.min(bytes.length, from + shortString);
  while (from < near) {
    if (bytes[from] === quote) return from + 1;
    from += bytes[from] === backslash ? 2 : 1;
  }
  return from > bytes.length ? from : endOfLongString(bytes, from);
}

/** After so many quotes that are no further apart than that, on average, each byte is looked at. */
const manyQuotes = 1_024;
const closeBytes = 8;

/** So far it pays to look for the next quote byte by byte. */
const nearBytes = 16;

/**
 * `from` stands outside of any escape. Escaped quotes come in pairs, in code as in JSON: where the last
 * one of an opening or of a closing quote's kind was near, the next is looked for nearby first.
 */
function endOfLongString(bytes: Buffer, from: number): number {
  const wasNear = [false, false];
  let quotes = 0;
  let close = bytes.indexOf(quote, from);
  while (close >= 0) {
    let before = close - 1;
    while (before >= from && bytes[before] === backslash) before -= 1;
    if ((close - 1 - before) % 2 === 0) return close + 1;
    quotes += 1;
    if (quotes === manyQuotes && close - from < manyQuotes * closeBytes) {
      return endOfDenseString(bytes, close + 1);
    }
    const kind = quotes & 1;
    const next = wasNear[kind] ? quoteNear(bytes, close + 1) : bytes.indexOf(quote, close + 1);
    wasNear[kind] = next - close <= nearBytes;
    close = next;
  }
  return bytes.length + 1;
}

/** The next quote from `from` on, or -1. */
function quoteNear(bytes: Buffer, from: number): number {
  const last = Math.min(bytes.length, from + nearBytes);
  for (let at = from; at < last; at += 1) if (bytes[at] === quote) return at;
  return bytes.indexOf(quote, last);
}

/** 8 MB of escaped quotes would hold everybody up for 70 ms, and do for 10 to 20. */
function endOfDenseString(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    if (bytes[at] === quote) return at + 1;
    at += bytes[at] === backslash ? 2 : 1;
  }
  return bytes.length + 1;
}

function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === quote) return endOfString(bytes, start);
  if (first === openBrace || first === openBracket) return endOfContainer(bytes, start);
  let at = start;
  while (at < bytes.length && !endsScalar(bytes[at])) at += 1;
  return at;
}

const endsScalar = (byte: number | undefined): boolean =>
  byte === comma || byte === closeBrace || byte === closeBracket || isSpace(byte);

function endOfContainer(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    at += 1;
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at;
  }
  return bytes.length + 1;
}
