export interface VendorCapacityOptions {
  /** Tasks that hold a slot at this provider, as the database counts them. */
  readonly slotsTaken: (provider: string) => Promise<number>;
  readonly now?: () => number;
}

/**
 * Whether a new task may find a free slot at its vendor, as of a moment ago; true when nobody
 * knows. Never waits.
 */
export type VendorCapacity = (vendor: {
  readonly provider: string;
  readonly maxConcurrent: number;
}) => boolean;

/** An older count is asked for again. */
const freshMs = 250;
/** An older count is not believed. */
const staleMs = 1_000;

interface Counted {
  readonly slots: number;
  readonly at: number;
}

/**
 * A hint only. Behind a full vendor a task waits in the queue without a job, and whoever frees a
 * slot wakes the next task: a wake-up for a new one is wasted, and with 32 callers cost a quarter
 * of all the work of a creation. The worker sees a slot that was freed meanwhile when it next reads
 * the queue, within a second.
 */
export function createVendorCapacity({
  slotsTaken,
  now = () => performance.now(),
}: VendorCapacityOptions): VendorCapacity {
  const known = new Map<string, Counted>();
  const asking = new Set<string>();
  const ask = (provider: string): void => {
    if (asking.has(provider)) return;
    asking.add(provider);
    const at = now();
    slotsTaken(provider)
      .then(
        (slots) => known.set(provider, { slots, at }),
        () => known.delete(provider),
      )
      .finally(() => asking.delete(provider));
  };
  return ({ provider, maxConcurrent }) => {
    const counted = known.get(provider);
    const ageMs = counted === undefined ? Infinity : now() - counted.at;
    if (ageMs > freshMs) ask(provider);
    return counted === undefined || ageMs > staleMs || counted.slots < maxConcurrent;
  };
}
