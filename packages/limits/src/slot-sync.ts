import type { RedisConnection } from './redis-connection.ts';
import { adoptSlots, claimSlots, forgetIdle, goBackAtOnce, isExact } from './slot-lease.ts';
import { createSlotReturns } from './slot-returns.ts';
import { createSlotServing, type Slot, type SlotEntry } from './slot-serving.ts';

export interface SlotSyncOptions {
  readonly redis: RedisConnection;
  readonly now: () => number;
  readonly replicaId: string;
  readonly leaseMs: number;
  readonly retryMs: number;
  /**
   * How long a request waits for what others keep idle, or have just released, before it is
   * refused.
   */
  readonly patienceMs: number;
}

/** Keeps what this replica leases of a subject's slots in sync with Redis. */
export interface SlotSync {
  /** Uses a slot that this replica may use without asking. */
  tryUse(entry: SlotEntry, time: number): Slot | undefined;
  /** Declares to Redis what is held, and asks for those who wait. */
  sync(entry: SlotEntry): void;
  /** Nothing is told to Redis from now on. */
  close(): void;
}

/** After Redis had no more to give, no stock is asked for. */
const scarceMs = 1_000;

export function createSlotSync(options: SlotSyncOptions): SlotSync {
  const { redis, now, patienceMs, retryMs } = options;
  const returns = createSlotReturns((entry) => {
    if (hasTooMuch(entry, now())) sync(entry);
  });
  const giveBack = (entry: SlotEntry): void => {
    if (goBackAtOnce(entry.lease, now())) sync(entry);
    else returns.add(entry);
  };
  const { tryUse, serveWaiting, giveUp } = createSlotServing(options, giveBack);
  let isClosed = false;

  /** One at a time for a subject: what it declares is never older than what Redis has. */
  const sync = (entry: SlotEntry): void => {
    if (isClosed) return;
    if (entry.isSyncing) entry.isStale = true;
    else if (redis.isUp()) void syncOnce(entry);
  };
  const syncOnce = async (entry: SlotEntry): Promise<void> => {
    const { lease, waiting } = entry;
    const lastAsking = waiting.at(-1);
    entry.isSyncing = true;
    entry.isStale = false;
    try {
      const { sentAt, others } = await declare(entry, options);
      entry.isSyncing = false;
      serveWaiting(entry, now());
      // They are served in order: when the last is, only newcomers wait.
      if (lastAsking !== undefined && waiting.includes(lastAsking)) {
        refuse(entry, { sentAt, others, patienceMs });
        if (waiting.length > 0) retryLater(entry);
      } else if (waiting.length > 0) entry.isStale = true;
    } catch {
      entry.isSyncing = false;
      forgetIdle(lease);
      giveUp(entry);
    }
    if (entry.isStale) sync(entry);
    else if (hasTooMuch(entry, now())) giveBack(entry);
  };
  /** Asks the replicas that may have idle slots, and Redis again a little later. */
  const retryLater = (entry: SlotEntry): void => {
    if (entry.retryTimer !== undefined) return;
    redis.tell({ kind: 'slots_wanted', name: entry.subject });
    entry.retryTimer = setTimeout(() => {
      entry.retryTimer = undefined;
      if (entry.waiting.length === 0) return;
      if (redis.isUp()) sync(entry);
      else giveUp(entry);
    }, retryMs);
  };
  return {
    tryUse,
    sync,
    close: () => {
      isClosed = true;
    },
  };
}

const hasTooMuch = ({ lease }: SlotEntry, time: number): boolean =>
  lease.leased > lease.inUse && isExact(lease, time);

/** Refuses those that have waited long enough in vain. */
function refuse(
  { waiting }: SlotEntry,
  {
    sentAt,
    others,
    patienceMs,
  }: { readonly sentAt: number; readonly others: number; readonly patienceMs: number },
): void {
  while (waiting[0] !== undefined && (others === 0 || waiting[0].since + patienceMs <= sentAt)) {
    waiting.shift()?.resolve(undefined);
  }
}

/** Tells Redis what the lease is, and makes the lease what Redis returns. */
async function declare(
  { subject, lease, waiting }: SlotEntry,
  { redis, now, replicaId, leaseMs }: SlotSyncOptions,
): Promise<{ readonly sentAt: number; readonly others: number }> {
  const sentAt = now();
  const { inUse, kept, need, extra } = claimSlots(lease, sentAt, waiting.length);
  const values = [replicaId, inUse, kept, need, extra, lease.limit, leaseMs];
  const [held, others] = (await redis.run({
    script: 'holdSlots',
    key: `slots:${subject}`,
    values,
  })) as [number, number];
  adoptSlots(lease, { held, validUntil: sentAt + leaseMs });
  if (held < kept + need + extra) lease.scarceUntil = sentAt + scarceMs;
  return { sentAt, others };
}
