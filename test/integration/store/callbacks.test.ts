import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createCallbackDeliveries,
  createCallbackRecords,
  createCallbacks,
  createTaskMoves,
  type CallbackAttempt,
  type CallbackClaim,
  type CallbackProgress,
  type CallbackRecords,
  type Callbacks,
  type Recorded,
} from '@gateway/store';
import {
  anAccount,
  aQueuedTask,
  eventually,
  openTestDatabase,
  type TestDatabase,
} from '@gateway/testing';

let test: TestDatabase;
let callbacks: Callbacks & CallbackRecords;
let accountId: string;

beforeAll(async () => {
  test = await openTestDatabase();
  callbacks = { ...createCallbacks(test.database), ...createCallbackRecords(test.database) };
  accountId = (await anAccount(test.database)).id;
});
afterAll(() => test.close());

/**
 * A task with a callback and as many pending pushes as statuses it took: queued, running, failed.
 */
async function aTask(statuses: 1 | 2 | 3 = 1): Promise<Task> {
  const moves = createTaskMoves(test.database);
  const queued = await aQueuedTask(test.database, accountId, {
    callbackUrl: 'https://receiver.example/',
  });
  if (statuses === 1) return queued;
  const running = await moves.move(queued, 'accepted', { changes: { step: 'poll' } });
  if (statuses === 2) return running!;
  return (await moves.move(running!, 'failed', {
    changes: {
      step: 'done',
      failure: { code: 'vendor_error', message: 'no' },
      billed: { seconds: 0, quota: 0 },
    },
  }))!;
}

const claim = (taskId: string, token = 'mine', forMs = 30_000): Promise<CallbackClaim> =>
  callbacks.claim({ callbackId: taskId, token, forMs, newChallenge: `challenge of ${token}` });
const anAttempt = (overrides: Partial<CallbackAttempt> = {}): CallbackAttempt => ({
  id: newId('attempt'),
  sequence: null,
  attempt: 1,
  trigger: 'auto',
  startedAt: new Date('2026-05-04T10:00:00Z'),
  durationMs: 12,
  attemptClass: 'success',
  httpStatus: 200,
  remoteAddress: '192.0.2.7',
  detail: null,
  answerExcerpt: '{}',
  ...overrides,
});
const record = (
  taskId: string,
  progress: CallbackProgress,
  { token = 'mine', ...attempt }: Partial<CallbackAttempt> & { readonly token?: string } = {},
): Promise<Recorded> =>
  callbacks.recordAttempt({ callbackId: taskId, token, progress, attempt: anAttempt(attempt) });

type Row = Record<string, unknown>;
const one = async (sql: string, taskId: string): Promise<Row> =>
  (await test.database.pool.query<Row>(sql, [taskId])).rows[0]!;
const callbackOf = (taskId: string): Promise<Row> =>
  one('SELECT * FROM callback WHERE task_id = $1', taskId);
const attemptsOf = async (taskId: string): Promise<Row[]> =>
  (
    await test.database.pool.query<Row>(
      'SELECT * FROM callback_attempt WHERE task_id = $1 ORDER BY id',
      [taskId],
    )
  ).rows;
const statesOf = async (taskId: string): Promise<string[]> =>
  (
    await test.database.pool.query<{ state: string }>(
      'SELECT state FROM callback_push WHERE task_id = $1 ORDER BY sequence',
      [taskId],
    )
  ).rows.map((row) => row.state);
const expire = (taskId: string) =>
  test.database.pool.query(
    `UPDATE callback SET claimed_until = now() - interval '1 second' WHERE task_id = $1`,
    [taskId],
  );
const putOff = (taskId: string, seconds: number) =>
  test.database.pool.query(
    `UPDATE callback SET due_at = now() + make_interval(secs => $2) WHERE task_id = $1`,
    [taskId, seconds],
  );
const everyDue = async (graceMs = 0): Promise<string[]> =>
  (await callbacks.findDue({ after: '', accounts: 1_000, perAccount: 10_000, graceMs })).flatMap(
    ({ callbackIds }) => callbackIds,
  );

/** Of a task that is running. */
const bothPending = [
  { sequence: 1, status: 'queued', attempts: 0 },
  { sequence: 2, status: 'running', attempts: 0 },
];

describe('claiming a callback', () => {
  it('shows what there is to do, with a challenge that stays', async () => {
    const { id } = await aTask(2);

    const first = await claim(id);
    await callbacks.release(id, 'mine');
    const second = await claim(id, 'another');

    expect(first).toEqual({
      kind: 'claimed',
      callback: {
        state: 'unverified',
        failures: 0,
        challenge: 'challenge of mine',
        dueInMs: expect.any(Number),
        manual: false,
        heldBackMs: 0,
      },
      snapshot: {
        task: expect.objectContaining({ id }),
        pending: bothPending,
        secrets: [expect.stringMatching(/^whsec_/)],
        url: 'https://receiver.example/',
        endpointId: null,
      },
    });
    expect(second).toMatchObject({
      callback: { challenge: 'challenge of mine' },
      snapshot: { pending: bothPending },
    });
  });

  it('is refused while somebody else holds it, and says for how long', async () => {
    const { id } = await aTask();
    await claim(id, 'mine', 20_000);

    const refused = await claim(id, 'another');

    expect(refused.kind === 'busy' && refused.freeInMs).toBeGreaterThan(15_000);
    expect(refused.kind === 'busy' && refused.freeInMs).toBeLessThanOrEqual(20_000);
  });

  it('is prolonged with the same token', async () => {
    const { id } = await aTask();
    await claim(id, 'mine', 1_000);

    await expect(claim(id, 'mine', 60_000)).resolves.toMatchObject({ kind: 'claimed' });

    const refused = await claim(id, 'another');
    expect(refused.kind === 'busy' && refused.freeInMs).toBeGreaterThan(50_000);
  });

  it('is granted to exactly one of many who ask at once', async () => {
    const { id } = await aTask();

    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => claim(id, `token-${index}`)),
    );

    expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  });

  it('that had to wait for another claimant shows what that one wrote', async () => {
    const { id } = await aTask(2);
    const holder = await test.database.pool.connect();
    await holder.query('BEGIN');
    await holder.query(
      `UPDATE callback_push SET state = 'delivered', settled_at = now() WHERE task_id = $1 AND sequence = 1`,
      [id],
    );
    await holder.query('UPDATE callback SET attempts = attempts + 1 WHERE task_id = $1', [id]);

    const waiting = claim(id);
    await eventually(async () => {
      expect(
        await one(
          `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()) AND $1 <> ''`,
          id,
        ),
      ).toEqual({ waiting: 1 });
    });
    await holder.query('COMMIT');
    holder.release();

    expect(await waiting).toMatchObject({
      kind: 'claimed',
      snapshot: { pending: [{ sequence: 2 }] },
    });
  });

  it('takes over a claim that has run out', async () => {
    const { id } = await aTask();
    await claim(id, 'killed');
    await expire(id);

    await expect(claim(id, 'another')).resolves.toMatchObject({ kind: 'claimed' });
  });

  it('finds nothing for a task without a callback', async () => {
    const { id } = await aQueuedTask(test.database, accountId);

    await expect(claim(id)).resolves.toEqual({ kind: 'absent' });
  });
});

describe('recording an attempt', () => {
  it('of a verification clears the failures, forgets the challenge and keeps the claim', async () => {
    const { id } = await aTask();
    await claim(id);
    await record(
      id,
      { kind: 'retry', failures: 1, afterMs: 0 },
      { attemptClass: 'http_error', httpStatus: 500 },
    );
    await claim(id);

    await expect(record(id, { kind: 'succeeded' }, { attempt: 2 })).resolves.toBe('more');

    expect(await callbackOf(id)).toMatchObject({
      state: 'verified',
      failures: 0,
      attempts: 2,
      challenge: null,
      due_at: null,
      claim_token: 'mine',
    });
    expect(await statesOf(id)).toEqual(['pending']);
  });

  it('of a delivery settles that push and supersedes the older ones', async () => {
    const { id } = await aTask(3);
    await claim(id);
    await record(id, { kind: 'succeeded' });

    await record(id, { kind: 'succeeded' }, { sequence: 2 });

    expect(await statesOf(id)).toEqual(['superseded', 'delivered', 'pending']);
    expect(
      await one(
        'SELECT attempts, settled_at IS NOT NULL AS settled FROM callback_push WHERE task_id = $1 AND sequence = 2',
        id,
      ),
    ).toEqual({ attempts: 1, settled: true });
    expect(
      await one(
        'SELECT attempts, settled_at IS NOT NULL AS settled FROM callback_push WHERE task_id = $1 AND sequence = 1',
        id,
      ),
    ).toEqual({ attempts: 0, settled: true });
  });

  it('of a failure counts it, puts the push off and gives the claim back', async () => {
    const { id } = await aTask(2);
    await claim(id);
    await record(id, { kind: 'succeeded' });

    await record(
      id,
      { kind: 'retry', failures: 1, afterMs: 60_000 },
      {
        sequence: 1,
        attemptClass: 'timeout_total',
        httpStatus: null,
        remoteAddress: null,
        detail: 'late',
        answerExcerpt: null,
      },
    );

    const { due_at: dueAt, ...callback } = await callbackOf(id);
    expect(callback).toMatchObject({
      state: 'verified',
      failures: 1,
      attempts: 2,
      claim_token: null,
      claimed_until: null,
    });
    const next = await claim(id);
    expect(next.kind === 'claimed' && next.callback.dueInMs).toBeGreaterThan(55_000);
    expect(next.kind === 'claimed' && next.callback.dueInMs).toBeLessThanOrEqual(60_000);
    expect(await statesOf(id)).toEqual(['pending', 'pending']);
    expect(await claim(id)).toMatchObject({
      snapshot: { pending: [{ attempts: 1 }, { attempts: 0 }] },
    });
    expect((await attemptsOf(id))[1]).toEqual({
      id: expect.any(String),
      task_id: id,
      sequence: 1,
      attempt: 1,
      trigger: 'auto',
      started_at: new Date('2026-05-04T10:00:00Z'),
      duration_ms: 12,
      class: 'timeout_total',
      http_status: null,
      remote_address: null,
      detail: 'late',
      answer_excerpt: null,
      next_attempt_at: dueAt,
      serial: expect.any(Number),
    });
  });

  it('of the last failure stops the callback and everything pending', async () => {
    const { id } = await aTask(3);
    await claim(id);

    await record(
      id,
      { kind: 'stop', failures: 6, reason: 'exhausted' },
      { attemptClass: 'http_error', httpStatus: 500, attempt: 6 },
    );

    expect(await callbackOf(id)).toMatchObject({
      state: 'stopped',
      stop_reason: 'exhausted',
      failures: 6,
      due_at: null,
      claim_token: null,
      challenge: null,
    });
    expect(await statesOf(id)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(await attemptsOf(id)).toMatchObject([{ next_attempt_at: null }]);
  });

  it('changes nothing for a claimant who was taken over', async () => {
    const { id } = await aTask(2);
    await claim(id, 'late');
    await record(id, { kind: 'succeeded' }, { token: 'late' });
    await expire(id);
    await claim(id, 'another');
    const before = await callbackOf(id);

    await expect(record(id, { kind: 'succeeded' }, { sequence: 1, token: 'late' })).resolves.toBe(
      'lost',
    );
    await expect(
      record(id, { kind: 'stop', failures: 1, reason: 'gone' }, { sequence: 1, token: 'late' }),
    ).resolves.toBe('lost');
    await callbacks.release(id, 'late');
    await callbacks.stopPending(id, 'late');

    expect(await callbackOf(id)).toMatchObject({
      state: before['state'],
      failures: 0,
      attempts: 1,
      claim_token: 'another',
      claimed_until: before['claimed_until'],
    });
    expect(await statesOf(id)).toEqual(['pending', 'pending']);
    expect(await attemptsOf(id)).toHaveLength(1);
  });

  it('still counts for a claimant who was late but not taken over', async () => {
    const { id } = await aTask();
    await claim(id);
    await expire(id);

    await expect(record(id, { kind: 'succeeded' })).resolves.toBe('more');
  });

  it.each<[string, CallbackProgress]>([
    ['a success', { kind: 'succeeded' }],
    ['a failure', { kind: 'retry', failures: 1, afterMs: 1_000 }],
    ['a stop', { kind: 'stop', failures: 1, reason: 'gone' }],
  ])('of %s may be repeated when it is not known whether it arrived', async (_name, progress) => {
    const { id } = await aTask();
    await claim(id);
    const attempt = anAttempt({ sequence: 1 });
    await callbacks.recordAttempt({ callbackId: id, token: 'mine', progress, attempt });
    const before = await callbackOf(id);

    await expect(
      callbacks.recordAttempt({ callbackId: id, token: 'mine', progress, attempt }),
    ).resolves.toBe('done');

    expect(await callbackOf(id)).toEqual(before);
    expect(await attemptsOf(id)).toHaveLength(1);
  });
});

describe('events that come after the stop', () => {
  it('are stopped as well', async () => {
    const queued = await aTask();
    await claim(queued.id);
    await record(queued.id, { kind: 'stop', failures: 1, reason: 'gone' }, { sequence: 1 });
    await createTaskMoves(test.database).move(queued, 'accepted', { changes: { step: 'poll' } });
    expect(await callbacks.dueAmong([queued.id])).toEqual([queued.id]);

    await claim(queued.id);
    await callbacks.stopPending(queued.id, 'mine');

    expect(await statesOf(queued.id)).toEqual(['stopped', 'stopped']);
    expect(await callbacks.dueAmong([queued.id])).toEqual([]);
    expect(await callbackOf(queued.id)).toMatchObject({ state: 'stopped', claim_token: null });
  });
});

describe('what is due', () => {
  it('is a callback that was never looked at', async () => {
    const { id } = await aTask();

    expect(await callbacks.dueAmong([id])).toEqual([id]);
    expect(await everyDue()).toContain(id);
  });

  it('is an event that came after everything was delivered, though nobody touched the callback', async () => {
    const queued = await aTask();
    await claim(queued.id);
    await record(queued.id, { kind: 'succeeded' });
    await record(queued.id, { kind: 'succeeded' }, { sequence: 1 });
    await callbacks.release(queued.id, 'mine');
    expect(await everyDue()).not.toContain(queued.id);

    await createTaskMoves(test.database).move(queued, 'accepted', { changes: { step: 'poll' } });

    expect(await everyDue()).toContain(queued.id);
    expect(await callbacks.dueAmong([queued.id])).toEqual([queued.id]);
  });

  it.each([
    [
      'put off',
      async (id: string) => {
        await putOff(id, 60);
      },
    ],
    [
      'held by somebody alive',
      async (id: string) => {
        await claim(id);
      },
    ],
    [
      'without a pending push',
      async (id: string) => {
        await claim(id);
        await record(id, { kind: 'succeeded' }, { sequence: 1 });
      },
    ],
    [
      'waiting for its receiver',
      async (id: string) => {
        await claim(id);
        await callbacks.defer({
          callbackId: id,
          token: 'mine',
          receiver: 'acct_1 https://a.example',
        });
      },
    ],
  ])('is not one that is %s', async (_name, make) => {
    const { id } = await aTask();
    await make(id);

    expect(await everyDue()).not.toContain(id);
    expect(await callbacks.dueAmong([id])).toEqual([]);
  });

  it('is one whose wait is over, for the reconciler only after a grace', async () => {
    const { id } = await aTask();
    await putOff(id, -5);

    expect(await everyDue(60_000)).not.toContain(id);
    expect(await everyDue(1_000)).toContain(id);
    expect(await callbacks.dueAmong([id])).toEqual([id]);
  });

  it('is one whose claim has run out', async () => {
    const { id } = await aTask();
    await claim(id);
    await expire(id);

    expect(await everyDue()).toContain(id);
  });

  it('is found account by account, a few of each, in pages', async () => {
    const others = await Promise.all([anAccount(test.database), anAccount(test.database)]);
    for (const { id } of others) {
      for (let count = 0; count < 3; count += 1) {
        await aQueuedTask(test.database, id, { callbackUrl: 'https://receiver.example/' });
      }
    }
    const found: { accountId: string; callbackIds: readonly string[] }[] = [];
    for (let after = ''; ; after = found.at(-1)!.accountId) {
      const page = await callbacks.findDue({ after, accounts: 1, perAccount: 2, graceMs: 0 });
      if (page.length === 0) break;
      found.push(...page);
    }

    const accounts = [accountId, ...others.map(({ id }) => id)];
    expect(found.map((each) => each.accountId).sort()).toEqual(accounts.sort());
    expect(found.map(({ callbackIds }) => new Set(callbackIds).size)).toEqual([2, 2, 2]);
  });
});

describe('what has been settled', () => {
  const isOwed = async (taskId: string): Promise<unknown> =>
    (
      await one(
        'SELECT settled_sequence < newest_sequence AS owed FROM callback WHERE task_id = $1',
        taskId,
      )
    )['owed'];

  it('never counts a push that came while the attempt was recorded', async () => {
    const queued = await aTask();
    await claim(queued.id);
    await record(queued.id, { kind: 'succeeded' });
    const mover = await test.database.pool.connect();
    await mover.query('BEGIN');
    await mover.query(
      `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 2, 'running')`,
      [queued.id],
    );
    await mover.query(
      `INSERT INTO callback_push (task_id, sequence, status) VALUES ($1, 2, 'running')`,
      [queued.id],
    );

    const recording = record(queued.id, { kind: 'succeeded' }, { sequence: 1 });
    await eventually(async () => {
      expect(
        await one(
          `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()) AND $1 <> ''`,
          queued.id,
        ),
      ).toEqual({ waiting: 1 });
    });
    await mover.query('COMMIT');
    mover.release();

    await expect(recording).resolves.toBe('done'); // it did not see the second one
    expect(await isOwed(queued.id)).toBe(true);
    expect(await everyDue()).toContain(queued.id);
  });

  it.each<[string, CallbackProgress, number | null, boolean]>([
    ['the challenge was echoed', { kind: 'succeeded' }, null, true],
    ['an older status was taken', { kind: 'succeeded' }, 1, true],
    ['the newest was taken', { kind: 'succeeded' }, 2, false],
    ['the newest failed', { kind: 'retry', failures: 1, afterMs: 0 }, 2, true],
    ['pushing stopped', { kind: 'stop', failures: 6, reason: 'exhausted' }, 1, false],
  ])('shows, after %s, whether anything is left', async (_name, progress, sequence, isLeft) => {
    const { id } = await aTask(2);
    await claim(id);
    await record(id, progress, { sequence });

    expect(await isOwed(id)).toBe(isLeft);
  });

  it('is put right when a claimant finds nothing to do', async () => {
    const { id } = await aTask();
    // What a dispatcher of the version before leaves behind.
    await test.database.pool.query(
      `UPDATE callback_push SET state = 'delivered' WHERE task_id = $1`,
      [id],
    );
    await claim(id);

    await callbacks.release(id, 'mine');

    expect(await isOwed(id)).toBe(false);
  });

  it('is open again after a redelivery was asked for, also where nobody had noted it before', async () => {
    const { id } = await aTask(2);
    await claim(id);
    await record(id, { kind: 'succeeded' }, { sequence: 2 });
    await test.database.pool.query(
      `UPDATE callback SET newest_sequence = 0, settled_sequence = 0, account_id = 'x' WHERE task_id = $1`,
      [id],
    );
    expect(await everyDue()).not.toContain(id);

    await createCallbackDeliveries(test.database).redeliver(id);

    expect(await everyDue()).toContain(id);
  });

  it('has its account from a trigger when an api of the version before inserts it', async () => {
    const { id } = await aQueuedTask(test.database, accountId);
    await test.database.pool.query('INSERT INTO callback (task_id) VALUES ($1)', [id]);

    expect(await callbackOf(id)).toMatchObject({ account_id: accountId, newest_sequence: 1 });
  });
});

describe('what waits for its receiver', () => {
  const receiver = 'acct_1 https://slow.example';
  const wait = async (taskId: string, waitedFor = receiver): Promise<void> => {
    await claim(taskId);
    await callbacks.defer({ callbackId: taskId, token: 'mine', receiver: waitedFor });
  };
  const waiting = (limit: number, waitedFor = receiver) =>
    callbacks.findWaiting([{ receiver: waitedFor, limit }]);

  it('is found by its receiver, oldest first, and keeps its position when it has to wait again', async () => {
    const ids = [await aTask(), await aTask(), await aTask()].map(({ id }) => id);
    for (const [index, id] of ids.entries()) {
      await wait(id);
      // Two may begin to wait in the same millisecond.
      await test.database.pool.query(
        `UPDATE callback SET waiting_since = now() - make_interval(secs => $2) WHERE task_id = $1`,
        [id, 10 - index],
      );
    }
    await wait(ids[0]!);

    expect((await waiting(2)).map(({ callbackId }) => callbackId)).toEqual(ids.slice(0, 2));
    expect(await waiting(1)).toEqual([
      { receiver, callbackId: ids[0], heldBackMs: expect.any(Number) },
    ]);
  });

  it('is found for several receivers at once, each with a limit of its own', async () => {
    const [first, second] = ['acct_2 https://a.example', 'acct_2 https://b.example'] as const;
    for (const name of [first, first, first, second, second]) {
      await wait((await aTask()).id, name);
    }

    const found = await callbacks.findWaiting([
      { receiver: first, limit: 2 },
      { receiver: second, limit: 1 },
    ]);

    expect(found.map((each) => each.receiver).sort()).toEqual([first, first, second]);
  });

  it('is no longer found once it is claimed, or asked for', async () => {
    const [claimed, asked] = [await aTask(), await aTask()];
    const name = 'acct_3 https://a.example';
    await wait(claimed.id, name);
    await wait(asked.id, name);

    await claim(claimed.id);
    await createCallbackDeliveries(test.database).redeliver(asked.id);

    expect(await waiting(10, name)).toEqual([]);
  });

  it('shows its receivers in pages, each once', async () => {
    const names = ['acct_9 https://a.example', 'acct_9 https://b.example'];
    for (const name of [...names, ...names]) await wait((await aTask()).id, name);

    const first = await callbacks.findWaitedFor({ after: 'acct_9', limit: 1 });
    const rest = await callbacks.findWaitedFor({ after: first[0]!, limit: 10 });

    expect([...first, ...rest]).toEqual(names);
  });
});

describe('a hundred thousand put-off pushes', () => {
  /** Blocks of the database that the reconciler's question reads. */
  async function blocksRead(): Promise<number> {
    const { pool } = test.database;
    const asked: { text: string; values: unknown[] }[] = [];
    const spy: Pick<typeof pool, 'query'> = {
      query: ((query: { text: string; values: unknown[] }) => {
        asked.push(query);
        return pool.query(query);
      }) as typeof pool.query,
    };
    const found = await createCallbacks({ ...test.database, pool: spy as typeof pool }).findDue({
      after: '',
      accounts: 1_000,
      perAccount: 100,
      graceMs: 0,
    });
    expect(found.length).toBeGreaterThan(0);
    const [{ text, values }] = asked as [(typeof asked)[0]];
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      values,
    );
    const { Plan } = rows[0]!['QUERY PLAN'][0];
    return Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!;
  }
  /** Callbacks alone: nothing else is read. */
  const fill = async (accountName: string, count: number): Promise<void> => {
    const client = await test.database.pool.connect();
    await client.query(`SET session_replication_role = replica`); // without tasks
    await client.query(
      `INSERT INTO callback (task_id, account_id, due_at) SELECT $1 || '_' || g, $1, now() + interval '1 hour' FROM generate_series(1, $2::int) g`,
      [accountName, count],
    );
    await client.query('RESET session_replication_role');
    await client.query('VACUUM (ANALYZE) callback');
    client.release();
  };

  it('cost no more to pass over than a thousand, and hide nobody when they are due', async () => {
    await fill('acct_0', 1_000);
    const few = await blocksRead();
    await fill('acct_00', 100_000);
    const many = await blocksRead();
    expect(many).toBeLessThan(few + 50); // an index that is a level or two higher

    await test.database.pool.query(
      `UPDATE callback SET due_at = NULL WHERE account_id = 'acct_00'`,
    );
    const { id } = await aQueuedTask(test.database, (await anAccount(test.database)).id, {
      callbackUrl: 'https://receiver.example/',
    });
    const due = await callbacks.findDue({ after: '', accounts: 1_000, perAccount: 10, graceMs: 0 });

    expect(due.flatMap(({ callbackIds }) => callbackIds)).toContain(id);
    expect(due.flatMap(({ callbackIds }) => callbackIds).length).toBeLessThan(100);
  });
});
