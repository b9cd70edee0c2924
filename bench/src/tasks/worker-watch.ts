import { cpuSecondsOf, residentMegabytesOf } from '../proc.ts';
import { highestOf } from '../statistics.ts';

export interface WorkerWatch {
  /** What the process used since the start of the watch. */
  stop(): { readonly seconds: number; readonly cores: number; readonly highestMegabytes: number };
}

const everyMs = 500;

/** Watches the CPU time and the resident memory of one process. */
export function watchWorker(pid: number): WorkerWatch {
  const megabytes = [residentMegabytesOf(pid)];
  const startedAt = performance.now();
  const cpuAtStart = cpuSecondsOf(pid);
  const timer = setInterval(() => {
    megabytes.push(residentMegabytesOf(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      const seconds = (performance.now() - startedAt) / 1_000;
      return {
        seconds,
        cores: (cpuSecondsOf(pid) - cpuAtStart) / seconds,
        highestMegabytes: highestOf(megabytes),
      };
    },
  };
}
