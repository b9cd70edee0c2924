import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process started, as text to compare with itself later; undefined when no such process
 * runs. A number alone does not name a process: numbers come again, in containers within seconds.
 */
export function startOf(pid: number): string | undefined {
  const text = process.platform === 'linux' ? read(`/proc/${pid}/stat`) : ps('state=,lstart=', pid);
  if (text === undefined || text === '') return undefined;
  const [state, ...rest] = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  if (state?.startsWith('Z') === true) return undefined;
  // proc(5): the start time is field 22; the state, first after the command in brackets, is field
  // 3.
  return process.platform === 'linux' ? rest[18] : rest.join(' ');
}

/** The parent of a running process; known on Linux only, where asking costs nothing. */
export function parentOf(pid: number): number | undefined {
  const text = process.platform === 'linux' ? read(`/proc/${pid}/stat`) : undefined;
  if (text === undefined) return undefined;
  const [, parent] = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  return parent === undefined ? undefined : Number(parent);
}

/** The command line of a running process, its parts separated by blanks. */
export function commandLineOf(pid: number): string | undefined {
  const text =
    process.platform === 'linux'
      ? read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')
      : ps('command=', pid);
  return text === '' ? undefined : text?.trim();
}

/**
 * Sends a signal; false when there is no such process. A negative number means the whole process
 * group.
 */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function ps(format: string, pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', format, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
