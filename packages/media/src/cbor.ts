/** As much of CBOR (RFC 8949) as a C2PA claim and its signature need. */
export type Cbor =
  number | string | boolean | null | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

/** A claim has dozens; what has more is not read. */
const mostItems = 5_000;
const mostDepth = 16;

/** Reads one value. Throws for what is cut off, too deep or too much. */
export function readCbor(bytes: Uint8Array): Cbor {
  const reader = new Reader(bytes);
  return reader.value(0);
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #items = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(depth: number): Cbor {
    this.#items += 1;
    if (depth > mostDepth || this.#items > mostItems) throw new Error('too much CBOR');
    const head = this.#view.getUint8(this.#at);
    this.#at += 1;
    const [major, info] = [head >> 5, head & 31];
    if (major === 7) return this.#simple(info);
    if (info === 31) throw new Error('CBOR of indefinite length is not read');
    return this.#sized(major, this.#size(info), depth);
  }

  #sized(major: number, size: number, depth: number): Cbor {
    switch (major) {
      case 0:
        return size;
      case 1:
        return -1 - size;
      case 2:
        return this.#take(size);
      case 3:
        return new TextDecoder().decode(this.#take(size));
      case 4:
        return this.#list(size, depth);
      case 5:
        return this.#map(size, depth);
      default:
        // A tag says more about the value behind it, which is enough.
        return this.value(depth + 1);
    }
  }

  #list(size: number, depth: number): readonly Cbor[] {
    const items: Cbor[] = [];
    for (let index = 0; index < size; index += 1) items.push(this.value(depth + 1));
    return items;
  }

  #map(size: number, depth: number): ReadonlyMap<Cbor, Cbor> {
    const entries = new Map<Cbor, Cbor>();
    for (let index = 0; index < size; index += 1) {
      const key = this.value(depth + 1);
      entries.set(key, this.value(depth + 1));
    }
    return entries;
  }

  #simple(info: number): Cbor {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22 || info === 23) return null;
    const widths: Readonly<Partial<Record<number, number>>> = { 24: 1, 25: 2, 26: 4, 27: 8 };
    const width = widths[info];
    if (width === undefined) throw new Error('a simple value of CBOR that is not read');
    const at = this.#at;
    this.#take(width);
    // No number that is read here is a fraction.
    return width === 8 ? this.#view.getFloat64(at) : 0;
  }

  #size(info: number): number {
    if (info < 24) return info;
    const at = this.#at;
    this.#take(2 ** (info - 24));
    if (info === 24) return this.#view.getUint8(at);
    if (info === 25) return this.#view.getUint16(at);
    if (info === 26) return this.#view.getUint32(at);
    if (info === 27) return Number(this.#view.getBigUint64(at));
    throw new Error('a length of CBOR that is not read');
  }

  #take(size: number): Uint8Array {
    const end = this.#at + size;
    if (end > this.#bytes.length) throw new Error('the CBOR is cut off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
