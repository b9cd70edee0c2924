import { parseArgs } from 'node:util';
import { chosenOf, positive, readingOptions } from '../usage-error.ts';

export const partNames = ['creation', 'polls', 'batched', 'delays', 'recovery'] as const;
export type PartName = (typeof partNames)[number];

export interface TasksOptions {
  readonly parts: readonly PartName[];
  /** How long creation is kept up, and how long polls are watched. */
  readonly minutes: number;
  /** In flight at the vendor in the part `batched`. */
  readonly tasks: number;
}

export const tasksUsage = `[--only=${partNames.join(',')}] [--minutes=1] [--tasks=100000]`;

export const tasksHelp = `  creation   creates per second through the whole suite, for so many minutes
  polls      5,000 tasks at a vendor that are polled one by one, for so many minutes
  batched    so many tasks at a vendor that can be asked for many at once
  delays     from the vendor's success to the push's arrival
  recovery   a worker that is killed, a Redis that forgets everything`;

/** Throws UsageError. */
export const readTasksOptions = (args: readonly string[]): TasksOptions =>
  readingOptions(() => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', default: partNames.join(',') },
        minutes: { type: 'string', default: '1' },
        tasks: { type: 'string', default: '100000' },
      },
    });
    return {
      parts: chosenOf(partNames, values.only),
      minutes: positive('minutes', values.minutes),
      tasks: Math.ceil(positive('tasks', values.tasks)),
    };
  });
