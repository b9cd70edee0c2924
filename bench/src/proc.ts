import { readdirSync, readFileSync } from 'node:fs';

// proc(5): times are in clock ticks, of which Linux has shown 100 a second to programs on every
// architecture Node runs on.
const ticksPerSecond = 100;

/** CPU time of a process, user and system, all threads. NaN where there is no /proc. */
export function cpuSecondsOf(pid: number): number {
  const [user, system] = cpuTicksOf(pid);
  return (user + system) / ticksPerSecond;
}

/** Of the process, then of its children that have ended. */
function cpuTicksOf(
  pid: number,
): [user: number, system: number, usersEnded: number, systemEnded: number] {
  const text = read(`/proc/${pid}/stat`);
  // Fields 14 to 17; the state, first after the command in brackets, is field 3.
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const field = (number: number): number => Number(fields[number - 3] ?? NaN);
  return [field(14), field(15), field(16), field(17)];
}

/** CPU time of a process and of all that it and its children have started, ended or not. */
export const treeCpuSeconds = (pid: number): number =>
  childrenOfAnyThread(pid).reduce(
    // One that ends between two reads is counted with its parent the next time.
    (sum, child) => sum + (treeCpuSeconds(child) || 0),
    cpuTicksOf(pid).reduce((sum, ticks) => sum + ticks, 0) / ticksPerSecond,
  );

/** CPU time of a process and of those that it has started, user and system. */
export const cpuSecondsOfFamily = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOf(child), cpuSecondsOf(pid));

/** Processes that the main thread of `pid` has started, without theirs. */
export const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

function childrenOfAnyThread(pid: number): number[] {
  const threads = listed(`/proc/${pid}/task`);
  return threads
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter(Boolean)
    .map(Number);
}

/** CPU time that all processes of the machine have used together. NaN where there is no /proc. */
export function machineCpuSeconds(): number {
  // user, nice, system, idle, iowait, irq, softirq, steal.
  const [user, nice, system, , , irq, softirq] = (
    /^cpu +(.*)$/m.exec(read('/proc/stat'))?.[1] ?? ''
  )
    .split(' ')
    .map(Number);
  return (
    ((user ?? NaN) + (nice ?? NaN) + (system ?? NaN) + (irq ?? NaN) + (softirq ?? NaN)) /
    ticksPerSecond
  );
}

/** How often a process has read from its sockets and files. NaN where there is no /proc. */
export const readsOf = (pid: number): number =>
  Number(/syscr: (\d+)/.exec(read(`/proc/${pid}/io`))?.[1] ?? NaN);

/** Resident memory of a process. NaN where there is no /proc. */
export function residentMegabytesOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? NaN) / 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
