import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createAccounts,
  createCallbackSecrets,
  createSessions,
  type Accounts,
  type NewKey,
} from '@gateway/store';
import { openTestDatabase, type TestDatabase } from '@gateway/testing';

let test: TestDatabase;
let accounts: Accounts;
beforeAll(async () => {
  test = await openTestDatabase();
  accounts = createAccounts(test.database);
});
afterAll(() => test.close());

async function anAccountId(callbackSecret = 'whsec_b25l'): Promise<string> {
  const id = newId('account');
  await accounts.create({ id, name: 'Test', callbackSecret });
  return id;
}

const callbackSecrets = async (accountId: string): Promise<string[]> =>
  (await createCallbackSecrets(test.database).valid(accountId)).map(({ secret }) => secret);

const aKey = (accountId: string, overrides: Partial<NewKey> = {}): NewKey => ({
  id: newId('key'),
  accountId,
  name: 'laptop',
  hash: new Uint8Array(createHash('sha256').update(randomBytes(8)).digest()),
  prefix: 'sk-gw-abcd',
  scopes: ['videos:write', 'text'],
  models: [],
  expiresAt: null,
  ...overrides,
});

describe('an account', () => {
  it('exists once it was created', async () => {
    const id = await anAccountId();

    await expect(accounts.exists(id)).resolves.toBe(true);
    await expect(accounts.exists(newId('account'))).resolves.toBe(false);
  });

  it('is not created twice', async () => {
    const id = await anAccountId();

    await expect(
      accounts.create({ id, name: 'Other', callbackSecret: 'whsec_eA==' }),
    ).rejects.toThrow();

    await expect(callbackSecrets(id)).resolves.toEqual(['whsec_b25l']);
  });
});

describe('an API key', () => {
  it('is found by its hash, with what the authenticator needs', async () => {
    const expiresAt = new Date('2030-01-02T03:04:05.678Z');
    const key = aKey(await anAccountId(), { models: ['sandbox-video'], expiresAt });
    await accounts.createKey(key);

    await expect(accounts.findKeyByHash(key.hash)).resolves.toEqual({
      id: key.id,
      accountId: key.accountId,
      scopes: ['videos:write', 'text'],
      models: ['sandbox-video'],
      requestsPerMinute: null,
      expiresAt,
      revokedAt: null,
      suspendedAt: null,
      activeVideosLimit: null,
    });
  });

  it('is the same for a browser that signed in with it', async () => {
    const key = aKey(await anAccountId());
    await accounts.createKey(key);
    await test.database.pool.query(
      'UPDATE account SET active_videos_limit = 3, suspended_at = now() WHERE id = $1',
      [key.accountId],
    );
    const sessions = createSessions(test.database);
    const hash = new Uint8Array(randomBytes(32));
    const { id } = await sessions.open({
      id: newId('session'),
      owner: key.id,
      hash,
      userAgent: null,
    });

    const record = await accounts.findKeyByHash(key.hash);

    expect(record).toMatchObject({ activeVideosLimit: 3, suspendedAt: expect.any(Date) });
    await expect(sessions.findKey(hash)).resolves.toEqual({ ...record, sessionId: id });
  });

  it('is not found by another hash', async () => {
    await expect(accounts.findKeyByHash(aKey('').hash)).resolves.toBeUndefined();
  });

  it('belongs to an account that exists, and has a hash of its own', async () => {
    const key = aKey(await anAccountId());
    await accounts.createKey(key);

    await expect(accounts.createKey(aKey(newId('account')))).rejects.toThrow();
    await expect(accounts.createKey(aKey(key.accountId, { hash: key.hash }))).rejects.toThrow();
  });

  it('keeps the time of its first revocation', async () => {
    const key = aKey(await anAccountId());
    await accounts.createKey(key);

    await expect(accounts.revokeKey(key.id)).resolves.toBe(true);
    const first = await accounts.findKeyByHash(key.hash);
    await test.database.pool.query(
      `UPDATE api_key SET revoked_at = revoked_at - interval '1 hour' WHERE id = $1`,
      [key.id],
    );
    await expect(accounts.revokeKey(key.id)).resolves.toBe(true);
    const second = await accounts.findKeyByHash(key.hash);

    expect(Math.abs(Date.now() - first!.revokedAt!.getTime())).toBeLessThan(60_000);
    expect(first!.revokedAt!.getTime() - second!.revokedAt!.getTime()).toBe(3_600_000);
  });

  it('cannot be revoked when nobody knows it', async () => {
    await expect(accounts.revokeKey(newId('key'))).resolves.toBe(false);
  });
});

describe('callback secrets', () => {
  it('are the newest first, and those that still sign', async () => {
    const id = await anAccountId('whsec_Zmlyc3Q=');
    const add = (secret: string, expires: string | null): Promise<unknown> =>
      test.database.pool.query(
        'INSERT INTO callback_secret (account_id, secret, expires_at) VALUES ($1, $2, now() + $3::interval)',
        [id, secret, expires],
      );
    await add('whsec_b3Zlcg==', '-1 second');
    await add('whsec_b3ZlcmxhcA==', '1 hour');
    await add('whsec_bmV3ZXN0', null);

    await expect(callbackSecrets(id)).resolves.toEqual([
      'whsec_bmV3ZXN0',
      'whsec_b3ZlcmxhcA==',
      'whsec_Zmlyc3Q=',
    ]);
    await expect(callbackSecrets(await anAccountId('whsec_b3RoZXI='))).resolves.toEqual([
      'whsec_b3RoZXI=',
    ]);
  });
});
