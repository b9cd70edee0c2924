import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHolds, createLedger, type Ledger } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldRequest, entriesOf, expectExactChain } from './books.ts';

let test: TestDatabase;
let ledger: Ledger;
beforeAll(async () => {
  test = await openTestDatabase();
  ledger = createLedger(test.database);
});
afterAll(() => test.close());

describe('a top-up', () => {
  it('adds quota, with its entry and note', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await expect(ledger.topUp(id, 300, 'invoice 7')).resolves.toEqual({ balanceQuota: 300, heldQuota: 0, availableQuota: 300 });
    await expect(ledger.topUp(id, 5, 'bonus')).resolves.toEqual({ balanceQuota: 305, heldQuota: 0, availableQuota: 305 });

    await expect(entriesOf(test.database, id)).resolves.toEqual([
      { kind: 'top_up', taskId: null, quota: 300, debit: 'operator:issued', credit: 'available', balanceAfter: 300, heldAfter: 0 },
      { kind: 'top_up', taskId: null, quota: 5, debit: 'operator:issued', credit: 'available', balanceAfter: 305, heldAfter: 0 },
    ]);
    const { rows } = await test.database.pool.query('SELECT note FROM ledger_entry WHERE account_id = $1 ORDER BY id', [id]);
    expect(rows).toEqual([{ note: 'invoice 7' }, { note: 'bonus' }]);
  });

  it('leaves what is held alone', async () => {
    const { id } = await anAccount(test.database, { quota: 50 });
    await createHolds(test.database).take(id, [aHoldRequest(id)]);

    await expect(ledger.topUp(id, 10, '')).resolves.toEqual({ balanceQuota: 60, heldQuota: 50, availableQuota: 10 });
  });

  it('loses none of fifty at once, and keeps an exact chain', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await Promise.all(Array.from({ length: 50 }, (_, index) => ledger.topUp(id, index + 1, 'at once')));

    await expect(ledger.balanceOf(id)).resolves.toMatchObject({ balanceQuota: 1_275 });
    await expectExactChain(test.database, id);
  });

  it('is refused for an account that nobody knows, and leaves nothing', async () => {
    await expect(ledger.topUp('acct_missing', 10, '')).rejects.toThrow('balance_account_id_fkey');

    await expect(entriesOf(test.database, 'acct_missing')).resolves.toEqual([]);
  });

  it('is refused beyond what JSON can say exactly, and below nothing', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });

    await expect(ledger.topUp(id, Number.MAX_SAFE_INTEGER, '')).rejects.toMatchObject({ constraint: 'balance_fits_json' });
    await expect(ledger.topUp(id, -1, '')).rejects.toMatchObject({ code: '23514' });

    await expect(ledger.balanceOf(id)).resolves.toEqual({ balanceQuota: 10, heldQuota: 0, availableQuota: 10 });
    await expect(entriesOf(test.database, id)).resolves.toHaveLength(1);
  });
});

describe('a balance', () => {
  it('is nothing for an account that was never topped up', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await expect(ledger.balanceOf(id)).resolves.toEqual({ balanceQuota: 0, heldQuota: 0, availableQuota: 0 });
  });
});
