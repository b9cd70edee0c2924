import { createHash, randomBytes } from 'node:crypto';
import { expect, it, describe } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createAccountReads, createAccounts } from '@gateway/store';
import { anAccount, openTestDatabase, recordingLog } from '@gateway/testing';
import { buildAuthentication } from '../../../services/api/src/wiring/authentication.ts';

describe('a key that opened a request', () => {
  it('shows when it was used last; one that opened nothing does not', async () => {
    const test = await openTestDatabase();
    const accounts = createAccounts(test.database);
    const { id: accountId } = await anAccount(test.database);
    const aKey = async (expiresAt: Date | null): Promise<{ id: string; apiKey: string }> => {
      const made = { id: newId('key'), apiKey: `sk-gw-${randomBytes(24).toString('base64url')}` };
      await accounts.createKey({
        id: made.id,
        accountId,
        name: 'k',
        hash: new Uint8Array(createHash('sha256').update(made.apiKey).digest()),
        prefix: 'sk-gw-abcdef',
        scopes: ['text'],
        models: [],
        expiresAt,
      });
      return made;
    };
    const [good, expired] = [await aKey(null), await aKey(new Date(0))];
    const { authenticate, parts } = buildAuthentication(
      { UNKNOWN_KEYS_PER_MINUTE: 300 },
      {
        database: test.database,
        clock: {
          now: Date.now,
          date: () => new Date(),
          offsetMs: () => 0,
          isRight: () => true,
          check: () => Promise.resolve(),
          part: { name: 'clock', stop: () => Promise.resolve() },
        },
        log: recordingLog(),
      },
    );
    const before = Date.now();

    await authenticate(good.apiKey, '127.0.0.1');
    await expect(authenticate(expired.apiKey, '127.0.0.1')).rejects.toMatchObject({
      code: 'expired_api_key',
    });
    for (const part of parts) await part.stop();

    const lastUse = async (keyId: string): Promise<number | undefined> =>
      (await createAccountReads(test.database).findKey(keyId))?.lastUsedAt?.getTime();
    expect(await lastUse(good.id)).toBeGreaterThanOrEqual(before);
    expect(await lastUse(expired.id)).toBeUndefined();
    await test.close();
  });
});
