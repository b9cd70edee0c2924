import type { SharedLimits } from '@gateway/limits';
import {
  dueWorkGauges,
  Gauge,
  sampledGauges,
  type Log,
  type Part,
  type Registry,
} from '@gateway/runtime';
import type { DueWork } from '@gateway/store';
import type { FeedWaiting } from '../use-cases/feed-waiting.ts';
import type { Flow } from '../use-cases/flow.ts';

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

const speeds = ['unknown', 'fast', 'slow'] as const;

/** What this replica has in flight by how quick the receivers are, and for how many pushes wait. */
export function receiverGauges(
  {
    flow,
    waiting,
  }: { readonly flow: Pick<Flow, 'taken'>; readonly waiting: Pick<FeedWaiting, 'size'> },
  metrics: Registry,
): void {
  const inFlight = new Gauge({
    name: 'gateway_callbacks_in_flight',
    help: 'Challenges and pushes that this replica has in flight, by how quickly their receiver ends an attempt.',
    labelNames: ['receiver'],
    registers: [metrics],
    collect() {
      const taken = flow.taken();
      for (const speed of speeds) inFlight.set({ receiver: speed }, taken[speed]);
    },
  });
  const waitedFor = new Gauge({
    name: 'gateway_receivers_waited_for',
    help: 'Receivers that pushes wait for, as far as this replica knows.',
    registers: [metrics],
    collect() {
      waitedFor.set(waiting.size());
    },
  });
}

/** How far behind pushing is. */
export function duePushesPart(
  { pushes }: Pick<DueWork, 'pushes'>,
  { metrics, log }: { readonly metrics: Registry; readonly log: Log },
): Part {
  const due = dueWorkGauges(metrics);
  return sampledGauges({
    name: 'due pushes',
    gauges: due.gauges,
    log,
    async read() {
      due.set('push', await pushes());
    },
  });
}
