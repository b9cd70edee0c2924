const shortestPauseMs = 100;
const longestPauseMs = 30_000;

export interface FullBulkhead {
  /** Tasks that were rejected and have not come back yet. */
  readonly waiting: number;
  readonly width: number;
  /** How long a task occupies its slot. */
  readonly occupancyMs: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * How long a task stays away from a full bulkhead, in ms. Those that wait come back about as fast as
 * the bulkhead could take them: soon when the vendor responds, ever more rarely when it hangs.
 */
export const fullBulkheadPauseMs = ({
  waiting,
  width,
  occupancyMs,
  random,
}: FullBulkhead): number =>
  Math.round(
    Math.min(Math.max(occupancyMs * (1 + waiting / width), shortestPauseMs), longestPauseMs) *
      (0.5 + random),
  );
