import type { TaskVendor } from '@gateway/contracts';

/** Minutes of videos that are rendered at once, hours of those that may take half a day, or the least that shows something. */
export type Tempo = 'brisk' | 'patient' | 'brief';

const always = {
  graceMs: 60_000,
  fileGraceMs: 180_000,
  unknownAfterMs: 90_000,
  /** Of the workers and of billing. */
  sweepMs: 15_000,
  orphanGraceSeconds: 60,
  /** How long a request of a customer waits for other services. */
  patienceMs: 8_000,
};

const brisk = {
  ...always,
  expiresAfterSeconds: 420,
  lateWatchMs: 300_000,
  lateEveryMs: 60_000,
  /** Waits before the second to the sixth attempt of a push. */
  callbackRetryMs: [3_000, 15_000, 40_000, 80_000, 120_000] as readonly number[],
  admitSweepMs: 10_000,
  callbackSweepMs: 20_000,
  /** Of a receiver's circuit breaker. */
  coolDownMs: 15_000,
  longestCoolDownMs: 60_000,
  /** How often pushes that wait for a receiver are looked for. */
  feedMs: 1_000,
  /** Of polls at the vendors. */
  pace: { firstSeconds: 3, maxSeconds: 30 },
  /** How long a vendor renders, and how long in the few cases in which it comes too late. */
  renderMs: [5_000, 120_000] as Range,
  lateRenderMs: [400_000, 1_500_000] as Range,
  /** Within which orders come. */
  ordersMs: 180_000,
  /** The longest that a vendor is away. */
  awayMs: 90_000,
  /** How long a customer waits before it cancels, and between two looks. */
  cancelMs: 90_000,
  lookMs: [4_000, 12_000] as Range,
  /** How many of the videos that are over their customers delete. */
  deletedShare: 0.25,
  orders: [4, 12] as Range,
  /** Of each service. */
  replicas: { billing: 2, workers: 2, apis: 2, dispatchers: 2 },
};

export type Promised = Readonly<typeof brisk>;
type Range = readonly [least: number, most: number];

/** A patient world has the times of production, but for its sweeps, of which some are rarer. */
export const promisedAt: Readonly<Record<Tempo, Promised>> = {
  brisk,
  patient: {
    ...always,
    admitSweepMs: 30_000,
    callbackSweepMs: 60_000,
    expiresAfterSeconds: 172_800,
    lateWatchMs: 86_400_000,
    lateEveryMs: 600_000,
    callbackRetryMs: [5_000, 60_000, 300_000, 1_800_000, 7_200_000],
    coolDownMs: 30_000,
    longestCoolDownMs: 600_000,
    feedMs: 10_000,
    pace: { firstSeconds: 5, maxSeconds: 60 },
    renderMs: [60_000, 129_600_000],
    lateRenderMs: [172_000_000, 250_000_000],
    ordersMs: 14_400_000,
    cancelMs: 7_200_000,
    awayMs: 3_600_000,
    lookMs: [60_000, 1_200_000],
    deletedShare: brisk.deletedShare,
    orders: brisk.orders,
    replicas: brisk.replicas,
  },
  brief: {
    ...brisk,
    graceMs: 15_000,
    fileGraceMs: 30_000,
    unknownAfterMs: 40_000,
    orphanGraceSeconds: 30,
    expiresAfterSeconds: 60,
    lateWatchMs: 60_000,
    lateEveryMs: 30_000,
    callbackRetryMs: [2_000, 5_000, 10_000, 15_000, 20_000],
    sweepMs: 10_000,
    callbackSweepMs: 10_000,
    coolDownMs: 5_000,
    longestCoolDownMs: 20_000,
    feedMs: 2_000,
    pace: { firstSeconds: 2, maxSeconds: 15 },
    renderMs: [2_000, 40_000],
    lateRenderMs: [55_000, 150_000],
    ordersMs: 20_000,
    awayMs: 40_000,
    cancelMs: 30_000,
    lookMs: [5_000, 15_000],
    orders: [2, 4],
    replicas: { billing: 1, workers: 2, apis: 1, dispatchers: 2 },
  },
};

/** Of text: a replica's leases of quota, as production has them. */
export const leaseTimes = { leaseSeconds: 5, idleMs: 10_000 };
/** A replica of the api that was silent for so long is gone, as billing takes it. */
export const replicaLeaseSeconds = 30;

/** At each vendor. */
export const slotsOf = 3;
export const secondQuota = 10;

/** The only one. */
export const modelName = 'simulated-video';

export const vendorNamed = (provider: string): TaskVendor => ({
  provider,
  kind: 'ark',
  baseUrl: `https://${provider}.example/api`,
  credentialId: 'simulated',
  upstreamModel: 'simulated-1',
  taskId: null,
});
