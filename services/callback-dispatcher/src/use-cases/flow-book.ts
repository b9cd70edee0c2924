import type { FlowTotals, ReceiverState, Speed } from './flow-rules.ts';

interface Account {
  taken: number;
  unknown: number;
  slow: number;
}

export interface FlowReceiver extends ReceiverState {
  readonly account: Account;
  speed: Speed;
  /** Grows with each attempt that ends in time. */
  window: number;
  taken: number;
  /** In flight for longer than `slowAfterMs`. */
  overdue: number;
  readonly reserved: Set<Reservation>;
  isWaiting: boolean;
  usedAt: number;
}

/** Capacity that is kept for a push on its way. */
export interface Reservation {
  readonly receiver: FlowReceiver;
  readonly at: number;
}

export const firstWindow = 2;

/** The account of a receiver, which is written as `<account> <origin>`. */
const accountOf = (receiver: string): string => receiver.slice(0, receiver.indexOf(' '));

/** Keeps the counts of receivers, accounts and all in step. */
export interface FlowBook {
  readonly totals: FlowTotals;
  receiverOf(key: string, time: number): FlowReceiver;
  take(receiver: FlowReceiver): void;
  give(receiver: FlowReceiver): void;
  setSpeed(receiver: FlowReceiver, speed: Speed): void;
  /** Drops receivers without anything in flight that nobody has used since. */
  forget(before: number): void;
  size(): number;
}

export function createFlowBook(): FlowBook {
  const receivers = new Map<string, FlowReceiver>();
  const accounts = new Map<string, Account>();
  const totals = { taken: { unknown: 0, fast: 0, slow: 0 }, slowAccounts: 0 };
  const count = ({ account, speed }: FlowReceiver, change: number): void => {
    totals.taken[speed] += change;
    if (speed === 'unknown') account.unknown += change;
    if (speed !== 'slow') return;
    const before = account.slow;
    account.slow += change;
    totals.slowAccounts += Math.sign(account.slow) - Math.sign(before);
  };
  const change = (receiver: FlowReceiver, by: 1 | -1): void => {
    receiver.taken += by;
    receiver.account.taken += by;
    count(receiver, by);
  };
  return {
    totals,
    receiverOf(key, time) {
      let receiver = receivers.get(key);
      if (receiver === undefined) {
        const account = accounts.get(accountOf(key)) ?? { taken: 0, unknown: 0, slow: 0 };
        accounts.set(accountOf(key), account);
        receiver = newReceiver(account);
        receivers.set(key, receiver);
      }
      receiver.usedAt = time;
      return receiver;
    },
    take(receiver) {
      change(receiver, 1);
    },
    give(receiver) {
      change(receiver, -1);
    },
    setSpeed(receiver, speed) {
      count(receiver, -receiver.taken);
      receiver.speed = speed;
      count(receiver, receiver.taken);
    },
    forget(before) {
      const used = new Set<Account>();
      for (const [key, receiver] of receivers) {
        const isIdle = receiver.taken === 0 && !receiver.isWaiting && receiver.usedAt < before;
        if (isIdle) receivers.delete(key);
        else used.add(receiver.account);
      }
      for (const [id, account] of accounts) if (!used.has(account)) accounts.delete(id);
    },
    size: () => receivers.size,
  };
}

const newReceiver = (account: Account): FlowReceiver => ({
  account,
  speed: 'unknown',
  window: firstWindow,
  taken: 0,
  overdue: 0,
  reserved: new Set(),
  isWaiting: false,
  usedAt: 0,
});
