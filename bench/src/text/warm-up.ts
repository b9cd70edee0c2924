import { passThrough, runClosedOn, translated, type TextBench } from './bench.ts';

const callers = 32;
const seconds = 2;

/**
 * Runs every path of every target for a while, so that no first round is one of code that was never
 * compiled.
 */
export async function warmUp(bench: TextBench): Promise<void> {
  bench.say('warming up');
  const { direct, bare, gateway } = bench;
  const plain = Object.values(passThrough);
  const all = [...plain, ...Object.values(translated)];
  for (const { target, routes } of [
    { target: direct, routes: plain },
    { target: bare, routes: plain },
    { target: gateway, routes: all },
  ]) {
    if (target === undefined) continue;
    for (const route of routes) {
      for (const script of ['whole', '100'] as const) {
        await runClosedOn(bench, { target, route }, { script, callers, warmUpSeconds: 0, seconds });
      }
    }
  }
}
