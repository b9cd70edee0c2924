import { inRounds, wholeRunOf, type Target, type TextBench } from './bench.ts';
import { perCpuSecond, perSecond, ofProcess, rowOf, type Results } from './figures.ts';
import type { ClosedResult } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { difference, ratio } from './statistics.ts';

const manyCallers = 64;

/** 1 kB each way, no stream. */
export async function benchWholeResponses(bench: TextBench): Promise<ComparedRow[]> {
  const many = await measure(bench, manyCallers);
  const one = await measure(bench, 1);
  const share = { combine: ratio, of: '× bare', atLeast: 0.6 };
  const latency = (result: ClosedResult): number => result.medianMs;
  return [
    rowOf(many, {
      measure: `requests, ${manyCallers} callers`,
      unit: '1/s',
      read: perSecond,
      compare: share,
    }),
    rowOf(ofProcess(many), {
      measure: 'requests for each second of its CPU',
      unit: '1/s',
      read: perCpuSecond,
      compare: share,
    }),
    rowOf(ofProcess(many), {
      measure: 'its core busy meanwhile',
      unit: 'share',
      read: ({ busy }) => busy.target,
    }),
    rowOf(many, {
      measure: 'everything beside target, upstream and generator',
      unit: 'share',
      read: ({ busy }) => busy.others,
    }),
    rowOf(one, {
      measure: 'latency, median, one caller',
      unit: 'ms',
      read: latency,
      compare: { combine: difference, of: 'ms over bare', atMost: 0.25 },
    }),
    rowOf(one, {
      measure: 'the same, beside no proxy',
      unit: 'ms',
      read: latency,
      compare: { combine: difference, with: 'direct', of: 'ms over direct' },
    }),
  ];
}

async function measure(bench: TextBench, callers: number): Promise<Results<ClosedResult>> {
  bench.say(`A: responses of 1 kB, ${callers === 1 ? 'one caller' : `${callers} callers`}`);
  const run = (target: Target | undefined) =>
    wholeRunOf(bench, target, { callers, warmUpSeconds: 1 });
  return inRounds(bench, {
    direct: run(bench.direct),
    bare: run(bench.bare),
    gateway: run(bench.gateway),
  });
}
