import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createHolds, createLedger, invariantNames, type Database, type Violation } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { expectExactChain, violations } from './books.ts';
import { storiesOf } from './stories.ts';

/** A small business in good order; the tests then corrupt one thing of it. */
interface Business {
  readonly accountId: string;
  readonly running: Task;
  /** Billed 3 of 5 seconds: charged 30, released 20. */
  readonly succeeded: Task;
  readonly failed: Task;
  readonly unsettled: Task;
}

let test: TestDatabase;
let business: Business;
beforeAll(async () => {
  test = await openTestDatabase();
  const { id: accountId } = await anAccount(test.database, { quota: 1_000 });
  const stories = storiesOf(test.database, accountId);
  business = {
    accountId, running: await stories.running({ callbackUrl: 'https://receiver.example/hook' }),
    succeeded: await stories.succeeded(3), failed: await stories.ended('failed'), unsettled: await stories.succeeded(5),
  };
  const holds = createHolds(test.database);
  await holds.settle(business.succeeded.id);
  await holds.settle(business.failed.id);
});
afterAll(() => test.close());

type Statement = readonly [sql: string, ...values: unknown[]];

/** What is found after these changes, past every trigger and foreign key, as no code of ours could make them. Then they are undone. */
async function foundAfter(statements: readonly Statement[], graceSeconds = 60): Promise<Violation[]> {
  const client = await test.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    for (const [sql, ...values] of statements) await client.query(sql, values);
    const inside: Database = { ...test.database, pool: client as unknown as Database['pool'] };
    return await createLedger(inside).verify({ graceSeconds });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

interface Corruption {
  readonly invariant: string;
  readonly what: string;
  changes(): readonly Statement[];
  subject(): string;
  readonly detail: RegExp;
}

const accountAsSubject = (): string => business.accountId;
const insertHold = `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, created_at) VALUES ($1, $2, $3, 1, $3, now() - make_interval(secs => $4))`;
const insertEntry = `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, $2, 'hold', $3, 'available', 'held', 0, 0)`;

const insertUsage = `
  INSERT INTO usage_record (id, account_id, cost_nano, batch_id, key_id, request_id, model, provider, upstream_model, dialect, upstream_dialect, stream, outcome, status,
    input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, started_at, duration_ms)
  VALUES ($1, $2, $3, $4, 'key_x', 'r', 'm', 'p', 'u', 'chat', 'chat', false, 'succeeded', 200, 0, 0, 0, 0, 0, false, now(), 1)`;

const corruptions: readonly Corruption[] = [
  {
    invariant: 'balance_is_sum_of_entries', what: 'one unit that came from nowhere', subject: accountAsSubject, detail: /^balance 971, entries 970$/,
    changes: () => [['UPDATE balance SET balance = balance + 1 WHERE account_id = $1', business.accountId]],
  },
  {
    invariant: 'balance_is_sum_of_entries', what: 'an account that has quota and no entry', subject: () => 'acct_gift', detail: /^balance 5, entries 0$/,
    changes: () => [[`INSERT INTO balance (account_id, balance) VALUES ('acct_gift', 5)`]],
  },
  {
    invariant: 'held_is_sum_of_open_holds', what: 'a hold that the balance does not know', subject: accountAsSubject, detail: /^held 100, open holds 107$/,
    changes: () => [[insertHold, 'video_x', business.accountId, 7, 0]],
  },
  {
    invariant: 'held_is_sum_of_entries', what: 'an entry without a hold', subject: accountAsSubject, detail: /^held 100, entries 107$/,
    changes: () => [[insertEntry, business.accountId, 'video_x', 7]],
  },
  {
    invariant: 'no_account_below_zero', what: 'more held than there is', subject: accountAsSubject, detail: /^balance 970, held 1100$/,
    changes: () => [
      ['ALTER TABLE balance DROP CONSTRAINT balance_never_overdrawn'], [insertHold, 'video_x', business.accountId, 1_000, 0],
      [insertEntry, business.accountId, 'video_x', 1_000], ['UPDATE balance SET held = held + 1000 WHERE account_id = $1', business.accountId]],
  },
  {
    invariant: 'live_task_has_open_hold', what: 'a running task whose hold is gone', subject: () => business.running.id, detail: /^task is running, hold is missing$/,
    changes: () => [
      ['DELETE FROM hold WHERE task_id = $1', business.running.id], ['DELETE FROM ledger_entry WHERE task_id = $1', business.running.id],
      ['UPDATE balance SET held = held - 50 WHERE account_id = $1', business.accountId]],
  },
  {
    invariant: 'terminal_task_has_closed_hold', what: 'a task that ended longer ago than the grace', subject: () => business.unsettled.id, detail: /^task is succeeded since /,
    changes: () => [[`UPDATE task SET completed_at = now() - interval '61 seconds' WHERE id = $1`, business.unsettled.id]],
  },
  {
    invariant: 'charged_as_billed', what: 'a bill that is not what was charged', subject: () => business.succeeded.id, detail: /^billed 40, charged 30$/,
    changes: () => [['UPDATE task SET billed_seconds = 4, billed_quota = 40 WHERE id = $1', business.succeeded.id]],
  },
  {
    invariant: 'closed_hold_has_its_entries', what: 'a release that went to another task', subject: () => business.succeeded.id, detail: /^hold 50 charged 30, entries: (hold 50, charge 30|charge 30, hold 50)$/,
    changes: () => [[`UPDATE ledger_entry SET task_id = 'video_x' WHERE kind = 'release' AND task_id = $1`, business.succeeded.id]],
  },
  {
    invariant: 'closed_hold_has_its_entries', what: 'a charge that is booked higher than the hold says', subject: () => business.succeeded.id, detail: /^hold 50 charged 30, entries: .*charge 31/,
    changes: () => [
      [`UPDATE ledger_entry SET quota = 31 WHERE kind = 'charge' AND task_id = $1`, business.succeeded.id],
      [`UPDATE ledger_entry SET quota = 19 WHERE kind = 'release' AND task_id = $1`, business.succeeded.id],
      ['UPDATE balance SET balance = balance - 1 WHERE account_id = $1', business.accountId]],
  },
  {
    invariant: 'hold_without_task', what: 'a hold that nobody gave back for four times the grace', subject: () => 'video_orphan', detail: /^open since /,
    changes: () => [
      [insertHold, 'video_orphan', business.accountId, 7, 241], [insertEntry, business.accountId, 'video_orphan', 7],
      ['UPDATE balance SET held = held + 7 WHERE account_id = $1', business.accountId]],
  },
  {
    invariant: 'events_are_gapless', what: 'an event that was lost', subject: () => business.running.id, detail: /^1 events, newest 2$/,
    changes: () => [['DELETE FROM task_event WHERE task_id = $1 AND sequence = 1', business.running.id]],
  },
  {
    invariant: 'events_are_gapless', what: 'a gap in the numbers', subject: () => business.running.id, detail: /^2 events, newest 2$/,
    changes: () => [['UPDATE task_event SET sequence = 3 WHERE task_id = $1 AND sequence = 2', business.running.id]],
  },
  {
    invariant: 'events_are_gapless', what: 'a task without any event', subject: () => business.running.id, detail: /^0 events, newest 2$/,
    changes: () => [['DELETE FROM task_event WHERE task_id = $1', business.running.id]],
  },
  {
    invariant: 'text_is_charged_as_it_cost', what: 'text that cost more than was charged', subject: accountAsSubject, detail: /^cost 5000000001, charged 0, uncollected 5, remainder 0$/,
    changes: () => [[insertUsage, newId('usage'), business.accountId, '5000000001', 'batch_x'], [`INSERT INTO usage_uncollected (batch_id, account_id, quota) VALUES ('batch_x', $1, 5)`, business.accountId]],
  },
  {
    invariant: 'text_is_charged_as_it_cost', what: 'a remainder that came from nowhere', subject: accountAsSubject, detail: /^cost 0, charged 0, uncollected 0, remainder 1$/,
    changes: () => [['UPDATE balance SET text_remainder_nano = 1 WHERE account_id = $1', business.accountId]],
  },
  {
    invariant: 'text_usage_has_a_balance', what: 'usage of an account without a balance', subject: () => 'acct_unknown', detail: /^1 records cost 0$/,
    changes: () => [[insertUsage, newId('usage'), 'acct_unknown', '0', 'batch_x']],
  },
  {
    invariant: 'usage_is_taken_from_the_outbox', what: 'a batch that nobody took for longer than the grace', subject: () => 'batch_old', detail: /^waiting since /,
    changes: () => [[`INSERT INTO usage_batch (id, records, created_at) VALUES ('batch_old', '[]', now() - interval '61 seconds'), ('batch_young', '[]', now() - interval '59 seconds')`]],
  },
  {
    invariant: 'succeeded_task_has_its_video', what: 'a success whose file is not known', subject: () => business.succeeded.id, detail: /^no content in media$/,
    changes: () => [[`UPDATE media SET variant = 'last-frame' WHERE task_id = $1`, business.succeeded.id]],
  },
];

describe('verifying the books', () => {
  it('finds nothing wrong with books that are right', async () => {
    await expect(violations(test.database)).resolves.toEqual([]);
    await expectExactChain(test.database, business.accountId);
  });

  it('finds nothing wrong with an empty database', async () => {
    const empty = await openTestDatabase();

    await expect(violations(empty.database, 0)).resolves.toEqual([]);
    await empty.close();
  });

  it.each(corruptions)('names $invariant, and nothing else, for $what', async ({ invariant, changes, subject, detail }) => {
    const found = await foundAfter(changes());

    expect(found).toEqual([{ invariant, subject: subject(), detail: expect.stringMatching(detail) as unknown }]);
  });

  it('has a test of each invariant', () => {
    expect(new Set(corruptions.map(({ invariant }) => invariant))).toEqual(new Set(invariantNames));
  });

  it('names a live task whose hold was closed', async () => {
    const found = await foundAfter([
      [`UPDATE hold SET state = 'closed', charged_quota = 0, closed_at = now() WHERE task_id = $1`, business.running.id],
      [`INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, $2, 'release', 50, 'held', 'available', 0, 0)`, business.accountId, business.running.id],
      ['UPDATE balance SET held = held - 50 WHERE account_id = $1', business.accountId]]);

    expect(found).toContainEqual({ invariant: 'live_task_has_open_hold', subject: business.running.id, detail: 'task is running, hold is closed' });
  });

  it('gives a task that ended the grace to be settled', async () => {
    const ended = (seconds: number): Statement => ['UPDATE task SET completed_at = now() - make_interval(secs => $2) WHERE id = $1', business.unsettled.id, seconds];

    await expect(foundAfter([ended(59)])).resolves.toEqual([]);
    await expect(foundAfter([ended(59)], 58)).resolves.toMatchObject([{ invariant: 'terminal_task_has_closed_hold' }]);
  });

  it('gives a hold four times the grace until its task must be there', async () => {
    const held = (seconds: number): Statement[] => [
      [insertHold, 'video_x', business.accountId, 7, seconds], [insertEntry, business.accountId, 'video_x', 7], ['UPDATE balance SET held = held + 7 WHERE account_id = $1', business.accountId]];

    await expect(foundAfter(held(239))).resolves.toEqual([]);
    await expect(foundAfter(held(239), 59)).resolves.toMatchObject([{ invariant: 'hold_without_task' }]);
  });

  it('names several breaches at once, each with its subject', async () => {
    const found = await foundAfter([['UPDATE balance SET balance = balance + 1'], ['DELETE FROM media'], ['DELETE FROM task_event WHERE sequence = 1']]);

    expect(found.map((violation) => violation.invariant).sort()).toEqual([
      'balance_is_sum_of_entries', ...Array.from({ length: 4 }, () => 'events_are_gapless'), 'succeeded_task_has_its_video', 'succeeded_task_has_its_video',
    ]);
  });
});
