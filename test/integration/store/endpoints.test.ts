import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createCallbackDeliveries,
  createCallbackRecords,
  createCallbacks,
  createDataKeeping,
  createEndpoints,
  createHolds,
  createTaskEndings,
  endpointPushes,
  type Database,
} from '@gateway/store';
import {
  anAccount,
  aQueuedTask,
  asService,
  openTestDatabase,
  type TestDatabase,
} from '@gateway/testing';
import pg from 'pg';
import { aTaskLongOver } from './long-ago.ts';
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

const url = 'https://receiver.example/endpoint';
async function anEndpoint(path = '', isVerified = true): Promise<string> {
  const endpoints = createEndpoints(database);
  const id = newId('endpoint');
  const draft = { id, accountId, url: `${url}${path}`, description: null, events: [] };
  await endpoints.create(draft, 100);
  if (isVerified) await endpoints.noteChallenge(id, { attemptClass: 'success', detail: null });
  return id;
}

const callbacks = () => createCallbacks(database, endpointPushes);
const owed = async (taskId: string) =>
  (
    await database.pool.query(
      `SELECT c.endpoint_id, p.sequence, p.status, p.state FROM endpoint_callback c JOIN endpoint_push p USING (callback_id) WHERE c.task_id = $1 ORDER BY 1, 2`,
      [taskId],
    )
  ).rows;

/** Delivers all that is owed to one endpoint of a task, as the dispatcher does. */
async function deliver(callbackId: string, sequences: readonly number[]): Promise<void> {
  for (const sequence of sequences) {
    const token = newId('usage');
    await callbacks().claim({ callbackId, token, forMs: 60_000, newChallenge: 'c' });
    await createCallbackRecords(database, endpointPushes).recordAttempt({
      callbackId,
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
    await callbacks().release(callbackId, token);
  }
}

describe('an event', () => {
  it('is owed to each active endpoint of the account, whoever writes it', async () => {
    const first = await anEndpoint('/1');
    const second = await anEndpoint('/2');
    await anEndpoint('/3', false);
    const { id } = await aQueuedTask(database, accountId, { callbackUrl: null });
    // A service of the version before, which knows nothing of endpoints and may not write there.
    const worker = new pg.Client(asService(test.url, 'video-worker'));
    await worker.connect();
    await worker.query(
      `INSERT INTO task_event (task_id, sequence, status, at) VALUES ($1, 2, 'running', now())`,
      [id],
    );
    await worker.end();

    expect(await owed(id)).toEqual(
      [first, second].flatMap((endpoint_id) => [
        { endpoint_id, sequence: 1, status: 'queued', state: 'pending' },
        { endpoint_id, sequence: 2, status: 'running', state: 'pending' },
      ]),
    );
    const due = await callbacks().findDue({ after: '', accounts: 100, perAccount: 9, graceMs: 0 });
    expect(due.find((each) => each.accountId === accountId)?.callbackIds.toSorted()).toEqual([
      `${id}.${first}`,
      `${id}.${second}`,
    ]);
  });

  it('costs an account without endpoints a few blocks, however many others have', async () => {
    const { pool } = database;
    const client = await pool.connect();
    await client.query(`SET session_replication_role = replica`); // without accounts
    await client.query(
      `INSERT INTO endpoint (id, account_id, url, verified_at) SELECT 'endpoint_' || g, 'acct_' || g, 'https://receiver.example/', now() FROM generate_series(1, 20000) g`,
    );
    await client.query('RESET session_replication_role');
    await client.query('ANALYZE endpoint');
    client.release();
    const { id } = await aQueuedTask(database, accountId, { callbackUrl: null });

    const { rows } = await pool.query<{ source: string }>(
      `SELECT prosrc AS source FROM pg_proc WHERE proname = 'owe_endpoints'`,
    );
    const guard = /NOT EXISTS \((.*)\) THEN/s.exec(rows[0]!.source)![1]!;
    const explained = await pool.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) WITH written AS MATERIALIZED (SELECT $1::text AS task_id) SELECT EXISTS (${guard})`,
      [id],
    );
    const { Plan } = explained.rows[0]!['QUERY PLAN'][0];
    expect(Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!).toBeLessThan(12);
    await pool.query(`DELETE FROM endpoint WHERE url = 'https://receiver.example/'`);
  });
});

describe('the endpoints of an account', () => {
  it('are as many as it may have, exactly, whoever adds them at the same time', async () => {
    const { create, page } = createEndpoints(database);
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create(
          {
            id: newId('endpoint'),
            accountId,
            url: `${url}/${index}`,
            description: null,
            events: ['failed'],
          },
          3,
        ),
      ),
    );

    expect(made.filter((each) => each === 'full')).toHaveLength(9);
    expect((await page({ accountId, limit: 20 })).items).toHaveLength(3);
    expect(await page({ accountId, limit: 2 })).toMatchObject({ hasMore: true });
  });

  it('are verified once: what a later challenge comes to changes nothing', async () => {
    const id = await anEndpoint();
    const { find, noteChallenge } = createEndpoints(database);

    const late = await noteChallenge(id, { attemptClass: 'mismatch', detail: 'no' });

    expect(late).toBeUndefined();
    expect(await find(id, accountId)).toMatchObject({
      verifiedAt: expect.any(Date),
      failure: null,
    });
  });
});

describe('what is owed to an endpoint', () => {
  it('is gone with its task', async () => {
    await anEndpoint();
    const task = await storiesOf(database, accountId).succeeded(3);
    await createHolds(database).settle(task.id);
    expect(await owed(task.id)).toHaveLength(3);

    await createTaskEndings(database).markDeleted(task.id, accountId);

    expect(await owed(task.id)).toEqual([]);
  });

  it('is dropped by whoever claims it once the endpoint is removed', async () => {
    const endpointId = await anEndpoint();
    const { id } = await aQueuedTask(database, accountId, { callbackUrl: null });
    const callbackId = `${id}.${endpointId}`;
    await createEndpoints(database).remove(endpointId, accountId);

    const claimed = await callbacks().claim({
      callbackId,
      token: 'mine',
      forMs: 60_000,
      newChallenge: 'c',
    });
    expect(claimed).toMatchObject({ kind: 'claimed', snapshot: { url: null } });
    await callbacks().abandon(callbackId, 'mine');

    expect(await owed(id)).toMatchObject([{ state: 'stopped' }]);
    expect(await callbacks().dueAmong([callbackId])).toEqual([]);
  });
});

describe('the archive', () => {
  const archive = () => createDataKeeping(database).archiveTasks({ days: 100, limit: 100 });

  it('leaves a task that owes an endpoint something, then takes it with its log', async () => {
    const endpointId = await anEndpoint();
    const taskId = await aTaskLongOver(database, accountId);
    const callbackId = `${taskId}.${endpointId}`;
    const shown = async () => {
      const { summary, endpointSummaries, attempts } = createCallbackDeliveries(database);
      return {
        summary: await summary(taskId),
        endpoints: await endpointSummaries(taskId),
        attempts: await attempts({ taskId, limit: 20 }),
      };
    };

    expect(await archive()).toBe(0);
    await deliver(callbackId, [1, 2, 3]);
    const before = await shown();
    expect(before.endpoints).toMatchObject([{ endpointId, deliveredSequence: 3 }]);
    expect(before.attempts.items.filter((each) => each.endpointId === endpointId)).toHaveLength(3);
    await createCallbackDeliveries(database).redeliver(callbackId);
    expect(await archive()).toBe(0);
    await deliver(callbackId, [3]);
    const after = await shown();

    expect(await archive()).toBe(1);

    expect(await owed(taskId)).toEqual([]);
    expect(await shown()).toEqual(after);
  });
});

describe('thirty thousand put-off pushes to endpoints', () => {
  it('hide nobody, and cost no more to pass over than a thousand', async () => {
    const { pool } = database;
    const fill = async (name: string, count: number): Promise<void> => {
      const client = await pool.connect();
      await client.query(`SET session_replication_role = replica; SET statement_timeout = 0`); // without tasks
      await client.query(
        `INSERT INTO endpoint_callback (callback_id, task_id, endpoint_id, account_id, due_at, newest_sequence, settled_sequence)
         SELECT $1 || '_' || g, $1 || '_' || g, 'e', $1, now() + interval '1 hour', 1, 0 FROM generate_series(1, $2::int) g`,
        [name, count],
      );
      await client.query('VACUUM (ANALYZE) endpoint_callback');
      client.release(true);
    };
    const blocksRead = async (): Promise<number> => {
      const asked: { text: string; values: unknown[] }[] = [];
      const spy: Pick<typeof pool, 'query'> = {
        query: ((query: { text: string; values: unknown[] }) => {
          asked.push(query);
          return pool.query(query);
        }) as typeof pool.query,
      };
      const spied = { ...database, pool: spy as typeof pool };
      const page = { after: '', accounts: 1_000, perAccount: 100, graceMs: 0 };
      await createCallbacks(spied, endpointPushes).findDue(page);
      const [{ text, values }] = asked as [(typeof asked)[0]];
      const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        values,
      );
      const { Plan } = rows[0]!['QUERY PLAN'][0];
      return Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!;
    };

    await fill('acct_0', 1_000);
    const few = await blocksRead();
    await fill('acct_00', 30_000);

    expect(await blocksRead()).toBeLessThan(few + 50); // an index that is a level or two higher
  });
});
