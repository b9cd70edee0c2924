import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError } from './local-stack-error.ts';

const checkEveryMs = 40;

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks until `isDone` says true. False when the time is up; throws `cancelled` when the signal
 * fires.
 */
export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  { timeoutMs, signal }: WaitOptions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    throwIfCancelled(signal);
    if (await isDone()) return true;
    if (performance.now() > deadline) return false;
    await sleep(checkEveryMs);
  }
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new LocalStackError('cancelled', 'Stopped before everything was ready.');
  }
}
