import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task, UsageRecord } from '@gateway/contracts';
import { createHolds, createLedger } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { refusedAdjustments } from './refused-adjustments.ts';
import { refusedElsewhere } from './refused-elsewhere.ts';
import { refusedPricedBills } from './refused-prices.ts';
import { refusedResponses } from './refused-responses.ts';
import { storiesOf } from './stories.ts';
import { aUsageRecord } from './usage.ts';

let test: TestDatabase;
let accountId: string;
/** A task in each status, each with a callback and the whole of its history. */
let tasks: Record<'queued' | 'running' | 'succeeded' | 'failed' | 'expired' | 'cancelled', Task>;
beforeAll(async () => {
  test = await openTestDatabase();
  accountId = (await anAccount(test.database)).id;
  const stories = storiesOf(test.database, accountId);
  const overrides = { callbackUrl: 'https://receiver.example/hook' };
  tasks = {
    queued: await stories.queued(overrides),
    running: await stories.running(overrides),
    succeeded: await stories.succeeded(3, overrides),
    failed: await stories.ended('failed', overrides),
    expired: await stories.ended('expired', overrides),
    cancelled: await stories.ended('cancelled', overrides),
  };
  await createHolds(test.database).settle(tasks.succeeded.id);
});
afterAll(() => test.close());

/**
 * Runs one statement, with `$task` for the id of the task in this status, and undoes it; rejects as
 * the database does.
 */
async function attempt(
  sql: string,
  status: keyof typeof tasks,
  mode: 'as usual' | 'past triggers' = 'as usual',
): Promise<void> {
  const client = await test.database.pool.connect();
  try {
    await client.query('BEGIN');
    if (mode === 'past triggers') {
      await client.query(`SET LOCAL session_replication_role = 'replica'`);
    }
    await client.query(
      sql.replaceAll('$task', `'${tasks[status].id}'`).replaceAll('$account', `'${accountId}'`),
    );
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const task = (set: string): string => `UPDATE task SET ${set} WHERE id = $task`;
const hold = (set: string): string => `UPDATE hold SET ${set} WHERE task_id = $task`;
const balance = (set: string): string => `UPDATE balance SET ${set} WHERE account_id = $account`;
const callback = (set: string): string => `UPDATE callback SET ${set} WHERE task_id = $task`;
const entry = (columns: {
  kind: string;
  debit: string;
  credit: string;
  task?: string;
  quota?: number;
}): string =>
  `INSERT INTO ledger_entry (account_id, task_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($account, ${columns.task ?? 'NULL'}, '${columns.kind}', ${columns.quota ?? 1}, '${columns.debit}', '${columns.credit}', 0, 0)`;

const deleted = (change: Readonly<Record<string, unknown>>): string =>
  `INSERT INTO deleted_task SELECT (jsonb_populate_record(NULL::deleted_task, to_jsonb(t) || jsonb_build_object('task_id', id, 'deleted_at', now()) || '${JSON.stringify(change)}')).* FROM task t WHERE id = $task`;

const attempted = (trigger: string): string =>
  `INSERT INTO callback_attempt (id, task_id, attempt, "trigger", started_at, duration_ms, class) VALUES ('attempt_x', $task, 1, '${trigger}', now(), 1, 'success')`;

const asset = (change: Readonly<Record<string, unknown>>): string => {
  const row = {
    id: 'asset_x',
    state: 'ready',
    kind: 'image',
    content_type: 'image/png',
    storage_key: 'assets/x',
    size_bytes: 1,
    reserved_bytes: 0,
    sha256: 'x',
    created_at: '2026-05-04T10:00:00Z',
    ...change,
  };
  return `INSERT INTO asset SELECT (jsonb_populate_record(NULL::asset, '${JSON.stringify(row)}'::jsonb || jsonb_build_object('account_id', $account))).*`;
};

const oneMoreFullAudit = 'INSERT INTO audit_full (singleton, started_at) VALUES (false, now())';

const adjustmentKey = (terms: string): string =>
  `INSERT INTO adjustment_key (account_id, key, quota, note) VALUES ($account, ${terms})`;
const topUpKey = (key: string): string =>
  `INSERT INTO top_up_key (account_id, key, quota) VALUES ($account, '${key}', 1)`;

const refused: readonly (readonly [constraint: string, status: keyof typeof tasks, sql: string])[] =
  [
    ['balance_never_overdrawn', 'queued', balance('held = balance + 1')],
    ['balance_never_overdrawn', 'queued', balance('held = -1')],
    ['balance_never_overdrawn', 'queued', balance('balance = -1, held = -1')],
    ['balance_text_remainder', 'queued', balance('text_remainder_nano = -1')],
    ['balance_text_remainder', 'queued', balance('text_remainder_nano = 1000000000')],
    ['balance_fits_json', 'queued', balance('balance = 9007199254740992')],
    [
      'account_videos_active',
      'queued',
      'UPDATE account_videos SET active = -1 WHERE account_id = $account',
    ],
    ['vendor_line_places', 'running', 'UPDATE vendor_line SET places_taken = -1'],

    ['hold_state', 'queued', hold(`state = 'frozen'`)],
    ['hold_price', 'queued', hold('seconds = 0, quota = 0')],
    ['hold_price', 'queued', hold('second_quota = -10, quota = -50')],
    ['hold_price', 'queued', hold('quota = 51')],
    ['hold_closed_once', 'queued', hold(`state = 'closed', closed_at = now()`)],
    ['hold_closed_once', 'queued', hold(`state = 'closed', charged_quota = 0`)],
    ['hold_closed_once', 'queued', hold('charged_quota = 0')],
    ['hold_closed_once', 'queued', hold('closed_at = now()')],
    ['hold_never_overcharged', 'succeeded', hold('charged_quota = 51')],
    ['hold_never_overcharged', 'succeeded', hold('charged_quota = -1')],

    [
      'ledger_entry_quota',
      'queued',
      entry({ kind: 'top_up', debit: 'operator:issued', credit: 'available', quota: -1 }),
    ],
    [
      'ledger_entry_kind',
      'queued',
      entry({ kind: 'gift', debit: 'operator:issued', credit: 'available' }),
    ],
    [
      'ledger_entry_kind',
      'queued',
      entry({ kind: 'top_up', debit: 'available', credit: 'operator:issued' }),
    ],
    [
      'ledger_entry_kind',
      'queued',
      entry({ kind: 'charge', debit: 'available', credit: 'operator:issued', task: `'video_x'` }),
    ],
    [
      'ledger_entry_kind',
      'queued',
      entry({ kind: 'release', debit: 'available', credit: 'held', task: `'video_x'` }),
    ],
    ...refusedAdjustments,
    ...refusedResponses,
    ['ledger_entry_task', 'queued', entry({ kind: 'hold', debit: 'available', credit: 'held' })],
    [
      'ledger_entry_task',
      'queued',
      entry({ kind: 'top_up', debit: 'operator:issued', credit: 'available', task: `'video_x'` }),
    ],
    [
      'ledger_entry_task',
      'queued',
      entry({ kind: 'charge', debit: 'held', credit: 'operator:revenue' }),
    ],
    [
      'ledger_entry_task',
      'queued',
      entry({ kind: 'charge', debit: 'available', credit: 'operator:revenue', task: `'video_x'` }),
    ],
    [
      'ledger_entry_text_charge',
      'queued',
      entry({ kind: 'charge', debit: 'available', credit: 'operator:revenue' }),
    ],
    [
      'ledger_entry_before_task_id_kind_key',
      'succeeded',
      entry({ kind: 'charge', debit: 'held', credit: 'operator:revenue', task: '$task' }),
    ],
    [
      'ledger_entry_account_id_fkey',
      'queued',
      entry({ kind: 'top_up', debit: 'operator:issued', credit: 'available' }).replace(
        '$account',
        `'acct_missing'`,
      ),
    ],

    [
      'task_status',
      'queued',
      task(
        `status = 'paused', step = 'done', completed_at = now(), billed_seconds = 0, billed_quota = 0`,
      ),
    ],
    ['task_step', 'queued', task(`step = 'poll'`)],
    ['task_step', 'queued', task(`step = 'done'`)],
    ['task_step', 'running', task(`step = 'late'`)],
    ['task_step', 'succeeded', task(`step = 'ingest'`)],
    ['task_price', 'queued', task('reserved_seconds = 0, max_quota = 0')],
    ['task_price', 'queued', task('second_quota = -1, max_quota = -5')],
    ['task_price', 'queued', task('max_quota = 49')],
    ['task_over', 'queued', task('completed_at = now()')],
    ['task_over', 'succeeded', task('completed_at = NULL')],
    ['task_over', 'running', task('billed_seconds = 0, billed_quota = 0')],
    ['task_over', 'succeeded', task('billed_quota = NULL')],
    ['task_over', 'failed', task('billed_seconds = NULL')],
    ['task_succeeded', 'succeeded', task('result = NULL')],
    ['task_succeeded', 'running', task(`result = '{}'`)],
    ['task_succeeded', 'running', task(`failure_code = 'expired'`)],
    ['task_succeeded', 'failed', task('failure_code = NULL')],
    ['task_succeeded', 'succeeded', task(`failure_code = 'expired'`)],
    [
      'task_hold_fkey',
      'queued',
      `INSERT INTO task SELECT (jsonb_populate_record(t, '{"id":"video_without_hold"}')).* FROM task t WHERE id = $task`,
    ],
    ['task_account_id_fkey', 'queued', task(`account_id = 'acct_missing'`)],

    ['task_deleted', 'queued', task('deleted_at = now()')],
    ['task_deleted', 'running', task('deleted_at = now()')],
    ['deleted_task_status', 'failed', deleted({ status: 'running' })],
    ['deleted_task_bill', 'failed', deleted({ billed_quota: 1 })],
    ['deleted_task_bill', 'succeeded', deleted({ billed_quota: -1 })],
    ['deleted_task_bill', 'succeeded', deleted({ billed_seconds: -1 })],
    ['deleted_task_hold_fkey', 'failed', deleted({ task_id: 'video_without_hold' })],
    ['deleted_task_pkey', 'failed', `${deleted({})}; ${deleted({})}`],

    ['task_event_sequence', 'queued', 'UPDATE task_event SET sequence = 0 WHERE task_id = $task'],
    [
      'task_event_status',
      'queued',
      `UPDATE task_event SET status = 'paused' WHERE task_id = $task`,
    ],
    ['task_event_pkey', 'running', 'UPDATE task_event SET sequence = 1 WHERE task_id = $task'],
    ['media_variant', 'succeeded', `UPDATE media SET variant = 'trailer' WHERE task_id = $task`],
    ['media_size', 'succeeded', 'UPDATE media SET size_bytes = 0 WHERE task_id = $task'],
    ['media_size', 'succeeded', `UPDATE media SET sha256 = upper(sha256) WHERE task_id = $task`],
    ['media_size', 'succeeded', `UPDATE media SET sha256 = left(sha256, 63) WHERE task_id = $task`],
    [
      'exposure_task_id_kind_key',
      'queued',
      `INSERT INTO exposure (task_id, kind, provider, detail) VALUES ($task, 'orphan', 'p', ''), ($task, 'orphan', 'p', '')`,
    ],

    ['callback_state', 'queued', callback(`state = 'paused'`)],
    ['callback_stopped', 'queued', callback(`state = 'stopped', due_at = NULL`)],
    ['callback_stopped', 'queued', callback(`stop_reason = 'gone'`)],
    [
      'callback_stopped',
      'queued',
      callback(`state = 'stopped', stop_reason = 'gone', due_at = now()`),
    ],
    ['callback_budget', 'queued', callback('failures = 7')],
    ['callback_budget', 'queued', callback('failures = -1')],
    ['callback_verified', 'queued', callback(`state = 'verified', verified_at = NULL`)],
    ['callback_attempt_trigger', 'queued', attempted('by_chance')],
    ['audit_watermark_once', 'queued', 'INSERT INTO audit_watermark (singleton) VALUES (false)'],
    ['audit_full_once', 'queued', oneMoreFullAudit],
    ['task_media_purged', 'failed', task('media_purged_at = now()')],
    ['media_removed', 'succeeded', 'UPDATE media SET removed_at = now() WHERE task_id = $task'],
    ['asset_state', 'queued', asset({ state: 'lost' })],
    ['asset_kind', 'queued', asset({ kind: 'poem' })],
    ['asset_ready', 'queued', asset({ state: 'ready', sha256: null })],
    ['asset_ready', 'queued', asset({ state: 'ready', size_bytes: 0 })],
    [
      'account_assets_bytes',
      'queued',
      'UPDATE account_assets SET bytes = -1 WHERE account_id = $account',
    ],
    [
      'account_assets_reserved',
      'queued',
      'UPDATE account_assets SET reserved_bytes = -1 WHERE account_id = $account',
    ],
    ['asset_reserved', 'queued', asset({ state: 'ready', reserved_bytes: -1 })],
    [
      'id_cipher_once',
      'queued',
      `INSERT INTO id_cipher SELECT false, key FROM id_cipher WHERE $account <> ''`,
    ],
    [
      'id_cipher_length',
      'queued',
      `INSERT INTO id_cipher SELECT true, '\\x00'::bytea WHERE $account <> ''`,
    ],
    [
      'installation_once',
      'queued',
      `INSERT INTO installation (singleton, id) SELECT false, id FROM installation WHERE $account <> ''`,
    ],
    ['installation_id', 'queued', `UPDATE installation SET id = 'x' WHERE $account <> ''`],
    [
      'installation_sweep_allowed',
      'queued',
      `UPDATE installation SET sweep_allowed_files = 1 WHERE $account <> ''`,
    ],
    [
      'installation_sweep_allowed',
      'queued',
      `UPDATE installation SET sweep_allowed_files = 0, sweep_allowed_until = now() WHERE $account <> ''`,
    ],
    ['top_up_key_length', 'queued', topUpKey('')],
    ['top_up_key_length', 'queued', topUpKey('x'.repeat(256))],
    ['adjustment_key_terms', 'queued', adjustmentKey(`'', 1, 'why'`)],
    ['adjustment_key_terms', 'queued', adjustmentKey(`'k', 0, 'why'`)],
    ['adjustment_key_terms', 'queued', adjustmentKey(`'k', 1, ' '`)],
    [
      'callback_push_state',
      'queued',
      `UPDATE callback_push SET state = 'lost' WHERE task_id = $task`,
    ],
  ];

const usage = (change: Partial<UsageRecord>): string => {
  const record: object = { ...aUsageRecord('acct_x'), batch_id: 'batch_x', ...change };
  return `INSERT INTO usage_record SELECT (jsonb_populate_record(NULL::usage_record, '${JSON.stringify(record)}'::jsonb || jsonb_build_object('account_id', $account))).*`;
};

const lease = (values: string): string =>
  `INSERT INTO text_lease (id, account_id, replica, sequence, held_quota, remainder_nano, state, closed_at) VALUES ('lease_x', $account, 'r', 1, ${values})`;

const lent = (values: string): string =>
  `INSERT INTO ledger_entry (account_id, balance_after, held_after, kind, quota, debit, credit, lease_id) VALUES ($account, 0, 0, ${values})`;

const refusedUsage: typeof refused = [
  ['usage_record_dialect', 'queued', usage({ dialect: 'graphs' as 'chat' })],
  ['usage_record_dialect', 'queued', usage({ upstream_dialect: 'graphs' as 'chat' })],
  ['usage_record_outcome', 'queued', usage({ outcome: 'lost' as 'failed' })],
  ['usage_record_tokens', 'queued', usage({ input_tokens: -1 })],
  ['usage_record_tokens', 'queued', usage({ output_tokens: -1 })],
  ['usage_record_cost', 'queued', usage({ cost_nano: '-1' })],
  ['usage_record_times', 'queued', usage({ duration_ms: -1 })],
  ['usage_record_times', 'queued', usage({ first_byte_ms: -1 })],
  ['usage_record_account_id_fkey', 'queued', usage({}).replace('$account', `'acct_missing'`)],
  [
    'usage_open_record',
    'queued',
    `INSERT INTO usage_open (id, replica, record) VALUES ('usage_x', 'r', '{"id":"usage_y"}')`,
  ],
  [
    'usage_open_record',
    'queued',
    `INSERT INTO usage_open (id, replica, record) VALUES ('usage_x', 'r', '{}')`,
  ],
  ['balance_debt', 'queued', 'UPDATE balance SET debt_quota = -1 WHERE account_id = $account'],
  ['text_lease_state', 'queued', lease(`0, 0, 'lost', NULL`)],
  ['text_lease_state', 'queued', lease(`0, 0, 'closed', NULL`)],
  ['text_lease_quota', 'queued', lease(`0, 1, 'open', NULL`)],
  ['text_lease_quota', 'queued', lease(`2, 1000000000, 'open', NULL`)],
  ['text_lease_closed_holds_nothing', 'queued', lease(`1, 0, 'closed', now()`)],
  ['ledger_entry_task', 'queued', lent(`'lease', 1, 'available', 'held', NULL`)],
  ['ledger_entry_task', 'queued', lent(`'debt', 1, 'available', 'operator:revenue', 'lease_x'`)],
  ['ledger_entry_kind', 'queued', lent(`'lease', 1, 'held', 'available', 'lease_x'`)],
  [
    'usage_uncollected_quota',
    'queued',
    `INSERT INTO usage_uncollected (batch_id, account_id, quota) VALUES ('batch_x', $account, 0)`,
  ],
  [
    'usage_uncollected_account_id_fkey',
    'queued',
    `INSERT INTO usage_uncollected (batch_id, account_id, quota) VALUES ('batch_x', 'acct_missing', 1)`,
  ],
];

const refusedBills: typeof refused = [
  ...refusedPricedBills,
  ['task_bill', 'succeeded', task('billed_seconds = 6, billed_quota = 60')],
  ['task_bill', 'succeeded', task('billed_seconds = -1, billed_quota = -10')],
  ['task_bill', 'succeeded', task('billed_seconds = 3, billed_quota = 31')],
  ['task_unbilled_without_success', 'failed', task('billed_seconds = 1, billed_quota = 10')],
  ['task_unbilled_without_success', 'expired', task('billed_seconds = 1, billed_quota = 10')],
  ['task_unbilled_without_success', 'cancelled', task('billed_seconds = 1, billed_quota = 10')],
];

const allRefused = [...refused, ...refusedUsage, ...refusedElsewhere];
describe('the database', () => {
  it.each(allRefused)(
    'refuses by %s, for a %s task, whatever the code does: %s',
    async (constraint, status, sql) => {
      await expect(attempt(sql, status)).rejects.toMatchObject({ constraint });
    },
  );

  it.each(refusedBills)(
    'refuses by %s, for a %s task, even past the trigger that keeps its bill: %s',
    async (constraint, status, sql) => {
      await expect(attempt(sql, status, 'past triggers')).rejects.toMatchObject({ constraint });
    },
  );

  it('has a test of each of its checks', async () => {
    const { rows } = await test.database.pool.query<{ name: string }>(
      `SELECT conname AS name FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace ORDER BY 1`,
    );

    const tested = new Set(
      [...allRefused, ...refusedResponses, ...refusedBills].map(([name]) => name),
    );
    expect(rows.map((row) => row.name).filter((name) => !tested.has(name))).toEqual([]);
  });

  it.each([
    ['changed', 'UPDATE ledger_entry SET quota = quota + 1 WHERE account_id = $account'],
    ['noted anew', `UPDATE ledger_entry SET note = 'x' WHERE account_id = $account`],
    ['deleted', 'DELETE FROM ledger_entry WHERE account_id = $account'],
  ])('never lets an entry of the ledger be %s', async (_what, sql) => {
    await expect(attempt(sql, 'queued')).rejects.toThrow(
      'rows of ledger_entry_before are never changed',
    );
  });

  it.each(['ledger_entry', 'usage_record', 'usage_uncollected', 'hold', 'balance'])(
    'never lets %s be emptied',
    async (table) => {
      await expect(attempt(`TRUNCATE ${table} CASCADE`, 'queued')).rejects.toThrow(
        'are never changed',
      );
    },
  );

  it.each([
    ['hold', 'task_id = $task'],
    ['balance', 'account_id = $account'],
  ])('never lets a row of %s be removed', async (table, which) => {
    await expect(attempt(`DELETE FROM ${table} WHERE ${which}`, 'queued')).rejects.toThrow(
      `rows of ${table} are never changed`,
    );
  });

  it.each(['queued', 'running', 'failed'] as const)(
    'never lets a %s task be removed before its hold is closed: it would cost nothing',
    async (status) => {
      await expect(attempt('DELETE FROM task WHERE id = $task', status)).rejects.toThrow(
        'has an open hold and cannot be removed',
      );
    },
  );

  it('marks the hold of a settled task that is removed', async () => {
    const gone = await storiesOf(test.database, accountId).succeeded(3);
    await createHolds(test.database).settle(gone.id);

    await test.database.pool.query('DELETE FROM task WHERE id = $1', [gone.id]);

    const { rows } = await test.database.pool.query<{ task_deleted_at: Date | null }>(
      'SELECT task_deleted_at FROM hold WHERE task_id = $1',
      [gone.id],
    );
    expect(rows).toEqual([{ task_deleted_at: expect.any(Date) }]);
    await expect(createLedger(test.database).verify({ graceSeconds: 60 })).resolves.toEqual([]);
  });

  it.each([
    ['changed', 'UPDATE deleted_task SET billed_quota = billed_quota + 1'],
    ['removed', 'DELETE FROM deleted_task'],
    ['emptied', 'TRUNCATE deleted_task'],
  ])('never lets what it keeps of a deleted task be %s', async (_what, sql) => {
    await expect(attempt(`${deleted({})}; ${sql}`, 'succeeded')).rejects.toThrow(
      'rows of deleted_task are never changed',
    );
  });

  const ended = ['succeeded', 'failed', 'expired', 'cancelled'] as const;
  const livingAgain = `status = 'running', step = 'poll', completed_at = NULL, billed_seconds = NULL, billed_quota = NULL, failure_code = NULL, result = NULL`;
  it.each(
    ended.flatMap(
      (status) =>
        [
          [status, 'live again', livingAgain],
          [
            status,
            'end otherwise',
            status === 'failed'
              ? `status = 'expired'`
              : `status = 'failed', step = 'done', result = NULL, failure_code = 'vendor_error', billed_seconds = 0, billed_quota = 0`,
          ],
        ] as const,
    ),
  )('never lets a task that %s %s', async (status, _what, set) => {
    await expect(attempt(task(set), status)).rejects.toThrow(`is ${status}, which never changes`);
  });

  it('never lets the bill of a finished task change', async () => {
    await expect(
      attempt(task('billed_seconds = 4, billed_quota = 40'), 'succeeded'),
    ).rejects.toThrow('which never changes');
  });

  it('lets the watch over an expired task end', async () => {
    await expect(attempt(task(`step = 'done'`), 'expired')).resolves.toBeUndefined();
  });
});
