import { setTimeout as pause } from 'node:timers/promises';
import type { Patience } from '../use-cases/checks.ts';

/** By the monotonic clock of the process. */
export const patienceOf = (forMs: number): Patience => ({
  forMs,
  now: () => performance.now(),
  pause: (ms) => pause(ms),
});
