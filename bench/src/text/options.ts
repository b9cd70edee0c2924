import { parseArgs } from 'node:util';

export const partNames = ['A', 'B', 'C', 'D'] as const;
export type PartName = (typeof partNames)[number];

export interface TextOptions {
  readonly parts: readonly PartName[];
  /** Length of one measured run of parts A and B. */
  readonly seconds: number;
  /** How often each such run is repeated. */
  readonly rounds: number;
  /** Length of one run of part C. */
  readonly minutes: number;
  readonly json: boolean;
}

export const textUsage = '[--only=A,B,C,D] [--seconds=3] [--rounds=3] [--minutes=1] [--json]';

/** What is wrong with the options, in words. */
export class UsageError extends Error {}

/** Throws UsageError. */
export function readTextOptions(args: readonly string[]): TextOptions {
  try {
    return readOptions(args);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function readOptions(args: readonly string[]): TextOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: partNames.join(',') }, seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' }, minutes: { type: 'string', default: '1' }, json: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only.toUpperCase().split(',');
  const unknown = wanted.filter((name) => !(partNames as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`--only takes ${partNames.join(', ')}; got ${unknown.join(', ')}`);
  return {
    parts: partNames.filter((name) => wanted.includes(name)),
    seconds: positive('seconds', values.seconds), rounds: Math.ceil(positive('rounds', values.rounds)), minutes: positive('minutes', values.minutes),
    json: values.json,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} takes a number above 0; got ${text}`);
  return value;
}
