import type { Health } from './health.ts';
import { Gauge, type Registry } from '../metrics/metrics.ts';

/**
 * What /readyz and /livez would say, asked at each scrape: a dependency that is away costs the
 * scrape the time it waits for it.
 */
export function dependencyGauges(
  { check, stalled: reason }: Pick<Health, 'check' | 'stalled'>,
  metrics: Registry,
): void {
  const registers = [metrics];
  const ready = new Gauge({
    name: 'gateway_ready',
    help: 'Whether the service takes work: 1, or 0 while a dependency is down or it drains.',
    registers,
    async collect() {
      ready.set((await check()).ready ? 1 : 0);
    },
  });
  const up = new Gauge({
    name: 'gateway_dependency_up',
    help: 'Whether this dependency responded just now: 1 or 0.',
    labelNames: ['dependency'],
    registers,
    async collect() {
      const { checks } = await check();
      for (const [dependency, state] of Object.entries(checks)) {
        if (dependency !== 'service') up.set({ dependency }, state === 'ok' ? 1 : 0);
      }
    },
  });
  const stalled = new Gauge({
    name: 'gateway_worker_stalled',
    help: '1 while the service is stalled: it takes no job although jobs are waiting.',
    registers,
    collect: () => {
      stalled.set(reason() === undefined ? 0 : 1);
    },
  });
}
