export interface BodyPaceOptions {
  /** Of the large bodies of one account together. */
  readonly bytesPerSecond: number;
  readonly now?: () => number;
}

export interface BodyPace {
  /** These bytes of an account were read; returns after how many ms to read on, mostly 0. */
  read(accountId: string, bytes: number): number;
}

/** What an account may read at once before it is slowed down, in ms of its pace. */
const burstMs = 100;
/** Accounts that are remembered before those that rest are forgotten. */
const manyAccounts = 1_024;

/**
 * How fast the bodies of one account are taken from their sockets. Each piece costs the event loop
 * that everybody shares, however little of a body is kept in the end.
 */
export function createBodyPace({
  bytesPerSecond,
  now = () => performance.now(),
}: BodyPaceOptions): BodyPace {
  /** When the pace of an account has caught up with what was read. */
  const caughtUpMs = new Map<string, number>();
  const forgetResting = (): void => {
    for (const [accountId, atMs] of caughtUpMs) {
      if (atMs <= now() - burstMs) caughtUpMs.delete(accountId);
    }
  };
  return {
    read(accountId, bytes) {
      const nowMs = now();
      const fromMs = Math.max(caughtUpMs.get(accountId) ?? 0, nowMs - burstMs);
      const atMs = fromMs + (bytes * 1_000) / bytesPerSecond;
      if (caughtUpMs.size >= manyAccounts) forgetResting();
      caughtUpMs.set(accountId, atMs);
      return Math.max(0, atMs - nowMs);
    },
  };
}
