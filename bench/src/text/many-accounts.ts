import { passThrough, runClosedOn, type Target, type TextBench } from './bench.ts';
import { openAccounts } from './accounts.ts';
import { cpuPerResponse, perSecond } from './figures.ts';
import type { ClosedResult } from './protocol.ts';
import type { ComparedRow, Comparison } from '../report.ts';
import { aliasOf, pricings, type Pricing } from './scripts.ts';
import { medianOf, pairedMedian, ratio } from './statistics.ts';

const manyCallers = 64;

const temperatures = ['hot', 'cold'] as const;
type Temperature = (typeof temperatures)[number];
type Measured = Readonly<Record<`${Temperature} ${Pricing}`, ClosedResult[]>>;

/**
 * The same request from one key and from one key after the other of so many accounts, each of which
 * asks less than once in four seconds; with a price, for which the gateway holds some of each account's
 * quota, and without. Before that, the first request of accounts that never asked.
 */
export async function benchManyAccounts(bench: TextBench): Promise<ComparedRow[]> {
  const { gateway, databaseUrl } = bench;
  if (gateway === undefined || databaseUrl === undefined) return [];
  bench.say(`E: opening ${bench.accounts} accounts`);
  const apiKeys = await openAccounts(databaseUrl, bench.accounts);
  bench.say('E: first requests of accounts');
  const first = await measureFirst(bench, { gateway, apiKeys });
  const many = await measure(bench, { gateway, apiKeys, callers: manyCallers });
  const one = await measure(bench, { gateway, apiKeys, callers: 1 });
  return [...rowsOfPrice(many, one), ...rowsOfCold(many, one), ...rowsOfFirst(first)];
}

const rate = { measure: `requests, ${manyCallers} callers`, unit: '1/s', read: perSecond };
const cpu = { measure: 'CPU of the api a request', unit: 'µs', read: cpuPerResponse };
const latency = {
  measure: 'latency, median, one caller',
  unit: 'ms',
  read: ({ medianMs }: ClosedResult) => medianMs,
};

/** What a price adds, for one key and for many accounts. */
const rowsOfPrice = (many: Measured, one: Measured): ComparedRow[] =>
  temperatures.flatMap((temperature) => [
    rowOfPrice(many, { ...rate, temperature, atLeast: 0.95 }),
    rowOfPrice(many, { ...cpu, temperature, atMost: 1.05 }),
    rowOfPrice(one, { ...latency, temperature }),
  ]);

/** What an account that asks seldom costs beside one that asks all the time. */
const rowsOfCold = (many: Measured, one: Measured): ComparedRow[] =>
  pricings.flatMap((pricing) => [
    rowOfCold(many, { ...rate, pricing, atLeast: 0.6 }),
    rowOfCold(many, { ...cpu, pricing, atMost: 1.5 }),
    rowOfLatency(one, pricing),
  ]);

/** What the gateway has to learn of an account that it does not know. */
const rowsOfFirst = (first: ClosedResult): ComparedRow[] =>
  [rate, cpu].map(({ measure: name, unit, read }) => ({
    measure: `${name}, the first of each account, with a price`,
    unit,
    gateway: read(first),
  }));

const measureFirst = (
  bench: TextBench,
  { gateway, apiKeys }: { gateway: Target; apiKeys: readonly string[] },
): Promise<ClosedResult> =>
  runClosedOn(
    bench,
    { target: gateway, route: passThrough.messages },
    {
      script: 'whole',
      model: aliasOf('priced'),
      apiKeys,
      callers: manyCallers,
      warmUpSeconds: 1,
      seconds: bench.seconds,
    },
  );

/** Takes turns between all four, round by round. */
async function measure(
  bench: TextBench,
  { gateway, apiKeys, callers }: { gateway: Target; apiKeys: readonly string[]; callers: number },
): Promise<Measured> {
  bench.say(
    `E: one account and ${apiKeys.length}, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
  );
  const known = callers === 1 ? {} : { warmUpResponses: apiKeys.length };
  const measured: Measured = {
    'hot priced': [],
    'hot free': [],
    'cold priced': [],
    'cold free': [],
  };
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const pricing of pricings) {
      const run = (job: { apiKeys?: readonly string[]; warmUpSeconds: number }) =>
        runClosedOn(
          bench,
          { target: gateway, route: passThrough.messages },
          { script: 'whole', model: aliasOf(pricing), callers, seconds: bench.seconds, ...job },
        );
      measured[`hot ${pricing}`].push(await run({ warmUpSeconds: 1 }));
      // Whoever asks seldom has asked before.
      measured[`cold ${pricing}`].push(await run({ apiKeys, warmUpSeconds: 1, ...known }));
    }
  }
  return measured;
}

interface Figure {
  readonly measure: string;
  readonly unit: string;
  readonly read: (result: ClosedResult) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

const whose: Readonly<Record<Temperature, string>> = { hot: 'one key', cold: 'many accounts' };
const priced: Readonly<Record<Pricing, string>> = {
  priced: 'with a price',
  free: 'without a price',
};

/** What a priced request costs, and how that compares with one that costs its account nothing. */
function rowOfPrice(
  measured: Measured,
  { temperature, measure, unit, read, ...bound }: Figure & { readonly temperature: Temperature },
): ComparedRow {
  const of = (pricing: Pricing): number[] => measured[`${temperature} ${pricing}`].map(read);
  const compared: Comparison = {
    value: pairedMedian(of('priced'), of('free'), ratio),
    of: '× without a price',
    ...bound,
  };
  return {
    measure: `${measure}, ${whose[temperature]}`,
    unit,
    gateway: medianOf(of('priced')),
    compared,
  };
}

function rowOfCold(
  measured: Measured,
  { pricing, measure, unit, read, ...bound }: Figure & { readonly pricing: Pricing },
): ComparedRow {
  const of = (temperature: Temperature): number[] =>
    measured[`${temperature} ${pricing}`].map(read);
  return {
    measure: `${measure}, many accounts, ${priced[pricing]}`,
    unit,
    gateway: medianOf(of('cold')),
    compared: { value: pairedMedian(of('cold'), of('hot'), ratio), of: '× one key', ...bound },
  };
}

function rowOfLatency(measured: Measured, pricing: Pricing): ComparedRow {
  const value = medianOf(measured[`cold ${pricing}`].map(latency.read));
  return {
    measure: `${latency.measure}, many accounts, ${priced[pricing]}`,
    unit: latency.unit,
    gateway: value,
    compared: { value, of: 'ms', atMost: 0.4 },
  };
}
