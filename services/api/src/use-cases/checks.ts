/** How long a request waits for what another service does. */
export interface Patience {
  readonly forMs: number;
  /** Milliseconds, from any fixed point. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

export interface Check {
  /** Whether to wake the other service, again: a wake-up that came while it was busy was lost. */
  readonly isNudge: boolean;
}

const firstPauseMs = 20;
const longestPauseMs = 200;
const nudgeEveryMs = 500;

/** When to read the row: at once, then less and less often, and a last time when patience ends. */
export async function* checks({ forMs, now, pause }: Patience): AsyncGenerator<Check, void> {
  const start = now();
  let nudgedAt = -Infinity;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const elapsedMs = now() - start;
    const isNudge = elapsedMs < forMs && elapsedMs - nudgedAt >= nudgeEveryMs;
    if (isNudge) nudgedAt = elapsedMs;
    yield { isNudge };
    if (elapsedMs >= forMs) return;
    await pause(Math.min(pauseMs, Math.max(forMs - (now() - start), 0)));
  }
}
