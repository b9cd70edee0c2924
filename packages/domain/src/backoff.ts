/** How a failing step is spaced: `firstMs` doubled on each further failure, up to `maxMs`. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Milliseconds before try `failures + 1`, with up to a fifth of jitter either way; `random` is
 * uniform in [0, 1).
 */
export function backoffDelayMs(
  { firstMs, maxMs }: Backoff,
  failures: number,
  random: number,
): number {
  const delay = Math.min(firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 30), maxMs);
  return Math.round(delay * (0.8 + 0.4 * random));
}
