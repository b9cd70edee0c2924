import {
  inRounds,
  nameOf,
  passThrough,
  runHeldOn,
  translated,
  type Target,
  type TextBench,
} from './bench.ts';
import { rowOf } from './figures.ts';
import type { HeldResult, LargeBody, Route } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { difference, medianOf } from './statistics.ts';

const streams = 50;
const posts = 5;
const bodies: Readonly<Record<LargeBody, string>> = {
  base64: 'one base64 string',
  messages: '99,999 messages',
};

/** A request of 20 MB beside 50 streams of 50 chunks/s. */
export async function benchLargeRequests(bench: TextBench): Promise<ComparedRow[]> {
  const rows: ComparedRow[] = [];
  const routes =
    bench.gateway === undefined
      ? [passThrough.messages]
      : [passThrough.messages, passThrough.chat, translated.chat, translated.messages];
  for (const body of Object.keys(bodies) as LargeBody[]) {
    for (const route of routes) rows.push(...(await measure(bench, { body, route })));
  }
  return rows;
}

async function measure(
  bench: TextBench,
  { body, route }: { body: LargeBody; route: Route },
): Promise<ComparedRow[]> {
  const name = `${bodies[body]}, ${nameOf(route)}`;
  bench.say(`D: 20 MB as ${name}`);
  const run = (target: Target | undefined, over: Route) =>
    target &&
    (() =>
      runHeldOn(
        bench,
        { target, route: over },
        { script: 'quick', streams, warmUpSeconds: 1, seconds: 0, posts: { body, count: posts } },
      ));
  const { bare, gateway } = bench;
  const plain = passThrough[route.upstream];
  const results = await inRounds(
    { ...bench, rounds: 1 },
    { bare: run(bare, plain), gateway: run(gateway, route) },
  );
  const worst = (result: HeldResult): number =>
    Math.max(...result.posts.map(({ worstMs }) => worstMs));
  const took = (result: HeldResult): number => medianOf(result.posts.map(({ tookMs }) => tookMs));
  return [
    rowOf(results, {
      measure: `${name}: longest delay of a chunk`,
      unit: 'ms',
      read: worst,
      compare: { combine: difference, of: 'ms over bare', atMost: 50 },
    }),
    rowOf(results, {
      measure: `${name}: time of its response, median`,
      unit: 'ms',
      read: took,
    }),
  ];
}
