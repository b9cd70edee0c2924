import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createDatabase,
  createStoredResponseReads,
  createStoredResponses,
  type NewStoredResponse,
} from '@gateway/store';
import { asService, openTestDatabase, type TestDatabase } from '@gateway/testing';
import {
  itKeepsTheStoredResponsesContract,
  type StoredResponsesUnderTest,
} from '../../contracts/stored-responses-contract.ts';
import { aStoredResponse } from '../../contracts/stored-response.ts';

interface Stored extends StoredResponsesUnderTest {
  readonly test: TestDatabase;
}

async function open(): Promise<Stored> {
  const test = await openTestDatabase();
  // As the api has it: what it may not do, it does not need.
  const asApi = createDatabase({
    url: asService(test.url, 'api'),
    applicationName: 'test',
    poolSize: 5,
    onError: () => undefined,
  });
  return {
    test,
    store: createStoredResponses(asApi),
    reads: createStoredResponseReads(asApi),
    age: (response, hours) => age(test, response, hours),
    bytesOf: (accountId) => bytesOf(test, accountId),
    async close() {
      await asApi.part.stop();
      await test.close();
    },
  };
}

async function age(test: TestDatabase, response: NewStoredResponse, hours: number): Promise<void> {
  for (const [table, column] of [
    ['stored_response', 'id'],
    ['stored_item', 'response_id'],
  ] as const) {
    await test.database.pool.query(
      `UPDATE ${table} SET created_at = now() - make_interval(hours => $3) WHERE account_id = $1 AND ${column} = $2`,
      [response.accountId, response.responseId, hours],
    );
  }
}

async function bytesOf(test: TestDatabase, accountId: string): Promise<number> {
  const { rows } = await test.database.pool.query<{ counted: number; sum: number }>(
    `SELECT coalesce((SELECT bytes FROM account_responses WHERE account_id = $1), 0)::int AS counted,
       coalesce((SELECT sum(size_bytes) FROM stored_response WHERE account_id = $1), 0)::int AS sum`,
    [accountId],
  );
  expect(rows[0]!.counted).toBe(rows[0]!.sum);
  return rows[0]!.counted;
}

itKeepsTheStoredResponsesContract('PostgreSQL', open);

const maxAgeHours = 24;
const anId = () => newId('account');

describe('with several replicas', () => {
  let stored: Stored;
  beforeAll(async () => {
    stored = await open();
  });
  afterAll(() => stored.close());

  it('leaves what has expired to whoever has it locked', async () => {
    const response = aStoredResponse({ accountId: anId() });
    await stored.store.keep([response]);
    await stored.age(response, 30);
    const other = await stored.test.database.pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM stored_response WHERE account_id = $1 FOR UPDATE', [
      response.accountId,
    ]);

    expect(await stored.store.removeOlder(24)).toBe(0);

    await other.query('ROLLBACK');
    other.release();
    expect(await stored.store.removeOlder(24)).toBe(1);
  });

  it('keeps the limit of an account while replicas keep, delete and make room at once', async () => {
    const accountIds = [anId(), anId(), anId()];
    const sizeBytes = aStoredResponse({ accountId: accountIds[0]! }).sizeBytes;
    const replica = async (): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        const batch = accountIds.map((accountId) => aStoredResponse({ accountId }));
        await stored.store.keep(batch);
        await stored.store.trim(accountIds, 5 * sizeBytes);
        await stored.store.remove({ ...batch[round % 3]!, maxAgeHours });
      }
    };

    await Promise.all([replica(), replica(), replica(), replica()]);

    for (const accountId of accountIds) {
      await stored.store.trim([accountId], 5 * sizeBytes);
      const bytes = await stored.bytesOf(accountId);
      expect(bytes).toBeLessThanOrEqual(5 * sizeBytes);
      // Nobody made the same room twice.
      expect(bytes).toBeGreaterThan(0);
    }
  });
});
