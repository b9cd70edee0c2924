/** One reading of a distant clock, taken over a round trip of unknown symmetry. */
export interface ClockReading {
  /** What it showed in the middle of the round trip, in ms since the epoch. */
  readonly timeMs: number;
  /** That middle, on this process's monotonic clock. */
  readonly atMs: number;
  /** It may have been this much earlier or later: half the round trip. */
  readonly uncertaintyMs: number;
}

/** A crystal drifts by less than this share of the time that passes. */
const driftShare = 1 / 1_000;

/** What the distant clock shows now, by this reading. */
export const timeAt = ({ timeMs, atMs }: ClockReading, nowMs: number): number =>
  timeMs + (nowMs - atMs);

/** How far off `timeAt` may be by now. */
export const uncertaintyAt = ({ uncertaintyMs, atMs }: ClockReading, nowMs: number): number =>
  uncertaintyMs + Math.abs(nowMs - atMs) * driftShare;

/**
 * Which of two readings to go by. A slow round trip says less than a fast one before it, unless it
 * contradicts it: then the distant clock was set, or is another one.
 */
export function betterReading(known: ClockReading | undefined, taken: ClockReading): ClockReading {
  if (known === undefined) return taken;
  const uncertaintyMs = uncertaintyAt(known, taken.atMs);
  const apartMs = Math.abs(timeAt(known, taken.atMs) - taken.timeMs);
  const isContradicted = apartMs > uncertaintyMs + taken.uncertaintyMs;
  return isContradicted || taken.uncertaintyMs <= uncertaintyMs ? taken : known;
}
