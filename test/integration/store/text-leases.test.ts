import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createMetering,
  createTextLeases,
  createUsageOutbox,
  type LeaseAsk,
  type LeaseState,
} from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldOf, entriesOf, expectExactChain, violations } from './books.ts';
import { aSavedBatch, aUsageRecord, units } from './usage.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
  await createTextLeases(test.database).renew(replica);
});
afterAll(() => test.close());

const replica = 'replica_a';
const unit = 1e9;

/** An ask about a new lease; figures in whole units. */
const ask = (
  accountId: string,
  {
    leaseId = newId('lease'),
    sequence = 1,
    spent = 0,
    reserved = 0,
    needed = 0,
    least = 0,
    spare = 0,
  } = {},
): LeaseAsk => ({
  accountId,
  leaseId,
  sequence,
  spentNano: spent * unit,
  reservedNano: reserved * unit,
  neededNano: needed * unit,
  leastNano: (least === 0 ? needed : least) * unit,
  spareNano: spare * unit,
  mode: 'keep',
});

async function settle(...asks: LeaseAsk[]): Promise<LeaseState> {
  const [state] = await createTextLeases(test.database).settle(replica, asks);
  return state!;
}

const charge = async (accountId: string, leaseId: string | null, cost: number): Promise<void> => {
  const batch = await aSavedBatch(test.database, [
    aUsageRecord(accountId, { lease_id: leaseId, cost_nano: units(cost) }),
  ]);
  await createMetering(test.database).apply(batch.id);
};
const balanceOf = (accountId: string) => createLedger(test.database).balanceOf(accountId);
const kinds = async (accountId: string): Promise<string[]> =>
  (await entriesOf(test.database, accountId)).map(({ kind, quota }) => `${kind} ${quota}`);

describe('a lease for text', () => {
  it('holds what is needed and a spare of a tenth of what is left at most', async () => {
    const { id } = await anAccount(test.database, { quota: 1_000 });
    const one = ask(id, { needed: 60, spare: 500 });

    expect(await settle(one)).toMatchObject({
      state: 'open',
      heldQuota: 160,
      purseNano: 160 * unit,
      appliedNano: 0,
      availableQuota: 840,
    });
    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 1_000, heldQuota: 160 });
    await expectExactChain(test.database, id);
  });

  it('gets what there is when that serves somebody, and nothing when it serves nobody', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const other = await anAccount(test.database, { quota: 50 });

    expect(await settle(ask(id, { needed: 180, least: 60 }))).toMatchObject({ heldQuota: 100 });
    expect(await settle(ask(other.id, { needed: 60 }))).toMatchObject({
      state: 'none',
      heldQuota: 0,
      availableQuota: 50,
    });
    expect(await kinds(other.id)).toEqual(['top_up 50']);
  });

  it('pays for its usage first, to the fraction, and leaves the rest to the account', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const one = ask(id, { needed: 10 });
    await settle(one);

    await charge(id, one.leaseId, 5.4);
    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 95, heldQuota: 5 });
    expect(
      await settle({
        ...one,
        sequence: 2,
        spentNano: 5.4 * unit,
        neededNano: 0,
        mode: 'give_back',
      }),
    ).toMatchObject({ heldQuota: 1, purseNano: 0.6 * unit, appliedNano: 5.4 * unit });

    await charge(id, one.leaseId, 5.4);
    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 90, heldQuota: 0, debtQuota: 0 });
    await expectExactChain(test.database, id);
  });

  it('keeps what was spent and is not in the books yet', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const one = ask(id, { needed: 60 });
    await settle(one);

    expect(
      await settle({
        ...one,
        sequence: 2,
        spentNano: 20.5 * unit,
        reservedNano: 10 * unit,
        neededNano: 0,
        mode: 'give_back',
      }),
    ).toMatchObject({ heldQuota: 31, availableQuota: 69 });
    expect(
      await settle({ ...one, sequence: 3, spentNano: 20.5 * unit, mode: 'close', neededNano: 0 }),
    ).toMatchObject({
      state: 'open',
      heldQuota: 21,
    });
  });

  it('is closed when all is taken, and two fractions that make a unit are charged', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const one = ask(id, { needed: 10 });
    await settle(one);
    await charge(id, null, 0.7);
    await charge(id, one.leaseId, 2.5);

    expect(
      await settle({ ...one, sequence: 2, spentNano: 2.5 * unit, neededNano: 0, mode: 'close' }),
    ).toMatchObject({ state: 'closed', heldQuota: 0, availableQuota: 97 });
    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 97, heldQuota: 0 });
    expect(await kinds(id)).toEqual([
      'top_up 100',
      'lease 10',
      'charge 2',
      'charge 1',
      'release 7',
    ]);
    await expectExactChain(test.database, id);
  });

  it('does not listen to an ask that is older than the last', async () => {
    const { id } = await anAccount(test.database, { quota: 1_000 });
    const one = ask(id, { needed: 10 });
    await settle(one);
    await settle({ ...one, sequence: 3, neededNano: 100 * unit });

    expect(await settle({ ...one, sequence: 2, neededNano: 0, mode: 'close' })).toMatchObject({
      state: 'open',
      heldQuota: 100,
    });
    expect(await settle({ ...one, sequence: 3, neededNano: 0 })).toMatchObject({ heldQuota: 100 });
  });

  it('is granted once when the same ask comes twice at once', async () => {
    const { id } = await anAccount(test.database, { quota: 1_000 });
    const one = ask(id, { needed: 10 });

    await Promise.all(Array.from({ length: 6 }, () => settle(one)));

    expect(await balanceOf(id)).toMatchObject({ heldQuota: 10 });
    await expectExactChain(test.database, id);
  });

  it('never takes more than there is, with videos and replicas beside it', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const holds = createHolds(test.database);

    await Promise.all([
      ...Array.from({ length: 8 }, () => settle(ask(id, { needed: 9 }))),
      ...Array.from({ length: 8 }, () => holds.take(id, [aHoldOf(id, 9)])),
    ]);

    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 100, heldQuota: 99 });
    await expectExactChain(test.database, id);
  });
});

describe('what text costs beyond its lease', () => {
  it('is taken from what is available, and is a debt from there on', async () => {
    const { id } = await anAccount(test.database, { quota: 20 });
    const one = ask(id, { needed: 10 });
    await settle(one);

    await charge(id, one.leaseId, 25.5);

    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 0, heldQuota: 0, debtQuota: 5 });
    await expectExactChain(test.database, id);
    expect(await violations(test.database)).toEqual([]);
  });

  it('is paid first from the next top-up, and until then nothing is held', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });
    const holds = createHolds(test.database);
    const ledger = createLedger(test.database);
    await holds.take(id, [aHoldOf(id, 4)]);
    await charge(id, null, 30);
    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 4, debtQuota: 24 });

    await expect(holds.take(id, [aHoldOf(id, 1)])).resolves.toMatchObject([
      { outcome: 'insufficient', availableQuota: 0 },
    ]);
    expect(await settle(ask(id, { needed: 1 }))).toMatchObject({ state: 'none', debtQuota: 24 });

    expect(await ledger.topUp(id, 20, 'first')).toMatchObject({ availableQuota: 0, debtQuota: 4 });
    const topUp = { accountId: id, key: 'second', quota: 10, note: '' };
    await expect(ledger.topUpOnce(topUp)).resolves.toMatchObject({
      balance: { balanceQuota: 10, availableQuota: 6, debtQuota: 0 },
    });
    await expect(ledger.topUpOnce(topUp)).resolves.toMatchObject({ outcome: 'reused' });
    expect(await kinds(id)).toEqual([
      'top_up 10',
      'hold 4',
      'charge 6',
      'top_up 20',
      'debt 20',
      'top_up 10',
      'debt 4',
    ]);
    await expectExactChain(test.database, id);
    expect(await violations(test.database)).toEqual([]);
  });

  it('is collected when something becomes available by itself', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });
    const one = ask(id, { needed: 10 });
    await settle(one);
    await charge(id, null, 3);

    expect(await createTextLeases(test.database).debtors(replica)).toContain(id);
    await settle({ ...one, sequence: 2, neededNano: 0, mode: 'close' });
    await expect(createLedger(test.database).collectDebts(id)).resolves.toBe(3);

    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 7, availableQuota: 7, debtQuota: 0 });
    expect(await createTextLeases(test.database).debtors(replica)).not.toContain(id);
  });
});

describe('the open leases of a replica', () => {
  it('are found a page at a time, without those that are closed', async () => {
    const name = newId('attempt');
    const { settle: settleFor, findOpen } = createTextLeases(test.database);
    const asks: LeaseAsk[] = [];
    for (let number = 0; number < 4; number += 1) {
      const { id } = await anAccount(test.database, { quota: 100 });
      asks.push(ask(id, { needed: 40 }));
    }
    await settleFor(name, asks);
    await settle(ask((await anAccount(test.database, { quota: 100 })).id, { needed: 40 }));
    await settleFor(name, [{ ...asks[1]!, sequence: 2, neededNano: 0, mode: 'close' }]);
    const open = asks
      .filter((_, number) => number !== 1)
      .map(({ accountId, leaseId, sequence }) => ({ accountId, leaseId, sequence }))
      .sort((one, other) => (one.leaseId < other.leaseId ? -1 : 1));

    const page = await findOpen(name, { after: '', limit: 2 });
    expect(page).toEqual(open.slice(0, 2));
    expect(await findOpen(name, { after: page[1]!.leaseId, limit: 2 })).toEqual(open.slice(2));
  });
});

describe('a lease whose replica is gone', () => {
  const gone = async (accountId: string): Promise<LeaseAsk> => {
    const name = newId('attempt');
    const one = ask(accountId, { needed: 40 });
    await createTextLeases(test.database).renew(name);
    await createTextLeases(test.database).settle(name, [one]);
    await test.database.pool.query(
      `UPDATE usage_lease SET renewed_at = now() - interval '1 minute' WHERE replica = $1`,
      [name],
    );
    return one;
  };
  const takeBack = async (): Promise<string[]> =>
    (await createTextLeases(test.database).takeBack({ leaseSeconds: 30, limit: 500 })).map(
      ({ leaseId }) => leaseId,
    );

  it('is taken back, after what it left in the outbox was charged to it', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const one = await gone(id);
    const batch = await aSavedBatch(test.database, [
      aUsageRecord(id, { lease_id: one.leaseId, cost_nano: units(7) }),
    ]);

    expect(await takeBack()).not.toContain(one.leaseId);
    await createMetering(test.database).apply(batch.id);
    expect(await takeBack()).toContain(one.leaseId);
    expect(await takeBack()).toEqual([]);

    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 93, heldQuota: 0 });
    await expectExactChain(test.database, id);
  });

  it('is left alone while usage of its replica is open, and while the replica lives', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const one = await gone(id);
    const { rows } = await test.database.pool.query<{ replica: string }>(
      'SELECT replica FROM text_lease WHERE id = $1',
      [one.leaseId],
    );
    const record = aUsageRecord(id);
    await createUsageOutbox(test.database).keepOpen({
      replica: rows[0]!.replica,
      records: [record],
    });
    expect(await takeBack()).not.toContain(one.leaseId);
    await createUsageOutbox(test.database).save({ id: newId('usageBatch'), records: [] }, [
      record.id,
    ]);
    expect(await takeBack()).not.toContain(one.leaseId);
  });

  it('is told so when it turns out to live, and late usage is charged to the account', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const one = await gone(id);
    await takeBack();

    expect(await settle({ ...one, sequence: 9 })).toMatchObject({ state: 'closed', heldQuota: 0 });
    await charge(id, one.leaseId, 8);

    expect(await balanceOf(id)).toMatchObject({ balanceQuota: 92, heldQuota: 0 });
    await expectExactChain(test.database, id);
  });
});

it('all of it keeps the books', async () => {
  expect(await violations(test.database)).toEqual([]);
});
