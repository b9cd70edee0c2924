/**
 * Remembers at most so many entries, and forgets those that were not used for longest, within a
 * factor of two: entries move from an old half to a young one when they are used, and the old half
 * is dropped when the young one is full.
 */
export class RecentMap<Value> {
  readonly #half: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  deleteWhere(isMeant: (value: Value) => boolean): void {
    for (const half of [this.#young, this.#old]) {
      for (const [key, value] of half) if (isMeant(value)) half.delete(key);
    }
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
