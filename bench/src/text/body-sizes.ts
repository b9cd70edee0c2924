import { openAccounts } from './accounts.ts';
import { inRounds, nameOf, passThrough, runClosedOn, translated, type TextBench } from './bench.ts';
import { cpuPerResponse, ofProcess, rowOf } from './figures.ts';
import type { Route } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { aliasOf } from './scripts.ts';
import { ratio } from './statistics.ts';

const callers = 4;
/** The gateway reads the large bodies of one account no faster than so many bytes a second. */
const accounts = 16;
const sizes = [
  { name: '100 kB', bodyBytes: 100_000 },
  { name: '1 MB', bodyBytes: 1_000_000 },
  { name: '8 MB', bodyBytes: 8_000_000 },
] as const;

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

/** What a large body costs, beside a proxy that never looks at it. */
export async function benchBodySizes(bench: TextBench): Promise<ComparedRow[]> {
  const { databaseUrl } = bench;
  const apiKeys = databaseUrl === undefined ? [] : await openAccounts(databaseUrl, accounts);
  const rows: ComparedRow[] = [];
  for (const size of sizes) {
    for (const each of cases) rows.push(await measure(bench, { ...size, ...each, apiKeys }));
  }
  return rows;
}

async function measure(
  bench: TextBench,
  {
    name,
    bodyBytes,
    route,
    model,
    atMost,
    apiKeys,
  }: (typeof sizes)[number] & Case & { readonly apiKeys: readonly string[] },
): Promise<ComparedRow> {
  bench.say(`G: bodies of ${name}, ${nameOf(route)}`);
  const { bare, gateway, seconds } = bench;
  const job = { script: 'whole', callers, warmUpSeconds: 1, seconds, bodyBytes } as const;
  const results = await inRounds(bench, {
    bare: () => runClosedOn(bench, { target: bare, route: passThrough[route.upstream] }, job),
    gateway:
      gateway &&
      (() =>
        runClosedOn(
          bench,
          { target: gateway, route },
          { ...job, apiKeys, ...(model !== undefined && { model }) },
        )),
  });
  return rowOf(ofProcess(results), {
    measure: `${name}, ${nameOf(route)}: CPU a request`,
    unit: 'µs',
    read: cpuPerResponse,
    compare: { combine: ratio, of: '× bare', atMost },
  });
}
