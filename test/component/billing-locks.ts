import type { TestDatabase } from '@gateway/testing';

/** Nobody gets at the balance of the account until it is unlocked. */
export async function lockBalance(
  { database: { pool } }: TestDatabase,
  accountId: string,
): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM balance WHERE account_id = $1 FOR UPDATE', [accountId]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}
