import type { RedisConnection } from './redis-connection.ts';
import { beginUse, isExact, useSlot, type SlotLease } from './slot-lease.ts';

/** One request that is allowed to run. */
export interface Slot {
  /** Ends it; a second call does nothing. */
  release(): void;
}

export interface Waiter {
  readonly resolve: (slot: Slot | undefined) => void;
  readonly since: number;
}

export interface SlotEntry {
  readonly subject: string;
  readonly lease: SlotLease;
  readonly waiting: Waiter[];
  isSyncing: boolean;
  /** Something changed during a sync. */
  isStale: boolean;
  retryTimer: NodeJS.Timeout | undefined;
  usedAt: number;
}

/** Hands out the slots that this replica holds. */
export interface SlotServing {
  tryUse(entry: SlotEntry, time: number): Slot | undefined;
  serveWaiting(entry: SlotEntry, time: number): void;
  /** Without Redis there is nothing to wait for. */
  giveUp(entry: SlotEntry): void;
}

export function createSlotServing(
  { redis, now }: { readonly redis: RedisConnection; readonly now: () => number },
  giveBack: (entry: SlotEntry) => void,
): SlotServing {
  const tryUse = (entry: SlotEntry, time: number): Slot | undefined => {
    const { lease } = entry;
    if (redis.isUp()) return useSlot(lease, time) ? slotOf(entry) : undefined;
    if (lease.inUse >= lease.limit) return undefined;
    beginUse(lease);
    return slotOf(entry);
  };
  const slotOf = (entry: SlotEntry): Slot => {
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        release(entry);
      },
    };
  };
  const release = (entry: SlotEntry): void => {
    const time = now();
    entry.lease.inUse -= 1;
    entry.usedAt = time;
    if (entry.waiting.length > 0) serveWaiting(entry, time);
    else if (isExact(entry.lease, time)) giveBack(entry);
  };
  const serveWaiting = (entry: SlotEntry, time: number): void => {
    while (entry.waiting.length > 0) {
      const slot = tryUse(entry, time);
      if (slot === undefined) return;
      entry.waiting.shift()?.resolve(slot);
    }
  };
  return {
    tryUse,
    serveWaiting,
    giveUp(entry) {
      serveWaiting(entry, now());
      for (const { resolve } of entry.waiting.splice(0)) resolve(undefined);
    },
  };
}
