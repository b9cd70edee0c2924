import { randomUUID } from 'node:crypto';
import { createSharedLimits, type SharedLimits } from '@gateway/limits';
import type { LiveConfiguration, Log, Registry } from '@gateway/runtime';
import { breakerNameOf } from '../adapters/breaker-gate.ts';
import { createBreakerMetrics, type BreakerMetrics } from '../adapters/breaker-metrics.ts';
import type { Settings } from '../config.ts';

export interface VendorBreakersOptions {
  readonly settings: Readonly<Settings>;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly metrics: Registry;
  readonly log: Log;
}

export interface WorkerBreakers extends Pick<SharedLimits, 'part'> {
  readonly vendors: SharedLimits['vendors'];
  /** The breaker of a provider as it is configured now. */
  readonly breakerBefore: (provider: string) => string | undefined;
  readonly onRefused: BreakerMetrics['refused'];
  /** How the breaker before a provider, as it is configured now, stands. */
  readonly standingOf: (provider: string) => 'open' | 'half_open' | 'closed';
  /** For /readyz. */
  readonly notes: () => { readonly breakers: ReturnType<BreakerMetrics['states']> };
}

/**
 * The circuit breakers before the vendors, under keys of their own in Redis: those of text routes
 * are the api's.
 */
export function createWorkerBreakers({
  settings,
  configuration,
  metrics,
  log,
}: VendorBreakersOptions): WorkerBreakers {
  const { vendors, part } = createSharedLimits({
    redisUrl: settings.REDIS_URL,
    prefix: `${settings.QUEUE_PREFIX}:vendors`,
    replicaId: randomUUID(),
    log,
    breakers: {
      failuresToOpen: settings.VENDOR_BREAKER_FAILURES,
      coolDownMs: settings.VENDOR_BREAKER_PAUSE_MS,
      random: Math.random,
    },
    timings: {
      longestCoolDownMs: settings.VENDOR_BREAKER_LONGEST_PAUSE_MS,
      probeMs: probeMsOf(settings),
    },
  });
  const { refused, states } = createBreakerMetrics({
    vendors,
    configured: () =>
      new Map(
        [...configuration.current().providers.values()].map((provider) => [
          provider.name,
          breakerNameOf(provider),
        ]),
      ),
    metrics,
    log,
  });
  return {
    vendors,
    part: { ...part, name: 'vendor breakers' },
    breakerBefore(provider) {
      const found = configuration.current().providers.get(provider);
      return found && breakerNameOf(found);
    },
    onRefused: refused,
    standingOf: (provider) => states()[provider] ?? 'closed',
    notes: () => ({ breakers: states() }),
  };
}

const slackMs = 10_000;

/** A question, the submission after it, and the waits for their turns. */
const probeMsOf = ({ VENDOR_TIMEOUT_MS: timeoutMs }: Readonly<Settings>): number =>
  2 * timeoutMs + slackMs;
