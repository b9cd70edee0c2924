import { cpuSecondsOf, cpuSecondsOfFamily, machineCpuSeconds, readsOf } from '../proc.ts';
import type { Busy, Job } from './protocol.ts';

export interface BusyMeter {
  /** Ends the window: its length, and what each process did in it. */
  stop(): { readonly seconds: number; readonly busy: Busy };
}

/**
 * Starts a window over the CPU times of the target, the upstream, this process and the rest of the
 * machine.
 */
export function startBusyMeter({ target, upstream }: Job['pids']): BusyMeter {
  const readTimes = () => ({
    at: performance.now() / 1_000,
    machine: machineCpuSeconds(),
    reads: readsOf(target),
    // One api may be several processes.
    target: cpuSecondsOfFamily(target),
    upstream: cpuSecondsOf(upstream),
    generator: cpuSecondsOf(process.pid),
  });
  const start = readTimes();
  return {
    stop: () => {
      const end = readTimes();
      const seconds = end.at - start.at;
      const share = (of: 'machine' | 'target' | 'upstream' | 'generator'): number =>
        (end[of] - start[of]) / seconds;
      // A direct run has the upstream as its target: counted once.
      const ours =
        share('generator') + share('upstream') + (target === upstream ? 0 : share('target'));
      const busy = {
        target: share('target'),
        upstream: share('upstream'),
        generator: share('generator'),
        others: Math.max(0, share('machine') - ours),
      };
      return { seconds, busy: { ...busy, targetReads: end.reads - start.reads } };
    },
  };
}
