import { describe, expect, it } from '@jest/globals';
import type { LeaseState } from '@gateway/store';
import { createSettleLeases } from '../../../services/billing/src/use-cases/settle-leases.ts';

const ask = (accountId: string) => ({
  account_id: accountId,
  lease_id: `lease_${accountId}`,
  sequence: 1,
  spent_nano: 0,
  reserved_nano: 0,
  needed_nano: 1,
  least_nano: 1,
  spare_nano: 0,
  mode: 'keep' as const,
});

/** Billing on a store that notes what it is asked, in which accounts owe so much. */
function aBilling(debts: Record<string, number> = {}) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const stateOf = (accountId: string, leaseId: string): LeaseState => ({
    accountId,
    leaseId,
    state: 'open',
    heldQuota: 1,
    purseNano: 1e9,
    appliedNano: 0,
    availableQuota: 1,
    debtQuota: debts[accountId] ?? 0,
  });
  const settleLeases = createSettleLeases({
    renew: (replica) => Promise.resolve(void asked.push(`renew ${replica}`)),
    settle: (replica, asks) => {
      asked.push(`settle ${replica}`);
      return Promise.resolve(asks.map(({ accountId, leaseId }) => stateOf(accountId, leaseId)));
    },
    debtors: (replica) => {
      asked.push(`debtors ${replica}`);
      return Promise.resolve(Object.keys(debts).filter((accountId) => (debts[accountId] ?? 0) > 0));
    },
    onSettled: () => undefined,
    nowMs: () => clock.ms,
  });
  const call = async (replica: string, ...accounts: string[]): Promise<readonly string[]> => {
    asked.length = 0;
    return (await settleLeases({ replica, leases: accounts.map(ask) })).debtors;
  };
  return { call, asked, clock, debts };
}

describe('leases of a replica that asks many times a second', () => {
  it('renew it first, and then once a second', async () => {
    const { call, asked, clock } = aBilling();
    const first = ['renew a', 'settle a', 'debtors a'];

    await call('a', 'one');
    expect(asked).toEqual(first);
    clock.ms = 999;
    await call('a', 'two');
    expect(asked).toEqual(['settle a']);
    clock.ms = 1_000;
    await call('a', 'three');
    expect(asked).toEqual(first);
  });

  it('renew each replica by itself', async () => {
    const { call, asked } = aBilling();

    await call('a', 'one');
    await call('b', 'one');

    expect(asked).toEqual(['renew b', 'settle b', 'debtors b']);
  });

  it('count a second from before the renewal was sent', async () => {
    const { call, asked, clock } = aBilling();
    const slow = call('a', 'one');
    clock.ms = 1_000;
    await slow;

    await call('a', 'two');

    expect(asked).toEqual(['renew a', 'settle a', 'debtors a']);
  });

  it('tell of debtors that were read before, as the books have them by now', async () => {
    const { call, debts } = aBilling({ paying: 5, owing: 5 });

    expect(await call('a', 'one')).toEqual(['paying', 'owing']);
    debts['paying'] = 0;
    debts['new'] = 1;
    expect(await call('a', 'paying', 'new')).toEqual(['owing', 'new']);
    expect(await call('a', 'one')).toEqual(['owing', 'new']);
  });

  it('read again what could not be read', async () => {
    let isAway = true;
    const settleLeases = createSettleLeases({
      renew: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
      settle: () => Promise.resolve([]),
      debtors: () => Promise.resolve(['one']),
      onSettled: () => undefined,
      nowMs: () => 0,
    });

    await expect(settleLeases({ replica: 'a', leases: [] })).rejects.toThrow('away');
    isAway = false;
    expect(await settleLeases({ replica: 'a', leases: [] })).toEqual({
      leases: [],
      debtors: ['one'],
    });
  });
});
