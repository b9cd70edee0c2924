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

    await expect(ledger.topUp(id, 300, 'invoice 7')).resolves.toEqual({
      balanceQuota: 300,
      heldQuota: 0,
      availableQuota: 300,
      debtQuota: 0,
    });
    await expect(ledger.topUp(id, 5, 'bonus')).resolves.toEqual({
      balanceQuota: 305,
      heldQuota: 0,
      availableQuota: 305,
      debtQuota: 0,
    });

    await expect(entriesOf(test.database, id)).resolves.toEqual([
      {
        kind: 'top_up',
        taskId: null,
        quota: 300,
        debit: 'operator:issued',
        credit: 'available',
        balanceAfter: 300,
        heldAfter: 0,
      },
      {
        kind: 'top_up',
        taskId: null,
        quota: 5,
        debit: 'operator:issued',
        credit: 'available',
        balanceAfter: 305,
        heldAfter: 0,
      },
    ]);
    const { rows } = await test.database.pool.query(
      'SELECT note FROM ledger_entry WHERE account_id = $1 ORDER BY id',
      [id],
    );
    expect(rows).toEqual([{ note: 'invoice 7' }, { note: 'bonus' }]);
  });

  it('under a key is added once, however often and at once it is asked for', async () => {
    const { id: accountId } = await anAccount(test.database, { quota: 0 });
    const topUp = { accountId, key: 'invoice 8', quota: 300, note: 'invoice 8' };

    const responses = await Promise.all(Array.from({ length: 20 }, () => ledger.topUpOnce(topUp)));

    expect(responses.map(({ outcome }) => outcome).sort()).toEqual([
      'added',
      ...Array.from({ length: 19 }, () => 'reused'),
    ]);
    expect(responses.every(({ balance }) => balance.balanceQuota === 300)).toBe(true);
    await expect(ledger.topUpOnce({ ...topUp, quota: 5 })).resolves.toMatchObject({
      outcome: 'reused',
      quota: 300,
    });
    await expect(entriesOf(test.database, accountId)).resolves.toHaveLength(1);
    await expectExactChain(test.database, accountId);
  });

  it('under the key of another account is that account’s own', async () => {
    const [one, two] = [
      await anAccount(test.database, { quota: 0 }),
      await anAccount(test.database, { quota: 0 }),
    ];
    await ledger.topUpOnce({ accountId: one.id, key: 'k', quota: 3, note: '' });

    await expect(
      ledger.topUpOnce({ accountId: two.id, key: 'k', quota: 4, note: '' }),
    ).resolves.toMatchObject({ outcome: 'added', balance: { balanceQuota: 4 } });
  });

  it('under a key, of an account that there is not, keeps nothing of the key', async () => {
    await expect(
      ledger.topUpOnce({ accountId: 'acct_nobody', key: 'k', quota: 3, note: '' }),
    ).rejects.toThrow();

    await expect(
      test.database.pool.query(`SELECT 1 FROM top_up_key WHERE account_id = 'acct_nobody'`),
    ).resolves.toMatchObject({ rowCount: 0 });
  });

  it('leaves what is held alone', async () => {
    const { id } = await anAccount(test.database, { quota: 50 });
    await createHolds(test.database).take(id, [aHoldRequest(id)]);

    await expect(ledger.topUp(id, 10, '')).resolves.toEqual({
      balanceQuota: 60,
      heldQuota: 50,
      availableQuota: 10,
      debtQuota: 0,
    });
  });

  it('loses none of fifty at once, and keeps an exact chain', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await Promise.all(
      Array.from({ length: 50 }, (_, index) => ledger.topUp(id, index + 1, 'at once')),
    );

    await expect(ledger.balanceOf(id)).resolves.toMatchObject({ balanceQuota: 1_275 });
    await expectExactChain(test.database, id);
  });

  it('is refused for an account that nobody knows, and leaves nothing', async () => {
    await expect(ledger.topUp('acct_missing', 10, '')).rejects.toThrow('balance_account_id_fkey');

    await expect(entriesOf(test.database, 'acct_missing')).resolves.toEqual([]);
  });

  it('is refused beyond what JSON can say exactly, and below nothing', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });

    await expect(ledger.topUp(id, Number.MAX_SAFE_INTEGER, '')).rejects.toMatchObject({
      constraint: 'balance_fits_json',
    });
    await expect(ledger.topUp(id, -1, '')).rejects.toMatchObject({ code: '23514' });

    await expect(ledger.balanceOf(id)).resolves.toEqual({
      balanceQuota: 10,
      heldQuota: 0,
      availableQuota: 10,
      debtQuota: 0,
    });
    await expect(entriesOf(test.database, id)).resolves.toHaveLength(1);
  });
});

describe('a balance', () => {
  it('is nothing for an account that was never topped up', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await expect(ledger.balanceOf(id)).resolves.toEqual({
      balanceQuota: 0,
      heldQuota: 0,
      availableQuota: 0,
      debtQuota: 0,
    });
  });
});
