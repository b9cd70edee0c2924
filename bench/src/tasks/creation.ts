import { setTimeout as sleep } from 'node:timers/promises';
import { startFloor } from '../floor.ts';
import { runLoad, type Load, type LoadResult } from '../load.ts';
import type { Cells, Figure } from '../report.ts';
import { cpuSecondsOfFamily } from '../proc.ts';
import { restSeconds } from '../rest.ts';
import { serviceNames, startStack, type BenchStack } from '../stack.ts';
import { usualConfiguration } from './configuration.ts';
import type { PartResult, TasksBench } from './part.ts';

const perSecondTarget = { atLeast: 300 };
const p99Target = { below: 250 };
const residentTarget = { atMost: 110 };
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
    bench.say(`at rest for ${restSeconds} s`);
    await sleep(restSeconds * 1_000);
    const resident = serviceNames.map((name): Cells => [name, stack.residentMegabytes(name)]);
    const restingApi: Figure = {
      measure: 'resident memory of the api, idle',
      unit: 'MB',
      value: stack.residentMegabytes('api'),
      target: residentTarget,
    };
    const { rows, sustained, cpuMs } = await measure(stack, bench);
    return {
      tables: [
        { head: ['service', 'resident, idle (MB)'], rows: resident },
        { head: headOfRates, rows },
      ],
      figures: [...measuresOf(sustained, cpuMs, bench.options.minutes), restingApi],
      notes:
        sustained.failed > 0
          ? [`${sustained.failed} creates failed: what the others measure counts for nothing.`]
          : [],
    };
  } finally {
    await stack.stop();
  }
}

const headOfRates = [
  'callers',
  'p50 (ms)',
  'p99 (ms)',
  'creates/s',
  'plain Node/s',
  'of plain Node',
  'failed',
];

function measuresOf(
  { failed, perSecond, p99Ms }: LoadResult,
  cpuMs: CpuMs,
  minutes: number,
): Figure[] {
  const isValid = failed === 0;
  return [
    {
      measure: `creates, ${callers} callers, for ${minutes} min`,
      unit: '1/s',
      value: isValid ? perSecond : NaN,
      target: perSecondTarget,
    },
    { measure: 'the same, p99', unit: 'ms', value: isValid ? p99Ms : NaN, target: p99Target },
    { measure: 'CPU of the api a creation', unit: 'ms', value: cpuMs.api },
    { measure: 'CPU of billing a creation', unit: 'ms', value: cpuMs.billing },
    { measure: 'creates that a core of the api serves', unit: '1/s', value: 1_000 / cpuMs.api },
  ];
}

async function measure(
  { suite, apiKey }: BenchStack,
  { options: { minutes }, say }: TasksBench,
): Promise<{ rows: Cells[]; sustained: LoadResult; cpuMs: CpuMs }> {
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
    const before = cpuMsOf(suite);
    const sustained = await creates(callers, { seconds: minutes * 60 });
    const after = cpuMsOf(suite);
    return {
      rows: [rowOf(1, one, bareOne), rowOf(callers, sustained, bareMany)],
      sustained,
      cpuMs: {
        api: (after.api - before.api) / sustained.requests,
        billing: (after.billing - before.billing) / sustained.requests,
      },
    };
  } finally {
    await floor.stop();
  }
}

interface CpuMs {
  readonly api: number;
  readonly billing: number;
}

function cpuMsOf(suite: BenchStack['suite']): CpuMs {
  const of = (service: string): number => cpuSecondsOfFamily(suite.pidOf(service) ?? NaN) * 1_000;
  return { api: of('api'), billing: of('billing') };
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
