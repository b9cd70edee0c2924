import { isUtf8 } from 'node:buffer';
import { GatewayError } from '@gateway/domain';
import { endOfString } from '@gateway/text-dialects';
import { OpenNames } from './open-names.ts';

/** More than any request that could be right has. */
export interface JsonBounds {
  readonly maxDepth: number;
  /** Names count like values. */
  readonly maxValues: number;
}

/** Where a long string stands in the bytes, its quotes included. */
export interface LongText {
  readonly start: number;
  readonly end: number;
}

export interface JudgedJson {
  readonly values: number;
  readonly longTexts: readonly LongText[];
}

/** Is shown the texts of a JSON text as they are judged, their quotes included. */
export interface TextReader {
  /** Nothing is judged that begins behind it. */
  readonly lastPlace: number;
  name(start: number, end: number): void;
  /** Any other text that has an end. */
  text(start: number, end: number): void;
}

/** Parsing and checking so many takes milliseconds, however few bytes they have. */
export const isMany = ({ values }: Pick<JudgedJson, 'values'>): boolean => values > 10_000;

/** From here on a string is found again by its place. */
const longTextBytes = 65_536;

const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

/**
 * Judges a JSON text by its bytes, before anything is parsed: UTF-8 without a byte order mark, no
 * deeper and no more values than allowed, and no field twice in one object, which each parser
 * would read its own way. Throws invalid_json or invalid_parameter. Of a text that is no JSON it
 * may find nothing wrong: its parser does.
 */
export function judgeJson(bytes: Buffer, bounds: JsonBounds, reader?: TextReader): JudgedJson {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new GatewayError('invalid_json', 'the body begins with a byte order mark; leave it out');
  }
  // Decoders differ in what they make of broken bytes: one that swallows a quote reads another body
  // than this.
  if (!isUtf8(bytes)) throw new GatewayError('invalid_json', 'the body is not valid UTF-8');
  const scan = new Scan(bytes, bounds, reader);
  scan.run();
  return scan;
}

/** An array has no names. */
type OpenObject = ReturnType<OpenNames['open']> | undefined;

class Scan implements JudgedJson {
  values = 0;
  readonly longTexts: LongText[] = [];
  readonly #bytes: Buffer;
  readonly #bounds: JsonBounds;
  readonly #reader: TextReader | undefined;
  readonly #names: OpenNames;
  readonly #open: OpenObject[] = [];
  #object: OpenObject = undefined;
  #isName = false;

  constructor(bytes: Buffer, bounds: JsonBounds, reader: TextReader | undefined) {
    this.#bytes = bytes;
    this.#bounds = bounds;
    this.#reader = reader;
    this.#names = new OpenNames(bytes);
  }

  run(): void {
    const bytes = this.#bytes;
    let last = this.#lastPlace();
    let at = 0;
    while (at < last) {
      const byte = bytes[at] as number;
      const kind = kinds[byte];
      if (kind === quoteKind) {
        at = this.#text(at);
        last = this.#lastPlace();
      } else if (kind === spaceKind) at += 1;
      else if (kind === punctuationKind) {
        this.#punctuation(byte);
        at += 1;
      } else {
        this.#count();
        at = endOfScalar(bytes, at);
      }
    }
  }

  #lastPlace(): number {
    const { length } = this.#bytes;
    return this.#reader === undefined ? length : Math.min(length, this.#reader.lastPlace);
  }

  #punctuation(byte: number): void {
    if (byte === comma) this.#isName = this.#object !== undefined;
    else if (byte === colon) this.#isName = false;
    else if (byte === openBrace || byte === openBracket) this.#enter(byte === openBrace);
    else this.#leave();
  }

  #enter(isObject: boolean): void {
    this.#count();
    this.#open.push(this.#object);
    if (this.#open.length > this.#bounds.maxDepth) {
      throw tooMuch(`must not be nested deeper than ${this.#bounds.maxDepth} levels`);
    }
    this.#object = isObject ? this.#names.open() : undefined;
    this.#isName = isObject;
  }

  #leave(): void {
    if (this.#object !== undefined) this.#names.close(this.#object);
    this.#object = this.#open.pop();
    this.#isName = false;
  }

  #text(start: number): number {
    this.#count();
    const end = endOfString(this.#bytes, start);
    if (this.#isName) this.#name(start, end);
    else if (end <= this.#bytes.length) {
      this.#reader?.text(start, end);
      if (end - start > longTextBytes) this.longTexts.push({ start, end });
    }
    return end;
  }

  #name(start: number, end: number): void {
    if (this.#object === undefined) return;
    this.#reader?.name(start, end);
    const name = this.#names.add(this.#object, start, end);
    if (name !== undefined) throw twice(name);
  }

  #count(): void {
    this.values += 1;
    if (this.values > this.#bounds.maxValues) {
      throw tooMuch(`must not have more than ${this.#bounds.maxValues} values`);
    }
  }
}

/** Of each byte: to look it up costs less than to compare it with eight others. */
const kinds = new Uint8Array(256);
const quoteKind = 1;
const spaceKind = 2;
const punctuationKind = 3;
kinds[quote] = quoteKind;
kinds.fill(spaceKind, 0, 0x21);
for (const byte of [comma, colon, openBrace, closeBrace, openBracket, closeBracket]) {
  kinds[byte] = punctuationKind;
}

function endOfScalar(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && kinds[bytes[at] as number] === 0) at += 1;
  return at;
}

function twice(name: string): GatewayError {
  const shown = Buffer.from(name, 'latin1').toString('utf8').slice(0, 80);
  return new GatewayError(
    'invalid_json',
    `${JSON.stringify(shown)} stands twice in one object of the body; send it once`,
    { param: shown },
  );
}

const tooMuch = (what: string): GatewayError =>
  new GatewayError('invalid_parameter', `the body ${what}`);

/** Throws invalid_json for what is no JSON. The bytes have been judged before. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new GatewayError(
      'invalid_json',
      bytes.length === 0
        ? 'the body is empty; send one JSON object'
        : `the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`,
      { cause: error },
    );
  }
}
