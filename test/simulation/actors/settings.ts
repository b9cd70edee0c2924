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
