import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createRunningAudit,
  createTaskMoves,
  exposureKinds,
  invariantNames,
  type Database,
  type Violation,
} from '@gateway/store';
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
    accountId,
    running: await stories.running({ callbackUrl: 'https://receiver.example/hook' }),
    succeeded: await stories.succeeded(3),
    failed: await stories.ended('failed'),
    unsettled: await stories.succeeded(5),
  };
  const holds = createHolds(test.database);
  await holds.settle(business.succeeded.id);
  await holds.settle(business.failed.id);
  await newsOf(test.database);
});
afterAll(() => test.close());

type Audit = (database: Database, graceSeconds?: number) => Promise<Violation[]>;

const everything: Audit = (database, graceSeconds = 60) =>
  createLedger(database).verify({ graceSeconds });

/** What a replica of billing finds whose turn it is. */
const newsOf: Audit = async (database, graceSeconds = 60) => {
  const audit = createRunningAudit(database);
  const round = await audit.round({ graceSeconds, everyMs: 0, claim: newId('usage') });
  expect(round?.failed).toEqual([]);
  return [...(round?.found ?? [])];
};

type Statement = readonly [sql: string, ...values: unknown[]];

/**
 * What is found after these changes, past every trigger and foreign key, as no code of ours could
 * make them. Then they are undone.
 */
async function foundAfter(
  statements: readonly Statement[],
  graceSeconds = 60,
  audit: Audit = everything,
): Promise<Violation[]> {
  const client = await test.database.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    // However long these tests take, its grace has only begun.
    await client.query('UPDATE task SET completed_at = now() WHERE id = $1', [
      business.unsettled.id,
    ]);
    for (const [sql, ...values] of statements) await client.query(sql, values);
    const inside: Database = { ...test.database, pool: client as unknown as Database['pool'] };
    return await audit(inside, graceSeconds);
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

/**
 * An entry at the end of the account's chain, that leads to the figures it says; the balance is not
 * told.
 */
function entry(
  taskId: string | null,
  kind: string,
  quota: number,
  accounts: readonly [debit: string, credit: string],
): Statement {
  const step = (account: string): number =>
    (accounts[1] === account ? quota : 0) - (accounts[0] === account ? quota : 0);
  return [
    `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after, adjustment_key, note)
     SELECT $1, $2, $3, $4, $5, $6, balance_after + $7, held_after + $8, CASE WHEN $3 = 'adjustment' THEN gen_random_uuid()::text END, 'x' FROM ledger_entry WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
    business.accountId,
    taskId,
    kind,
    quota,
    ...accounts,
    step('available') + step('held'),
    step('held'),
  ];
}
const held = (taskId: string, quota: number): Statement =>
  entry(taskId, 'hold', quota, ['available', 'held']);
const released = (taskId: string | null, quota: number): Statement =>
  entry(taskId, taskId === null ? 'adjustment' : 'release', quota, ['held', 'available']);
/** Seven units given to the account for this task. */
const correction = (taskId: string): Statement => [
  `INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after, adjustment_key, note, corrected_task_id)
   SELECT $1, 'adjustment', 7, 'operator:issued', 'available', balance_after + 7, held_after, 'k', 'x', $2 FROM ledger_entry WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
  business.accountId,
  taskId,
];
/** Balance and held of the account, past what its entries say. */
const books = (balance: number, heldQuota: number): Statement => [
  'UPDATE balance SET balance = balance + $2, held = held + $3 WHERE account_id = $1',
  business.accountId,
  balance,
  heldQuota,
];
/** Changes an entry together with everything that the rest of the chain says. */
const rewrite = (
  taskId: string,
  kind: string,
  { quota, balanceStep, heldStep }: { quota: number; balanceStep: number; heldStep: number },
): Statement => [
  `WITH changed AS (SELECT id FROM ledger_entry WHERE task_id = $1 AND kind = $2)
   UPDATE ledger_entry e SET quota = CASE WHEN e.id = changed.id THEN $3 ELSE quota END, balance_after = balance_after + $4, held_after = held_after + $5
   FROM changed WHERE e.account_id = $6 AND e.id >= changed.id`,
  taskId,
  kind,
  quota,
  balanceStep,
  heldStep,
  business.accountId,
];
const freeLedger: Statement = [
  'ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_kind, DROP CONSTRAINT ledger_entry_task',
];
const freeBills: Statement = [
  'ALTER TABLE task DROP CONSTRAINT task_bill, DROP CONSTRAINT task_unbilled_without_success',
];
/** The unsettled task at a price with these items, and with these items of its bill. */
const withPrice = (items: string, billed: string): readonly Statement[] => [
  freeBills,
  [
    `UPDATE hold SET price = jsonb_build_object('items', $2::jsonb) WHERE task_id = $1`,
    business.unsettled.id,
    items,
  ],
  [
    `UPDATE task SET price = jsonb_build_object('items', $2::jsonb), billed_items = ${billed} WHERE id = $1`,
    business.unsettled.id,
    items,
  ],
];
const insertPush = `INSERT INTO callback_push (task_id, sequence, status, state) VALUES ($1, $2, $3, 'delivered')`;
const insertAttempt = `INSERT INTO callback_attempt (id, task_id, sequence, attempt, started_at, duration_ms, class) VALUES ($1, $2, $3, 1, now() + make_interval(secs => $4), 1, 'success')`;
/** Another try before the task's own, which becomes the second. */
const firstTry = `
  WITH own AS (UPDATE task_try SET number = 2 WHERE task_id = $1 RETURNING *)
  INSERT INTO task_try (task_id, number, provider, credential_id, upstream_model, outcome, ended_at, left_because)
  SELECT task_id, 1, provider, credential_id, $3, $2, now(), $4 FROM own`;

const insertExposure = `INSERT INTO exposure (task_id, kind, provider, detail) VALUES ($1, $2, 'sandbox', 'x')`;

const insertDeleted = `
  INSERT INTO deleted_task (task_id, account_id, key_id, model, status, created_at, completed_at, deleted_at, billed_seconds, billed_quota)
  SELECT id, account_id, key_id, model, status, created_at, completed_at, now(), billed_seconds, $2 FROM task WHERE id = $1`;

const insertUsage = `
  INSERT INTO usage_record (id, account_id, cost_nano, batch_id, key_id, request_id, model, provider, upstream_model, dialect, upstream_dialect, stream, outcome, status,
    input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, started_at, duration_ms)
  VALUES ($1, $2, $3, $4, 'key_x', 'r', 'm', 'p', 'u', 'chat', 'chat', false, 'succeeded', 200, 0, 0, 0, 0, 0, false, now(), 1)`;

const corruptions: readonly Corruption[] = [
  {
    invariant: 'balance_is_sum_of_entries',
    what: 'one unit that came from nowhere',
    subject: accountAsSubject,
    detail: /^balance 971, entries 970$/,
    changes: () => [books(1, 0)],
  },
  {
    invariant: 'balance_is_sum_of_entries',
    what: 'an account that has quota and no entry',
    subject: () => 'acct_gift',
    detail: /^balance 5, entries 0$/,
    changes: () => [[`INSERT INTO balance (account_id, balance) VALUES ('acct_gift', 5)`]],
  },
  {
    invariant: 'held_is_sum_of_open_holds',
    what: 'a hold that the balance does not know',
    subject: accountAsSubject,
    detail: /^held 100, open holds 107, open leases 0$/,
    changes: () => [
      freeLedger,
      [insertHold, 'video_x', business.accountId, 7, 0],
      held('video_x', 7),
      released(null, 7),
    ],
  },
  {
    invariant: 'held_is_sum_of_entries',
    what: 'an entry that the balance does not know',
    subject: accountAsSubject,
    detail: /^held 100, entries 93$/,
    changes: () => [freeLedger, released(null, 7)],
  },
  {
    invariant: 'no_account_below_zero',
    what: 'more held than there is',
    subject: accountAsSubject,
    detail: /^balance 970, held 1100$/,
    changes: () => [
      ['ALTER TABLE balance DROP CONSTRAINT balance_never_overdrawn'],
      [insertHold, 'video_x', business.accountId, 1_000, 0],
      held('video_x', 1_000),
      books(0, 1_000),
    ],
  },
  {
    invariant: 'entries_form_a_chain',
    what: 'an entry that says another balance than it leads to',
    subject: accountAsSubject,
    detail: /^entry \d+ leads to balance 970 and held 100, and says 971 and 100$/,
    changes: () => [
      [
        'UPDATE ledger_entry SET balance_after = balance_after + 1 WHERE id = (SELECT max(id) FROM ledger_entry)',
      ],
    ],
  },
  {
    invariant: 'entries_form_a_chain',
    what: 'an entry that says another held quota than it leads to',
    subject: accountAsSubject,
    detail: /^entry \d+ leads to balance 970 and held 100, and says 970 and 99$/,
    changes: () => [
      [
        'UPDATE ledger_entry SET held_after = held_after - 1 WHERE id = (SELECT max(id) FROM ledger_entry)',
      ],
    ],
  },
  {
    invariant: 'adjustment_corrects_its_own',
    what: 'a correction of a task that nobody has',
    subject: accountAsSubject,
    detail: /^entry \d+ corrects video_nobody, which is unknown$/,
    changes: () => [correction('video_nobody'), books(7, 0)],
  },
  {
    invariant: 'adjustment_corrects_its_own',
    what: 'a correction of the task of another account',
    subject: accountAsSubject,
    detail: /^entry \d+ corrects video_x, which is of acct_other$/,
    changes: () => [
      ['INSERT INTO balance (account_id) VALUES ($1)', 'acct_other'],
      [
        `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, state, charged_quota, closed_at) VALUES ('video_x', 'acct_other', 0, 1, 0, 'closed', 0, now())`,
      ],
      [
        `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES
         ('acct_other', 'video_x', 'hold', 0, 'available', 'held', 0, 0), ('acct_other', 'video_x', 'release', 0, 'held', 'available', 0, 0)`,
      ],
      correction('video_x'),
      books(7, 0),
    ],
  },
  {
    invariant: 'live_task_has_open_hold',
    what: 'a running task whose hold was closed',
    subject: () => business.running.id,
    detail: /^task is running, hold is closed$/,
    changes: () => [
      [
        `UPDATE hold SET state = 'closed', charged_quota = 0, closed_at = now() WHERE task_id = $1`,
        business.running.id,
      ],
      released(business.running.id, 50),
      books(0, -50),
    ],
  },
  {
    invariant: 'terminal_task_has_closed_hold',
    what: 'a task that ended longer ago than the grace',
    subject: () => business.unsettled.id,
    detail: /^task is succeeded since /,
    changes: () => [
      [
        `UPDATE task SET completed_at = now() - interval '61 seconds' WHERE id = $1`,
        business.unsettled.id,
      ],
    ],
  },
  {
    invariant: 'task_costs_what_is_held',
    what: 'a task that shows another price than was held for it',
    subject: () => business.running.id,
    detail: /^task of acct_\w+ costs 5 × 11 = 55, hold of acct_\w+ is 5 × 10 = 50$/,
    changes: () => [
      ['UPDATE task SET second_quota = 11, max_quota = 55 WHERE id = $1', business.running.id],
    ],
  },
  {
    invariant: 'hold_is_the_sum_of_its_items',
    what: 'a hold whose items are other sums',
    subject: () => business.unsettled.id,
    detail: /^hold 50, items \[.*\]$/,
    changes: () =>
      withPrice(
        '[{"kind":"clip","quantity":2,"unit_quota":10,"quota":50}]',
        `'[{"kind":"clip","quantity":1,"unit_quota":50,"quota":50}]'`,
      ),
  },
  {
    invariant: 'bill_is_the_sum_of_its_items',
    what: 'a bill without items of a price that has them',
    subject: () => business.unsettled.id,
    detail: /^billed 50, items none$/,
    changes: () => withPrice('[{"kind":"clip","quantity":1,"unit_quota":50,"quota":50}]', 'NULL'),
  },
  {
    invariant: 'charged_as_billed',
    what: 'a bill that is not what was charged',
    subject: () => business.succeeded.id,
    detail: /^billed 40, charged 30$/,
    changes: () => [
      [
        'UPDATE task SET billed_seconds = 4, billed_quota = 40 WHERE id = $1',
        business.succeeded.id,
      ],
    ],
  },
  {
    invariant: 'only_success_is_charged',
    what: 'a failure that was billed and paid',
    subject: () => business.failed.id,
    detail: /^task is failed, charged 10$/,
    changes: () => [
      freeBills,
      ['UPDATE task SET billed_seconds = 1, billed_quota = 10 WHERE id = $1', business.failed.id],
      ['UPDATE hold SET charged_quota = 10 WHERE task_id = $1', business.failed.id],
      rewrite(business.failed.id, 'release', { quota: 40, balanceStep: 0, heldStep: 10 }),
      entry(business.failed.id, 'charge', 10, ['held', 'operator:revenue']),
      books(-10, 0),
    ],
  },
  {
    invariant: 'deleted_task_charged_as_billed',
    what: 'a deleted task whose bill is not what was charged',
    subject: () => business.succeeded.id,
    detail: /^billed 40, hold is closed, charged 30$/,
    changes: () => [
      [insertDeleted, business.succeeded.id, 40],
      ['UPDATE hold SET task_deleted_at = now() WHERE task_id = $1', business.succeeded.id],
      ['DELETE FROM task WHERE id = $1', business.succeeded.id],
    ],
  },
  {
    invariant: 'deleted_task_charged_as_billed',
    what: 'a deleted task that was never settled',
    subject: () => business.unsettled.id,
    detail: /^billed 50, hold is open, charged $/,
    changes: () => [
      [insertDeleted, business.unsettled.id, 50],
      ['DELETE FROM task WHERE id = $1', business.unsettled.id],
    ],
  },
  {
    invariant: 'charge_is_within_its_hold',
    what: 'a success that was charged above its hold',
    subject: () => business.succeeded.id,
    detail: /^hold 50, charged 60$/,
    changes: () => [
      freeBills,
      freeLedger,
      ['ALTER TABLE hold DROP CONSTRAINT hold_never_overcharged'],
      [
        'UPDATE task SET billed_seconds = 6, billed_quota = 60 WHERE id = $1',
        business.succeeded.id,
      ],
      ['UPDATE hold SET charged_quota = 60 WHERE task_id = $1', business.succeeded.id],
      rewrite(business.succeeded.id, 'charge', { quota: 60, balanceStep: -30, heldStep: -30 }),
      rewrite(business.succeeded.id, 'release', { quota: 0, balanceStep: 0, heldStep: 20 }),
      entry(null, 'adjustment', 10, ['available', 'held']),
      books(-30, 0),
    ],
  },
  {
    invariant: 'charge_has_its_task',
    what: 'a charge for a task that never was',
    subject: () => 'video_x',
    detail: /^charged 7 at /,
    changes: () => [
      [
        `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, state, charged_quota, closed_at) VALUES ('video_x', $1, 7, 1, 7, 'closed', 7, now())`,
        business.accountId,
      ],
      held('video_x', 7),
      entry('video_x', 'charge', 7, ['held', 'operator:revenue']),
      books(-7, 0),
    ],
  },
  {
    invariant: 'open_hold_has_its_entry',
    what: 'a hold that was booked as less',
    subject: () => business.running.id,
    detail: /^hold 50, entries: hold 49$/,
    changes: () => [
      rewrite(business.running.id, 'hold', { quota: 49, balanceStep: 0, heldStep: -1 }),
      freeLedger,
      entry(null, 'adjustment', 1, ['available', 'held']),
    ],
  },
  {
    invariant: 'open_hold_has_its_entry',
    what: 'a hold that was given back and stays open',
    subject: () => business.running.id,
    detail: /^hold 50, entries: hold 50, release 50$/,
    changes: () => [
      released(business.running.id, 50),
      freeLedger,
      entry(null, 'adjustment', 50, ['available', 'held']),
    ],
  },
  {
    invariant: 'closed_hold_has_its_entries',
    what: 'a release that is not the task’s',
    subject: () => business.succeeded.id,
    detail: /^hold 50 charged 30, entries: hold 50, charge 30$/,
    changes: () => [
      freeLedger,
      [
        `UPDATE ledger_entry SET task_id = NULL, kind = 'adjustment', adjustment_key = 'k', note = 'x' WHERE kind = 'release' AND task_id = $1`,
        business.succeeded.id,
      ],
    ],
  },
  {
    invariant: 'closed_hold_has_its_entries',
    what: 'a charge that is booked higher than the hold says',
    subject: () => business.succeeded.id,
    detail: /^hold 50 charged 30, entries: hold 50, charge 31, release 19$/,
    changes: () => [
      rewrite(business.succeeded.id, 'charge', { quota: 31, balanceStep: -1, heldStep: -1 }),
      rewrite(business.succeeded.id, 'release', { quota: 19, balanceStep: 0, heldStep: 1 }),
      books(-1, 0),
    ],
  },
  {
    invariant: 'entry_has_its_hold',
    what: 'a charge without a hold',
    subject: () => 'video_x',
    detail: /^charge 7 of acct_\w+ without a hold$/,
    changes: () => [
      freeLedger,
      entry(null, 'adjustment', 7, ['available', 'held']),
      entry('video_x', 'charge', 7, ['held', 'operator:revenue']),
      books(-7, 0),
    ],
  },
  {
    invariant: 'hold_without_task',
    what: 'a hold that nobody gave back for four times the grace',
    subject: () => 'video_orphan',
    detail: /^open since /,
    changes: () => [
      [insertHold, 'video_orphan', business.accountId, 7, 241],
      held('video_orphan', 7),
      books(0, 7),
    ],
  },
  {
    invariant: 'events_make_legal_moves',
    what: 'a history that begins in the middle',
    subject: () => business.running.id,
    detail: /^event 1 is running after nothing$/,
    changes: () => [
      [`UPDATE task_event SET status = 'running' WHERE task_id = $1`, business.running.id],
      [`DELETE FROM task_event WHERE task_id = $1 AND sequence = 2`, business.running.id],
      [`UPDATE callback_push SET status = 'running' WHERE task_id = $1`, business.running.id],
      [`DELETE FROM callback_push WHERE task_id = $1 AND sequence = 2`, business.running.id],
      ['UPDATE task SET event_sequence = 1 WHERE id = $1', business.running.id],
    ],
  },
  {
    invariant: 'events_make_legal_moves',
    what: 'a terminal status that did not last',
    subject: () => business.failed.id,
    detail: /^event 4 is failed after failed$/,
    changes: () => [
      [
        `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 4, 'failed')`,
        business.failed.id,
      ],
      ['UPDATE task SET event_sequence = 4 WHERE id = $1', business.failed.id],
    ],
  },
  {
    invariant: 'status_is_of_the_last_event',
    what: 'a status that no event tells of',
    subject: () => business.running.id,
    detail: /^task is queued, event 2 is running$/,
    changes: () => [
      [`UPDATE task SET status = 'queued', step = 'submit' WHERE id = $1`, business.running.id],
    ],
  },
  {
    invariant: 'push_is_of_its_event',
    what: 'a push that tells of another status',
    subject: () => business.running.id,
    detail: /^push 2 is failed, its event is running$/,
    changes: () => [
      [
        `UPDATE callback_push SET status = 'failed' WHERE task_id = $1 AND sequence = 2`,
        business.running.id,
      ],
    ],
  },
  {
    invariant: 'push_is_of_its_event',
    what: 'a push that no event made',
    subject: () => business.running.id,
    detail: /^push 3 is succeeded, its event is missing$/,
    changes: () => [[insertPush, business.running.id, 3, 'succeeded']],
  },
  {
    invariant: 'no_push_after_the_terminal_one',
    what: 'a push after the end',
    subject: () => business.failed.id,
    detail: /^push 4 is running, event 3 was failed$/,
    changes: () => [[insertPush, business.failed.id, 4, 'running']],
  },
  {
    invariant: 'no_push_after_the_terminal_one',
    what: 'an older status that was sent again after the end',
    subject: () => business.failed.id,
    detail: /^push 2 was attempted at .*, event 3 had been delivered at /,
    changes: () => [
      [insertPush, business.failed.id, 2, 'running'],
      [insertPush, business.failed.id, 3, 'failed'],
      [insertAttempt, 'attempt_1', business.failed.id, 2, 0],
      [insertAttempt, 'attempt_2', business.failed.id, 3, 1],
      [insertAttempt, 'attempt_3', business.failed.id, 2, 2],
    ],
  },
  {
    invariant: 'late_success_is_of_an_unbilled_task',
    what: 'a late success that was charged as well',
    subject: () => business.succeeded.id,
    detail: /^task is succeeded$/,
    changes: () => [
      [insertExposure, business.succeeded.id, 'late_success'],
      [insertExposure, business.failed.id, 'late_success'],
    ],
  },
  {
    invariant: 'unknown_submission_is_exposure',
    what: 'a lost submission that nobody counted',
    subject: () => business.failed.id,
    detail: /^no exposure was recorded$/,
    changes: () => [
      [
        `UPDATE task SET failure_code = 'submission_unknown', completed_at = now() - interval '61 seconds' WHERE id = $1`,
        business.failed.id,
      ],
    ],
  },
  {
    invariant: 'tries_are_numbered',
    what: 'a try that was lost',
    subject: () => business.running.id,
    detail: /^1 tries, numbered 2 to 2$/,
    changes: () => [[`UPDATE task_try SET number = 2 WHERE task_id = $1`, business.running.id]],
  },
  {
    invariant: 'accepted_task_has_its_try',
    what: 'a try with the work of another task',
    subject: () => business.running.id,
    detail: /^vendor task vendor-1, try 1 has other$/,
    changes: () => [
      [`UPDATE task_try SET vendor_task_id = 'other' WHERE task_id = $1`, business.running.id],
    ],
  },
  {
    invariant: 'unknown_try_is_the_last',
    what: 'a try after one of which nobody knows what came',
    subject: () => business.running.id,
    detail: /^try 1 is unknown, try 2 came after it$/,
    changes: () => [
      [firstTry, business.running.id, 'unknown', 'same', null],
      [`UPDATE task_try SET upstream_model = 'same' WHERE task_id = $1`, business.running.id],
    ],
  },
  {
    invariant: 'left_route_is_not_tried_again',
    what: 'a try on a route that the task had left',
    subject: () => business.running.id,
    detail: /^try 1 left \S+\/same, try 2 is there again$/,
    changes: () => [
      [firstTry, business.running.id, 'not_sent', 'same', 'not_sent'],
      [`UPDATE task_try SET upstream_model = 'same' WHERE task_id = $1`, business.running.id],
    ],
  },
  {
    invariant: 'next_try_has_its_reason',
    what: 'a second route without a reason to leave the first',
    subject: () => business.running.id,
    detail: /^try 1 ended as refused at \S+\/first, try 2 is at /,
    changes: () => [[firstTry, business.running.id, 'refused', 'first', null]],
  },
  {
    invariant: 'finished_task_has_no_open_try',
    what: 'a finished task whose try goes on',
    subject: () => business.succeeded.id,
    detail: /^try 1 is open, task is succeeded$/,
    changes: () => [
      [
        `UPDATE task_try SET outcome = 'accepted', ended_at = NULL WHERE task_id = $1`,
        business.succeeded.id,
      ],
    ],
  },
  {
    invariant: 'events_are_gapless',
    what: 'an event that was lost',
    subject: () => business.running.id,
    detail: /^1 events, newest 2$/,
    changes: () => [
      ['DELETE FROM task_event WHERE task_id = $1 AND sequence = 1', business.running.id],
    ],
  },
  {
    invariant: 'events_are_gapless',
    what: 'a gap in the numbers',
    subject: () => business.running.id,
    detail: /^2 events, newest 2$/,
    changes: () => [
      [
        'UPDATE task_event SET sequence = 3 WHERE task_id = $1 AND sequence = 2',
        business.running.id,
      ],
    ],
  },
  {
    invariant: 'events_are_gapless',
    what: 'a task without any event',
    subject: () => business.running.id,
    detail: /^0 events, newest 2$/,
    changes: () => [['DELETE FROM task_event WHERE task_id = $1', business.running.id]],
  },
  {
    invariant: 'text_is_charged_as_it_cost',
    what: 'text that cost more than was charged',
    subject: accountAsSubject,
    detail: /^cost 5000000001, charged 0, owed or uncollected 5, remainder 0$/,
    changes: () => [
      [insertUsage, newId('usage'), business.accountId, '5000000001', 'batch_x'],
      [
        `INSERT INTO usage_uncollected (batch_id, account_id, quota) VALUES ('batch_x', $1, 5)`,
        business.accountId,
      ],
    ],
  },
  {
    invariant: 'text_is_charged_as_it_cost',
    what: 'a remainder that came from nowhere',
    subject: accountAsSubject,
    detail: /^cost 0, charged 0, owed or uncollected 0, remainder 1$/,
    changes: () => [
      ['UPDATE balance SET text_remainder_nano = 1 WHERE account_id = $1', business.accountId],
    ],
  },
  {
    invariant: 'debt_is_what_is_owed',
    what: 'a debt that came from nowhere',
    subject: accountAsSubject,
    detail: /^debt 3, owed 0, paid 0$/,
    changes: () => [
      ['UPDATE balance SET debt_quota = 3 WHERE account_id = $1', business.accountId],
    ],
  },
  {
    invariant: 'lease_has_its_entries',
    what: 'a lease that two accounts paid into',
    subject: () => 'lease_x',
    detail: /^lease holds 0, entries 0$/,
    changes: () => [
      [`INSERT INTO usage_lease (replica) VALUES ('alive')`],
      [
        `INSERT INTO text_lease (id, account_id, replica, sequence) VALUES ('lease_x', $1, 'alive', 1)`,
        business.accountId,
      ],
      [
        `INSERT INTO ledger_entry (account_id, lease_id, kind, quota, debit, credit, balance_after, held_after)
         SELECT account_id, 'lease_x', 'lease', 0, 'available', 'held', balance, held FROM balance WHERE account_id = $1
         UNION ALL SELECT 'acct_other', 'lease_x', 'lease', 0, 'available', 'held', 0, 0`,
        business.accountId,
      ],
    ],
  },
  {
    invariant: 'lease_has_its_replica',
    what: 'a lease of a replica that is gone for a minute longer than the grace',
    subject: () => 'gone',
    detail: /^1 leases hold 0, last heard of 20/,
    changes: () => [
      [
        `INSERT INTO usage_lease (replica, renewed_at) VALUES ('gone', now() - interval '121 seconds'), ('late', now() - interval '119 seconds')`,
      ],
      [
        `INSERT INTO text_lease (id, account_id, replica, sequence) VALUES ('lease_a', $1, 'gone', 1), ('lease_b', $1, 'late', 1)`,
        business.accountId,
      ],
    ],
  },
  {
    invariant: 'text_usage_has_a_balance',
    what: 'usage of an account without a balance',
    subject: () => 'acct_unknown',
    detail: /^1 records cost 0$/,
    changes: () => [[insertUsage, newId('usage'), 'acct_unknown', '0', 'batch_x']],
  },
  {
    invariant: 'usage_is_taken_from_the_outbox',
    what: 'a batch that nobody took for longer than the grace',
    subject: () => 'batch_old',
    detail: /^waiting since /,
    changes: () => [
      [
        `INSERT INTO usage_batch (id, records, created_at) VALUES ('batch_old', '[]', now() - interval '61 seconds'), ('batch_young', '[]', now() - interval '59 seconds')`,
      ],
    ],
  },
  {
    invariant: 'active_videos_are_counted',
    what: 'an active video more than there are tasks',
    subject: accountAsSubject,
    detail: /^counted (\d+), active \d+$/,
    changes: () => [
      ['UPDATE account_videos SET active = active + 1 WHERE account_id = $1', business.accountId],
    ],
  },
  {
    invariant: 'asset_bytes_are_counted',
    what: 'bytes that no asset holds',
    subject: accountAsSubject,
    detail: /^counted 7 and 0 reserved, stored 0 and 0 reserved$/,
    changes: () => [
      ['UPDATE account_assets SET bytes = bytes + 7 WHERE account_id = $1', business.accountId],
    ],
  },
  {
    invariant: 'asset_bytes_are_counted',
    what: 'bytes that no upload reserves',
    subject: accountAsSubject,
    detail: /^counted 0 and 7 reserved, stored 0 and 0 reserved$/,
    changes: () => [
      [
        'UPDATE account_assets SET reserved_bytes = reserved_bytes + 7 WHERE account_id = $1',
        business.accountId,
      ],
    ],
  },
  {
    invariant: 'live_task_has_its_assets',
    what: 'a live task whose asset is gone',
    subject: () => business.running.id,
    detail: /^asset_gone is gone$/,
    changes: () => [
      [
        `UPDATE task SET request = jsonb_set(request, '{references}', '[{"source": {"type": "asset", "assetId": "asset_gone"}}]') WHERE id = $1`,
        business.running.id,
      ],
    ],
  },
  {
    invariant: 'live_task_has_its_source_videos',
    what: 'a live task whose source video has no file any more',
    subject: () => business.running.id,
    detail: /^content of video_\S+ is gone$/,
    changes: () => [
      [
        `UPDATE task SET request = jsonb_set(request, '{references}', jsonb_build_array(jsonb_build_object('source', jsonb_build_object('type', 'task', 'taskId', $2::text, 'variant', 'content')))) WHERE id = $1`,
        business.running.id,
        business.succeeded.id,
      ],
      // So late that no promise to keep it is broken.
      [`UPDATE task SET media_purged_at = '2100-01-01' WHERE id = $1`, business.succeeded.id],
      [
        `UPDATE media SET purged_at = '2100-01-01', removed_at = now() WHERE task_id = $1`,
        business.succeeded.id,
      ],
    ],
  },
  {
    invariant: 'places_are_counted',
    what: 'a slot that nobody has',
    subject: () => 'nobody',
    detail: /^counted 1, taken 0$/,
    changes: () => [[`INSERT INTO vendor_line (provider, places_taken) VALUES ('nobody', 1)`]],
  },
  {
    invariant: 'open_usage_has_its_replica',
    what: 'running requests of a replica that is gone for a minute longer than the grace',
    subject: () => 'gone',
    detail: /^2 requests left open, last heard of 20/,
    changes: () => [
      [
        `INSERT INTO usage_lease (replica, renewed_at) VALUES ('gone', now() - interval '121 seconds'), ('late', now() - interval '119 seconds')`,
      ],
      [
        `INSERT INTO usage_open (id, replica, record) VALUES ('usage_1', 'gone', '{"id":"usage_1"}'), ('usage_2', 'gone', '{"id":"usage_2"}'), ('usage_3', 'late', '{"id":"usage_3"}')`,
      ],
    ],
  },
  {
    invariant: 'open_usage_has_its_replica',
    what: 'a running request of a replica that nobody knows',
    subject: () => 'unknown',
    detail: /^1 requests left open, last heard of never$/,
    changes: () => [
      [
        `INSERT INTO usage_open (id, replica, record) VALUES ('usage_1', 'unknown', '{"id":"usage_1"}')`,
      ],
    ],
  },
  {
    invariant: 'succeeded_task_has_its_video',
    what: 'a success whose file is not known',
    subject: () => business.succeeded.id,
    detail: /^no content in media$/,
    changes: () => [
      [`UPDATE media SET variant = 'last-frame' WHERE task_id = $1`, business.succeeded.id],
    ],
  },
  {
    invariant: 'shown_poster_has_its_file',
    what: 'a video that shows a poster which nobody stored',
    subject: () => business.succeeded.id,
    detail: /^no poster in media$/,
    changes: () => [
      [
        `UPDATE task SET result = result || '{"hasPoster": true}' WHERE id = $1`,
        business.succeeded.id,
      ],
    ],
  },
  {
    invariant: 'media_are_purged_with_their_task',
    what: 'a task that offers a file which is purged',
    subject: () => business.succeeded.id,
    detail: /^task is purged at no time, its content at 20/,
    changes: () => [
      [`UPDATE media SET purged_at = now() WHERE task_id = $1`, business.succeeded.id],
    ],
  },
  {
    invariant: 'media_are_purged_with_their_task',
    what: 'a task that hides a file which is there',
    subject: () => business.succeeded.id,
    detail: /at no time$/,
    changes: () => [
      [
        `UPDATE task SET completed_at = now() - interval '31 days', media_purged_at = now() WHERE id = $1`,
        business.succeeded.id,
      ],
    ],
  },
  {
    invariant: 'media_are_kept_their_time',
    what: 'media that are purged too early',
    subject: () => business.succeeded.id,
    detail: /^purged at .*, promised for 30 days from /,
    changes: () => [
      [
        `UPDATE task SET completed_at = now() - interval '29 days', media_purged_at = now() WHERE id = $1`,
        business.succeeded.id,
      ],
      [`UPDATE media SET purged_at = now() WHERE task_id = $1`, business.succeeded.id],
    ],
  },
];

const archivedSql = `
  INSERT INTO archived_task (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota)
  VALUES ($1, $2, 'k', 'm', 'succeeded', now(), now(), 3, 30, 50, 30)`;
/** Of what nothing changes any more: for the audit of all rows. */
const corruptionsAtRest: readonly Corruption[] = [
  {
    invariant: 'archived_task_has_its_entries',
    what: 'an archived task that the ledger does not know',
    subject: () => 'video_unknown',
    detail: /^held 50, charged 30, entries: none$/,
    changes: () => [[archivedSql, 'video_unknown', business.accountId]],
  },
  {
    invariant: 'archived_task_is_nowhere_else',
    what: 'a task that is in the archive and where it was',
    subject: () => business.succeeded.id,
    detail: /^also in task$/,
    changes: () => [[archivedSql, business.succeeded.id, business.accountId]],
  },
  {
    invariant: 'closing_is_sum_of_entries',
    what: 'a month that is closed with another sum',
    subject: accountAsSubject,
    detail: /^2020-01 closes with balance 999, held 0 and 1 entries, which lead to 1000, 0 and 1$/,
    changes: () => [
      [
        `INSERT INTO ledger_closing (account_id, month, last_entry_id, entries, balance, held, text_charged, debt_paid)
         SELECT $1, '2020-01-01', min(id), 1, 999, 0, 0, 0 FROM ledger_entry WHERE account_id = $1`,
        business.accountId,
      ],
    ],
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

  describe.each([
    ['all rows', everything],
    ['what is new', newsOf],
  ])('in %s', (_what, audit) => {
    it.each(corruptions)(
      'names $invariant, and nothing else, for $what',
      async ({ invariant, changes, subject, detail }) => {
        const found = await foundAfter(changes(), 60, audit);

        expect(found).toEqual([
          { invariant, subject: subject(), detail: expect.stringMatching(detail) as unknown },
        ]);
      },
    );
  });

  it.each(corruptionsAtRest)(
    'names $invariant, and nothing else, for $what',
    async ({ invariant, changes, subject, detail }) => {
      expect(await foundAfter(changes())).toEqual([
        { invariant, subject: subject(), detail: expect.stringMatching(detail) as unknown },
      ]);
      expect(await foundAfter(changes(), 60, newsOf)).toEqual([]);
    },
  );

  it('has a test of each invariant', () => {
    expect(
      new Set([...corruptions, ...corruptionsAtRest].map(({ invariant }) => invariant)),
    ).toEqual(new Set(invariantNames));
  });

  it('counts the vendor work that nobody is billed for, by kind', async () => {
    const counted = createLedger(test.database).countExposures;
    const none = Object.fromEntries(exposureKinds.map((kind) => [kind, 0]));
    await expect(counted()).resolves.toEqual(none);

    const note = createTaskMoves(test.database).recordExposure;
    for (const taskId of [business.failed.id, business.unsettled.id, business.failed.id]) {
      await note({ taskId, kind: 'orphan', provider: 'sandbox', vendorTaskId: null, detail: 'x' });
    }

    await expect(counted()).resolves.toEqual({ ...none, orphan: 2 });
    await test.database.pool.query('DELETE FROM exposure');
  });

  it('names a live task whose hold is missing, and its entry', async () => {
    const found = await foundAfter([
      ['DELETE FROM hold WHERE task_id = $1', business.running.id],
      freeLedger,
      released(null, 50),
      books(0, -50),
    ]);

    expect(found).toEqual([
      {
        invariant: 'live_task_has_open_hold',
        subject: business.running.id,
        detail: 'task is running, hold is missing',
      },
      {
        invariant: 'entry_has_its_hold',
        subject: business.running.id,
        detail: `hold 50 of ${business.accountId} without a hold`,
      },
    ]);
  });

  it('accepts a charge whose task was removed after it was settled', async () => {
    await expect(
      foundAfter([
        [
          `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota, state, charged_quota, closed_at, task_deleted_at) VALUES ('video_x', $1, 7, 1, 7, 'closed', 7, now(), now())`,
          business.accountId,
        ],
        held('video_x', 7),
        entry('video_x', 'charge', 7, ['held', 'operator:revenue']),
        books(-7, 0),
      ]),
    ).resolves.toEqual([]);
  });

  it('accepts an older status that was delivered again because somebody asked for it', async () => {
    await expect(
      foundAfter([
        [insertPush, business.failed.id, 2, 'running'],
        [insertPush, business.failed.id, 3, 'failed'],
        [insertAttempt, 'attempt_2', business.failed.id, 3, 1],
        [insertAttempt, 'attempt_3', business.failed.id, 2, 2],
        [`UPDATE callback_attempt SET trigger = 'manual' WHERE id = 'attempt_3'`],
      ]),
    ).resolves.toEqual([]);
  });

  it('gives a task that ended the grace to be settled', async () => {
    const ended = (seconds: number): Statement => [
      'UPDATE task SET completed_at = now() - make_interval(secs => $2) WHERE id = $1',
      business.unsettled.id,
      seconds,
    ];

    await expect(foundAfter([ended(59)])).resolves.toEqual([]);
    await expect(foundAfter([ended(59)], 58)).resolves.toMatchObject([
      { invariant: 'terminal_task_has_closed_hold' },
    ]);
  });

  it('gives a hold four times the grace until its task must be there', async () => {
    const heldFor = (seconds: number): Statement[] => [
      [insertHold, 'video_x', business.accountId, 7, seconds],
      held('video_x', 7),
      books(0, 7),
    ];

    await expect(foundAfter(heldFor(239))).resolves.toEqual([]);
    await expect(foundAfter(heldFor(239), 59)).resolves.toMatchObject([
      { invariant: 'hold_without_task' },
    ]);
  });

  it('names several breaches at once, each with its subject', async () => {
    const found = await foundAfter([
      ['UPDATE balance SET balance = balance + 1'],
      ['DELETE FROM media'],
      ['DELETE FROM task_event WHERE sequence = 1'],
    ]);

    expect(found.map((violation) => violation.invariant).sort()).toEqual([
      'balance_is_sum_of_entries',
      ...Array.from({ length: 4 }, () => 'events_are_gapless'),
      'succeeded_task_has_its_video',
      'succeeded_task_has_its_video',
    ]);
  });
});
