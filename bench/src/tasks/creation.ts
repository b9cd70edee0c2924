import { startFloor } from '../floor.ts';
import { runLoad, type Load, type LoadResult } from '../load.ts';
import type { Cells } from '../report.ts';
import { serviceNames, startStack, type BenchStack } from '../stack.ts';
import { usualConfiguration } from './configuration.ts';
import type { PartResult, TasksBench } from './part.ts';

const perSecondTarget = { atLeast: 300 };
const p99Target = { below: 250 };
const callers = 32;
const floorRequests = 3_000;
const oneCallerRequests = 500;
/** Until V8 has compiled what a creation runs through, in two services. */
const warmUpSeconds = 10;

/**
 * Creates through the whole suite whose tasks never end: the vendor's places are full, and the line
 * grows.
 */
export async function creation(bench: TasksBench): Promise<PartResult> {
  const stack = await startStack(() => undefined, { configuration: await usualConfiguration() });
  try {
    const resident = serviceNames.map((name): Cells => [name, stack.residentMegabytes(name)]);
    const { rows, sustained } = await measure(stack, bench);
    return {
      tables: [
        { head: ['service', 'resident, idle (MB)'], rows: resident },
        {
          head: [
            'callers',
            'p50 (ms)',
            'p99 (ms)',
            'creates/s',
            'plain Node/s',
            'of plain Node',
            'failed',
          ],
          rows,
        },
      ],
      figures: [
        {
          measure: `creates, ${callers} callers, for ${bench.options.minutes} min`,
          unit: '1/s',
          value: sustained.failed > 0 ? NaN : sustained.perSecond,
          target: perSecondTarget,
        },
        {
          measure: 'the same, p99',
          unit: 'ms',
          value: sustained.failed > 0 ? NaN : sustained.p99Ms,
          target: p99Target,
        },
      ],
      notes:
        sustained.failed > 0
          ? [`${sustained.failed} creates failed: what the others measure counts for nothing.`]
          : [],
    };
  } finally {
    await stack.stop();
  }
}

async function measure(
  { suite, apiKey }: BenchStack,
  { options: { minutes }, say }: TasksBench,
): Promise<{ rows: Cells[]; sustained: LoadResult }> {
  const body = JSON.stringify({
    model: 'sandbox-video',
    prompt: '[stall] a red balloon',
    duration: 4,
    resolution: '480p',
  });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const floor = await startFloor();
  const load = (url: string, of: number, length: Load['length']): Promise<LoadResult> =>
    runLoad({ url, method: 'POST', headers, body, callers: of, length });
  const creates = (of: number, length: Load['length']): Promise<LoadResult> =>
    load(`${suite.baseUrl}/v1/videos`, of, length);
  try {
    await creates(8, { requests: 200 });
    const bareOne = await load(floor.url, 1, { requests: floorRequests });
    say('one caller');
    const one = await creates(1, { requests: oneCallerRequests });
    const bareMany = await load(floor.url, callers, { requests: floorRequests });
    say(`${callers} callers, ${warmUpSeconds} s to warm up and ${minutes} min`);
    await creates(callers, { seconds: warmUpSeconds });
    const sustained = await creates(callers, { seconds: minutes * 60 });
    return { rows: [rowOf(1, one, bareOne), rowOf(callers, sustained, bareMany)], sustained };
  } finally {
    await floor.stop();
  }
}

const rowOf = (of: number, ours: LoadResult, bare: LoadResult): Cells => [
  of,
  ours.p50Ms,
  ours.p99Ms,
  ours.perSecond,
  bare.perSecond,
  `${Math.round((ours.perSecond / bare.perSecond) * 1000) / 10} %`,
  ours.failed,
];
