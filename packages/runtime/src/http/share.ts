export interface ShareOptions {
  /** How long a value is given out after it was computed. */
  readonly freshMs: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/**
 * Wraps a computation that many may ask for: it runs once at a time and at most once in `freshMs`;
 * whoever asks meanwhile gets the same value. A failure is given to those who waited for it, and is
 * not kept.
 */
export function share<T>(
  compute: () => Promise<T>,
  { freshMs, now }: ShareOptions,
): () => Promise<T> {
  let running: Promise<T> | undefined;
  let kept: { readonly value: T; readonly until: number } | undefined;
  const run = async (): Promise<T> => {
    try {
      const value = await compute();
      kept = { value, until: now() + freshMs };
      return value;
    } finally {
      running = undefined;
    }
  };
  return () => {
    if (running !== undefined) return running;
    if (kept !== undefined && now() < kept.until) return Promise.resolve(kept.value);
    running = run();
    return running;
  };
}
