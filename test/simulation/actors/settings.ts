import type { TaskVendor } from '@gateway/contracts';

/** As production has them, but for how long tasks may take and are watched: a world is over sooner. */
export const promised = {
  expiresAfterSeconds: 420,
  graceMs: 60_000,
  fileGraceMs: 180_000,
  lateWatchMs: 300_000,
  lateEveryMs: 60_000,
  unknownAfterMs: 90_000,
  /** Of the workers and of billing. */
  sweepMs: 15_000,
  admitSweepMs: 10_000,
  callbackSweepMs: 20_000,
  /** How often pushes that wait for a receiver are looked for. */
  feedMs: 1_000,
  /** Waits before the second to the sixth attempt of a push. */
  callbackRetryMs: [3_000, 15_000, 40_000, 80_000, 120_000],
  /** Of a receiver's circuit breaker. */
  coolDownMs: 15_000,
  longestCoolDownMs: 60_000,
  orphanGraceSeconds: 60,
  /** How long a request of a customer waits for other services. */
  patienceMs: 8_000,
} as const;

/** At each vendor. */
export const slotsOf = 3;
export const secondQuota = 10;

export const vendorNamed = (provider: string): TaskVendor => ({
  provider,
  kind: 'ark',
  baseUrl: `https://${provider}.example/api`,
  credentialId: 'simulated',
  upstreamModel: 'simulated-1',
  taskId: null,
});
