import { GatewayError } from '@gateway/domain';

export interface AccountSlotsOptions {
  /** Of one account, at once. */
  readonly most: number;
  /** How long work may wait for others of its account, which may wait for a silent database. */
  readonly waitMs: number;
}

/** Does work of an account once few others of it are under way, in turn; throws `overloaded`. */
export type InTurn = <Result>(accountId: string, work: () => Promise<Result>) => Promise<Result>;

interface Account {
  taken: number;
  readonly waiting: Set<() => void>;
}

export function createAccountSlots({ most, waitMs }: AccountSlotsOptions): InTurn {
  const accounts = new Map<string, Account>();
  return async (accountId, work) => {
    const account = accounts.get(accountId) ?? { taken: 0, waiting: new Set() };
    accounts.set(accountId, account);
    if (account.taken < most) account.taken += 1;
    else await turnOf(account, waitMs);
    try {
      return await work();
    } finally {
      const [next] = account.waiting;
      if (next !== undefined) next();
      else {
        account.taken -= 1;
        if (account.taken === 0) accounts.delete(accountId);
      }
    }
  };
}

/** Whoever ends gives its slot to the one that has waited longest. */
const turnOf = (account: Account, waitMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const begin = (): void => {
      clearTimeout(timer);
      account.waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      account.waiting.delete(begin);
      reject(
        new GatewayError(
          'overloaded',
          'stored responses could not be read in time; nothing was done. Try again',
          { retryAfterMs: 1_000 },
        ),
      );
    }, waitMs);
    account.waiting.add(begin);
  });
