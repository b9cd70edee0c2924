import { describe, expect, it } from '@jest/globals';
import type { LeaseResponse, LeaseAskBody, LeaseRequest, LeaseStateBody } from '@gateway/contracts';
import {
  createTextLeases,
  type TextLeasesOptions,
} from '../../../services/api/src/adapters/text-leases/text-leases.ts';
import type { Reservation } from '../../../services/api/src/text/index.ts';

const unit = 1e9;

interface Held {
  purse: number;
  applied: number;
}

const isOver = ({ mode, reserved_nano: reserved, spent_nano: spent }: LeaseAskBody, lease: Held) =>
  mode === 'close' && reserved === 0 && spent <= lease.applied;

function stepOf(ask: LeaseAskBody, lease: Held, available: number): number {
  const promised = Math.max(0, ask.spent_nano - lease.applied) + ask.reserved_nano;
  const wish = promised + ask.needed_nano + ask.spare_nano - lease.purse;
  const step = Math.min(ask.mode === 'keep' ? Math.max(0, wish) : wish, available);
  return lease.purse - promised + Math.max(step, 0) >= ask.least_nano ? step : 0;
}

/** Billing with one balance for each account, as the store decides it, without the spare's bound. */
function aBilling(quota: Record<string, number>) {
  const held = new Map<string, Held>();
  const asks: LeaseAskBody[] = [];
  /** Of these nothing is known but that they are over. */
  const over = new Set<string>();
  const note = (leaseId: string, lease: Held, closes: boolean): LeaseStateBody['state'] => {
    if (closes) {
      if (held.has(leaseId)) over.add(leaseId);
      return 'closed';
    }
    if (lease.purse > 0) held.set(leaseId, lease);
    return held.has(leaseId) ? 'open' : 'none';
  };
  const answer = (ask: LeaseAskBody): LeaseStateBody => {
    asks.push(ask);
    const lease = held.get(ask.lease_id) ?? { purse: 0, applied: 0 };
    const available = quota[ask.account_id] ?? 0;
    const closes = over.has(ask.lease_id) || isOver(ask, lease);
    const moved = closes ? -lease.purse : stepOf(ask, lease, available * unit);
    lease.purse += moved;
    quota[ask.account_id] = available - moved / unit;
    return {
      account_id: ask.account_id,
      lease_id: ask.lease_id,
      state: note(ask.lease_id, lease, closes),
      purse_nano: lease.purse,
      applied_nano: lease.applied,
      available_quota: Math.floor(available - moved / unit),
      debt_quota: debtors.includes(ask.account_id) ? 5 : 0,
    };
  };
  const debtors: string[] = [];
  return {
    held,
    asks,
    debtors,
    apply(leaseId: string, nano: number) {
      const lease = held.get(leaseId);
      if (lease === undefined) return;
      lease.purse -= nano;
      lease.applied += nano;
    },
    ask: ({ leases }: LeaseRequest): Promise<LeaseResponse> =>
      Promise.resolve({ leases: leases.map(answer), debtors }),
  };
}

function aReplica(
  billing: Pick<ReturnType<typeof aBilling>, 'ask'>,
  findOpen: TextLeasesOptions['findOpen'] = () => Promise.resolve([]),
) {
  const clock = { ms: 0, ask: billing.ask };
  const leases = createTextLeases({
    replicaId: 'replica',
    ask: (request) => clock.ask(request),
    findOpen,
    leaseSeconds: 5,
    idleMs: 10_000,
    log: { warn: () => undefined },
    nowMs: () => clock.ms,
  });
  return { clock, leases };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('quota for text', () => {
  it('is not given up with usage that is on its way, when a request took longer than idle leases stay', async () => {
    const billing = aBilling({ a: 1_000 });
    const { clock, leases } = aReplica(billing);
    const reservation = await leases.reserve('a', 10 * unit);
    clock.ms = 100_000;
    leases.tick();
    await turns();

    reservation.settle(10 * unit);
    clock.ms = 101_000;
    leases.tick();
    await turns();

    expect(billing.held.get(reservation.leaseId)?.purse).toBeGreaterThanOrEqual(10 * unit);
    expect(billing.asks.filter(({ mode }) => mode === 'close')).toEqual([]);
  });

  it('is given back by a lease that only the books know of, and kept by the one in use', async () => {
    const billing = aBilling({ a: 1_000, b: 1_000 });
    const open: { accountId: string; leaseId: string; sequence: number }[] = [];
    const { clock, leases } = aReplica(billing, () => Promise.resolve(open));
    const { leaseId } = await leases.reserve('a', 10 * unit);
    open.push(
      { accountId: 'a', leaseId, sequence: 1 },
      { accountId: 'b', leaseId: 'forgotten', sequence: 7 },
    );

    clock.ms = 60_000;
    leases.tick();
    await turns();

    expect(billing.asks.filter(({ mode }) => mode === 'close')).toMatchObject([
      { account_id: 'b', lease_id: 'forgotten', sequence: 8 },
    ]);
  });

  it('is asked for once, and then at hand', async () => {
    const billing = aBilling({ a: 1_000 });
    const { leases } = aReplica(billing);

    const first = await leases.reserve('a', 10 * unit);
    const second = leases.reserve('a', 10 * unit);

    expect(second).not.toBeInstanceOf(Promise);
    expect(billing.asks).toMatchObject([{ account_id: 'a', needed_nano: 10 * unit, mode: 'keep' }]);
    expect((second as Reservation).leaseId).toBe(first.leaseId);
  });

  it('is asked for together by requests that wait together', async () => {
    const billing = aBilling({ a: 1_000, b: 1_000 });
    const { leases } = aReplica(billing);

    await Promise.all([
      leases.reserve('a', unit),
      leases.reserve('a', 3 * unit),
      leases.reserve('b', unit),
    ]);

    expect(billing.asks).toMatchObject([
      { account_id: 'a', needed_nano: 4 * unit, least_nano: unit },
      { account_id: 'b' },
    ]);
  });

  it('is refused with what it is and what there is, and a smaller request is served', async () => {
    const { leases } = aReplica(aBilling({ a: 7 }));

    const large = leases.reserve('a', 7.25 * unit);
    const small = leases.reserve('a', 2 * unit);

    await expect(large).rejects.toMatchObject({
      code: 'insufficient_quota',
      message: expect.stringMatching(/reserves 7\.25 quota .* 7 available/) as unknown,
    });
    await expect(small).resolves.toBeDefined();
  });

  it('counts what ended, until billing has taken it', async () => {
    const billing = aBilling({ a: 10 });
    const { leases } = aReplica(billing);
    const first = await leases.reserve('a', 10 * unit);
    first.settle(4 * unit);

    await expect(leases.reserve('a', 7 * unit)).rejects.toMatchObject({
      code: 'insufficient_quota',
    });
    const second = await leases.reserve('a', 6 * unit);
    second.settle(6 * unit);
    billing.apply(first.leaseId, 10 * unit);
    await expect(leases.reserve('a', unit)).rejects.toMatchObject({ code: 'insufficient_quota' });
  });

  it('is given back when nobody asks for text, and what is not in the books stays', async () => {
    const billing = aBilling({ a: 1_000 });
    const { leases, clock } = aReplica(billing);
    const first = await leases.reserve('a', 10 * unit);
    const { leaseId } = first;
    first.settle(3 * unit);
    leases.tick();

    clock.ms = 10_001;
    leases.tick();
    await turns();
    expect(billing.held.get(leaseId)?.purse).toBe(3 * unit);
    billing.apply(leaseId, 3 * unit);
    leases.tick();
    await turns();

    expect(billing.asks.at(-1)).toMatchObject({ mode: 'close' });
    expect((await leases.reserve('a', unit)).leaseId).not.toBe(leaseId);
  });

  it.each([
    [1_000, 10_000],
    [100_000, 300_000],
  ])(
    'of an account with %i stays for %i ms without text, by how much of it that is',
    async (quota, staysMs) => {
      const billing = aBilling({ a: quota });
      const { leases, clock } = aReplica(billing);
      (await leases.reserve('a', 10 * unit)).settle(0);
      const modesAt = async (ms: number): Promise<string[]> => {
        for (; clock.ms < ms; clock.ms += 1_000) leases.tick();
        clock.ms = ms;
        leases.tick();
        await turns();
        return billing.asks.map(({ mode }) => mode);
      };

      expect(await modesAt(staysMs)).not.toContain('close');
      // A lease at rest is looked at every five seconds.
      expect(await modesAt(staysMs + 6_000)).toContain('close');
    },
  );

  it('is given back soon when very many accounts have some', async () => {
    const quota = Object.fromEntries(
      Array.from({ length: 50_001 }, (_, index) => [`a${index}`, 100_000]),
    );
    const billing = aBilling(quota);
    const { leases, clock } = aReplica(billing);
    await Promise.all(
      Object.keys(quota).map(async (account) => {
        (await leases.reserve(account, unit)).settle(0);
      }),
    );
    clock.ms = 10_001;
    leases.tick();
    await turns();

    expect(billing.asks.filter(({ mode }) => mode === 'close').length).toBeGreaterThan(0);
  });

  it('is not reserved from what is being given back', async () => {
    const billing = aBilling({ a: 1_000 });
    const { leases, clock } = aReplica(billing);
    const first = await leases.reserve('a', 10 * unit);
    const { leaseId } = first;
    first.settle(0);
    let answer = (): void => undefined;
    clock.ask = (request) =>
      new Promise((resolve) => {
        answer = () => {
          void billing.ask(request).then(resolve);
        };
      });
    clock.ms = 10_001;
    leases.tick();
    await turns();

    const waiting = leases.reserve('a', 10 * unit);
    expect(waiting).toBeInstanceOf(Promise);
    clock.ask = billing.ask;
    answer();
    await expect(waiting).resolves.not.toMatchObject({ leaseId });
  });

  it('lasts for a while without billing, and is refused as unavailable after that', async () => {
    const billing = aBilling({ a: 1_000 });
    const { leases, clock } = aReplica(billing);
    const { leaseId } = await leases.reserve('a', 10 * unit);
    clock.ask = () => Promise.reject(new Error('nobody there'));

    clock.ms = 9_999;
    expect(leases.reserve('a', unit)).not.toBeInstanceOf(Promise);
    clock.ms = 10_000;
    await expect(leases.reserve('a', unit)).rejects.toMatchObject({ code: 'billing_unavailable' });

    clock.ask = billing.ask;
    billing.held.delete(leaseId);
    await expect(leases.reserve('a', unit)).resolves.toBeDefined();
    expect(billing.asks.at(-1)).toMatchObject({ reserved_nano: 11 * unit });
  });

  it('begins anew, with what runs, when it was taken back', async () => {
    const billing = aBilling({ a: 1_000 });
    const { leases, clock } = aReplica(billing);
    const first = await leases.reserve('a', 10 * unit);
    const { leaseId } = first;
    first.settle(2 * unit);
    await leases.reserve('a', 5 * unit);
    clock.ask = ({ leases: asked }) => {
      clock.ask = billing.ask;
      return Promise.resolve({
        leases: asked.map((one) => ({
          account_id: one.account_id,
          lease_id: one.lease_id,
          state: 'closed',
          purse_nano: 0,
          applied_nano: 2 * unit,
          available_quota: 900,
          debt_quota: 0,
        })),
        debtors: [],
      });
    };
    clock.ms = 20_000;
    const later = await leases.reserve('a', unit);

    expect(later.leaseId).not.toBe(leaseId);
    expect(billing.asks.at(-1)).toMatchObject({ spent_nano: 0, reserved_nano: 5 * unit });
  });

  it('begins anew when a lease was closed whose first response was lost, while others wait', async () => {
    const billing = aBilling({ a: 1_000 });
    const { clock, leases } = aReplica(billing);
    clock.ask = async (request) => {
      await billing.ask(request);
      throw new Error('the connection was reset');
    };
    await expect(leases.reserve('a', 10 * unit)).rejects.toMatchObject({
      code: 'billing_unavailable',
    });
    expect(billing.held.size).toBe(1);

    let respond: () => void = () => undefined;
    clock.ask = async (request) => {
      const response = await billing.ask(request);
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return response;
    };
    clock.ms = 20_000;
    leases.tick();
    await turns();
    const waiting = leases.reserve('a', 10 * unit);
    clock.ask = billing.ask;
    respond();

    expect((await waiting).leaseId).not.toBe([...billing.held.keys()][0]);
    expect(billing.asks.map(({ mode }) => mode)).toEqual(['keep', 'close', 'keep']);
  });

  it('is refused while the account owes, though some is held for it', async () => {
    const billing = aBilling({ a: 1_000, b: 1_000 });
    const { leases } = aReplica(billing);
    await leases.reserve('a', 10 * unit);
    billing.debtors.push('a');
    await leases.reserve('b', 10 * unit);

    await expect(leases.reserve('a', unit)).rejects.toMatchObject({
      code: 'insufficient_quota',
      message: 'the account owes 5 quota for earlier text; top it up',
    });
    billing.debtors.length = 0;
    await expect(leases.reserve('a', unit)).resolves.toBeDefined();
  });
});
