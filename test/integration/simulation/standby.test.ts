import { describe, expect, it } from '@jest/globals';
import type { UsageRecord } from '@gateway/contracts';
import { createLedger, createMetering, createUsageOutbox, type Database } from '@gateway/store';
import { aQueuedTask } from '@gateway/testing';
import { aUsageRecord } from '../store/usage.ts';
import { beginStandby } from '../../simulation/stores/standby.ts';
import { inWorld } from './scene.ts';

const writtenTables = [
  'account',
  'balance',
  'callback_secret',
  'hold',
  'ledger_entry',
  'task',
  'task_event',
  'task_try',
];

/** Each row of these tables, word for word. */
async function rowsOf({ pool }: Database): Promise<unknown> {
  const rows = writtenTables.map(
    (name) => `SELECT '${name}' AS name, r::text AS row FROM ${name} r`,
  );
  return (await pool.query(`${rows.join(' UNION ALL ')} ORDER BY 1, 2`)).rows;
}

const topUp = (database: Database, note: string): Promise<unknown> =>
  createLedger(database).topUp('acct_simulated', 10, note);

const newestEntry = async ({ pool }: Database): Promise<unknown> =>
  (await pool.query('SELECT id, note FROM ledger_entry ORDER BY id DESC LIMIT 1')).rows[0];

describe('a standby that takes over without the last commits', () => {
  it('has what was committed before, word for word, and nothing of what came after', async () => {
    await inWorld(async ({ shared, database }) => {
      const before = await rowsOf(database);
      const standby = await beginStandby(shared);
      await topUp(database, 'lost');
      const { id } = await aQueuedTask(database, 'acct_simulated');
      expect(await rowsOf(database)).not.toEqual(before);

      const lost = await standby.takeOver();

      shared.isAway = false;
      expect(await rowsOf(database)).toEqual(before);
      expect(lost).toEqual({
        tasks: [id],
        sent: [],
        events: [{ taskId: id, sequence: 1, status: 'queued' }],
        attempts: [],
        deletions: [],
        exposures: [],
        usage: [],
        openUsage: [],
        toppedUp: [{ accountId: 'acct_simulated', quota: 10 }],
      });
    });
  });

  it('says which usage of text is lost, and whether what ran is known', async () => {
    await inWorld(async ({ shared, database }) => {
      const outbox = createUsageOutbox(database);
      const [kept, ran, taken, began] = ['kept', 'ran', 'taken', 'began'].map((id) =>
        aUsageRecord('acct_simulated', { id }),
      ) as [UsageRecord, UsageRecord, UsageRecord, UsageRecord];
      await outbox.save({ id: 'before', records: [kept] });
      await outbox.keepOpen({ replica: 'r', records: [ran] });
      const standby = await beginStandby(shared);
      await createMetering(database).apply('before');
      await outbox.save({ id: 'after', records: [ran] }, [ran.id]);
      await outbox.save({ id: 'applied', records: [taken] });
      await createMetering(database).apply('applied');
      await outbox.keepOpen({ replica: 'r', records: [began] });

      const lost = await standby.takeOver();

      shared.isAway = false;
      expect(lost).toMatchObject({
        usage: [
          { id: 'ran', isOpen: true },
          { id: 'taken', isOpen: false },
        ],
        openUsage: ['began'],
        toppedUp: [],
      });
      expect(await outbox.findOpen(['ran', 'began'])).toEqual(['ran']);
      expect(await createMetering(database).findUnapplied(10)).toEqual(['before']);
    });
  });

  it('gives the numbers again that the lost commits had', async () => {
    await inWorld(async ({ shared, database }) => {
      const standby = await beginStandby(shared);
      await topUp(database, 'lost');
      const lost = await newestEntry(database);
      await standby.takeOver();
      shared.isAway = false;

      await topUp(database, 'kept');

      expect(await newestEntry(database)).toEqual({ ...(lost as object), note: 'kept' });
    });
  });

  it('knows nothing of a transaction that was open, and breaks its connection', async () => {
    await inWorld(async ({ shared, database }) => {
      const before = await rowsOf(database);
      const standby = await beginStandby(shared);
      const client = await database.pool.connect();
      await client.query('BEGIN');
      await client.query(`UPDATE account SET name = 'Changed'`);

      const takenOver = standby.takeOver();
      const onItsWay = database.pool.query(`UPDATE account SET name = 'Changed'`);
      await expect(onItsWay).rejects.toMatchObject({ code: 'ECONNRESET' });
      await takenOver;

      shared.isAway = false;
      await expect(client.query('COMMIT')).rejects.toMatchObject({ code: 'ECONNRESET' });
      client.release();
      expect(await rowsOf(database)).toEqual(before);
    });
  });
});
