import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { UsageRecord } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createLedger,
  createMetering,
  createTextLeases,
  createUsageOutbox,
  createUsageRecovery,
  type Database,
} from '@gateway/store';
import { anAccount, eventually, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { expectExactChain, expectSomebodyWaiting, inTurn, morePools, violations } from './books.ts';
import { aUsageRecord, units } from './usage.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
afterEach(async () => {
  await test.database.pool.query('TRUNCATE usage_open, usage_lease, usage_batch');
});

const leaseSeconds = 30;
const outbox = () => createUsageOutbox(test.database);
const open = (replica: string, records: UsageRecord[]): Promise<void> =>
  outbox().keepOpen({ replica, records });
const recover = (
  limit = 500,
  database: Database = test.database,
): Promise<{ batchId: string; records: number }> => {
  const batchId = newId('usageBatch');
  return createUsageRecovery(database)
    .recover({ batchId, leaseSeconds, limit })
    .then((records) => ({ batchId, records }));
};
const apply = (batchId: string, database: Database = test.database) =>
  createMetering(database).apply(batchId);
const purge = (): Promise<void> => createUsageRecovery(test.database).purge(leaseSeconds);

/** As if the replica had said nothing for so long. */
const age = (replica: string, seconds: number) =>
  test.database.pool.query(
    'UPDATE usage_lease SET renewed_at = now() - make_interval(secs => $2) WHERE replica = $1',
    [replica, seconds],
  );

async function openRows(): Promise<unknown[]> {
  const { rows } = await test.database.pool.query<{ replica: string; record: UsageRecord }>(
    'SELECT replica, record FROM usage_open ORDER BY id',
  );
  return rows.map(({ replica, record }) => [replica, record]);
}
async function leases(): Promise<string[]> {
  const { rows } = await test.database.pool.query<{ replica: string }>(
    'SELECT replica FROM usage_lease ORDER BY 1',
  );
  return rows.map(({ replica }) => replica);
}
async function savedRecords(batchId: string): Promise<unknown> {
  const { rows } = await test.database.pool.query<{ records: unknown }>(
    'SELECT records FROM usage_batch WHERE id = $1',
    [batchId],
  );
  return rows[0]?.records;
}
async function booked(
  accountId: string,
): Promise<{ id: string; output: number; estimated: boolean }[]> {
  const { rows } = await test.database.pool.query<{
    id: string;
    output: number;
    estimated: boolean;
  }>(
    'SELECT id, output_tokens AS output, estimated FROM usage_record WHERE account_id = $1 ORDER BY id',
    [accountId],
  );
  return rows;
}
async function chargedTo(accountId: string): Promise<number> {
  const { rows } = await test.database.pool.query<{ charged: number }>(
    `SELECT coalesce(sum(quota), 0)::bigint AS charged FROM ledger_entry WHERE account_id = $1 AND kind = 'charge'`,
    [accountId],
  );
  return rows[0]?.charged ?? 0;
}

const broken = (accountId: string, overrides: Partial<UsageRecord> = {}): UsageRecord =>
  aUsageRecord(accountId, {
    outcome: 'aborted',
    estimated: true,
    output_tokens: 11,
    cost_nano: units(1),
    ...overrides,
  });
/** In the order of their ids: those of one millisecond have none. */
const some = (accountId: string, count: number): UsageRecord[] =>
  Array.from({ length: count }, () => broken(accountId)).sort((one, other) =>
    one.id < other.id ? -1 : 1,
  );
const finalOf = (record: UsageRecord): UsageRecord => ({
  ...record,
  outcome: 'succeeded',
  estimated: false,
  output_tokens: 40,
  cost_nano: units(3),
});

describe('usage of requests that are still running', () => {
  it('is written as it is, and replaced by what is said of it later', async () => {
    const { id } = await anAccount(test.database);
    const [one, other] = some(id, 2) as [UsageRecord, UsageRecord];

    await open('r1', [other, one]);
    await open('r1', [{ ...one, output_tokens: 99 }]);

    expect(await openRows()).toEqual([
      ['r1', { ...one, output_tokens: 99 }],
      ['r1', other],
    ]);
    expect(await leases()).toEqual(['r1']);
  });

  it('has its lease renewed for all rows at once, also without a new word on any', async () => {
    const { id } = await anAccount(test.database);
    await open('r1', [broken(id), broken(id)]);
    await age('r1', 100);

    await open('r1', []);

    expect((await recover()).records).toBe(0);
    expect(await openRows()).toHaveLength(2);
  });

  it('is forgotten by the statement that saves the final records, and only what that names', async () => {
    const { id } = await anAccount(test.database);
    const [ended, running] = [broken(id), broken(id)];
    await open('r1', [ended, running]);
    const batch = { id: newId('usageBatch'), records: [finalOf(ended), aUsageRecord(id)] };

    await outbox().save(batch, [ended.id]);
    await outbox().save(batch, [ended.id]);

    expect(await openRows()).toEqual([['r1', running]]);
    expect(await savedRecords(batch.id)).toEqual(batch.records);
  });

  it('stays as it is when the final records cannot be saved', async () => {
    const { id } = await anAccount(test.database);
    const record = broken(id);
    await open('r1', [record]);

    await expect(
      outbox().save({ id: null as unknown as string, records: [finalOf(record)] }, [record.id]),
    ).rejects.toThrow(/null value/);

    expect(await openRows()).toEqual([['r1', record]]);
  });
});

describe('a replica that is gone', () => {
  it("leaves its open usage to billing once its lease has run out, and nobody else's", async () => {
    const { id } = await anAccount(test.database);
    const [dead, alive] = [some(id, 2), broken(id)];
    await open('dead', dead);
    await open('alive', [alive]);
    await age('dead', leaseSeconds - 2);
    expect((await recover()).records).toBe(0);
    await age('dead', leaseSeconds + 1);

    const { batchId, records } = await recover();

    expect(records).toBe(2);
    expect(await savedRecords(batchId)).toEqual(dead);
    expect(await openRows()).toEqual([['alive', alive]]);
    await expect(apply(batchId)).resolves.toEqual({
      records: 2,
      chargedQuota: 2,
      uncollectedQuota: 0,
    });
    expect(await booked(id)).toEqual(
      dead.map((record) => ({ id: record.id, output: 11, estimated: true })),
    );
  });

  it('leaves it also when its lease is missing', async () => {
    const { id } = await anAccount(test.database);
    await open('r1', [broken(id)]);
    await test.database.pool.query('DELETE FROM usage_lease');

    expect((await recover()).records).toBe(1);
  });

  it('has no more taken over at once than the limit, the oldest first', async () => {
    const { id } = await anAccount(test.database);
    const records = some(id, 5);
    await open('r1', records);
    await age('r1', 100);

    const first = await recover(3);

    expect(await savedRecords(first.batchId)).toEqual(records.slice(0, 3));
    expect([first.records, (await recover(3)).records, (await recover(3)).records]).toEqual([
      3, 2, 0,
    ]);
    expect(await createMetering(test.database).findUnapplied(10)).toHaveLength(2);
  });

  it('is forgotten once nothing of it is open, and not before; one that lives stays', async () => {
    const { id } = await anAccount(test.database);
    await open('dead', [broken(id)]);
    await open('alive', []);
    await age('dead', 100);
    await purge();
    expect(await leases()).toEqual(['alive', 'dead']);

    await recover();
    await purge();

    expect(await leases()).toEqual(['alive']);
  });

  it('is remembered while it has an open lease, so that an audit knows since when', async () => {
    const { id } = await anAccount(test.database, { quota: 1_000 });
    await open('dead', []);
    const textLeases = createTextLeases(test.database);
    const nothing = { spentNano: 0, reservedNano: 0, leastNano: 0, spareNano: 0 };
    const ask = {
      ...nothing,
      accountId: id,
      leaseId: newId('lease'),
      neededNano: 5e9,
      sequence: 1,
    };
    await textLeases.settle('dead', [{ ...ask, mode: 'keep' }]);
    await age('dead', 100);
    await purge();
    expect(await leases()).toContain('dead');
    expect(await createLedger(test.database).verify({ graceSeconds: 60 })).toEqual([]);

    await textLeases.takeBack({ leaseSeconds, limit: 10 });
    await purge();

    expect(await leases()).not.toContain('dead');
  });

  it('is shown by the invariants when billing does not take its usage over', async () => {
    const { id } = await anAccount(test.database);
    await open('gone', [broken(id)]);
    await age('gone', 100);

    expect(await violations(test.database, 60)).toEqual([]);
    expect(await violations(test.database, 30)).toMatchObject([
      {
        invariant: 'open_usage_has_its_replica',
        subject: 'gone',
        detail: expect.stringMatching(/^1 requests left open, last heard of 20/),
      },
    ]);
  });
});

describe('a replica that was taken for gone', () => {
  it('has its final record dropped when the recovered one is in the books', async () => {
    const { id } = await anAccount(test.database);
    const record = broken(id);
    await open('r1', [record]);
    await age('r1', 100);
    await apply((await recover()).batchId);

    await open('r1', [{ ...record, output_tokens: 30 }]);
    const batch = { id: newId('usageBatch'), records: [finalOf(record)] };
    await outbox().save(batch, [record.id]);

    await expect(apply(batch.id)).resolves.toEqual({
      records: 0,
      chargedQuota: 0,
      uncollectedQuota: 0,
    });
    expect(await booked(id)).toEqual([{ id: record.id, output: 11, estimated: true }]);
    expect(await chargedTo(id)).toBe(1);
    expect(await openRows()).toEqual([]);
  });

  it('has the recovered record dropped when the final one came first', async () => {
    const { id } = await anAccount(test.database);
    const record = broken(id);
    await open('r1', [record]);
    await age('r1', 100);
    const recovered = await recover();
    const batch = { id: newId('usageBatch'), records: [finalOf(record)] };
    await outbox().save(batch, [record.id]);
    await apply(batch.id);

    await expect(apply(recovered.batchId)).resolves.toEqual({
      records: 0,
      chargedQuota: 0,
      uncollectedQuota: 0,
    });

    expect(await booked(id)).toEqual([{ id: record.id, output: 40, estimated: false }]);
    expect(await chargedTo(id)).toBe(3);
  });

  it('does not bring a record back that is in the books: a row that came late is only forgotten', async () => {
    const { id } = await anAccount(test.database);
    const record = broken(id);
    const batch = { id: newId('usageBatch'), records: [finalOf(record)] };
    await outbox().save(batch);
    await apply(batch.id);
    await open('r1', [record, broken(id)]);
    await purge();
    expect(await openRows()).toHaveLength(1);
    await open('r1', [record]);
    await age('r1', 100);

    expect((await recover()).records).toBe(1);
    await purge();

    expect(await openRows()).toEqual([]);
  });

  it('keeps the row that it is writing in the very moment when billing looks', async () => {
    const { id } = await anAccount(test.database);
    const record = broken(id);
    await open('r1', [record]);
    await age('r1', 100);
    const client = await test.database.pool.connect();
    await client.query('BEGIN');
    await client.query(`UPDATE usage_lease SET renewed_at = now()`);
    await client.query(`UPDATE usage_open SET record = record || '{"output_tokens": 12}'`);

    expect((await recover()).records).toBe(0);
    await client.query('COMMIT');
    client.release();

    expect((await recover()).records).toBe(0);
    expect(await openRows()).toEqual([['r1', { ...record, output_tokens: 12 }]]);
  });

  it('waits for billing when it ends a request that is being taken over, and changes nothing any more', async () => {
    const { id } = await anAccount(test.database);
    const record = broken(id);
    await open('r1', [record]);
    const batch = { id: newId('usageBatch'), records: [finalOf(record)] };
    const client = await test.database.pool.connect();
    await client.query('BEGIN');
    await client.query('DELETE FROM usage_open');

    const saved = outbox().save(batch, [record.id]);
    await eventually(() => expectSomebodyWaiting(test.database));
    await client.query('COMMIT');
    client.release();
    await saved;

    expect(await openRows()).toEqual([]);
    expect(await savedRecords(batch.id)).toEqual(batch.records);
  });
});

describe('final and recovered records of the same requests, racing', () => {
  it('are in the books once each, whichever came first, with books that add up', async () => {
    const own = await openTestDatabase();
    const account = await anAccount(own.database, { quota: 100_000 });
    const replicas = morePools(own.url, 3);
    const requests = some(account.id, 400);
    const groups = Array.from({ length: 40 }, (_unused, index) =>
      requests.slice(index * 10, index * 10 + 10),
    );
    for (const records of groups) {
      await createUsageOutbox(own.database).keepOpen({ replica: 'r1', records });
    }
    await own.database.pool.query(`UPDATE usage_lease SET renewed_at = now() - interval '1 hour'`);

    const finals = groups.map(async (records, index) => {
      const database = inTurn(replicas.databases, index);
      const batch = { id: newId('usageBatch'), records: records.map(finalOf) };
      // Every other one writes its rows once more, as a replica does that does not know it was
      // given up; its lease stays old.
      if (index % 2 === 0) {
        await database.pool.query(
          `INSERT INTO usage_open SELECT record->>'id', 'r1', record FROM jsonb_array_elements($1) AS record ORDER BY 1 ON CONFLICT (id) DO UPDATE SET record = excluded.record`,
          [JSON.stringify(records)],
        );
      }
      await createUsageOutbox(database).save(
        batch,
        records.map(({ id }) => id),
      );
      await createMetering(database).apply(batch.id);
    });
    const recoveries = Array.from({ length: 40 }, async (_unused, index) => {
      const database = inTurn(replicas.databases, index + 1);
      const { batchId, records } = await recover(15, database);
      await createMetering(database).apply(batchId);
      return records;
    });
    await Promise.all(finals);
    const recovered = (await Promise.all(recoveries)).reduce((sum, records) => sum + records, 0);
    await replicas.close();

    const { rows } = await own.database.pool.query<{
      records: number;
      requests: number;
      final: number;
      estimated: number;
    }>(
      `SELECT count(*) AS records, count(DISTINCT id) AS requests, count(*) FILTER (WHERE NOT estimated) AS final, count(*) FILTER (WHERE estimated) AS estimated FROM usage_record`,
    );
    expect(rows).toMatchObject([{ records: 400, requests: 400 }]);
    // Both sides won some: the race was one.
    expect(rows[0]!.final).toBeGreaterThan(0);
    expect(rows[0]!.estimated).toBeGreaterThan(0);
    expect(rows[0]!.estimated).toBeLessThanOrEqual(recovered);
    const { rows: left } = await own.database.pool.query<{ charged: number }>(
      `SELECT coalesce(sum(quota), 0)::bigint AS charged FROM ledger_entry WHERE kind = 'charge'`,
    );
    expect(left[0]!.charged).toBe(rows[0]!.final * 3 + rows[0]!.estimated);
    await expect(violations(own.database, 0)).resolves.toEqual([]);
    await expectExactChain(own.database, account.id);
    await own.close();
  });
});
