import type { NewTask } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createCallbackRecords, createCallbacks, createHolds, type Database } from '@gateway/store';
import { storiesOf } from './stories.ts';

const hook: Partial<NewTask> = { callbackUrl: 'https://receiver.example/hook' };

/** A success that was settled, pushed, and whose files are gone: over since so many days. */
export async function aTaskLongOver(
  database: Database,
  accountId: string,
  { daysAgo = 200, billedSeconds = 3 } = {},
): Promise<string> {
  const { id } = await storiesOf(database, accountId).succeeded(billedSeconds, hook);
  await createHolds(database).settle(id);
  await pushAll(database, id);
  await makeOver(database, id, daysAgo);
  return id;
}

/** Delivers the pushes of a task, as the dispatcher does. */
async function pushAll(database: Database, taskId: string): Promise<void> {
  const callbacks = createCallbacks(database);
  const records = createCallbackRecords(database);
  for (const sequence of [null, 1, 2, 3]) {
    const token = newId('usage');
    await callbacks.claim({ callbackId: taskId, token, forMs: 60_000, newChallenge: 'c' });
    await records.recordAttempt({
      callbackId: taskId,
      token,
      attempt: {
        id: newId('attempt'),
        sequence,
        attempt: 1,
        trigger: 'auto',
        startedAt: new Date(),
        durationMs: 5,
        attemptClass: 'success',
        httpStatus: 200,
        remoteAddress: '203.0.113.7',
        detail: null,
        answerExcerpt: null,
      },
      progress: { kind: 'succeeded' },
    });
    await callbacks.release(taskId, token);
  }
}

const at = `now() - make_interval(days => $2)`;
const purged = `date_trunc('milliseconds', ${at} + interval '31 days')`;
const aged = [
  `UPDATE task SET completed_at = ${at}, created_at = ${at} - interval '1 minute', started_at = ${at} - interval '30 seconds',
     media_purged_at = CASE WHEN status = 'succeeded' THEN ${purged} END, retention_days = 30 WHERE id = $1`,
  `UPDATE task_try SET ended_at = ${at} WHERE task_id = $1`,
  `UPDATE media SET purged_at = ${purged}, removed_at = ${purged} WHERE task_id = $1`,
  `UPDATE hold SET created_at = ${at} - interval '1 minute' WHERE task_id = $1`,
  `UPDATE ledger_entry SET created_at = ${at} + CASE kind WHEN 'hold' THEN -1 ELSE 1 END * interval '1 minute' WHERE task_id = $1`,
];

/**
 * Makes a finished task look as if it was over so many days ago, with its files removed when they were
 * due; past the triggers, which let nobody change the ledger.
 */
export async function makeOver({ pool }: Database, taskId: string, daysAgo: number): Promise<void> {
  const client = await pool.connect();
  try {
    // In one transaction: at one moment.
    await client.query(`BEGIN; SET LOCAL session_replication_role = 'replica'`);
    for (const text of aged) await client.query(text, [taskId, daysAgo]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
