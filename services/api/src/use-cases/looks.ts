/** How long a request waits for what another service does. */
export interface Patience {
  readonly forMs: number;
  /** Milliseconds, from any fixed point. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

export interface Look {
  /**
   * Whoever is waited for should be woken, again: a wake-up that came while they were at work was
   * lost.
   */
  readonly isNudge: boolean;
}

const firstPauseMs = 20;
const longestPauseMs = 200;
const nudgeEveryMs = 500;

/**
 * The moments at which to look: at once, then less and less often, and a last time when the
 * patience has run out.
 */
export async function* looks({ forMs, now, pause }: Patience): AsyncGenerator<Look, void> {
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
