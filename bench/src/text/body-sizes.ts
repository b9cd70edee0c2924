import { startGateway } from './gateway.ts';
import { inRounds, nameOf, passThrough, runClosedOn, translated, type TextBench } from './bench.ts';
import { cpuPerResponse, ofProcess, rowOf, type Results } from './figures.ts';
import type { ClosedResult, Route } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { aliasOf } from './scripts.ts';
import { ratio } from './statistics.ts';

const callers = 4;
/**
 * A replica reads the large bodies of one account at 32 MiB/s, and would idle here: an idle process
 * takes more CPU for the same bytes, a bare proxy too. So this gateway has another bound.
 */
const env = { BODY_BYTES_PER_SECOND_PER_ACCOUNT: String(2 ** 32) };
const sizes = [
  { name: '100 kB', bodyBytes: 100_000 },
  { name: '1 MB', bodyBytes: 1_000_000 },
  { name: '8 MB', bodyBytes: 8_000_000 },
] as const;

/** What reads bodies has not run before: V8 compiles it for some seconds. */
const warmUp = { rounds: 1, seconds: 6 } as const;

interface Case {
  readonly route: Route;
  /** Has another name at the upstream. */
  readonly model?: string;
  readonly atMost: number;
}
const cases: readonly Case[] = [
  { route: passThrough.messages, model: aliasOf('priced'), atMost: 1.3 },
  { route: passThrough.chat, atMost: 1.3 },
  { route: translated.chat, atMost: 2 },
  { route: translated.messages, atMost: 2 },
];

type SizedCase = (typeof sizes)[number] & Case;

/** What a large body costs, beside a proxy that never looks at it. */
export async function benchBodySizes(bench: TextBench): Promise<ComparedRow[]> {
  if (bench.gateway === undefined) return measureAll(bench);
  const { stack, pid } = await startGateway(bench.upstreamUrl, { env });
  try {
    const gateway = { name: 'gateway', url: stack.suite.baseUrl, pid } as const;
    return await measureAll({ ...bench, gateway, apiKey: stack.apiKey });
  } finally {
    await stack.stop();
  }
}

async function measureAll(bench: TextBench): Promise<ComparedRow[]> {
  bench.say('G: warming up');
  for (const each of cases) await run({ ...bench, ...warmUp }, { ...sizes[0], ...each });
  const rows: ComparedRow[] = [];
  for (const size of sizes) {
    for (const each of cases) rows.push(await measure(bench, { ...size, ...each }));
  }
  return rows;
}

async function measure(bench: TextBench, sized: SizedCase): Promise<ComparedRow> {
  const { name, route, atMost } = sized;
  bench.say(`G: bodies of ${name}, ${nameOf(route)}`);
  return rowOf(ofProcess(await run(bench, sized)), {
    measure: `${name}, ${nameOf(route)}: CPU a request`,
    unit: 'µs',
    read: cpuPerResponse,
    compare: { combine: ratio, of: '× bare', atMost },
  });
}

function run(
  bench: TextBench,
  { bodyBytes, route, model }: SizedCase,
): Promise<Results<ClosedResult>> {
  const { bare, gateway, seconds } = bench;
  const job = { script: 'whole', callers, warmUpSeconds: 1, seconds, bodyBytes } as const;
  return inRounds(bench, {
    bare: () => runClosedOn(bench, { target: bare, route: passThrough[route.upstream] }, job),
    gateway:
      gateway &&
      (() =>
        runClosedOn(
          bench,
          { target: gateway, route },
          { ...job, ...(model !== undefined && { model }) },
        )),
  });
}
