import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createAdjustments,
  createCallbackDeliveries,
  createDataKeeping,
  createRunningAudit,
  createMarginReads,
  createTaskEndings,
  createTaskLists,
  createTaskReads,
  createUsageReads,
  type Database,
} from '@gateway/store';
import { anAccount, asService, openTestDatabase, type TestDatabase } from '@gateway/testing';
import pg from 'pg';
import { morePools, violations } from './books.ts';
import { aTaskLongOver, makeOver } from './long-ago.ts';
import { storiesOf } from './stories.ts';

let test: TestDatabase;
let database: Database;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
  ({ database } = test);
});
afterAll(() => test.close());
beforeEach(async () => {
  accountId = (await anAccount(database)).id;
});

const keeping = () => createDataKeeping(database);
const archive = (days = 100, limit = 100) => keeping().archiveTasks({ days, limit });
const hotTables = [
  ['task', 'id'],
  ['hold', 'task_id'],
  ['task_event', 'task_id'],
  ['task_try', 'task_id'],
  ['media', 'task_id'],
  ['callback', 'task_id'],
  ['callback_push', 'task_id'],
  ['callback_attempt', 'task_id'],
] as const;

async function rowsLeft(taskId: string): Promise<Record<string, number>> {
  const counts = await Promise.all(
    hotTables.map(async ([table, column]) => {
      const { rowCount } = await database.pool.query(
        `SELECT 1 FROM ${table} WHERE ${column} = $1`,
        [taskId],
      );
      return [table, rowCount ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Everything that its customer can ask about a task. */
async function shown(taskId: string): Promise<unknown> {
  const day = new Date(Date.now() - 200 * 86_400_000).toISOString().slice(0, 10);
  const deliveries = createCallbackDeliveries(database);
  const page = { taskId, limit: 2 };
  const first = await deliveries.attempts(page);
  const after = first.items.at(-1)?.id;
  const second = await deliveries.attempts({ ...page, after });
  return {
    task: await createTaskReads(database).findOrArchived(taskId, accountId),
    events: await createTaskLists(database).events(taskId),
    media: await createTaskReads(database).findMedia(taskId, 'content'),
    noFrame: await createTaskReads(database).findMedia(taskId, 'last-frame'),
    summary: await deliveries.summary(taskId),
    attempts: [first, second, await deliveries.attempts({ ...page, before: after })].map(
      ({ items, hasMore }) => [
        hasMore,
        items.map((attempt) =>
          Object.entries(attempt)
            .filter(([name]) => name !== 'serial')
            .sort(),
        ),
      ],
    ),
    usage: await createUsageReads(database).byDay({ accountId, from: day, to: day }),
    margin: await createMarginReads(database).ofPeriod({ from: day, to: day }),
  };
}

describe('the archive', () => {
  it('takes a task with all that belongs to it, and its customer sees no difference', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    await database.pool.query(
      `UPDATE task_try SET vendor_cost = 0.35, vendor_currency = 'USD', cost_source = 'calculated' WHERE task_id = $1`,
      [taskId],
    );
    const before = await shown(taskId);
    expect(before).toMatchObject({ margin: { rows: [{ videos: 1, revenueQuota: 30 }] } });
    expect(Object.keys(await rowsLeft(taskId))).toEqual(hotTables.map(([table]) => table));

    expect(await archive()).toBe(1);

    expect(await rowsLeft(taskId)).toEqual({});
    expect(await shown(taskId)).toEqual(before);
    expect(await violations(database)).toEqual([]);
    expect(await archive()).toBe(0);
  });

  it('shows nothing of it to another account', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    await archive();

    const other = (await anAccount(database)).id;
    await expect(createTaskReads(database).findOrArchived(taskId, other)).resolves.toBeUndefined();
    await expect(createTaskEndings(database).markDeleted(taskId, other)).resolves.toBe('missing');
  });

  it('lies in the month in which its tasks were over', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    const { rows: before } = await database.pool.query<{ name: string }>(
      `SELECT to_char(completed_at AT TIME ZONE 'UTC', '"archived_task_y"YYYY"m"MM') AS name FROM task WHERE id = $1`,
      [taskId],
    );
    await archive();

    const { rows } = await database.pool.query(
      'SELECT tableoid::regclass::text AS name FROM archived_task WHERE task_id = $1',
      [taskId],
    );
    expect(rows).toEqual(before);
  });

  it.each([
    ['is not over that long', (id: string) => makeOver(database, id, 99)],
    ['has files', `UPDATE media SET removed_at = NULL WHERE task_id = $1`],
    [
      'owes a push',
      `UPDATE callback_push SET state = 'pending' WHERE task_id = $1 AND sequence = 3`,
    ],
    [
      'is being pushed',
      `UPDATE callback SET claimed_until = now() + interval '1 minute' WHERE task_id = $1`,
    ],
    ['is asked for again', `UPDATE callback SET manual_at = now() WHERE task_id = $1`],
    ['is deleted', `UPDATE task SET deleted_at = now() WHERE id = $1`],
    ['may be watched', `UPDATE task SET step = 'late' WHERE id = $1`],
  ] as const)('leaves a task that %s', async (_what, change) => {
    const taskId = await aTaskLongOver(database, accountId);
    await (typeof change === 'string' ? database.pool.query(change, [taskId]) : change(taskId));

    expect(await archive()).toBe(0);
    expect(await rowsLeft(taskId)).toHaveProperty('hold');
    await database.pool.query('DELETE FROM callback WHERE task_id = $1', [taskId]);
    await makeOver(database, taskId, 1);
  });

  it.each([
    [
      'its hold is open',
      `UPDATE hold SET state = 'open', closed_at = NULL, charged_quota = NULL WHERE task_id = $1`,
    ],
    [
      'it was charged otherwise',
      `UPDATE hold SET charged_quota = charged_quota - 1 WHERE task_id = $1`,
    ],
    ['an entry is missing', `DELETE FROM ledger_entry WHERE task_id = $1 AND kind = 'release'`],
    [
      'an entry says otherwise',
      `UPDATE ledger_entry SET quota = quota + 1 WHERE task_id = $1 AND kind = 'charge'`,
    ],
  ])('leaves a task whose books are wrong for the audit to find: %s', async (_what, change) => {
    const taskId = await aTaskLongOver(database, accountId);
    await pastTriggers(change, taskId);

    expect(await archive()).toBe(0);
    expect(await rowsLeft(taskId)).toHaveProperty('task');
    await makeOver(database, taskId, 1);
  });

  it('takes each task once, whoever takes it, and none while another replica moves some', async () => {
    const taskIds = await Promise.all(
      Array.from({ length: 12 }, () => aTaskLongOver(database, accountId)),
    );
    const { databases, close } = morePools(test.url, 2);
    const moved: number[] = [];
    const work = async (one: Database): Promise<void> => {
      for (let idle = 0; idle < 3;) {
        const count = await createDataKeeping(one).archiveTasks({ days: 100, limit: 2 });
        moved.push(count);
        idle = count === 0 ? idle + 1 : 0;
      }
    };
    await Promise.all(databases.map(work));
    await work(database);
    await close();

    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(12);
    const { rows } = await database.pool.query(
      'SELECT count(*)::int AS count FROM archived_task WHERE task_id = ANY ($1)',
      [taskIds],
    );
    expect(rows).toEqual([{ count: 12 }]);
    expect(await violations(database)).not.toContainEqual(
      expect.objectContaining({ invariant: 'archived_task_has_its_entries', detail: accountId }),
    );
  });

  it('moves a task or leaves it: a session that ends half-way has moved nothing', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`SELECT archive_tasks(now() - interval '100 days', 100)`);
    expect(await archive()).toBe(0);
    await client.end();

    expect(await rowsLeft(taskId)).toHaveProperty('callback_attempt');
    expect(await archive()).toBe(1);
  });

  it('keeps what a task cost when its customer deletes it, and nothing else', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    const { usage } = (await shown(taskId)) as { usage: unknown };
    await archive();

    await expect(createTaskEndings(database).markDeleted(taskId, accountId)).resolves.toBe(
      'marked',
    );

    expect(await shown(taskId)).toMatchObject({
      task: undefined,
      events: [],
      media: undefined,
      summary: undefined,
      usage,
    });
    const { rows } = await database.pool.query(
      'SELECT task, details, charged_quota > 0 AS cost FROM archived_task WHERE task_id = $1',
      [taskId],
    );
    expect(rows).toEqual([{ task: null, details: null, cost: true }]);
    await expect(createTaskEndings(database).markDeleted(taskId, accountId)).resolves.toBe(
      'missing',
    );
    expect(await ofArchive(taskId)).toEqual([]);
  });

  it('lets a task that is there be corrected', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    await archive();
    const adjustment = { accountId, key: 'k', quota: 5, note: 'late', taskId };

    await expect(createAdjustments(database).preview(adjustment)).resolves.toMatchObject({
      outcome: 'adjusted',
    });
    await expect(createAdjustments(database).adjust(adjustment)).resolves.toMatchObject({
      outcome: 'adjusted',
    });
    expect(await ofArchive(taskId)).toEqual([]);
  });

  /** What breaks the books of this task and of its account; of others, tests have broken them. */
  const ofArchive = async (taskId: string) =>
    (await violations(database)).filter(({ subject }) => [taskId, accountId].includes(subject));

  it.each([
    [
      'archived_task_has_its_entries',
      `UPDATE archived_task SET charged_quota = charged_quota - 1, billed_quota = billed_quota - 1 WHERE task_id = $1`,
    ],
    [
      'archived_task_has_its_entries',
      `DELETE FROM ledger_entry WHERE task_id = $1 AND kind = 'charge'`,
    ],
    ['entry_has_its_hold', `DELETE FROM archived_task WHERE task_id = $1`],
    [
      'archived_task_is_nowhere_else',
      `INSERT INTO hold SELECT (jsonb_populate_record(NULL::hold, details -> 'hold' -> 0)).* FROM archived_task WHERE task_id = $1`,
    ],
  ])('is audited: %s', async (invariant, change) => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    const taskId = await aTaskLongOver(own.database, id);
    await createDataKeeping(own.database).archiveTasks({ days: 100, limit: 10 });
    expect(await violations(own.database)).toEqual([]);
    await pastTriggers(change, taskId, own.database);

    expect((await violations(own.database)).map((found) => found.invariant)).toContain(invariant);
    await own.close();
  });
});

async function pastTriggers(sql: string, taskId: string, of: Database = database): Promise<void> {
  const client = await of.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    await client.query(sql, [taskId]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

describe('a month of the archive that is dropped', () => {
  it('leaves its bills in the usage by day, books that are right, and no task', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    const old = await aTaskLongOver(own.database, id, { daysAgo: 400 });
    const older = await aTaskLongOver(own.database, id, { daysAgo: 800, billedSeconds: 5 });
    const kept = await aTaskLongOver(own.database, id, { daysAgo: 120 });
    const data = createDataKeeping(own.database);
    const usage = (): Promise<unknown> =>
      createUsageReads(own.database).byDay({ accountId: id, from: '2020-01-01', to: '2035-01-01' });
    const before = await usage();
    expect(before).toHaveLength(3);
    expect(await data.dropArchive(365)).toBeUndefined();
    await data.archiveTasks({ days: 100, limit: 100 });
    await data.makePartitions(3);
    expect(await usage()).toEqual(before);

    expect([
      await data.dropArchive(365),
      await data.dropArchive(365),
      await data.dropArchive(365),
    ]).toEqual([
      expect.stringMatching(/^archived_task_y/),
      expect.stringMatching(/^archived_task_y/),
      undefined,
    ]);

    expect(await usage()).toEqual(before);
    const reads = createTaskReads(own.database);
    expect(await reads.findOrArchived(old, id)).toBeUndefined();
    expect(await reads.findOrArchived(older, id)).toBeUndefined();
    expect(await reads.findOrArchived(kept, id)).toMatchObject({ id: kept });
    expect(await violations(own.database)).toEqual([]);
    const round = await createRunningAudit(own.database).round({
      graceSeconds: 60,
      everyMs: 60_000,
      claim: 'c',
    });
    expect(round).toEqual({ found: [], failed: [] });
    await own.close();
  });

  it('is not dropped while somebody reads it for longer than a moment, and nothing is counted', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    await aTaskLongOver(own.database, id, { daysAgo: 400 });
    const data = createDataKeeping(own.database);
    await data.archiveTasks({ days: 100, limit: 100 });
    const reader = new pg.Client({ connectionString: own.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM archived_task');

    await expect(data.dropArchive(365)).rejects.toMatchObject({ code: '55P03' });
    const { rows } = await own.database.pool.query('SELECT * FROM usage_day');
    expect(rows).toEqual([]);
    await reader.end();
    expect(await data.dropArchive(365)).toMatch(/^archived_task_y/);
    await own.close();
  });
});

describe('the functions of the archive', () => {
  it.each([
    ['archive_tasks', `SELECT archive_tasks(now() - interval '6 days', 1)`],
    ['drop_archive', `SELECT drop_archive(now() - interval '89 days')`],
    ['roll_up_usage', `SELECT roll_up_usage(now() - interval '30 days')`],
    ['make_partitions', `SELECT make_partitions(25)`],
    ['archive_deleted_tasks', `SELECT archive_deleted_tasks(now() - interval '6 days', 1)`],
    ['roll_up_exposures', `SELECT roll_up_exposures(now() - interval '89 days', 1)`],
    ['sum_up_uncollected', `SELECT sum_up_uncollected(now() - interval '30 days', 1)`],
  ])('%s refuses what is too much', async (_name, sql) => {
    await expect(database.pool.query(sql)).rejects.toMatchObject({ code: '22023' });
  });

  it.each([
    ['api', '42501'],
    ['video-worker', '42501'],
    ['callback-dispatcher', '42501'],
    ['billing', 'allowed'],
    ['admin', 'allowed'],
  ])('are for billing and admin: %s is %s', async (service, expected) => {
    const client = new pg.Client({ connectionString: asService(test.url, service) });
    await client.connect();
    const outcomes = [];
    for (const sql of [
      'SELECT make_partitions(3)',
      `SELECT archive_tasks(now() - interval '5000 days', 1)`,
      `SELECT drop_archive(now() - interval '5000 days')`,
      `SELECT drop_ledger(now() - interval '5000 days')`,
      `SELECT roll_up_usage(now() - interval '5000 days')`,
      `SELECT archive_deleted_tasks(now() - interval '5000 days', 1)`,
      `SELECT roll_up_exposures(now() - interval '5000 days', 1)`,
      `SELECT sum_up_uncollected(now() - interval '5000 days', 1)`,
    ]) {
      outcomes.push(
        await client.query(sql).then(
          () => 'allowed',
          (error: unknown) => (error as { code: string }).code,
        ),
      );
    }
    expect([...new Set(outcomes)]).toEqual([expected]);
    await expect(
      client.query(`SELECT make_partition('archived_task', now())`),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(client.query('DROP TABLE archived_task_default')).rejects.toMatchObject({
      code: '42501',
    });
    await client.end();
  });

  it('cannot be led to other tables', async () => {
    const client = new pg.Client({ connectionString: asService(test.url, 'billing') });
    await client.connect();
    await client.query(`CREATE TEMP TABLE data_partition AS
      SELECT 1::bigint AS id, CASE parent WHEN 'archived_task' THEN 'deleted_task' ELSE parent || '_default' END AS name, parent, '-infinity'::timestamptz AS from_at, '2000-01-01'::timestamptz AS until_at, now() AS created_at, NULL::timestamptz AS dropped_at, 0::bigint AS dropped_rows, NULL::timestamptz AS last_at
      FROM unnest(ARRAY['archived_task', 'usage_record', 'ledger_entry']) parent`);
    await client.query(
      'CREATE TEMP TABLE audit_watermark AS SELECT true AS singleton, \'{"usage_record": 9, "ledger_entry": 9}\'::jsonb AS positions',
    );
    for (const name of ['drop_archive', 'drop_ledger', 'roll_up_usage']) {
      await client.query(`SELECT ${name}(now() - interval '9000 days')`).catch(() => undefined);
    }
    await client.end();

    await expect(
      database.pool.query('SELECT FROM deleted_task, usage_record_default, ledger_entry_default'),
    ).resolves.toBeDefined();
    const kept = await database.pool.query('SELECT FROM data_partition WHERE dropped_at IS NULL');
    expect(kept.rowCount).toBeGreaterThan(5);
  });

  it('keep the archive from those who may write to it', async () => {
    const taskId = await aTaskLongOver(database, accountId);
    await archive();
    await expect(
      database.pool.query('DELETE FROM archived_task WHERE task_id = $1', [taskId]),
    ).rejects.toThrow('never changed');
    await expect(
      database.pool.query(
        `UPDATE archived_task SET deleted_at = now(), task = NULL, details = NULL, model = 'x' WHERE task_id = $1`,
        [taskId],
      ),
    ).rejects.toThrow('never changed');
    await expect(database.pool.query('DELETE FROM usage_day')).resolves.toBeDefined();
  });

  it('make what is missing, once, and say how far they are', async () => {
    const [first, second] = [await keeping().makePartitions(5), await keeping().makePartitions(5)];
    const until = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 6, 1) / 1_000;

    expect([first, second]).toEqual([6, 0]);
    const prepared = { until, hasStrays: false };
    const tables = ['archived_task', 'ledger_entry', 'usage_record'];
    expect(await keeping().partitions()).toEqual(tables.map((table) => ({ table, ...prepared })));
  });

  it('say what every table weighs that grows', async () => {
    const sizes = await keeping().sizes();
    const of = (name: string) => sizes.find(({ table }) => table === name);

    expect(sizes).toHaveLength(20);
    expect(of('task')).toMatchObject({ partitions: 0, rows: expect.any(Number) });
    expect(of('task')?.bytes).toBeGreaterThan(8_192);
    expect(of('usage_record')?.partitions).toBeGreaterThan(3);
  });

  it('never lose a task for want of a partition: it is stray, and goes on being read', async () => {
    const own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    const taskId = await aTaskLongOver(own.database, id, { daysAgo: 500 });
    // Somebody says that this month has a partition, and it has none.
    await own.database.pool.query(
      `INSERT INTO data_partition (name, parent, from_at, until_at) VALUES ('gone', 'archived_task', '2020-01-01', now() - interval '400 days')`,
    );
    const data = createDataKeeping(own.database);

    expect(await data.archiveTasks({ days: 100, limit: 10 })).toBe(1);
    const found = await createTaskReads(own.database).findOrArchived(taskId, id);
    expect(found).toMatchObject({ id: taskId });
    expect(await data.partitions()).toContainEqual(
      expect.objectContaining({ table: 'archived_task', hasStrays: true }),
    );
    await own.close();
  });
});

describe('listing', () => {
  it('is also of what is archived', async () => {
    const live = await storiesOf(database, accountId).running();
    const archivedId = await aTaskLongOver(database, accountId);
    await archive();

    const { items } = await createTaskLists(database).page({ accountId, limit: 10 });
    expect(items.map(({ id }) => id)).toEqual([archivedId, live.id]);
  });
});
