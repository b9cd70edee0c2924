import { setMaxListeners } from 'node:events';
import { attacks } from './attacks.ts';
import { serveJobs } from './child-process.ts';

/** The hostile customer: a process of its own, one attack at a time. */

let counts: Record<string, number> = {};
let ending: AbortController | undefined;
let running: Promise<void> = Promise.resolve();

serveJobs(async (job) => {
  if (job.kind === 'attack') {
    counts = {};
    ending = new AbortController();
    // Each caller listens.
    setMaxListeners(0, ending.signal);
    running = attacks[job.name].run({
      ...job,
      signal: ending.signal,
      count: (outcome) => {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      },
    });
    return undefined;
  }
  if (job.kind === 'stop') {
    ending?.abort();
    await running;
    return counts;
  }
  return undefined;
});
