import { createSlotLease, forgetIdle, isFull, isOutOfStock, reviewSlots } from './slot-lease.ts';
import type { Slot, SlotEntry } from './slot-serving.ts';
import { createSlotSync, type SlotSyncOptions } from './slot-sync.ts';

/**
 * Requests at once, over all replicas that live. A replica leases slots and renews the lease; what
 * a killed replica held comes back when its lease has run out. Of a limit up to 20 nothing idle is
 * kept: each slot goes back when it is released. Of a larger one a replica keeps a stock of 4 % (at
 * most 16) idle for a subject that asks more than now and then; what others leave idle goes back
 * within 20 ms, many in one trip. Once another replica is refused, all give back what is idle, and
 * keep none for some seconds. While others hold slots, a request is refused only after 60 ms and a
 * retry, so that what they keep idle, or release just now, is found. Without Redis each replica
 * counts alone, up to the full limit.
 */
export interface Slots {
  /**
   * A slot, or undefined when `limit` are in use. Resolves at once from the lease, else after a call
   * to Redis; never throws or rejects.
   */
  acquire(subject: string, limit: number): Slot | undefined | Promise<Slot | undefined>;
  /** Whether another replica was refused one within the last seconds. */
  isWanted(subject: string): boolean;
}

export interface SlotsPart extends Slots {
  /**
   * Renews leases, gives back what stayed idle and forgets idle subjects; to be called well within
   * a lease.
   */
  renew(): void;
  /** Gives everything back. */
  close(): Promise<void>;
  size(): number;
}

export interface SlotsOptions extends SlotSyncOptions {
  /** How long nothing idle is kept after another replica was refused. */
  readonly wantedMs: number;
  readonly forgetAfterMs: number;
}

export function createSlots(options: SlotsOptions): SlotsPart {
  const { redis, now, wantedMs, forgetAfterMs } = options;
  const entries = new Map<string, SlotEntry>();
  const { tryUse, sync, close } = createSlotSync(options);
  redis.onMessage(({ kind, name }) => {
    const entry = kind === 'slots_wanted' ? entries.get(name) : undefined;
    if (entry === undefined) return;
    entry.lease.wantedUntil = now() + wantedMs;
    if (entry.lease.leased > entry.lease.inUse) sync(entry);
  });
  redis.onUp(() => {
    for (const entry of entries.values()) {
      forgetIdle(entry.lease);
      if (entry.lease.inUse > 0) sync(entry);
    }
  });
  return {
    acquire(subject, limit) {
      const time = now();
      let entry = entries.get(subject);
      if (entry === undefined) entries.set(subject, (entry = openEntry(subject, limit)));
      const { lease, waiting } = entry;
      entry.usedAt = time;
      lease.limit = limit;
      const slot = tryUse(entry, time);
      if (slot !== undefined) {
        if (redis.isUp() && isOutOfStock(lease, time)) sync(entry);
        return slot;
      }
      if (!redis.isUp() || isFull(lease, time)) return undefined;
      return new Promise((resolve) => {
        waiting.push({ resolve, since: time });
        // While a retry is due, newcomers go with it: a storm of refusals is one call in 20 ms.
        if (!entry.isSyncing && entry.retryTimer === undefined) sync(entry);
      });
    },
    isWanted: (subject) => now() < (entries.get(subject)?.lease.wantedUntil ?? 0),
    renew() {
      const time = now();
      for (const entry of entries.values()) {
        const isHolding = entry.lease.leased > 0;
        reviewSlots(entry.lease);
        if (isHolding) sync(entry);
        else if (isIdle(entry) && time - entry.usedAt > forgetAfterMs) {
          entries.delete(entry.subject);
        }
      }
    },
    async close() {
      close();
      await Promise.all([...entries.values()].map((entry) => giveBack(entry, options)));
      entries.clear();
    },
    size: () => entries.size,
  };
}

const openEntry = (subject: string, limit: number): SlotEntry => ({
  subject,
  lease: createSlotLease(limit),
  waiting: [],
  isSyncing: false,
  isStale: false,
  retryTimer: undefined,
  usedAt: 0,
});

const isIdle = ({ lease, waiting, isSyncing }: SlotEntry): boolean =>
  lease.inUse === 0 && waiting.length === 0 && !isSyncing;

async function giveBack(
  { subject, lease }: SlotEntry,
  { redis, replicaId, leaseMs }: SlotsOptions,
): Promise<void> {
  if (!redis.isUp() || lease.leased === 0) return;
  const values = [replicaId, 0, 0, 0, 0, lease.limit, leaseMs];
  await redis.run({ script: 'holdSlots', key: `slots:${subject}`, values }).catch(() => undefined);
}
