import type { BenchStack } from '../stack.ts';
import { passThrough, runClosedOn, type Target, type TextBench } from './bench.ts';
import { cpuPerResponse, perSecond } from './figures.ts';
import { startGateway, type GatewayOptions } from './gateway.ts';
import type { ClosedResult } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { medianOf, pairedMedian, ratio } from './statistics.ts';

const callers = 64;
const warmUpSeconds = 2;

/** What a request costs beside the api, on every core that serves it: stores and billing. */
const cpuBeside = ({ busy, completed, seconds }: ClosedResult): number =>
  (busy.others * seconds * 1e6) / completed;

/** What is started, by the name that its rows have. */
const targets = {
  'one process, a core of its own': { processes: 1 },
  'one process, both cores': { processes: 1, sharesCores: true },
  'two, both cores': { processes: 2 },
} as const satisfies Record<string, GatewayOptions>;

type Name = keyof typeof targets;
const names = Object.keys(targets) as Name[];
type Measured = Readonly<Record<Name, ClosedResult[]>>;

/**
 * An api of one process and one of two (`API_PROCESSES`), which share both cores with the load, the
 * upstream and the stores. What counts is the CPU that a request costs: processes that get in each
 * other's way would need more of it. Whoever shares a core needs more of it already, so that one
 * process is measured both ways. Rates say how far two cores go that do everything else as well.
 */
export async function benchTwoProcesses(bench: TextBench): Promise<ComparedRow[]> {
  if (bench.gateway === undefined) return [];
  const stacks: BenchStack[] = [];
  const start = async (name: Name): Promise<() => Promise<ClosedResult>> => {
    const { stack, pid } = await startGateway(bench.upstreamUrl, targets[name]);
    stacks.push(stack);
    const target: Target = { name: 'gateway', url: stack.suite.baseUrl, pid };
    const job = { script: 'whole', callers, warmUpSeconds, seconds: bench.seconds } as const;
    const own = { ...bench, apiKey: stack.apiKey };
    return () => runClosedOn(own, { target, route: passThrough.messages }, job);
  };
  try {
    bench.say('F: starting two apis of one process, and one of two');
    const runs: [Name, () => Promise<ClosedResult>][] = [];
    for (const name of names) runs.push([name, await start(name)]);
    return rowsOf(await takeTurns(bench, runs));
  } finally {
    await Promise.all(stacks.map((stack) => stack.stop()));
  }
}

async function takeTurns(
  { rounds }: TextBench,
  runs: readonly (readonly [Name, () => Promise<ClosedResult>])[],
): Promise<Measured> {
  const measured = Object.fromEntries(
    names.map((name) => [name, [] as ClosedResult[]]),
  ) as Measured;
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of runs) measured[name].push(await run());
  }
  return measured;
}

const rowsOf = (measured: Measured): ComparedRow[] => [
  ...comparedRows(measured, { measure: 'requests, 64 callers', unit: '1/s', read: perSecond }),
  ...comparedRows(measured, {
    measure: 'CPU of the api a request',
    unit: 'µs',
    read: cpuPerResponse,
    atMost: 1.15,
  }),
  ...comparedRows(measured, {
    measure: 'CPU of stores and billing a request',
    unit: 'µs',
    read: cpuBeside,
  }),
];

interface Compared {
  readonly measure: string;
  readonly unit: string;
  readonly read: (result: ClosedResult) => number;
  /** Of two processes to one that shares the cores as they do. */
  readonly atMost?: number;
}

const comparedRows = (measured: Measured, { measure, unit, read, ...bound }: Compared) =>
  names.map((name): ComparedRow => {
    const row = {
      measure: `${measure}, ${name}`,
      unit,
      gateway: medianOf(measured[name].map(read)),
    };
    if (name !== 'two, both cores') return row;
    const shared = measured['one process, both cores'].map(read);
    const value = pairedMedian(measured[name].map(read), shared, ratio);
    return { ...row, compared: { value, of: '× one, both cores', ...bound } };
  });
