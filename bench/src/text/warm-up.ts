import { passThrough, runClosedOn, translated, type TextBench } from './bench.ts';

const callers = 32;
const plainSeconds = 2;
/** Of so much more code V8 takes longer to compile what is called often. */
const gatewaySeconds = 4;

/**
 * Runs every path of every target for a while, so that no first round is one of code that was never
 * compiled.
 */
export async function warmUp(bench: TextBench): Promise<void> {
  bench.say('warming up');
  const { direct, bare, gateway } = bench;
  const plain = Object.values(passThrough);
  const all = [...plain, ...Object.values(translated)];
  for (const { target, routes, seconds } of [
    { target: direct, routes: plain, seconds: plainSeconds },
    { target: bare, routes: plain, seconds: plainSeconds },
    { target: gateway, routes: all, seconds: gatewaySeconds },
  ]) {
    if (target === undefined) continue;
    for (const route of routes) {
      for (const script of ['whole', '100'] as const) {
        await runClosedOn(bench, { target, route }, { script, callers, warmUpSeconds: 0, seconds });
      }
    }
  }
}
