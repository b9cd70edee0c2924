import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAccounts, createDatabase } from '@gateway/store';
import { openTestDatabase, type TestDatabase } from '@gateway/testing';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

const connect = (url: string, poolSize = 1) =>
  createDatabase({ url, applicationName: 'one pool', poolSize, onError: () => undefined });

describe('what goes through Prisma', () => {
  it('uses the connections of the pool, and its statement timeout', async () => {
    const database = connect(test.url);
    const [{ timeout } = { timeout: '' }] = await (
      await database.prisma()
    ).$queryRaw<{ timeout: string }[]>`SELECT current_setting('statement_timeout') AS timeout`;
    await Promise.all(Array.from({ length: 8 }, () => createAccounts(database).exists('x')));
    const { rows } = await test.database.pool.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'one pool'`,
    );

    expect(timeout).toBe('8s');
    expect(rows).toEqual([{ count: 1 }]);
    await database.part.stop();
  });

  it('fails as the statement failed, with what the server says of it', async () => {
    const key = { id: 'k', name: 'k', hash: new Uint8Array(32), prefix: 'k', expiresAt: null };

    await expect(
      createAccounts(test.database).createKey({
        ...key,
        accountId: 'nobody',
        scopes: [],
        models: [],
      }),
    ).rejects.toMatchObject({ code: '23503', constraint: 'api_key_account_id_fkey' });
  });

  it('fails as the connection failed when there is no server', async () => {
    const database = connect('postgresql://nobody:nothing@127.0.0.1:1/none');

    await expect(createAccounts(database).exists('x')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      message: 'connect ECONNREFUSED 127.0.0.1:1',
    });
    await database.part.stop();
  });
});
