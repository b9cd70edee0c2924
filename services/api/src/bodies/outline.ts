import { randomBytes } from 'node:crypto';
import { judgeJson, type JsonBounds, type TextReader } from './judge.ts';
import { inFewPieces } from './memory.ts';

export interface OutlineBounds extends JsonBounds {
  readonly mostBytes: number;
}

/**
 * A large body without the middles of its long texts: a small body, which is judged, parsed, checked
 * and translated instead. What was cut out is put back as the bytes that it was.
 */
export class Outline {
  readonly bytes: Buffer;
  readonly #whole: Buffer;
  readonly #cuts: readonly Cut[];
  /** Of the whole, which has as many. */
  readonly values: number;

  private constructor(whole: Buffer, cuts: readonly Cut[], values: number) {
    this.bytes = withoutCuts(whole, cuts);
    this.#whole = whole;
    this.#cuts = cuts;
    this.values = values;
  }

  /**
   * Undefined where nothing can be cut out, or what is left has more than so many bytes. Judges the whole
   * on the way: throws what `judgeJson` throws, which would judge the outline alike.
   */
  static of(whole: Buffer, bounds: OutlineBounds): Outline | undefined {
    const cutter = new Cutter(whole, bounds.mostBytes);
    const { values } = judgeJson(whole, bounds, cutter);
    const isEnough = cutter.cuts.length > 0 && whole.length <= cutter.lastPlace;
    return isEnough ? new Outline(whole, cutter.cuts, values) : undefined;
  }

  /**
   * What was made of the outline with everything put back, in few pieces, of which the longest are not
   * copied. Undefined where it does not hold each cut once: whoever made it has read a text, and not only
   * moved it.
   */
  restore(made: Buffer): readonly Buffer[] | undefined {
    // Every search in a buffer costs a microsecond; a text of the outline's length costs as much once.
    const text = made.toString('latin1');
    const pieces: Buffer[] = [];
    const seen = new Set<number>();
    let from = 0;
    for (let at = text.indexOf(nonce); at >= 0; at = text.indexOf(nonce, from)) {
      const index = Number(text.slice(at + nonce.length, at + markLength));
      const cut = this.#cuts[index];
      const slashes = slashesBefore(made, at);
      if (cut === undefined || seen.has(index) || (slashes !== 2 && slashes !== 4)) {
        return undefined;
      }
      const bytes = this.#whole.subarray(cut.start, cut.end);
      seen.add(index);
      pieces.push(made.subarray(from, at - slashes), slashes === 2 ? bytes : quotedOnceMore(bytes));
      from = at + markLength;
    }
    if (seen.size !== this.#cuts.length) return undefined;
    pieces.push(made.subarray(from));
    return inFewPieces(pieces);
  }

  /** Where a byte of the outline, of none of its marks, stands in the whole. */
  placeInWhole(at: number): number {
    let place = at;
    for (const { start, end } of this.#cuts) {
      if (place <= start) break;
      place += end - start - writtenMarkLength;
    }
    return place;
  }

  /** The bytes that a text of the outline has with what was cut out of it. */
  weigh(text: string): number {
    let bytes = Buffer.byteLength(text);
    for (let at = text.indexOf(nonce); at >= 0; at = text.indexOf(nonce, at + markLength)) {
      const cut = this.#cuts[Number(text.slice(at + nonce.length, at + markLength))];
      if (cut !== undefined) bytes += cut.end - cut.start - markLength;
    }
    return bytes;
  }

  /** Whether something was cut out of it: then nobody may be shown it. */
  isCut(value: object): boolean {
    return JSON.stringify(value).includes(nonce);
  }
}

/** Bytes of the whole body. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Inside one string of it. */
type Cut = Span;

/**
 * Stands for a cut, behind a backslash. Nobody outside can know it. A text that is written as JSON
 * once more, as the arguments of a call are, has the backslash twice.
 */
const nonce = randomBytes(12).toString('hex');
const indexDigits = 6;
const markLength = nonce.length + indexDigits;
/** With its backslash, which JSON doubles. */
const writtenMarkLength = 2 + markLength;
const markOf = (index: number): string => nonce + String(index).padStart(indexDigits, '0');
/** To make a mark costs as much as all else about its cut; hardly any body has more. */
const keptMarks = 4_096;
const marks: Buffer[] = [];
function writtenMarkOf(index: number): Buffer {
  const kept = marks[index];
  if (kept !== undefined) return kept;
  const mark = Buffer.from(`\\\\${markOf(index)}`);
  if (index === marks.length && index < keptMarks) marks.push(mark);
  return mark;
}

/** Piece by piece, each in one call: a view of it would cost more than to copy it. */
function withoutCuts(whole: Buffer, cuts: readonly Cut[]): Buffer {
  const cutBytes = cuts.reduce((sum, { start, end }) => sum + end - start, 0);
  const bytes = Buffer.allocUnsafe(whole.length - cutBytes + cuts.length * writtenMarkLength);
  let from = 0;
  let to = 0;
  cuts.forEach(({ start, end }, index) => {
    to += whole.copy(bytes, to, from, start);
    to += writtenMarkOf(index).copy(bytes, to);
    from = end;
  });
  whole.copy(bytes, to, from);
  return bytes;
}

const colon = 0x3a;
const space = 0x20;
const backslash = 0x5c;

/** Shorter ones are not worth it. */
const longText = 1_024;
/** Fields whose texts are passed on as they are, whatever stands in them. */
const words: ReadonlySet<string> = new Set(['text', 'content']);
/** Fields of media: only what can be nothing but base64 is cut out, since addresses are read. */
const media: ReadonlySet<string> = new Set(['data', 'url', 'file_data']);

/** Finds what can be cut out. */
class Cutter implements TextReader {
  readonly cuts: Cut[] = [];
  lastPlace: number;
  readonly #bytes: Buffer;
  #nameStart = 0;
  #nameEnd = 0;

  constructor(bytes: Buffer, mostBytes: number) {
    this.#bytes = bytes;
    this.lastPlace = mostBytes;
  }

  name(start: number, end: number): void {
    this.#nameStart = start;
    this.#nameEnd = end;
  }

  text(start: number, end: number): void {
    if (end - start <= longText) return;
    const named = { start: this.#nameStart, end: this.#nameEnd };
    const cut = cutOf(this.#bytes, { start, end }, named);
    if (cut === undefined) return;
    this.cuts.push(cut);
    this.lastPlace += cut.end - cut.start - writtenMarkLength;
  }
}

/** The middle of a text, between places where a character begins. */
function cutOf(bytes: Buffer, text: Span, named: Span): Cut | undefined {
  const name = bytes.toString('latin1', named.start + 1, named.end - 1);
  if (!words.has(name) && !media.has(name)) return undefined;
  const start = firstPlace(bytes, text.start + keptHeadBytes);
  const end = lastPlace(bytes, text.end - keptTailBytes);
  if (start === undefined || end === undefined) return undefined;
  return words.has(name) || isBase64(bytes, { start: text.start + 1, end: text.end - 1 })
    ? { start, end }
    : undefined;
}

/** What is kept at both ends is enough for whoever looks at how a text begins and ends. */
const keptHeadBytes = 64;
const keptTailBytes = 32;
/** In how many bytes a place is looked for. */
const searchedBytes = 96;

/** The first place from there on. */
function firstPlace(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at < from + searchedBytes; at += 1) if (isPlace(bytes, at)) return at;
  return undefined;
}

/** The last place before that: what is kept is read, and takes half as long again where it is not ASCII. */
function lastPlace(bytes: Buffer, before: number): number | undefined {
  for (let at = before - 1; at >= before - searchedBytes; at -= 1) {
    if (isPlace(bytes, at)) return at;
  }
  return undefined;
}

/** At a letter or a digit that no escape comes before, so that nothing is trimmed off up to there. */
function isPlace(bytes: Buffer, at: number): boolean {
  if (!isLetterOrDigit(bytes[at])) return false;
  for (let before = at - escapeLength; before < at; before += 1) {
    if (bytes[before] === backslash) return false;
  }
  return true;
}
const escapeLength = '\\u0000'.length;

const isLetterOrDigit = (byte = 0): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a);

/** As a data URL, or alone. White space in it would be taken out, and a colon makes it an address. */
function isBase64(bytes: Buffer, { start, end }: Span): boolean {
  const begin = bytes.toString('latin1', start, start + 64);
  const comma = /^data:[\w./+-]*;base64,/i.exec(begin)?.[0].length ?? 0;
  const data = bytes.subarray(start + comma, end);
  return !data.includes(backslash) && !data.includes(colon) && !data.includes(space);
}

function slashesBefore(bytes: Buffer, end: number): number {
  let at = end;
  while (bytes[at - 1] === backslash) at -= 1;
  return end - at;
}

/** Part of a JSON text as part of a text in JSON. */
const quotedOnceMore = (bytes: Buffer): Buffer =>
  Buffer.from(JSON.stringify(bytes.toString('latin1')).slice(1, -1), 'latin1');
