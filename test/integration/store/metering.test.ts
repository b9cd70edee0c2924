import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UsageBatch } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createMetering,
  createUsageOutbox,
  type AccountBalance,
  type Database,
} from '@gateway/store';
import { anAccount, eventually, openTestDatabase, type TestDatabase } from '@gateway/testing';
import {
  aHoldOf,
  endWaitingSessions,
  entriesOf,
  expectExactChain,
  expectSomebodyWaiting,
  inTurn,
  morePools,
  violations,
} from './books.ts';
import { storiesOf } from './stories.ts';
import { aSavedBatch, aUsageRecord, units } from './usage.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

const balanceOf = (accountId: string): Promise<AccountBalance> =>
  createLedger(test.database).balanceOf(accountId);
const apply = (batch: Pick<UsageBatch, 'id'>) => createMetering(test.database).apply(batch.id);

async function moneyOf(
  accountId: string,
): Promise<{ charged: number; uncollected: number; remainder: number; records: number }> {
  const { rows } = await test.database.pool.query<{
    charged: number;
    uncollected: number;
    remainder: number;
    records: number;
  }>(
    `SELECT (SELECT coalesce(sum(quota), 0)::bigint FROM ledger_entry WHERE account_id = $1 AND kind = 'charge') AS charged,
       (SELECT coalesce(sum(quota), 0)::bigint FROM usage_uncollected WHERE account_id = $1) AS uncollected,
       (SELECT text_remainder_nano FROM balance WHERE account_id = $1) AS remainder,
       (SELECT count(*) FROM usage_record WHERE account_id = $1) AS records`,
    [accountId],
  );
  return rows[0]!;
}

describe('taking a batch of text usage', () => {
  it('stores each record as it was sent', async () => {
    const { id } = await anAccount(test.database);
    const record = aUsageRecord(id, {
      cost_nano: '1234567',
      first_byte_ms: null,
      outcome: 'aborted',
      estimated: true,
    });
    const batch = await aSavedBatch(test.database, [record]);

    await expect(apply(batch)).resolves.toEqual({
      records: 1,
      chargedQuota: 0,
      uncollectedQuota: 0,
    });

    const { rows } = await test.database.pool.query<Record<string, unknown>>(
      'SELECT * FROM usage_record WHERE id = $1',
      [record.id],
    );
    const { lease_id: _notStored, ...stored } = record;
    expect(rows).toEqual([
      {
        ...stored,
        batch_id: batch.id,
        started_at: new Date(record.started_at),
        serial: expect.any(Number),
      },
    ]);
  });

  it('charges the whole units of what all records cost, and keeps the rest', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const batch = await aSavedBatch(test.database, [
      aUsageRecord(id, { cost_nano: units(1.6) }),
      aUsageRecord(id, { cost_nano: units(1.7) }),
      aUsageRecord(id),
    ]);

    await expect(apply(batch)).resolves.toEqual({
      records: 3,
      chargedQuota: 3,
      uncollectedQuota: 0,
    });

    await expect(moneyOf(id)).resolves.toEqual({
      charged: 3,
      uncollected: 0,
      remainder: 300_000_000,
      records: 3,
    });
    await expect(entriesOf(test.database, id)).resolves.toMatchObject([
      { kind: 'top_up' },
      {
        kind: 'charge',
        taskId: null,
        quota: 3,
        debit: 'available',
        credit: 'operator:revenue',
        balanceAfter: 97,
        heldAfter: 0,
      },
    ]);
    const { rows } = await test.database.pool.query<{ note: string }>(
      `SELECT note FROM ledger_entry WHERE account_id = $1 AND kind = 'charge'`,
      [id],
    );
    expect(rows).toEqual([{ note: `text usage ${batch.id}` }]);
    await expectExactChain(test.database, id);
  });

  it('adds up what is below a unit until there is one', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });

    for (let round = 0; round < 7; round += 1) {
      await apply(await aSavedBatch(test.database, [aUsageRecord(id, { cost_nano: units(0.3) })]));
    }

    await expect(moneyOf(id)).resolves.toEqual({
      charged: 2,
      uncollected: 0,
      remainder: 100_000_000,
      records: 7,
    });
    expect(
      (await entriesOf(test.database, id)).filter((entry) => entry.kind === 'charge'),
    ).toHaveLength(2);
  });

  it('charges each account for its own records only', async () => {
    const [one, other] = [await anAccount(test.database), await anAccount(test.database)];
    const batch = await aSavedBatch(test.database, [
      aUsageRecord(one.id, { cost_nano: units(5) }),
      aUsageRecord(other.id, { cost_nano: units(8) }),
      aUsageRecord(one.id, { cost_nano: units(1) }),
    ]);

    await apply(batch);

    await expect(balanceOf(one.id)).resolves.toMatchObject({ balanceQuota: 9_994 });
    await expect(balanceOf(other.id)).resolves.toMatchObject({ balanceQuota: 9_992 });
  });

  it('never takes more than is available, and writes down what is missing', async () => {
    const { id } = await anAccount(test.database, { quota: 10 });
    await createHolds(test.database).take(id, [aHoldOf(id, 4)]);
    const batch = await aSavedBatch(test.database, [aUsageRecord(id, { cost_nano: units(9.5) })]);

    await expect(apply(batch)).resolves.toEqual({
      records: 1,
      chargedQuota: 6,
      uncollectedQuota: 3,
    });

    await expect(balanceOf(id)).resolves.toEqual({
      balanceQuota: 4,
      heldQuota: 4,
      availableQuota: 0,
      debtQuota: 3,
    });
    await expect(moneyOf(id)).resolves.toEqual({
      charged: 6,
      uncollected: 3,
      remainder: 500_000_000,
      records: 1,
    });
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('writes no entry when nothing is available, nor when nothing costs', async () => {
    const { id } = await anAccount(test.database, { quota: 0 });

    await expect(apply(await aSavedBatch(test.database, [aUsageRecord(id)]))).resolves.toEqual({
      records: 1,
      chargedQuota: 0,
      uncollectedQuota: 0,
    });
    await expect(
      apply(await aSavedBatch(test.database, [aUsageRecord(id, { cost_nano: units(2.5) })])),
    ).resolves.toEqual({ records: 1, chargedQuota: 0, uncollectedQuota: 2 });

    await expect(entriesOf(test.database, id)).resolves.toEqual([]);
    await expect(moneyOf(id)).resolves.toEqual({
      charged: 0,
      uncollected: 2,
      remainder: 500_000_000,
      records: 2,
    });
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('takes costs far beyond what a number holds', async () => {
    const { id } = await anAccount(test.database, { quota: 5 });
    const batch = await aSavedBatch(
      test.database,
      Array.from({ length: 3 }, () => aUsageRecord(id, { cost_nano: '9007199254740991000000001' })),
    );

    await expect(apply(batch)).resolves.toMatchObject({ chargedQuota: 5 });

    await expect(moneyOf(id)).resolves.toMatchObject({ remainder: 3 });
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('happens once, also when the batch is saved again afterwards', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const batch = await aSavedBatch(test.database, [aUsageRecord(id, { cost_nano: units(2.5) })]);
    const outbox = createUsageOutbox(test.database);
    await outbox.save(batch);
    await apply(batch);

    await expect(apply(batch)).resolves.toBeUndefined();
    await outbox.save(batch);
    await expect(apply(batch)).resolves.toEqual({
      records: 0,
      chargedQuota: 0,
      uncollectedQuota: 0,
    });

    await expect(moneyOf(id)).resolves.toEqual({
      charged: 2,
      uncollected: 0,
      remainder: 500_000_000,
      records: 1,
    });
  });

  it('charges a record once that came in two batches, or twice in one', async () => {
    const { id } = await anAccount(test.database, { quota: 100 });
    const [shared, own] = [
      aUsageRecord(id, { cost_nano: units(3) }),
      aUsageRecord(id, { cost_nano: units(4) }),
    ];
    const batches = [
      await aSavedBatch(test.database, [shared, shared]),
      await aSavedBatch(test.database, [own, shared]),
    ];

    const applied = await Promise.all(batches.map(apply));

    expect(applied.map((each) => each?.records ?? 0).reduce((sum, records) => sum + records)).toBe(
      2,
    );
    await expect(moneyOf(id)).resolves.toEqual({
      charged: 7,
      uncollected: 0,
      remainder: 0,
      records: 2,
    });
  });

  it('takes all of a batch or nothing: an account that does not exist leaves it where it was', async () => {
    const { id } = await anAccount(test.database);
    const batch = await aSavedBatch(test.database, [
      aUsageRecord(id, { cost_nano: units(3) }),
      aUsageRecord('acct_01h455vb4pex5vsknk084sn02q'),
    ]);

    await expect(apply(batch)).rejects.toThrow(/foreign key/);

    await expect(moneyOf(id)).resolves.toMatchObject({ charged: 0, records: 0 });
    await expect(createMetering(test.database).findUnapplied(100)).resolves.toContain(batch.id);
    await test.database.pool.query('DELETE FROM usage_batch WHERE id = $1', [batch.id]);
  });

  it('knows nothing of a batch that was never saved', async () => {
    await expect(apply({ id: newId('usageBatch') })).resolves.toBeUndefined();
  });
});

describe('the outbox', () => {
  it('names what nobody took yet, oldest first', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    const batches = [
      await aSavedBatch(own.database, [aUsageRecord(id)]),
      await aSavedBatch(own.database, [aUsageRecord(id)]),
      await aSavedBatch(own.database, [aUsageRecord(id)]),
    ];
    await own.database.pool.query(
      `UPDATE usage_batch SET created_at = now() - interval '1 minute' WHERE id = $1`,
      [batches[2]!.id],
    );
    const metering = createMetering(own.database);

    await expect(metering.findUnapplied(2)).resolves.toEqual([batches[2]!.id, batches[0]!.id]);
    await metering.apply(batches[2]!.id);
    await expect(metering.findUnapplied(10)).resolves.toEqual([batches[0]!.id, batches[1]!.id]);
    await own.close();
  });
});

describe('quota that moves while a batch waits for the balance', () => {
  it('is seen as it is then: what came is charged, what went is not', async () => {
    const [rich, poor] = [
      await anAccount(test.database, { quota: 3 }),
      await anAccount(test.database, { quota: 30 }),
    ];
    const batch = await aSavedBatch(test.database, [
      aUsageRecord(rich.id, { cost_nano: units(20) }),
      aUsageRecord(poor.id, { cost_nano: units(20) }),
    ]);
    const client = await test.database.pool.connect();
    await client.query('BEGIN');
    const inside: Database = { ...test.database, pool: client as unknown as Database['pool'] };
    await createLedger(inside).topUp(rich.id, 100, 'meanwhile');
    await createHolds(inside).take(rich.id, [aHoldOf(rich.id, 90)]);
    await createHolds(inside).take(poor.id, [aHoldOf(poor.id, 28)]);

    const applied = apply(batch);
    await eventually(() => expectSomebodyWaiting(test.database));
    await client.query('COMMIT');
    client.release();

    await expect(applied).resolves.toEqual({
      records: 2,
      chargedQuota: 13 + 2,
      uncollectedQuota: 7 + 18,
    });
    await expect(balanceOf(rich.id)).resolves.toEqual({
      balanceQuota: 90,
      heldQuota: 90,
      availableQuota: 0,
      debtQuota: 7,
    });
    await expect(balanceOf(poor.id)).resolves.toEqual({
      balanceQuota: 28,
      heldQuota: 28,
      availableQuota: 0,
      debtQuota: 18,
    });
    await expect(violations(test.database)).resolves.toEqual([]);
  });

  it('may end a hold meanwhile: what was held before does not count any more', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database, { quota: 30 });
    await createHolds(own.database).take(id, [aHoldOf(id, 25)]);
    const batch = await aSavedBatch(own.database, [aUsageRecord(id, { cost_nano: units(20) })]);
    const client = await own.database.pool.connect();
    await client.query('BEGIN');
    await client.query('UPDATE balance SET balance = 5, held = 0 WHERE account_id = $1', [id]);

    const applied = createMetering(own.database).apply(batch.id);
    await eventually(() => expectSomebodyWaiting(own.database));
    await client.query('COMMIT');
    client.release();

    await expect(applied).resolves.toEqual({ records: 1, chargedQuota: 5, uncollectedQuota: 15 });
    await expect(createLedger(own.database).balanceOf(id)).resolves.toEqual({
      balanceQuota: 0,
      heldQuota: 0,
      availableQuota: 0,
      debtQuota: 15,
    });
    await own.close();
  });

  it('is charged for by somebody else when the session is killed while it waits', async () => {
    const { id } = await anAccount(test.database, { quota: 50 });
    const batch = await aSavedBatch(test.database, [aUsageRecord(id, { cost_nano: units(5) })]);
    const client = await test.database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM balance WHERE account_id = $1 FOR UPDATE', [id]);
    const killed = apply(batch).catch((error: unknown) => error);
    await eventually(() => expectSomebodyWaiting(test.database));

    await endWaitingSessions(test.database);
    await client.query('COMMIT');
    client.release();

    await expect(killed).resolves.toMatchObject({ message: expect.stringMatching(/terminat/) });
    await expect(moneyOf(id)).resolves.toMatchObject({ charged: 0, records: 0 });
    await expect(apply(batch)).resolves.toEqual({
      records: 1,
      chargedQuota: 5,
      uncollectedQuota: 0,
    });
  });
});

describe('batches, holds, settlements and top-ups of the same accounts at once', () => {
  it('keep books that add up, with sessions that are killed all the time', async () => {
    const own = await openTestDatabase();
    const accounts = await Promise.all(
      Array.from({ length: 5 }, () => anAccount(own.database, { quota: 400 })),
    );
    const tasks = await Promise.all(
      accounts.flatMap(({ id }) =>
        Array.from({ length: 4 }, () => storiesOf(own.database, id).succeeded(3)),
      ),
    );
    const batches = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        aSavedBatch(
          own.database,
          Array.from({ length: 40 }, (_unused, place) =>
            aUsageRecord(inTurn(accounts, index * 7 + place * 3).id, {
              cost_nano: String(123_456_789 * (1 + ((index + place) % 9))),
            }),
          ),
        ),
      ),
    );
    const replicas = morePools(own.url, 3);
    const insisting = async <Value>(work: () => Promise<Value>): Promise<Value> => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!/connection|terminat|timeout/i.test(String(error))) throw error;
        }
      }
    };
    const seen = { over: false, lost: 0 };
    const killer = (async () => {
      while (!seen.over) {
        const { rowCount } = await own.database.pool.query(
          `SELECT pg_terminate_backend(pid), pg_sleep(0.02) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'test replica' ORDER BY random() LIMIT 1`,
        );
        seen.lost += rowCount ?? 0;
      }
    })();

    await Promise.all([
      ...batches.flatMap((batch, index) =>
        [0, 1].map((turn) =>
          insisting(() => createMetering(inTurn(replicas.databases, index + turn)).apply(batch.id)),
        ),
      ),
      ...tasks.map((task, index) =>
        insisting(() => createHolds(inTurn(replicas.databases, index)).settle(task.id)),
      ),
      ...Array.from({ length: 60 }, (_, index) =>
        insisting(() =>
          createHolds(inTurn(replicas.databases, index)).take(inTurn(accounts, index).id, [
            aHoldOf(inTurn(accounts, index).id, 3),
          ]),
        ),
      ),
      ...Array.from({ length: 10 }, (_, index) =>
        createLedger(own.database).topUp(inTurn(accounts, index).id, 25, 'in between'),
      ),
      insisting(() => createHolds(inTurn(replicas.databases, 1)).releaseOrphans(0)),
    ]);
    seen.over = true;
    await killer;
    for (const batch of batches) await createUsageOutbox(own.database).save(batch);
    for (const id of await createMetering(own.database).findUnapplied(100)) {
      await createMetering(own.database).apply(id);
    }
    await replicas.close();
    await createHolds(own.database).releaseOrphans(0);

    expect(seen.lost).toBeGreaterThan(0);
    await expect(violations(own.database, 0)).resolves.toEqual([]);
    for (const { id } of accounts) await expectExactChain(own.database, id);
    const { rows } = await own.database.pool.query<{ records: number; cost: string }>(
      'SELECT count(*) AS records, sum(cost_nano)::text AS cost FROM usage_record',
    );
    const expected = batches
      .flatMap(({ records }) => records)
      .reduce((sum, record) => sum + BigInt(record.cost_nano), 0n);
    expect(rows).toEqual([{ records: 2_000, cost: String(expected) }]);
    await own.close();
  });
});
