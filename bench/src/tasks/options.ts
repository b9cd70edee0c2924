import { parseArgs } from 'node:util';
import { chosenOf, positive, readingOptions } from '../usage-error.ts';

export const partNames = ['creation', 'delays'] as const;
export type PartName = (typeof partNames)[number];

export interface TasksOptions {
  readonly parts: readonly PartName[];
  /** How long creation is kept up. */
  readonly minutes: number;
  readonly json: boolean;
}

export const tasksUsage = `[--only=${partNames.join(',')}] [--minutes=1] [--json]`;

export const tasksHelp = `  creation   creates per second through the whole suite, for so many minutes
  delays     from the vendor's success to the push's arrival`;

/** Throws UsageError. */
export const readTasksOptions = (args: readonly string[]): TasksOptions => readingOptions(() => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: partNames.join(',') }, minutes: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  return { parts: chosenOf(partNames, values.only), minutes: positive('minutes', values.minutes), json: values.json };
});
