import {
  nameOf,
  noteNoise,
  passThrough,
  runHeldOn,
  translated,
  type Target,
  type TextBench,
} from './bench.ts';
import { cpuPerChunk, ofProcess, rowOf, type Figure, type Results } from './figures.ts';
import { recordMemory, type MemoryRecord } from './memory.ts';
import type { HeldResult, Route } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { difference, ratio } from './statistics.ts';

const streams = 1_000;
/** Streams last 20 s: when the window begins, the first ones are about to be replaced. */
const warmUpSeconds = 15;

interface Held extends HeldResult {
  readonly memory: MemoryRecord;
}

/** A thousand streams at 10 chunks/s each. */
export async function benchThousandStreams(bench: TextBench): Promise<ComparedRow[]> {
  const { direct, bare, gateway } = bench;
  const hold = async (target: Target, route: Route, minutes = 1): Promise<Held> => {
    bench.say(`C: ${streams} streams, ${minutes} min, ${target.name}, ${nameOf(route)}`);
    const memory = recordMemory(target.pid);
    const result = await runHeldOn(
      bench,
      { target, route },
      { script: 'paced', streams, warmUpSeconds, seconds: minutes * 60 },
    );
    if (target !== gateway) noteNoise(bench, result.busy.others);
    return { ...result, memory: memory.stop() };
  };
  const results: Results<Held> = {
    direct: [await hold(direct, passThrough.messages)],
    bare: [await hold(bare, passThrough.messages)],
  };
  if (gateway === undefined) return rowsOf('messages, passed through', results);
  const routes = [passThrough.messages, translated.chat];
  const rows: ComparedRow[] = [];
  for (const route of routes) {
    rows.push(
      ...rowsOf(nameOf(route), {
        ...results,
        gateway: [await hold(gateway, route, bench.minutes)],
      }),
    );
  }
  return rows;
}

function rowsOf(name: string, results: Results<Held>): ComparedRow[] {
  const row = (figure: Figure<Held>, of = results): ComparedRow =>
    rowOf(of, { ...figure, measure: `${name}: ${figure.measure}` });
  const own = ofProcess(results);
  const memory = row(
    {
      measure: 'resident memory, highest',
      unit: 'MB',
      read: (result) => result.memory.maxMegabytes,
    },
    own,
  );
  const growth = row(
    {
      measure: 'memory, growth over the run',
      unit: '%',
      read: (result) => result.memory.growthPercent,
    },
    own,
  );
  return [
    row({
      measure: 'delay of a chunk, median',
      unit: 'ms',
      read: ({ medianMs }) => medianMs,
      compare: { combine: difference, of: 'ms over bare' },
    }),
    row({
      measure: 'delay of a chunk, p99',
      unit: 'ms',
      read: ({ p99Ms }) => p99Ms,
      compare: { combine: difference, of: 'ms over bare', atMost: 100 },
    }),
    row({
      measure: 'chunks',
      unit: '1/s',
      read: ({ chunks, seconds }) => chunks / seconds,
      compare: { combine: ratio, of: '× bare' },
    }),
    row(
      {
        measure: 'CPU a chunk',
        unit: 'µs',
        read: cpuPerChunk(({ chunks }) => chunks),
        compare: { combine: ratio, of: '× bare' },
      },
      own,
    ),
    { ...memory, compared: { value: memory.gateway, of: 'MB', atMost: 350 } },
    { ...growth, compared: { value: growth.gateway, of: '%', atMost: 10 } },
  ];
}
