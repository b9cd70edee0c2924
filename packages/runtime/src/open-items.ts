/** Something that is open for a while: a request, a response. It keeps its own place in the list. */
export interface Placed {
  /** Where it stands in the list; -1 while it stands in none. */
  place: number;
}

export interface OpenItems<Item extends Placed> {
  readonly size: number;
  add(item: Item): void;
  /** Removing one that is not there does nothing. */
  remove(item: Item): void;
  has(item: Item): boolean;
  /** Those that are open now, in no order; a copy, so that they may leave while it is walked. */
  all(): Item[];
}

/**
 * What is under way, for thousands of arrivals a second. A Set would do but for the collector: V8
 * links each table that a Set has outgrown to the next one, so that one such table in the old
 * generation keeps everything that was open at any later outgrowing, until the next full
 * collection. Measured with 32 callers of small responses: 10 kB a request survived its collections,
 * which took 7 ms each instead of 2, a sixth of the api's CPU time.
 */
export function createOpenItems<Item extends Placed>(): OpenItems<Item> {
  const open: Item[] = [];
  return {
    get size() {
      return open.length;
    },
    add(item) {
      item.place = open.length;
      open.push(item);
    },
    remove(item) {
      const last = open.at(-1);
      if (last === undefined || open[item.place] !== item) return;
      open[item.place] = last;
      last.place = item.place;
      open.pop();
      item.place = -1;
    },
    has: (item) => open[item.place] === item,
    all: () => [...open],
  };
}
