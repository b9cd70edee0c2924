/**
 * What one replica holds of one subject's concurrency slots: some in use, some idle for the next
 * request. No I/O and no clock in here.
 */
export interface SlotLease {
  limit: number;
  /** Held by this replica, as Redis knows. */
  leased: number;
  inUse: number;
  /** By the replica's clock, in ms: from then on idle slots may belong to somebody else. */
  validUntil: number;
  /** The most in use at once since the last review. */
  peak: number;
  /** Another replica wants slots: until then nothing idle is kept, in ms. */
  wantedUntil: number;
  /** Redis had nothing to spare: no stock is asked for before this, in ms. */
  scarceUntil: number;
  /** How often one was used since the last review, and between the last two. */
  uses: number;
  usesBefore: number;
}

/** What a call tells Redis and asks of it. */
export interface SlotClaim {
  readonly inUse: number;
  /** In use and idle: what this replica goes on holding. */
  readonly kept: number;
  readonly need: number;
  readonly extra: number;
}

const exactUpTo = 20;
const largestStock = 16;
/** Between two reviews. */
const seldomUses = 2;

export function createSlotLease(limit: number): SlotLease {
  return {
    limit,
    leased: 0,
    inUse: 0,
    validUntil: 0,
    peak: 0,
    wantedUntil: 0,
    scarceUntil: 0,
    uses: 0,
    usesBefore: 0,
  };
}

/**
 * How many idle slots a replica keeps for the next requests. None of a small limit: there an idle
 * slot would starve another replica.
 */
export function stockOf(limit: number): number {
  return limit <= exactUpTo ? 0 : Math.min(largestStock, Math.max(1, Math.floor(limit / 25)));
}

/** True when idle slots go back at once, lest they starve another replica. */
export const goBackAtOnce = (lease: SlotLease, now: number): boolean =>
  lease.limit <= exactUpTo || now < lease.wantedUntil;

/**
 * True when no idle slots are kept: to keep one for a subject that asks seldom costs more calls than
 * to give it back.
 */
export function isExact(lease: SlotLease, now: number): boolean {
  return goBackAtOnce(lease, now) || Math.max(lease.uses, lease.usesBefore) <= seldomUses;
}

/** Uses one idle slot, if there is one that is still ours. */
export function useSlot(lease: SlotLease, now: number): boolean {
  if (lease.inUse >= lease.leased || lease.inUse >= lease.limit || now >= lease.validUntil) {
    return false;
  }
  beginUse(lease);
  return true;
}

/** Counts one slot as used, whoever allowed it. */
export function beginUse(lease: SlotLease): void {
  lease.inUse += 1;
  lease.uses += 1;
  if (lease.inUse > lease.peak) lease.peak = lease.inUse;
}

/** True when this replica holds all there is and uses it: nobody else needs to be asked. */
export function isFull(lease: SlotLease, now: number): boolean {
  return lease.inUse >= lease.limit && lease.leased >= lease.limit && now < lease.validUntil;
}

/** True when the stock is used up and Redis may have more. */
export function isOutOfStock(lease: SlotLease, now: number): boolean {
  return (
    lease.inUse >= lease.leased &&
    lease.leased < lease.limit &&
    now >= lease.scarceUntil &&
    !isExact(lease, now)
  );
}

/**
 * Says what the next call should declare, and gives up the rest at once: what is sent back is no
 * longer used here.
 */
export function claimSlots(lease: SlotLease, now: number, need: number): SlotClaim {
  const { inUse } = lease;
  const kept =
    isExact(lease, now) || now >= lease.validUntil
      ? inUse
      : Math.max(inUse, Math.min(lease.leased, lease.limit));
  lease.leased = kept;
  const isUnwise = isExact(lease, now) || now < lease.scarceUntil || inUse + need === 0;
  const extra = isUnwise ? 0 : Math.max(0, stockOf(lease.limit) - (kept - inUse));
  return { inUse, kept, need, extra };
}

/**
 * Keeps as many slots as were in use at once since the last review, and the stock; gives up the
 * others, and all when none was used.
 */
export function reviewSlots(lease: SlotLease): void {
  const target = lease.peak === 0 ? 0 : lease.peak + stockOf(lease.limit);
  lease.usesBefore = lease.uses;
  lease.uses = 0;
  lease.peak = lease.inUse;
  lease.leased = Math.max(lease.inUse, Math.min(lease.leased, target));
}

/** Takes over what Redis returned. */
export function adoptSlots(
  lease: SlotLease,
  { held, validUntil }: { readonly held: number; readonly validUntil: number },
): void {
  lease.leased = held;
  lease.validUntil = validUntil;
}

/** After Redis was away: only what is in use is ours. */
export function forgetIdle(lease: SlotLease): void {
  lease.leased = lease.inUse;
  lease.validUntil = 0;
}
