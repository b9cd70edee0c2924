import type { VendorBreakers, VendorChange } from '@gateway/limits';
import { Counter, Gauge, type Log, type Registry } from '@gateway/runtime';
import { providerOfBreaker } from './breaker-gate.ts';

export interface BreakerMetricsOptions {
  readonly vendors: VendorBreakers;
  /** The breaker of each provider that is configured now. */
  readonly configured: () => ReadonlyMap<string, string>;
  readonly metrics: Registry;
  readonly log: Log;
}

export interface BreakerMetrics {
  /** A task was not submitted, because the breaker is open. */
  readonly refused: (provider: string) => void;
  /** By provider, for operators. */
  readonly states: () => Readonly<Record<string, 'open' | 'half_open' | 'closed'>>;
}

const stateValues = { closed: 0, half_open: 1, open: 2 } as const;

/** What the worker tells of the circuit breakers before the vendors, as this replica knows them. */
export function createBreakerMetrics({
  vendors,
  configured,
  metrics,
  log,
}: BreakerMetricsOptions): BreakerMetrics {
  const registers = [metrics];
  const states: BreakerMetrics['states'] = () => {
    const known = vendors.states();
    return Object.fromEntries(
      [...configured()].map(([provider, breaker]) => [provider, known.get(breaker) ?? 'closed']),
    );
  };
  const gauge = new Gauge({
    name: 'gateway_vendor_breaker_state',
    help: 'Circuit breaker before a video vendor: 0 closed, 1 on trial, 2 open.',
    labelNames: ['provider'],
    registers,
    collect() {
      gauge.reset();
      for (const [provider, state] of Object.entries(states())) {
        gauge.set({ provider }, stateValues[state]);
      }
    },
  });
  const changes = new Counter({
    name: 'gateway_vendor_breaker_changes_total',
    help: 'Times that a circuit breaker before a video vendor opened or closed, for all accounts or for one.',
    labelNames: ['provider', 'to', 'scope'],
    registers,
  });
  const refused = new Counter({
    name: 'gateway_vendor_breaker_refused_total',
    help: 'Tasks sent back into the queue of a video vendor, because its circuit breaker is open.',
    labelNames: ['provider'],
    registers,
  });
  vendors.onChange((change) => {
    changes.inc({ ...labelsOf(change) });
    logChange(log, change);
  });
  return {
    refused: (provider) => {
      refused.inc({ provider });
    },
    states,
  };
}

const labelsOf = ({
  vendor,
  account,
  to,
}: VendorChange): Readonly<Record<'provider' | 'to' | 'scope', string>> => ({
  provider: providerOfBreaker(vendor),
  to,
  scope: account === undefined ? 'everybody' : 'account',
});

function logChange(log: Log, change: VendorChange): void {
  const { provider } = labelsOf(change);
  const fields = { provider, ...(change.account !== undefined && { accountId: change.account }) };
  if (change.to === 'open') log.warn('vendor fails, no task is submitted for a while', fields);
  else log.info('vendor serves again, tasks are submitted', fields);
}
