const firstDelayMs = 250;
const longestDelayMs = 5_000;
/** A process that ran this long was healthy: its next crash counts as the first again. */
const healthyAfterMs = 30_000;

/**
 * Crashes before the first readiness that are forgiven: what crashes every time must be shown soon.
 */
const earlyCrashesForgiven = 2;
/** With which a service ends that cannot start with its settings or its configuration. */
const settingsExitCode = 78;

/** Whether a process that has never been ready is not worth another start. */
export function isHopeless({
  crashes,
  exitCode,
}: {
  readonly crashes: number;
  readonly exitCode: number | null;
}): boolean {
  return exitCode === settingsExitCode || crashes > earlyCrashesForgiven;
}

/**
 * How many crashes in a row there are after one more, for a process that had run `upMs` before it.
 */
export function crashesInARow(before: number, upMs: number): number {
  return upMs >= healthyAfterMs ? 1 : before + 1;
}

/**
 * How long to wait before starting a crashed process again: doubles from 250 ms, never above 5 s.
 */
export function restartDelayMs(crashes: number): number {
  return Math.min(longestDelayMs, firstDelayMs * 2 ** (crashes - 1));
}
