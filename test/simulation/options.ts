import { parseArgs } from 'node:util';

export const usage = `Lets the gateway live in simulated worlds: one process, virtual time, and one seed that decides every delay, loss and crash.

  npm run simulate -- --seeds 200          worlds of the seeds 1 to 200
  npm run simulate -- --seeds 200 --from 1001
  npm run simulate -- --seed 7 --trace     the story of one world, line by line
  npm run simulate -- --help               this text

Exit code 1 when anything was not as it has to be; every such seed is told, and replays.
`;

export type Read =
  | {
      readonly kind: 'run';
      readonly from: number;
      readonly seeds: number;
      readonly showsTrace: boolean;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

export function readOptions(args: readonly string[]): Read {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string' },
        from: { type: 'string' },
        seed: { type: 'string' },
        trace: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    if (values.seed !== undefined && (values.seeds !== undefined || values.from !== undefined)) {
      throw new Error('--seed is one world; it goes with neither --seeds nor --from');
    }
    const from = wholeNumber('seed', values.seed ?? values.from ?? '1');
    const seeds = values.seed === undefined ? wholeNumber('seeds', values.seeds ?? '100') : 1;
    return { kind: 'run', from, seeds, showsTrace: values.trace };
  } catch (error) {
    return { kind: 'wrong', problem: (error as Error).message };
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new Error(`--${name} must be a whole number from 1 on; got ${JSON.stringify(text)}`);
  }
  return Number(text);
}
