import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createAccountReads, createAccounts, createKeyUses } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';

let test: TestDatabase;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  ({ id: accountId } = await anAccount(test.database));
});
afterAll(async () => {
  await test.close();
});

async function aKey(): Promise<string> {
  const id = newId('key');
  await createAccounts(test.database).createKey({
    id,
    accountId,
    name: 'k',
    hash: new Uint8Array(randomBytes(32)),
    prefix: 'sk-gw-abcdef',
    scopes: ['text'],
    models: [],
    expiresAt: null,
  });
  return id;
}

const lastUse = async (keyId: string): Promise<Date | null | undefined> =>
  (await createAccountReads(test.database).findKey(keyId))?.lastUsedAt;
const start = Date.UTC(2026, 10, 22, 12);
const at = (seconds: number): Date => new Date(start + seconds * 1_000);

describe('when a key was used last', () => {
  it('is written at most once a minute for each key', async () => {
    const { save } = createKeyUses(test.database);
    const keyId = await aKey();

    expect(await lastUse(keyId)).toBeNull();
    expect([await save([{ keyId, at: at(0) }]), await lastUse(keyId)]).toEqual([1, at(0)]);
    expect([await save([{ keyId, at: at(59) }]), await lastUse(keyId)]).toEqual([0, at(0)]);
    expect([await save([{ keyId, at: at(60) }]), await lastUse(keyId)]).toEqual([1, at(60)]);
  });

  it('never goes back, and a key that is gone is nobody’s failure', async () => {
    const { save } = createKeyUses(test.database);
    const keyId = await aKey();
    await save([{ keyId, at: at(600) }]);

    expect(
      await save([
        { keyId, at: at(0) },
        { keyId: newId('key'), at: at(0) },
      ]),
    ).toBe(0);
    expect(await lastUse(keyId)).toEqual(at(600));
  });

  it('does not wait for a row that somebody else is writing', async () => {
    const [held, free] = [await aKey(), await aKey()];
    const client = await test.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM api_key WHERE id = $1 FOR UPDATE', [held]);

      expect(
        await createKeyUses(test.database).save([
          { keyId: held, at: at(0) },
          { keyId: free, at: at(0) },
        ]),
      ).toBe(1);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    expect([await lastUse(held), await lastUse(free)]).toEqual([null, at(0)]);
  });
});
