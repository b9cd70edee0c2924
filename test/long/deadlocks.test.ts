import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createDatabase,
  createHolds,
  createTaskCreation,
  createTaskEndings,
  type Database,
} from '@gateway/store';
import {
  aNewTask,
  anAccount,
  eventually,
  openTestDatabase,
  type TestDatabase,
} from '@gateway/testing';

let test: TestDatabase;
let second: Database;
beforeAll(async () => {
  test = await openTestDatabase();
  second = createDatabase({
    url: test.url,
    applicationName: 'second',
    poolSize: 2,
    onError: () => undefined,
  });
});
afterAll(async () => {
  await second.part.stop();
  await test.close();
});

/** Until so many statements of this database wait for a lock. */
const waiting = (count: number): Promise<void> =>
  eventually(async () => {
    const { rowCount } = await test.database.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rowCount).toBe(count);
  });

const deadlocks = async (): Promise<number> =>
  (
    await test.database.pool.query<{ deadlocks: number }>(
      'SELECT pg_stat_get_db_deadlocks(oid) AS deadlocks FROM pg_database WHERE datname = current_database()',
    )
  ).rows[0]!.deadlocks;

describe('two first creations of one task at once, while somebody ends it', () => {
  it('wait for each other in a circle, and all get a result as if they had not', async () => {
    const { pool } = test.database;
    await pool.query(`
      CREATE FUNCTION pause_second() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('application_name') = 'second' THEN PERFORM pg_advisory_xact_lock_shared(4711); END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER "pause_second" BEFORE INSERT ON "task" FOR EACH ROW EXECUTE FUNCTION pause_second()`);
    const { id: accountId } = await anAccount(test.database);
    const draft = aNewTask(accountId);
    const { maxQuota: quota, reservedSeconds: seconds, secondQuota } = draft.price;
    await createHolds(test.database).take(accountId, [
      { task_id: draft.id, account_id: accountId, quota, seconds, second_quota: secondQuota },
    ]);
    const [room, gate] = [await pool.connect(), await pool.connect()];
    await room.query('BEGIN');
    await room.query('SELECT 1 FROM account_videos WHERE account_id = $1 FOR UPDATE', [accountId]);
    await gate.query('SELECT pg_advisory_lock(4711)');

    const created = createTaskCreation(test.database).insertTask(draft, undefined, 5);
    await waiting(1);
    const createdAgain = createTaskCreation(second).insertTask(draft, undefined, 5);
    await waiting(2);
    await room.query('COMMIT');
    expect(await created).toMatchObject({ id: draft.id });
    await waiting(1); // the second one, which has the room now
    const ended = createTaskEndings(test.database).cancelUnsubmitted(draft.id, accountId);
    await waiting(2);
    await gate.query('SELECT pg_advisory_unlock(4711)');

    expect(await createdAgain).toBeUndefined();
    expect(await ended).toMatchObject({ id: draft.id, status: 'cancelled' });
    // What is sent again may meet the other once more.
    await eventually(async () => {
      expect(await deadlocks()).toBeGreaterThan(0);
    });
    expect(await createTaskCreation(test.database).countActive(accountId)).toBe(0);
    room.release();
    gate.release();
  });
});
