import { performance } from 'node:perf_hooks';
import { openCollector, type Collect } from './collector.ts';

/** The share of its time that a process at rest is busy at most. */
const restShare = 0.1;

/**
 * Gives back what the start of a service leaves, once it is at rest: 15 to 25 MB of sources, syntax
 * trees and room for young objects, which V8 keeps for many minutes because so little is allocated.
 * It takes two looks in a row that find the process at rest. V8 makes the room for young objects
 * smaller only when it has seen that few are made, so the first look collects these alone, which
 * begins V8's measurement, and the second everything. A process with work to do is left to V8.
 */
export function collectAtRest({
  everyMs,
  collect = openCollector(),
}: {
  readonly everyMs: number;
  readonly collect?: Collect;
}): void {
  let last = performance.eventLoopUtilization();
  let wasAtRest = false;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isAtRest = performance.eventLoopUtilization(now, last).utilization < restShare;
    last = now;
    if (isAtRest) collect(wasAtRest ? 'major' : 'minor');
    if (isAtRest && wasAtRest) clearInterval(timer);
    wasAtRest = isAtRest;
  }, everyMs).unref();
}
