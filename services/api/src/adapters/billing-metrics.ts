import { Histogram, type Registry } from '@gateway/runtime';

/** Counts a call to billing: how it ended, after how many seconds. */
export type OnBillingCall = (call: {
  readonly operation: 'take_hold' | 'release_hold' | 'settle_leases';
  readonly outcome: 'answered' | 'unavailable';
  readonly seconds: number;
}) => void;

/** Seconds, up to the three attempts of the client. */
const buckets = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10];

export function createBillingMetrics(metrics: Registry): OnBillingCall {
  const durations = new Histogram({
    name: 'gateway_billing_call_duration_seconds',
    help: 'Time of one call of the api to billing, attempts included.',
    labelNames: ['operation', 'outcome'],
    buckets,
    registers: [metrics],
  });
  // Told from the start: the first failure must be a step up for `increase`, not a new series.
  for (const operation of ['take_hold', 'release_hold', 'settle_leases']) {
    for (const outcome of ['answered', 'unavailable']) durations.zero({ operation, outcome });
  }
  return ({ seconds, ...labels }) => {
    durations.observe(labels, seconds);
  };
}
