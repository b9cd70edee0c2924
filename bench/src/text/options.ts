import { parseArgs } from 'node:util';
import { chosenOf, positive, readingOptions } from '../usage-error.ts';

export const partNames = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I'] as const;
export type PartName = (typeof partNames)[number];

export interface TextOptions {
  readonly parts: readonly PartName[];
  /** Length of one measured run of parts A, B and E to I. */
  readonly seconds: number;
  /** How often each such run is repeated. */
  readonly rounds: number;
  /** Length of one run of part C. */
  readonly minutes: number;
  /** Cold accounts of part E. */
  readonly accounts: number;
}

export const textUsage =
  '[--only=A,B,C,D,E,F,G,H,I] [--seconds=3] [--rounds=3] [--minutes=1] [--accounts=20000]';

/** Throws UsageError. */
export const readTextOptions = (args: readonly string[]): TextOptions =>
  readingOptions(() => readOptions(args));

function readOptions(args: readonly string[]): TextOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: partNames.join(',') },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      minutes: { type: 'string', default: '1' },
      accounts: { type: 'string', default: '20000' },
    },
  });
  return {
    parts: chosenOf(partNames, values.only.toUpperCase()),
    seconds: positive('seconds', values.seconds),
    rounds: Math.ceil(positive('rounds', values.rounds)),
    minutes: positive('minutes', values.minutes),
    accounts: Math.ceil(positive('accounts', values.accounts)),
  };
}
