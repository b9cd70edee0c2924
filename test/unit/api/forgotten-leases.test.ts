import type { LeaseAskBody } from '@gateway/contracts';
import type { OpenLease } from '@gateway/store';
import { recordingLog } from '@gateway/testing';
import { describe, expect, it } from '@jest/globals';
import { ForgottenLeases } from '../../../services/api/src/adapters/text-leases/forgotten-leases.ts';

const aLease = (leaseId: string, accountId = `account of ${leaseId}`): OpenLease => ({
  accountId,
  leaseId,
  sequence: 3,
});

/** Until all promises that can settle have. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A replica and what the books have open for it; what is closed is open no more. */
function stage({ open, known = [] }: { open: OpenLease[]; known?: readonly string[] }) {
  const log = recordingLog();
  const state = { isAway: false, pages: [] as string[] };
  const asks: (readonly LeaseAskBody[])[] = [];
  const forgotten = new ForgottenLeases(0, {
    replicaId: 'replica',
    findOpen: (replica, { after, limit }) => {
      state.pages.push(`${replica} after ${after || 'nothing'}`);
      return Promise.resolve(open.filter(({ leaseId }) => leaseId > after).slice(0, limit));
    },
    isKnown: ({ leaseId }) => known.includes(leaseId),
    ask: (some) => {
      asks.push(some);
      if (state.isAway) return Promise.reject(new Error('connect ECONNREFUSED'));
      const closed = new Set(some.map((ask) => ask.lease_id));
      open.splice(0, open.length, ...open.filter(({ leaseId }) => !closed.has(leaseId)));
      return Promise.resolve();
    },
    log,
  });
  const checkAt = async (ms: number): Promise<void> => {
    forgotten.check(ms);
    await settled();
  };
  const asked = (): string[][] => asks.map((some) => some.map((ask) => ask.lease_id));
  return { state, log, asks, asked, forgotten, checkAt };
}

describe('leases that only the books know of', () => {
  it('are closed within a minute, and those of the replica are left alone', async () => {
    const { asks, log, state, checkAt } = stage({
      open: [aLease('forgotten'), aLease('mine')],
      known: ['mine'],
    });

    await checkAt(59_999);
    expect(state.pages).toEqual([]);
    await checkAt(60_000);

    expect(asks).toEqual([
      [
        {
          account_id: 'account of forgotten',
          lease_id: 'forgotten',
          sequence: 4,
          spent_nano: 0,
          reserved_nano: 0,
          needed_nano: 0,
          least_nano: 0,
          spare_nano: 0,
          mode: 'close',
        },
      ],
    ]);
    expect(log.lines).toMatchObject([
      { message: 'leases for text closed that only the database knew of', fields: { leases: 1 } },
    ]);
  });

  it('are looked for once a minute, at one time only once', async () => {
    const { state, forgotten, checkAt } = stage({ open: [aLease('mine')], known: ['mine'] });
    forgotten.check(60_000);
    await checkAt(60_001);
    await checkAt(119_999);
    expect(state.pages).toHaveLength(1);
    await checkAt(120_000);
    expect(state.pages).toEqual(['replica after nothing', 'replica after nothing']);
  });

  it('are found a page at a time, in the calls that follow', async () => {
    const names = Array.from({ length: 501 }, (_, number) => `lease-${String(number).padStart(3)}`);
    const { state, asked, checkAt } = stage({
      open: names.map((name) => aLease(name)),
      known: names.slice(0, 500),
    });
    await checkAt(60_000);
    expect(asked()).toEqual([]);
    await checkAt(61_000);
    expect(state.pages).toEqual(['replica after nothing', 'replica after lease-499']);
    expect(asked()).toEqual([['lease-500']]);
  });

  it('are closed one of an account at a time, as billing takes them', async () => {
    const { asked, checkAt } = stage({ open: ['a', 'b'].map((id) => aLease(id, 'the same')) });
    await checkAt(60_000);
    await checkAt(120_000);
    expect(asked()).toEqual([['b'], ['a']]);
  });

  it('are looked for again a minute later when billing could not be asked', async () => {
    const { state, asked, log, checkAt } = stage({ open: [aLease('forgotten')] });
    state.isAway = true;
    await checkAt(60_000);
    state.isAway = false;
    await checkAt(61_000);
    expect(asked()).toHaveLength(1);
    await checkAt(120_000);

    expect(asked()).toEqual([['forgotten'], ['forgotten']]);
    expect(log.lines[0]).toMatchObject({
      message: 'open leases for text could not be compared, will be retried',
    });
  });
});
