import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  readonly withinMs: number;
  readonly say: (line: string) => void;
  /** How far it is. */
  readonly progress: () => string;
}

const checkEveryMs = 200;
const sayEveryMs = 10_000;

/**
 * Waits until `isDone` says true, with a line of progress now and then. False when the time is up.
 */
export async function waitFor(
  isDone: () => boolean,
  { withinMs, say, progress }: WaitOptions,
): Promise<boolean> {
  const startedAt = performance.now();
  let saidAt = startedAt;
  while (!isDone()) {
    const now = performance.now();
    if (now - startedAt > withinMs) return false;
    if (now - saidAt > sayEveryMs) {
      saidAt = now;
      say(`${Math.round((now - startedAt) / 1_000)} s: ${progress()}`);
    }
    await sleep(checkEveryMs);
  }
  return true;
}
