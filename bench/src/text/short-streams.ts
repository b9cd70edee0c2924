import {
  inRounds,
  nameOf,
  passThrough,
  runClosedOn,
  runHeldOn,
  translated,
  type Target,
  type TextBench,
} from './bench.ts';
import { cpuPerChunk, perCpuSecond, perSecond, rowOf, type Results } from './figures.ts';
import type { ClosedResult, Dialect, Result, Route } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { paceOf, writesOf } from './scripts.ts';
import { difference, ratio } from './statistics.ts';

const manyCallers = 32;
/** 5,000 chunks a second: few enough that each is read by itself. */
const heldStreams = 100;
const writesOfAStream = paceOf[100] === undefined ? NaN : writesOf(paceOf[100]);

interface Case {
  readonly route: Route;
  readonly isTranslated: boolean;
}

const cases: readonly Case[] = (['messages', 'chat', 'responses'] as const).flatMap(
  (dialect: Dialect) => [
    { route: passThrough[dialect], isTranslated: false },
    { route: translated[dialect], isTranslated: true },
  ],
);

/**
 * What one case is measured by: streams as fast as they come, one stream at a time, and chunks that
 * come one by one.
 */
interface Measured {
  readonly fast: Results<ClosedResult>;
  readonly single: Results<ClosedResult>;
  readonly steady: Results<Result>;
}

/** Streams of 100 chunks. */
export async function benchShortStreams(bench: TextBench): Promise<ComparedRow[]> {
  const rows: ComparedRow[] = [];
  for (const each of cases) {
    // Without a gateway nobody translates.
    if (each.isTranslated && bench.gateway === undefined) continue;
    bench.say(`B: streams, ${nameOf(each.route)}`);
    rows.push(...rowsOf(each, await measure(bench, each.route)));
  }
  return rows;
}

/**
 * The bare proxy cannot translate: it carries what the same upstream sends, to a client of that
 * dialect.
 */
async function measure(bench: TextBench, route: Route): Promise<Measured> {
  const plain = passThrough[route.upstream];
  const { direct, bare, gateway, seconds } = bench;
  const both = <T>(run: (at: { target: Target; route: Route }) => Promise<T>) => ({
    bare: () => run({ target: bare, route: plain }),
    gateway: gateway && (() => run({ target: gateway, route })),
  });
  const oneStream = (at: { target: Target; route: Route }) =>
    runClosedOn(bench, at, { script: 'spaced', callers: 1, warmUpSeconds: 0.5, seconds });
  return {
    fast: await inRounds(
      bench,
      both((at) =>
        runClosedOn(bench, at, { script: '100', callers: manyCallers, warmUpSeconds: 1, seconds }),
      ),
    ),
    single: await inRounds(bench, {
      direct: () => oneStream({ target: direct, route: plain }),
      ...both(oneStream),
    }),
    steady: await inRounds(
      bench,
      both((at) =>
        runHeldOn(bench, at, { script: 'quick', streams: heldStreams, warmUpSeconds: 0, seconds }),
      ),
    ),
  };
}

const chunksOfFast = (result: Result): number =>
  result.kind === 'closed' ? result.completed * writesOfAStream : NaN;
const chunksOfSteady = ({ chunks }: Result): number => chunks;

function rowsOf({ route, isTranslated }: Case, { fast, single, steady }: Measured): ComparedRow[] {
  const name = nameOf(route);
  const share = { combine: ratio, of: '× bare', atLeast: isTranslated ? 0.45 : 0.7 };
  const cost = { combine: ratio, of: '× bare', atMost: isTranslated ? 2.2 : 1.4 };
  return [
    rowOf(fast, {
      measure: `${name}: streams, ${manyCallers} callers`,
      unit: '1/s',
      read: perSecond,
      compare: share,
    }),
    rowOf(fast, {
      measure: `${name}: streams for each second of its CPU`,
      unit: '1/s',
      read: perCpuSecond,
      compare: share,
    }),
    rowOf(fast, {
      measure: `${name}: its core busy meanwhile`,
      unit: 'share',
      read: ({ busy }) => busy.target,
    }),
    rowOf(fast, {
      measure: `${name}: CPU a chunk, ${manyCallers} callers`,
      unit: 'µs',
      read: cpuPerChunk(chunksOfFast),
      compare: cost,
    }),
    rowOf(fast, {
      measure: `${name}: reads a chunk, ${manyCallers} callers`,
      unit: '',
      read: (result) => result.busy.targetReads / chunksOfFast(result),
    }),
    rowOf(steady, {
      measure: `${name}: CPU a chunk, 5,000 chunks/s`,
      unit: 'µs',
      read: cpuPerChunk(chunksOfSteady),
      compare: cost,
    }),
    rowOf(steady, {
      measure: `${name}: reads a chunk, 5,000 chunks/s`,
      unit: '',
      read: (result) => result.busy.targetReads / chunksOfSteady(result),
    }),
    rowOf(single, {
      measure: `${name}: first byte, median, one stream at a time, chunks 1 ms apart`,
      unit: 'ms',
      read: ({ firstByteMedianMs }) => firstByteMedianMs,
      compare: { combine: difference, of: 'ms over bare', atMost: 0.3 },
    }),
  ];
}
