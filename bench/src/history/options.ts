import { parseArgs } from 'node:util';
import { positive, readingOptions } from '../usage-error.ts';

export interface HistoryOptions {
  /** Finished ones, beside which everything is measured again. */
  readonly tasks: number;
  /** Samples of each figure. */
  readonly samples: number;
}

export const historyUsage = '[--tasks=20000] [--samples=1000]';

export const historyHelp = `  Creates, reads, lists, polls a vendor's task and pushes beside an empty database, and again beside so many finished
  tasks with all that belongs to them; then what an audit costs, what a task weighs, and how fast tasks are archived.
  3,000,000 tasks take about 20 GB of disk.`;

/** Throws UsageError. */
export const readHistoryOptions = (args: readonly string[]): HistoryOptions =>
  readingOptions(() => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        tasks: { type: 'string', default: '20000' },
        samples: { type: 'string', default: '1000' },
      },
    });
    return {
      tasks: Math.ceil(positive('tasks', values.tasks)),
      samples: Math.ceil(positive('samples', values.samples)),
    };
  });
