import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createAdjustments,
  createHolds,
  createLedger,
  createLedgerReads,
  createMetering,
  createTaskEndings,
  type Adjustment,
  type Adjustments,
} from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldRequest, entriesOf, expectExactChain, violations } from './books.ts';
import { storiesOf } from './stories.ts';
import { aSavedBatch, aUsageRecord } from './usage.ts';

let test: TestDatabase;
let adjustments: Adjustments;
beforeAll(async () => {
  test = await openTestDatabase();
  adjustments = createAdjustments(test.database);
});
afterAll(() => test.close());

const of = (accountId: string, more: Partial<Adjustment> = {}): Adjustment => ({
  accountId,
  key: 'ticket-1',
  quota: -30,
  note: 'a wrong price',
  taskId: null,
  ...more,
});
const outcomes = (results: readonly { readonly outcome: string }[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

describe('an adjustment', () => {
  it.each([
    [25, 'operator:issued', 'available', 125],
    [-25, 'available', 'operator:issued', 75],
  ])('of %i moves quota from %s to %s, with its reason', async (quota, debit, credit, balance) => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const { id: taskId } = await storiesOf(test.database, id).running();

    const adjusted = await adjustments.adjust(of(id, { quota, taskId }));

    expect(adjusted).toMatchObject({
      outcome: 'adjusted',
      before: { balanceQuota: 100, heldQuota: 50, availableQuota: 50 },
      after: { balanceQuota: balance, heldQuota: 50, availableQuota: balance - 50 },
    });
    expect((await entriesOf(test.database, id)).at(-1)).toEqual({
      kind: 'adjustment',
      taskId: null,
      quota: 25,
      debit,
      credit,
      balanceAfter: balance,
      heldAfter: 50,
    });
    const reads = createLedgerReads(test.database);
    expect((await reads.page({ accountId: id, limit: 1 })).items).toMatchObject([
      { kind: 'adjustment', quota, balanceChange: quota, taskId, note: 'a wrong price' },
    ]);
    const { entries, closing } = await reads.statement({ accountId: id });
    expect(entries.at(-1)).toMatchObject({ quota, taskId });
    expect(closing).toEqual({ balanceQuota: balance, heldQuota: 50 });
    await expectExactChain(test.database, id);
  });

  it('is made once under its key, however often and at once it is asked for', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });

    const results = await Promise.all(Array.from({ length: 20 }, () => adjustments.adjust(of(id))));

    expect(outcomes(results)).toEqual({ adjusted: 1, reused: 19 });
    expect(results.every(({ after }) => after.balanceQuota === 70)).toBe(true);
    await expect(adjustments.adjust(of(id, { quota: 5 }))).resolves.toMatchObject({
      outcome: 'reused',
      known: { quota: -30, note: 'a wrong price', taskId: null },
      after: { balanceQuota: 70 },
    });
    await expectExactChain(test.database, id);
  });

  it('under the key of another account is that account’s own', async () => {
    const [one, two] = [await anAccount(test.database), await anAccount(test.database)];

    const results = [await adjustments.adjust(of(one.id)), await adjustments.adjust(of(two.id))];

    expect(outcomes(results)).toEqual({ adjusted: 2 });
  });

  it('never takes what is held, whatever else happens at the same moment', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const holds = createHolds(test.database);

    const [taken] = await Promise.all([
      Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          adjustments.adjust(of(id, { key: `k${index}`, quota: -3 })),
        ),
      ),
      holds.take(id, [aHoldRequest(id)]),
    ]);

    const { balanceQuota, heldQuota, availableQuota } = await createLedger(test.database).balanceOf(
      id,
    );
    expect(balanceQuota).toBe(100 - 3 * (outcomes(taken)['adjusted'] ?? 0));
    expect(availableQuota).toBe(balanceQuota - heldQuota);
    expect(availableQuota).toBeGreaterThanOrEqual(0);
    expect(availableQuota).toBeLessThan(3);
    await expectExactChain(test.database, id);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('gives quota to an account that never had any, and takes none from it', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await expect(adjustments.adjust(of(id))).resolves.toMatchObject({ outcome: 'insufficient' });
    await expect(adjustments.adjust(of(id, { quota: 30 }))).resolves.toMatchObject({
      outcome: 'adjusted',
      after: { balanceQuota: 30 },
    });
  });

  it('pays a debt from what is given, and takes nothing while there is one', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });
    const owed = await aSavedBatch(test.database, [aUsageRecord(id, { cost_nano: '25000000000' })]);
    await createMetering(test.database).apply(owed.id);

    await expect(adjustments.adjust(of(id, { quota: -1 }))).resolves.toMatchObject({
      outcome: 'insufficient',
      after: { balanceQuota: 0, debtQuota: 15 },
    });
    const given = of(id, { key: 'ticket-2', quota: 20 });
    const expected = { after: { balanceQuota: 5, availableQuota: 5, debtQuota: 0 } };
    await expect(adjustments.preview(given)).resolves.toMatchObject(expected);
    await expect(adjustments.adjust(given)).resolves.toMatchObject(expected);

    expect((await entriesOf(test.database, id)).slice(-2)).toMatchObject([
      { kind: 'adjustment', quota: 20 },
      { kind: 'debt', quota: 15 },
    ]);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('corrects a task of its account only, which may be deleted by then', async () => {
    const { id } = await anAccount(test.database);
    const { id: stranger } = await anAccount(test.database);
    const theirs = await aQueuedTask(test.database, stranger);
    const own = await storiesOf(test.database, id).succeeded(3);
    await createHolds(test.database).settle(own.id);
    const endings = createTaskEndings(test.database);
    await endings.markDeleted(own.id, id);
    await endings.forget(own.id);

    const results = [
      await adjustments.adjust(of(id, { taskId: theirs.id })),
      await adjustments.adjust(of(id, { taskId: 'video_nobody' })),
      await adjustments.adjust(of(id, { taskId: own.id })),
    ];

    expect(results.map(({ outcome }) => outcome)).toEqual([
      'unknown_task',
      'unknown_task',
      'adjusted',
    ]);
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('is refused beyond what JSON can say exactly, and for an account that nobody knows', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });
    const quota = Number.MAX_SAFE_INTEGER;

    await expect(adjustments.preview(of(id, { quota }))).resolves.toMatchObject({
      outcome: 'too_much',
    });
    await expect(adjustments.adjust(of(id, { quota }))).rejects.toMatchObject({
      constraint: 'balance_fits_json',
    });
    await expect(adjustments.adjust(of('acct_missing'))).rejects.toThrow('balance_account_id_fkey');
    await expect(entriesOf(test.database, id)).resolves.toHaveLength(1);
  });

  it('is only shown by a preview', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });

    await expect(adjustments.preview(of(id))).resolves.toEqual({
      outcome: 'adjusted',
      known: undefined,
      before: { balanceQuota: 100, heldQuota: 0, availableQuota: 100, debtQuota: 0 },
      after: { balanceQuota: 70, heldQuota: 0, availableQuota: 70, debtQuota: 0 },
    });
    await expect(entriesOf(test.database, id)).resolves.toHaveLength(1);
  });
});
