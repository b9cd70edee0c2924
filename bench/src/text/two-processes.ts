import type { BenchStack } from '../stack.ts';
import { passThrough, runClosedOn, type Target, type TextBench } from './bench.ts';
import { cpuPerResponse, perSecond } from './figures.ts';
import { startGateway } from './gateway.ts';
import type { ClosedResult } from './protocol.ts';
import type { ComparedRow, Comparison } from '../report.ts';
import { medianOf, pairedMedian, ratio } from './statistics.ts';

const callers = 64;
const warmUpSeconds = 2;

/** What a request costs beside the api, on every core that serves it: stores and billing. */
const cpuBeside = ({ busy, completed, seconds }: ClosedResult): number =>
  (busy.others * seconds * 1e6) / completed;

/**
 * An api of one process, on a core of its own, and one of two (`API_PROCESSES`), which share both
 * cores with the load, the upstream and the stores. What counts is the CPU that a request costs:
 * processes that get in each other's way would need more of it. Rates say how far two cores go
 * that do everything else as well.
 */
export async function benchTwoProcesses(bench: TextBench): Promise<ComparedRow[]> {
  if (bench.gateway === undefined) return [];
  const stacks: BenchStack[] = [];
  const start = async (processes: number): Promise<RunOne> => {
    const { stack, pid } = await startGateway(bench.upstreamUrl, { processes });
    stacks.push(stack);
    const target: Target = { name: 'gateway', url: stack.suite.baseUrl, pid };
    const job = { script: 'whole', callers, warmUpSeconds, seconds: bench.seconds } as const;
    const own = { ...bench, apiKey: stack.apiKey };
    return () => runClosedOn(own, { target, route: passThrough.messages }, job);
  };
  try {
    bench.say('F: starting an api of one process, and one of two');
    return rowsOf(await takeTurns(bench, { one: await start(1), two: await start(2) }));
  } finally {
    await Promise.all(stacks.map((stack) => stack.stop()));
  }
}

type RunOne = () => Promise<ClosedResult>;
type Measured = Readonly<Record<'one' | 'two', ClosedResult[]>>;

async function takeTurns(
  { rounds }: TextBench,
  { one, two }: Readonly<Record<'one' | 'two', RunOne>>,
): Promise<Measured> {
  const measured: Measured = { one: [], two: [] };
  for (let round = 0; round < rounds; round += 1) {
    measured.one.push(await one());
    measured.two.push(await two());
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

function comparedRows(
  { one, two }: Measured,
  {
    measure,
    unit,
    read,
    ...bound
  }: {
    readonly measure: string;
    readonly unit: string;
    readonly read: (result: ClosedResult) => number;
    readonly atMost?: number;
  },
): ComparedRow[] {
  const compared: Comparison = {
    value: pairedMedian(two.map(read), one.map(read), ratio),
    of: '× one process',
    ...bound,
  };
  return [
    { measure: `${measure}, one process`, unit, gateway: medianOf(one.map(read)) },
    { measure: `${measure}, two`, unit, gateway: medianOf(two.map(read)), compared },
  ];
}
