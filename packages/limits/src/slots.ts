import { createSlotLease, forgetIdle, isFull, isOutOfStock, reviewSlots } from './slot-lease.ts';
import { createSlotTrips, type Slot, type SlotEntry, type SlotTripOptions } from './slot-trips.ts';

/**
 * Requests at once, over all replicas that live. A replica leases slots and renews the lease; what
 * a killed replica held comes back when its lease has run out. Of a limit up to 20 nothing idle is
 * kept: each slot goes back when it is released. Of a larger one a replica keeps a stock of 4 % (at
 * most 16) idle, until another replica is refused: then all replicas give back what is idle, and
 * keep none for some seconds. While others hold slots, a refusal is told only after 60 ms and
 * another look, so that what they keep idle, or release just now, is found. Without Redis each
 * replica counts alone, up to the full limit.
 */
export interface Slots {
  /**
   * A slot, or undefined when `limit` are in use. Answers at once from the lease, else after a trip
   * to Redis; never throws or rejects.
   */
  acquire(subject: string, limit: number): Slot | undefined | Promise<Slot | undefined>;
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

export interface SlotsOptions extends SlotTripOptions {
  /** How long nothing idle is kept after another replica was refused. */
  readonly wantedMs: number;
  readonly forgetAfterMs: number;
}

export function createSlots(options: SlotsOptions): SlotsPart {
  const { link, now, replicaId, leaseMs, wantedMs, forgetAfterMs } = options;
  const entries = new Map<string, SlotEntry>();
  const { tryUse, travel, close } = createSlotTrips(options);
  const open = (subject: string, limit: number): SlotEntry => {
    const entry: SlotEntry = {
      subject,
      lease: createSlotLease(limit),
      waiting: [],
      isOnTrip: false,
      isStale: false,
      lookingAgain: undefined,
      usedAt: 0,
    };
    entries.set(subject, entry);
    return entry;
  };
  link.onMessage(({ kind, name }) => {
    const entry = kind === 'slots_wanted' ? entries.get(name) : undefined;
    if (entry === undefined) return;
    entry.lease.wantedUntil = now() + wantedMs;
    if (entry.lease.leased > entry.lease.inUse) travel(entry);
  });
  link.onUp(() => {
    for (const entry of entries.values()) {
      forgetIdle(entry.lease);
      if (entry.lease.inUse > 0) travel(entry);
    }
  });
  return {
    acquire(subject, limit) {
      const time = now();
      const entry = entries.get(subject) ?? open(subject, limit);
      const { lease } = entry;
      entry.usedAt = time;
      lease.limit = limit;
      const slot = tryUse(entry, time);
      if (slot !== undefined) {
        if (link.isUp() && isOutOfStock(lease, time)) travel(entry);
        return slot;
      }
      if (!link.isUp() || isFull(lease, time)) return undefined;
      return new Promise((answer) => {
        entry.waiting.push({ answer, since: time });
        // Whoever comes while another look is due goes with it: a storm of refusals is one trip in
        // 20 ms.
        if (!entry.isOnTrip && entry.lookingAgain === undefined) travel(entry);
      });
    },
    renew() {
      const time = now();
      for (const entry of entries.values()) {
        const { lease } = entry;
        if (lease.leased > 0) {
          reviewSlots(lease);
          travel(entry);
        } else if (
          lease.inUse === 0 &&
          entry.waiting.length === 0 &&
          !entry.isOnTrip &&
          time - entry.usedAt > forgetAfterMs
        ) {
          entries.delete(entry.subject);
        }
      }
    },
    async close() {
      close();
      await Promise.all(
        [...entries.values()].map(async ({ subject, lease }) => {
          if (!link.isUp() || lease.leased === 0) return;
          await link
            .run({
              script: 'holdSlots',
              key: `slots:${subject}`,
              values: [replicaId, 0, 0, 0, 0, lease.limit, leaseMs],
            })
            .catch(() => undefined);
        }),
      );
      entries.clear();
    },
    size: () => entries.size,
  };
}
