import { interrupted } from '../leave-nothing.ts';
import type { Publish } from '../report.ts';
import { batchPolls } from './batch-polls.ts';
import { creation } from './creation.ts';
import { delays } from './delays.ts';
import { singlePolls } from './single-polls.ts';
import { readTasksOptions, type PartName } from './options.ts';
import type { Part, PartResult } from './part.ts';
import { recovery } from './recovery.ts';

const parts: Readonly<Record<PartName, { title: string; run: Part }>> = {
  creation: {
    title: 'Creation, with every service running and the vendor’s places full',
    run: creation,
  },
  polls: { title: 'Tasks at a vendor, polled one by one', run: singlePolls },
  batched: { title: 'Tasks at a vendor that can be asked for many at once', run: batchPolls },
  delays: { title: 'From the vendor’s success to the push', run: delays },
  recovery: { title: 'A worker that is killed, a Redis that forgets everything', run: recovery },
};

/** Everything about the path of a video. */
export async function benchTasks(publish: Publish, args: readonly string[]): Promise<void> {
  const options = readTasksOptions(args);
  // Standard output is for the tables, or the JSON.
  const say = (line: string): void => {
    console.error(line);
  };
  for (const name of options.parts) {
    const { title, run } = parts[name];
    say(`${name}: ${title}`);
    const result = await run({
      options,
      say: (line) => {
        say(`  ${line}`);
      },
    }).catch(notMeasured);
    if (interrupted.aborted) return;
    publish({ title, ...result }, name);
  }
}

/** The other parts are measured all the same. */
function notMeasured(error: unknown): PartResult {
  process.exitCode = 1;
  return {
    figures: [],
    notes: [`Not measured: ${error instanceof Error ? error.message : String(error)}`],
  };
}
