export interface VendorRoomOptions {
  /** Tasks that have a place at this provider, as the database counts them. */
  readonly placesTaken: (provider: string) => Promise<number>;
  readonly now?: () => number;
}

/**
 * Whether a new task may find a free place at its vendor, as of a moment ago; true when nobody
 * knows. Never waits.
 */
export type VendorRoom = (vendor: {
  readonly provider: string;
  readonly maxConcurrent: number;
}) => boolean;

/**
 * A count is asked for again when it is older than this, and not believed when it is older than
 * that.
 */
const freshMs = 250;
const staleMs = 1_000;

interface Counted {
  readonly places: number;
  readonly at: number;
}

/**
 * A hint only: behind a full vendor a task waits in line without a job, and whoever frees a place
 * wakes the next one, so that a wake-up for it is wasted: with 32 callers that was a quarter of all
 * the work of a creation. A place that came free meanwhile is seen at the worker's next look at the
 * line, within a second.
 */
export function createVendorRoom({ placesTaken, now = Date.now }: VendorRoomOptions): VendorRoom {
  const known = new Map<string, Counted>();
  const asking = new Set<string>();
  const ask = (provider: string): void => {
    if (asking.has(provider)) return;
    asking.add(provider);
    const at = now();
    placesTaken(provider)
      .then(
        (places) => known.set(provider, { places, at }),
        () => known.delete(provider),
      )
      .finally(() => asking.delete(provider));
  };
  return ({ provider, maxConcurrent }) => {
    const counted = known.get(provider);
    const ageMs = counted === undefined ? Infinity : now() - counted.at;
    if (ageMs > freshMs) ask(provider);
    return counted === undefined || ageMs > staleMs || counted.places < maxConcurrent;
  };
}
