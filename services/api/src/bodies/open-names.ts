import { randomInt } from 'node:crypto';

/** Odd, and known to nobody outside: names of one hash cannot be chosen. */
const factor = randomInt(2 ** 30, 2 ** 31) | 1;
/** A list is faster for the few names that most objects have. */
const mostListed = 12;
const backslash = 0x5c;

/** One open object: where its names begin in the list of all, and those of an object that has many. */
interface Names {
  readonly from: number;
  many: Set<string> | undefined;
}

/**
 * The names of the objects that are open in a JSON text. Names are compared by hashes first: taking each
 * out of the bytes as a text costs as much as all else about it.
 */
export class OpenNames {
  readonly #bytes: Buffer;
  /** Lists are written over and not cut off: that costs as much as all names of a small object. */
  #count = 0;
  readonly #hashes: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  open(): Names {
    return { from: this.#count, many: undefined };
  }

  close({ from }: Names): void {
    this.#count = from;
  }

  /** Adds the name from its first quote to behind its last one; returns it where it stood before. */
  add(names: Names, start: number, end: number): string | undefined {
    if (names.many !== undefined) return addTo(names.many, nameIn(this.#bytes, start, end));
    const hash = this.#hashOf(start, end);
    const { from } = names;
    for (let index = from; index < this.#count; index += 1) {
      if (this.#hashes[index] !== hash) continue;
      const name = nameIn(this.#bytes, start, end);
      if (this.#nameAt(index) === name) return name;
    }
    this.#hashes[this.#count] = hash;
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = end;
    this.#count += 1;
    if (this.#count - from > mostListed) names.many = this.#namesFrom(from);
    return undefined;
  }

  #hashOf(start: number, end: number): number {
    const bytes = this.#bytes;
    let hash = 0;
    for (let at = start + 1; at < end - 1; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === backslash) return hashOfText(nameIn(bytes, start, end));
      hash = (Math.imul(hash, factor) + byte) | 0;
    }
    return hash;
  }

  #nameAt(index: number): string {
    return nameIn(this.#bytes, this.#starts[index] ?? 0, this.#ends[index] ?? 0);
  }

  #namesFrom(from: number): Set<string> {
    const many = new Set<string>();
    for (let index = from; index < this.#count; index += 1) many.add(this.#nameAt(index));
    return many;
  }
}

function addTo(names: Set<string>, name: string): string | undefined {
  if (names.has(name)) return name;
  names.add(name);
  return undefined;
}

/** The same as of the bytes that it stands for. */
function hashOfText(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) {
    hash = (Math.imul(hash, factor) + name.charCodeAt(at)) | 0;
  }
  return hash;
}

/**
 * As its UTF-8 bytes, one character each: the fastest way to compare. A name with escapes is
 * decoded first; one that cannot be is left as it is, for the parser to refuse.
 */
function nameIn(bytes: Buffer, start: number, end: number): string {
  const written = bytes.toString('latin1', start + 1, end - 1);
  if (!written.includes('\\')) return written;
  try {
    const name = JSON.parse(bytes.toString('utf8', start, end)) as string;
    return Buffer.from(name).toString('latin1');
  } catch {
    return written;
  }
}
