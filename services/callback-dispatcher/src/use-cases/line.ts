/**
 * Who waits for a place at one receiver comes back one after the other, at about the pace in which
 * places get free.
 */
export interface Lines {
  /** An attempt at the receiver `key` begins; the answer ends it. */
  begin(key: string): () => void;
  /** In how many milliseconds the next in line comes back. */
  next(key: string): number;
  size(): number;
}

interface Line {
  readonly startedAt: Set<{ readonly at: number }>;
  /** Of an attempt, in milliseconds; a moving average. */
  usualMs: number;
  /** When the last in line comes back. */
  lastAt: number;
}

const soonestMs = 20;
const latestMs = 300_000;
const usualAtFirstMs = 50;
const shortestStepMs = 1;
const longestStepMs = 2_000;

/**
 * So many deferred pushes that a broken receiver has piled up must not keep the dispatcher busy
 * with looking at them: the slower a receiver is, the further they are spread. `places` is how many
 * it may have in flight, `now` in milliseconds.
 */
export function createLines({
  places,
  now,
}: {
  readonly places: number;
  readonly now: () => number;
}): Lines {
  const lines = new Map<string, Line>();
  const lineOf = (key: string): Line => {
    const known = lines.get(key);
    if (known !== undefined) return known;
    const line: Line = { startedAt: new Set(), usualMs: usualAtFirstMs, lastAt: 0 };
    lines.set(key, line);
    return line;
  };
  const forgetIdle = (key: string, line: Line): void => {
    if (line.startedAt.size === 0 && line.lastAt <= now() && lines.get(key) === line) {
      lines.delete(key);
    }
  };
  return {
    begin(key) {
      const line = lineOf(key);
      const start = { at: now() };
      line.startedAt.add(start);
      return () => {
        if (!line.startedAt.delete(start)) return;
        line.usualMs += 0.2 * (now() - start.at - line.usualMs);
        forgetIdle(key, line);
      };
    },
    next(key) {
      const line = lineOf(key);
      const time = now();
      const [oldest] = line.startedAt; // a Set keeps its order
      const expectedMs = Math.max(line.usualMs, oldest === undefined ? 0 : time - oldest.at);
      const stepMs = Math.min(Math.max(expectedMs / places, shortestStepMs), longestStepMs);
      line.lastAt = Math.min(Math.max(line.lastAt, time) + stepMs, time + latestMs);
      return Math.round(line.lastAt - time) + soonestMs;
    },
    size: () => lines.size,
  };
}
