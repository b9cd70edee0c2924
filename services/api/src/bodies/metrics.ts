import { Counter, Gauge, type Registry } from '@gateway/runtime';

/** What the budget and the threads say of themselves. */
export function createBodyMetrics(
  metrics: Registry,
  now: { readonly bytes: () => number; readonly waiting: () => number },
): { readonly refused: (whose: 'account' | 'process') => void } {
  const registers = [metrics];
  const refusals = new Counter({
    name: 'gateway_body_refusals_total',
    help: 'Request bodies refused because too many bytes were under way already.',
    labelNames: ['whose'],
    registers,
  });
  for (const whose of ['account', 'process']) refusals.inc({ whose }, 0);
  const bytes = new Gauge({
    name: 'gateway_body_bytes',
    help: 'Bytes of the request bodies that are under way.',
    registers,
    collect: () => {
      bytes.set(now.bytes());
    },
  });
  const waiting = new Gauge({
    name: 'gateway_bodies_waiting',
    help: 'Large request bodies that wait for a thread.',
    registers,
    collect: () => {
      waiting.set(now.waiting());
    },
  });
  return {
    refused: (whose) => {
      refusals.inc({ whose });
    },
  };
}
