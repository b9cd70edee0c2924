import type { TaskCreation } from '@gateway/store';

export interface AccountCapacityOptions {
  readonly countActive: TaskCreation['countActive'];
  /** A monotonic clock. Default: the process's. */
  readonly nowMs?: () => number;
}

/** Whether an account may have one more unfinished video, as of a moment ago. */
export type AccountCapacity = (accountId: string, maxActive: number) => Promise<boolean>;

const believedForMs = 250;
const plenty = 100;
const mostAccounts = 10_000;

/**
 * An estimate: the insert decides exactly. That there is more capacity than a moment's requests
 * take is believed for that moment; that there is none never, for a video may just have finished.
 */
export function createAccountCapacity({
  countActive,
  nowMs = () => performance.now(),
}: AccountCapacityOptions): AccountCapacity {
  const plentyUntilMs = new Map<string, number>();
  return async (accountId, maxActive) => {
    if ((plentyUntilMs.get(accountId) ?? -Infinity) > nowMs()) return true;
    plentyUntilMs.delete(accountId);
    const active = await countActive(accountId);
    if (maxActive - active > plenty) {
      if (plentyUntilMs.size >= mostAccounts) plentyUntilMs.clear();
      plentyUntilMs.set(accountId, nowMs() + believedForMs);
    }
    return active < maxActive;
  };
}
