import { inRounds, wholeRunOf, type Target, type TextBench } from './bench.ts';
import { cpuPerResponse, ofProcess, perSecond, rowOf, type Results } from './figures.ts';
import type { ClosedResult } from './protocol.ts';
import type { ComparedRow, Comparison } from '../report.ts';
import { pairedMedian, ratio } from './statistics.ts';

const few = 64;
const many = 1_000;
/** Node takes one connection in each turn of its event loop. */
const connectingSeconds = 5;

/** As many callers as in part A, and more than can be served at once, each of whom asks again. */
export async function benchOverload(bench: TextBench): Promise<ComparedRow[]> {
  const usual: Results<ClosedResult> = { bare: [], gateway: [] };
  const loaded: Results<ClosedResult> = { bare: [], gateway: [] };
  // In turn: both figures of a round are of one minute.
  for (let round = 0; round < bench.rounds; round += 1) {
    addTo(usual, await measure(bench, few));
    addTo(loaded, await measure(bench, many));
  }
  const latency = { unit: 'ms' };
  return [
    rowOf(usual, { measure: `requests, ${few} callers`, unit: '1/s', read: perSecond }),
    {
      ...rowOf(loaded, { measure: `requests, ${many} callers`, unit: '1/s', read: perSecond }),
      compared: {
        value: pairedMedian(loaded.gateway?.map(perSecond), usual.gateway?.map(perSecond), ratio),
        of: `× ${few} callers`,
        atLeast: 0.85,
      },
    },
    rowOf(loaded, {
      measure: `CPU a request, ${many} callers`,
      unit: 'µs',
      read: cpuPerResponse,
      compare: { combine: ratio, of: '× bare' },
    }),
    rowOf(loaded, { ...latency, measure: `latency, median, ${many} callers`, read: medianMs }),
    {
      ...rowOf(loaded, { ...latency, measure: `latency, p99, ${many} callers`, read: p99Ms }),
      compared: p99Comparison(loaded.gateway),
    },
  ];
}

const medianMs = (result: ClosedResult): number => result.medianMs;
const p99Ms = (result: ClosedResult): number => result.p99Ms;

const p99Comparison = (results: readonly ClosedResult[] | undefined): Comparison => ({
  value: pairedMedian(results?.map(p99Ms), results?.map(medianMs), ratio),
  of: '× median',
  atMost: 3,
});

function addTo(all: Results<ClosedResult>, round: Results<ClosedResult>): void {
  for (const name of ['bare', 'gateway'] as const) all[name]?.push(...(round[name] ?? []));
}

async function measure(bench: TextBench, callers: number): Promise<Results<ClosedResult>> {
  bench.say(`H: responses of 1 kB, ${callers} callers`);
  const job = { callers, warmUpSeconds: callers === few ? 1 : connectingSeconds };
  const run = (target: Target | undefined) => wholeRunOf(bench, target, job);
  const round = { ...bench, rounds: 1 };
  return ofProcess(await inRounds(round, { bare: run(bench.bare), gateway: run(bench.gateway) }));
}
