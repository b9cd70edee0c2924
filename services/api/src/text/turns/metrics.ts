import { Counter, Gauge, createHistogram, type Registry } from '@gateway/runtime';

/** How a wait for a slot ended, or why none began. */
export type Refusal = 'time' | 'account' | 'queue';
export type WaitEnd = 'slot' | 'time' | 'abandoned';

export interface TurnMetrics {
  ended(provider: string, end: WaitEnd, waitedMs: number): void;
  refused(provider: string, reason: Refusal): void;
}

/** Seconds; a wait is bounded by TEXT_QUEUE_MS. */
const buckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60];

/** What the queues for slots of providers say of themselves. */
export function createTurnMetrics(
  metrics: Registry,
  lines: () => ReadonlyMap<string, { readonly waiting: number }>,
): TurnMetrics {
  const registers = [metrics];
  const seconds = createHistogram({
    name: 'gateway_text_slot_wait_seconds',
    help: 'How long text requests waited for a slot of their provider, by how the wait ended.',
    labelNames: ['provider', 'outcome'],
    buckets,
    registers,
  });
  const refusals = new Counter({
    name: 'gateway_text_slot_refusals_total',
    help: 'Text requests that got no slot of their provider: the time, their account’s part of the queue or the queue was exceeded.',
    labelNames: ['provider', 'reason'],
    registers,
  });
  const gauge = new Gauge({
    name: 'gateway_text_slot_waiting',
    help: 'Text requests that wait for a slot of their provider.',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, { waiting }] of lines()) gauge.set({ provider }, waiting);
    },
  });
  return {
    ended(provider, outcome, waitedMs) {
      seconds.series({ provider, outcome }).observe(waitedMs / 1000);
    },
    refused(provider, reason) {
      refusals.inc({ provider, reason });
    },
  };
}
