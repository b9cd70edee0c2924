import { parseArgs } from 'node:util';
import type { ChaosOptions } from './run.ts';

export const usage = `Kills, pauses and cuts off every part of the gateway under load, and then compares what everybody knows.

  npm run chaos -- [--tasks 1150] [--minutes 8] [--rounds 5] [--seed 7]

  --tasks    videos that customers ask for (default 1150)
  --minutes  the time over which they are asked for and everything goes wrong (default: tasks / 125, at least 1)
  --rounds   how often everything that can go wrong does (default: about every 90 s)
  --seed     chooses what is asked for and what goes wrong when (default: another one each time)
  --help     this text

Brings up a PostgreSQL, a Redis and every service of its own. Exit code 1 when anything is not as it has to be.
Kinds of task, their directive to the sandbox vendor, and how each has to end:
`;

export type Read =
  | { readonly kind: 'run'; readonly options: Omit<ChaosOptions, 'print'> }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

/** About this long passes from one round of everything that can go wrong to the next. */
const roundMs = 90_000;
const tasksPerMinute = 125;
/** BullMQ's lock of a job is 15 s here: whoever is paused for longer comes back without it. */
const workerPauseMs = 18_000;
const silencesMs = [5_000, 20_000, 60_000] as const;
/** A download that failed often is tried again after up to nineteen minutes, and may need three tries. */
const calmWithinMs = 3_600_000;

/** The command line as options; `seed` when none is given. */
export function readOptions(args: readonly string[], seed: number): Read {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        tasks: { type: 'string' },
        minutes: { type: 'string' },
        rounds: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return { kind: 'help' };
    const tasks = numberOf('tasks', values.tasks ?? '1150', 1);
    const minutes =
      values.minutes === undefined
        ? Math.max(1, tasks / tasksPerMinute)
        : numberOf('minutes', values.minutes, 0.1);
    const forMs = Math.round(minutes * 60_000);
    const rounds =
      values.rounds === undefined
        ? Math.max(1, Math.round(forMs / roundMs))
        : numberOf('rounds', values.rounds, 1);
    return {
      kind: 'run',
      options: {
        tasks,
        forMs,
        rounds,
        seed: numberOf('seed', values.seed ?? String(seed), 0),
        texts: Math.ceil(tasks / 8),
        workerPauseMs,
        silencesMs,
        calmWithinMs,
      },
    };
  } catch (error) {
    return { kind: 'wrong', problem: (error as Error).message };
  }
}

function numberOf(name: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < least) {
    throw new Error(`--${name} must be a number from ${least} on; got ${JSON.stringify(text)}`);
  }
  return name === 'minutes' ? value : Math.floor(value);
}
