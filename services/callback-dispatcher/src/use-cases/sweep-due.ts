import type { Callbacks, DueOfAccount } from '@gateway/store';

export interface SweepDuePorts extends Pick<Callbacks, 'findDue' | 'findAsked'> {
  /** Waking one whose job lives is a no-op. */
  readonly wakeAll: (callbackIds: readonly string[]) => Promise<void>;
  /** Wakes, and brings a delivery forward that waits for a retry. */
  readonly hurry: (callbackId: string) => Promise<void>;
  /** For so long a delayed attempt is left to whatever else wakes it; a second when left out. */
  readonly graceMs?: number;
}

const accountsPerPage = 1_000;
/** How many of an account's callbacks are woken before the next account has had its own. */
const depths = [10, 100, 1_000, 10_000] as const;
const deeper = 10;
/** Bounds how deep one round goes while there is a backlog. */
const mostInRound = 10_000;
/** In one round. */
const mostHurried = 100;
/** A retry that has just become due is about to be woken by its own delayed job. */
const usualGraceMs = 1_000;

/**
 * One round of the reconciler: wakes what the tables say is due, whatever the queue has lost. It
 * takes a few of every account before it takes more of any. Safe in any number of processes at
 * once, so nobody leads.
 */
export function createSweepDue({
  findDue,
  wakeAll,
  findAsked,
  hurry,
  graceMs = usualGraceMs,
}: SweepDuePorts): () => Promise<void> {
  const readAll = async (perAccount: number): Promise<DueOfAccount[]> => {
    const found: DueOfAccount[] = [];
    for (;;) {
      const after = found.at(-1)?.accountId ?? '';
      const page = await findDue({ after, accounts: accountsPerPage, perAccount, graceMs });
      found.push(...page);
      if (page.length < accountsPerPage) return found;
    }
  };
  return async () => {
    await Promise.all((await findAsked(mostHurried)).map(hurry));
    for (const depth of depths) {
      const due = await readAll(depth);
      const callbackIds = due.flatMap((each) => each.callbackIds);
      if (callbackIds.length > 0) await wakeAll(callbackIds);
      const unread = due.filter((each) => each.callbackIds.length === depth).length;
      if (unread === 0 || unread * depth * deeper > mostInRound) return;
    }
  };
}
