import type { Link } from './link.ts';
import {
  adoptSlots,
  beginUse,
  claimSlots,
  forgetIdle,
  isExact,
  useSlot,
  type SlotLease,
} from './slot-lease.ts';

/** One request that is allowed to run. */
export interface Slot {
  /** Ends it; a second call does nothing. */
  release(): void;
}

export interface Waiter {
  readonly answer: (slot: Slot | undefined) => void;
  readonly since: number;
}

export interface SlotEntry {
  readonly subject: string;
  readonly lease: SlotLease;
  readonly waiting: Waiter[];
  isOnTrip: boolean;
  /** Something changed while a trip was under way. */
  isStale: boolean;
  lookingAgain: NodeJS.Timeout | undefined;
  usedAt: number;
}

export interface SlotTripOptions {
  readonly link: Link;
  readonly now: () => number;
  readonly replicaId: string;
  readonly leaseMs: number;
  readonly lookAgainMs: number;
  /**
   * How long a request waits for what others keep idle, or have just released, before it is
   * refused.
   */
  readonly patienceMs: number;
}

/** How a subject's slots get from Redis to those who wait for them, and back. */
export interface SlotTrips {
  /** Uses a slot that this replica may use without asking. */
  tryUse(entry: SlotEntry, time: number): Slot | undefined;
  /** Declares to Redis what is held, and asks for those who wait. */
  travel(entry: SlotEntry): void;
  /** Nothing is told to Redis from now on. */
  close(): void;
}

/** After Redis had no more to give, no stock is asked for. */
const scarceMs = 1_000;

export function createSlotTrips(options: SlotTripOptions): SlotTrips {
  const { link, now } = options;
  const { tryUse, serveWaiting, giveUp } = createDesk(options, (entry) => {
    travel(entry);
  });
  let isClosed = false;

  /**
   * One trip at a time for a subject, so that what it declares is never older than what Redis has.
   */
  const travel = (entry: SlotEntry): void => {
    if (isClosed) return;
    if (entry.isOnTrip) entry.isStale = true;
    else if (link.isUp()) void trip(entry);
  };
  const trip = async (entry: SlotEntry): Promise<void> => {
    const { lease, waiting } = entry;
    const lastAsking = waiting.at(-1);
    entry.isOnTrip = true;
    entry.isStale = false;
    try {
      const { sentAt, others } = await declare(entry, options);
      entry.isOnTrip = false;
      serveWaiting(entry, now());
      // They are served in order: when the last is, only newcomers wait.
      if (lastAsking !== undefined && waiting.includes(lastAsking)) {
        refuse(entry, { sentAt, others });
      } else if (waiting.length > 0) entry.isStale = true;
    } catch {
      entry.isOnTrip = false;
      forgetIdle(lease);
      giveUp(entry);
    }
    const isTooMuch = lease.leased > lease.inUse && isExact(lease, now());
    if (entry.isStale || isTooMuch) travel(entry);
  };
  /**
   * Whoever has waited long enough in vain is told so. For the others those who may have idle slots
   * are asked, and Redis again a little later.
   */
  const refuse = (
    entry: SlotEntry,
    { sentAt, others }: { readonly sentAt: number; readonly others: number },
  ): void => {
    const { waiting } = entry;
    while (
      waiting[0] !== undefined &&
      (others === 0 || waiting[0].since + options.patienceMs <= sentAt)
    ) {
      waiting.shift()?.answer(undefined);
    }
    if (waiting.length === 0 || entry.lookingAgain !== undefined) return;
    link.tell({ kind: 'slots_wanted', name: entry.subject });
    entry.lookingAgain = setTimeout(() => {
      entry.lookingAgain = undefined;
      if (waiting.length === 0) return;
      if (link.isUp()) travel(entry);
      else giveUp(entry);
    }, options.lookAgainMs);
  };
  return {
    tryUse,
    travel,
    close: () => {
      isClosed = true;
    },
  };
}

/**
 * One trip: what the lease is before it is what Redis is told, and what Redis answers is what the
 * lease is after it.
 */
async function declare(
  { subject, lease, waiting }: SlotEntry,
  { link, now, replicaId, leaseMs }: SlotTripOptions,
): Promise<{ readonly sentAt: number; readonly others: number }> {
  const sentAt = now();
  const { inUse, kept, need, extra } = claimSlots(lease, sentAt, waiting.length);
  const values = [replicaId, inUse, kept, need, extra, lease.limit, leaseMs];
  const [held, others] = (await link.run({
    script: 'holdSlots',
    key: `slots:${subject}`,
    values,
  })) as [number, number];
  adoptSlots(lease, { held, validUntil: sentAt + leaseMs });
  if (held < kept + need + extra) lease.scarceUntil = sentAt + scarceMs;
  return { sentAt, others };
}

interface Desk {
  tryUse(entry: SlotEntry, time: number): Slot | undefined;
  serveWaiting(entry: SlotEntry, time: number): void;
  /** Without Redis there is nothing to wait for. */
  giveUp(entry: SlotEntry): void;
}

/** Hands out what is here. */
function createDesk({ link, now }: SlotTripOptions, travel: (entry: SlotEntry) => void): Desk {
  const tryUse = (entry: SlotEntry, time: number): Slot | undefined => {
    const { lease } = entry;
    if (link.isUp()) return useSlot(lease, time) ? slotOf(entry) : undefined;
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
    else if (isExact(entry.lease, time)) travel(entry);
  };
  const serveWaiting = (entry: SlotEntry, time: number): void => {
    while (entry.waiting.length > 0) {
      const slot = tryUse(entry, time);
      if (slot === undefined) return;
      entry.waiting.shift()?.answer(slot);
    }
  };
  return {
    tryUse,
    serveWaiting,
    giveUp(entry) {
      serveWaiting(entry, now());
      for (const { answer } of entry.waiting.splice(0)) answer(undefined);
    },
  };
}
