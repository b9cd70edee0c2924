import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A fortieth of what a process usually gets, where both want to run. */
const niceness = 15;

/**
 * Lets a process and those that it will start have what all others leave of the processors. It has to
 * lead a session: where Linux shares the processors among sessions first (`autogroup`), each of them has a
 * niceness, and that of a process counts within its session alone.
 */
export function standBehind(pid: number | undefined): void {
  // It could not be started, and whoever started it hears of that.
  if (pid === undefined) return;
  setPriority(pid, niceness);
  const session = `/proc/${pid}/autogroup`;
  if (existsSync(session)) writeFileSync(session, String(niceness));
}
