import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewTask } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createDatabase,
  createHolds,
  createTaskCreation,
  createTaskEndings,
  createTaskLists,
  createTaskMoves,
  createTaskReads,
  type Database,
} from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aHoldRequest } from './books.ts';

let test: TestDatabase;
/** One connection. PostgreSQL keeps a plan from a statement's sixth use on; here from the first. */
let database: Database;
let accountId: string;
const crowd = 2_000;

beforeAll(async () => {
  test = await openTestDatabase();
  database = connect();
  accountId = (await anAccount(database)).id;
  for (const work of Object.values(works)) await work();
  await aCrowd();
});
afterAll(async () => {
  await database.part.stop();
  await test.close();
});

function connect(): Database {
  const url = new URL(test.url);
  url.searchParams.set('options', '-c plan_cache_mode=force_generic_plan');
  return createDatabase({
    url: url.href,
    applicationName: 'plans',
    poolSize: 1,
    onError: () => undefined,
  });
}

/**
 * Open holds and waiting tasks of another account at another vendor. Nobody has counted the tables
 * since they were empty.
 */
async function aCrowd(): Promise<void> {
  const { id } = await anAccount(database);
  await database.pool.query(
    `INSERT INTO hold (task_id, account_id, quota, seconds, second_quota) SELECT 'crowd_' || n, $1, 0, 5, 0 FROM generate_series(1, $2::int) n`,
    [id, crowd],
  );
  await database.pool.query(
    `INSERT INTO task (id, account_id, key_id, request_id, model, status, step, request, provider, provider_kind, base_url, credential_id, upstream_model, second_quota, reserved_seconds, max_quota, expires_at, retention_days)
     SELECT 'crowd_' || n, $1, 'k', 'r', 'm', 'queued', 'submit', $3::jsonb, 'crowded', 'ark', 'http://127.0.0.1:9', 'c', 'u', 0, 5, 0, now() + interval '1 hour', 30 FROM generate_series(1, $2::int) n`,
    [id, crowd, JSON.stringify(aNewTask(id).request)],
  );
}

const drafts = (count: number): NewTask[] =>
  Array.from({ length: count }, () =>
    aNewTask(accountId, { vendor: { ...aNewTask(accountId).vendor, provider: 'quiet' } }),
  );

async function held(count: number): Promise<[NewTask, ...NewTask[]]> {
  const made = drafts(count);
  await createHolds(database).take(
    accountId,
    made.map(({ id }) => aHoldRequest(accountId, { taskId: id })),
  );
  return made as [NewTask, ...NewTask[]];
}

async function queued(): Promise<string> {
  const [draft] = await held(1);
  await createTaskCreation(database).insertTask(draft, undefined);
  return draft.id;
}

/**
 * What is done for one task, or for some. Each returns how many rows of holds and tasks it read.
 */
const works: Readonly<Record<string, () => Promise<number>>> = {
  'taking a hold': () =>
    rowsRead(() =>
      createHolds(database).take(accountId, [aHoldRequest(accountId, { taskId: newId('task') })]),
    ),
  'taking several holds': () =>
    rowsRead(() =>
      createHolds(database).take(
        accountId,
        drafts(8).map(({ id }) => aHoldRequest(accountId, { taskId: id })),
      ),
    ),
  'inserting a task': async () => {
    const [draft] = await held(1);
    return rowsRead(() => createTaskCreation(database).insertTask(draft, undefined));
  },
  'inserting several tasks': async () => {
    const made = await held(8);
    return rowsRead(() => createTaskCreation(database).insertTasks(accountId, made));
  },
  'telling a position in the queue': async () => {
    const id = await queued();
    return rowsRead(() => createTaskLists(database).queuePositions([id]));
  },
  'giving a slot at the vendor': async () => {
    await queued();
    return rowsRead(() =>
      createTaskMoves(database).admit('quiet', { maxConcurrent: 1_000_000, most: 1_000 }),
    );
  },
  'reading a task': async () => {
    const id = await queued();
    return rowsRead(() => createTaskReads(database).findForAccount(id, accountId));
  },
  'cancelling and settling a task': async () => {
    const id = await queued();
    return rowsRead(async () => {
      await createTaskEndings(database).cancelUnsubmitted(id, accountId);
      await createHolds(database).settle(id);
    });
  },
};

async function rowsRead(work: () => Promise<unknown>): Promise<number> {
  const before = await rowsReadYet();
  await work();
  return (await rowsReadYet()) - before;
}

async function rowsReadYet(): Promise<number> {
  await database.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await database.pool.query<{ read: number }>(
    `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_user_tables WHERE relname IN ('task', 'hold')`,
  );
  return rows[0]?.read ?? NaN;
}

describe.each(['made while there were none', 'made since'])(
  'beside two thousand other tasks that nobody has counted, with plans %s',
  (when) => {
    beforeAll(async () => {
      if (when !== 'made since') return;
      await database.part.stop();
      database = connect();
    });

    it.each(Object.entries(works))('%s reads none of them', async (_name, work) => {
      await expect(work()).resolves.toBeLessThan(crowd / 10);
    });
  },
);
