const windowMs = 60_000;
/** Networks that are counted at once; the one counted longest makes room. */
const maxNetworks = 10_000;

export interface GuessLimit {
  /** Counts one guess. Returns 0, or in how many milliseconds the next one may be made. */
  take(network: string): number;
  /** It was no guess after all. */
  giveBack(network: string): void;
}

/** How many unknown keys a network may try in a minute, on this replica. */
export function createGuessLimit({
  perMinute,
  now,
}: {
  readonly perMinute: number;
  readonly now: () => number;
}): GuessLimit {
  const windows = new Map<string, { guesses: number; readonly endsAt: number }>();
  return {
    take(network) {
      const at = now();
      let window = windows.get(network);
      if (window === undefined || window.endsAt <= at) {
        windows.delete(network);
        for (const [oldest, { endsAt }] of windows) {
          if (endsAt > at && windows.size < maxNetworks) break;
          windows.delete(oldest);
        }
        window = { guesses: 0, endsAt: at + windowMs };
        windows.set(network, window);
      }
      if (window.guesses >= perMinute) return window.endsAt - at;
      window.guesses += 1;
      return 0;
    },
    giveBack(network) {
      const window = windows.get(network);
      if (window !== undefined && window.guesses > 0) window.guesses -= 1;
    },
  };
}
