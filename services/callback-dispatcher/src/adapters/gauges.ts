import type { SharedLimits } from '@gateway/limits';
import { Gauge, sampledGauges, type Log, type Part, type Registry } from '@gateway/runtime';
import type { DueWork } from '@gateway/store';

const states = ['closed', 'half_open', 'open'] as const;

/** How many receivers are skipped. Strangers chose their addresses, so these are no labels. */
export function breakerGauge(breakers: SharedLimits['breakers'], metrics: Registry): void {
  const gauge = new Gauge({
    name: 'gateway_receiver_circuits',
    help: 'Recently used receivers of callbacks, by the state of their circuit breaker, as this replica sees it.',
    labelNames: ['state'],
    registers: [metrics],
    collect() {
      const found = [...breakers.states().values()];
      for (const state of states) {
        gauge.set({ state }, found.filter((each) => each === state).length);
      }
    },
  });
}

/** How far behind pushing is. */
export function duePushesPart(
  { pushes }: Pick<DueWork, 'pushes'>,
  { metrics, log }: { readonly metrics: Registry; readonly log: Log },
): Part {
  const registers = [metrics];
  const oldest = new Gauge({
    name: 'gateway_oldest_due_seconds',
    help: 'How long the oldest due work has been due, from the tables; 0 when nothing is due.',
    labelNames: ['work'],
    registers,
  });
  const due = new Gauge({
    name: 'gateway_due_work',
    help: 'Pieces of work that are due, from the tables.',
    labelNames: ['work'],
    registers,
  });
  return sampledGauges({
    name: 'due pushes',
    gauges: [oldest, due],
    log,
    async read() {
      const { count, oldestSeconds } = await pushes();
      due.set({ work: 'push' }, count);
      oldest.set({ work: 'push' }, oldestSeconds);
    },
  });
}
