/** Limits how many tasks of one provider this replica works on at once. */
export interface Bulkheads {
  /** Takes a slot and returns its release; undefined when the provider's bulkhead is full. */
  enter(provider: string): (() => void) | undefined;
  /**
   * How long a task occupies its slot: the recent average, or the time since one was last released
   * if that is longer. In ms.
   */
  occupancyMs(provider: string): number;
  /**
   * About how many were rejected and have not come back yet; too many rather than too few while the
   * bulkhead stays full.
   */
  rejected(provider: string): number;
}

interface Bulkhead {
  inside: number;
  rejected: number;
  averageMs: number;
  releasedAt: number;
}

/** Until a first slot has been released. */
const unknownOccupancyMs = 1_000;
/** Weight of the latest release in the average. */
const weightOfLatest = 1 / 16;

/** A vendor that hangs fills its own bulkhead and nobody else's. */
export function createBulkheads(width: number, now: () => number): Bulkheads {
  const bulkheads = new Map<string, Bulkhead>();
  const bulkheadOf = (provider: string): Bulkhead => {
    const bulkhead = bulkheads.get(provider) ?? {
      inside: 0,
      rejected: 0,
      averageMs: unknownOccupancyMs,
      releasedAt: now(),
    };
    bulkheads.set(provider, bulkhead);
    return bulkhead;
  };
  return {
    enter(provider) {
      const bulkhead = bulkheadOf(provider);
      if (bulkhead.inside >= width) {
        bulkhead.rejected += 1;
        return undefined;
      }
      bulkhead.rejected = Math.max(0, bulkhead.rejected - 1);
      const enteredAt = now();
      // An empty bulkhead had nothing to release.
      if (bulkhead.inside === 0) bulkhead.releasedAt = enteredAt;
      bulkhead.inside += 1;
      return () => {
        bulkhead.inside -= 1;
        bulkhead.releasedAt = now();
        bulkhead.averageMs +=
          (bulkhead.releasedAt - enteredAt - bulkhead.averageMs) * weightOfLatest;
      };
    },
    occupancyMs(provider) {
      const { averageMs, releasedAt } = bulkheadOf(provider);
      return Math.max(averageMs, now() - releasedAt);
    },
    rejected: (provider) => bulkheadOf(provider).rejected,
  };
}
