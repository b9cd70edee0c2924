import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const usage = `Lets the gateway live in simulated worlds: one process, virtual time, and one seed that decides every delay, loss and crash.

  npm run simulate -- --seeds 200          worlds of the seeds 1 to 200
  npm run simulate -- --seeds 200 --from 1001
  npm run simulate -- --seeds 200 --workers 2   in so many processes; as many as there are cores
  npm run simulate -- --seed 7 --trace     the story of one world, line by line
  npm run simulate -- --seed 7 --shrink    the fewest faults with which a world that fails still does
  npm run simulate -- --seeds 200 --brief       worlds of two minutes and a few tasks, as npm test has them
  npm run simulate -- --without intent     the worlds of a gateway without one of its protections
  npm run simulate -- --accept             writes down the hashes of the worlds that npm test compares
  npm run simulate -- --hashes             prints these, as this Node tells them
  npm run simulate -- --help               this text

Exit code 1 when anything was not as it has to be; every such seed is told, and replays.
`;

export type Read =
  | {
      readonly kind: 'run';
      readonly from: number;
      readonly seeds: number;
      readonly showsTrace: boolean;
      readonly shrinks: boolean;
      readonly isBrief: boolean;
      /** Processes in which worlds live at once. */
      readonly workers: number;
      /** The key of a protection. */
      readonly without: string | undefined;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'hashes' }
  | { readonly kind: 'wrong'; readonly problem: string };

export function readOptions(args: readonly string[]): Read {
  try {
    const values = parse(args);
    if (values.help) return { kind: 'help' };
    if (values.hashes) return { kind: 'hashes' };
    return values.accept ? { kind: 'accept' } : runOf(values);
  } catch (error) {
    return { kind: 'wrong', problem: (error as Error).message };
  }
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      workers: { type: 'string' },
      trace: { type: 'boolean', default: false },
      shrink: { type: 'boolean', default: false },
      brief: { type: 'boolean', default: false },
      without: { type: 'string' },
      accept: { type: 'boolean', default: false },
      hashes: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;

function runOf({ seed, seeds, from, workers, ...values }: ReturnType<typeof parse>): Read {
  const { trace, shrink, brief, without } = values;
  const given = {
    kind: 'run',
    showsTrace: trace,
    shrinks: shrink,
    isBrief: brief,
    without,
  } as const;
  if (seed === undefined) {
    if (shrink) throw new Error('--shrink needs the --seed of a world that fails');
    return {
      ...given,
      from: wholeNumber('from', from ?? '1'),
      seeds: wholeNumber('seeds', seeds ?? '100'),
      workers: wholeNumber('workers', workers ?? String(availableParallelism())),
    };
  }
  if (seeds !== undefined || from !== undefined || workers !== undefined) {
    throw new Error('--seed is one world; it goes with none of --seeds, --from and --workers');
  }
  return { ...given, from: wholeNumber('seed', seed), seeds: 1, workers: 1 };
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new Error(`--${name} must be a whole number from 1 on; got ${JSON.stringify(text)}`);
  }
  return Number(text);
}
