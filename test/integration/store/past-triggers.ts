import type { Database } from '@gateway/store';
import type pg from 'pg';

/** Changes rows that triggers and foreign keys keep, in one transaction. */
export async function inTransactionPastTriggers(
  { pool }: Database,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`BEGIN; SET LOCAL session_replication_role = 'replica'`);
    await work(client);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
