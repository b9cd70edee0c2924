import { residentMegabytesOf } from '../proc.ts';
import { medianOf } from './statistics.ts';

export interface MemoryRecord {
  readonly maxMegabytes: number;
  /**
   * How much more there was in the last fifth of the time than in the second, median against
   * median, in percent.
   */
  readonly growthPercent: number;
}

const everyMs = 1_000;

/** Looks at a process's resident memory once a second, until `stop`. */
export function recordMemory(pid: number): { stop(): MemoryRecord } {
  const megabytes: number[] = [];
  const timer = setInterval(() => {
    megabytes.push(residentMegabytesOf(pid));
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      const fifth = Math.floor(megabytes.length / 5);
      const before = medianOf(megabytes.slice(fifth, 2 * fifth));
      const after = medianOf(megabytes.slice(-fifth));
      return { maxMegabytes: Math.max(...megabytes), growthPercent: (after / before - 1) * 100 };
    },
  };
}
