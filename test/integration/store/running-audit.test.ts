import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createRecordedAudit,
  createRunningAudit,
  exposureKinds,
  invariantNames,
  type AuditRound,
  type AuditState,
  type Database,
  type Violation,
} from '@gateway/store';
import { anAccount, eventually, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { storiesOf, type Stories } from './stories.ts';

let test: TestDatabase;
let accountId: string;
let stories: Stories;
beforeEach(async () => {
  test = await openTestDatabase();
  accountId = (await anAccount(test.database, { quota: 1_000 })).id;
  stories = storiesOf(test.database, accountId);
});
afterEach(() => test.close());

/** A round in which every mark without a transaction under way is settled at once. */
async function round({
  database = test.database,
  everyMs = 0,
}: { database?: Database; everyMs?: number } = {}): Promise<AuditRound | undefined> {
  return createRunningAudit(database).round({
    graceSeconds: 60,
    everyMs,
    claim: newId('usage'),
    settleSeconds: 0,
  });
}

const clean: AuditRound = { found: [], failed: [] };
const state = (): Promise<AuditState> => createRunningAudit(test.database).state();
const everything = (): Promise<Violation[]> =>
  createLedger(test.database).verify({ graceSeconds: 60 });

/** Past every trigger, as no code of ours could. */
async function tamper(sql: string, ...values: unknown[]): Promise<void> {
  const client = await test.database.pool.connect();
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(sql, values);
  client.release(true);
}

async function watermark(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await test.database.pool.query<{ positions: Record<string, number> }>(
    'SELECT positions FROM audit_watermark',
  );
  return rows[0]?.positions ?? {};
}

async function lastEntry(): Promise<number> {
  const { rows } = await test.database.pool.query<{ id: number }>(
    'SELECT max(id) AS id FROM ledger_entry',
  );
  return rows[0]?.id ?? NaN;
}

/** A finished task that every round has behind it. */
async function aSettledTask(): Promise<string> {
  const { id } = await stories.succeeded(3);
  await createHolds(test.database).settle(id);
  await catchUp();
  return id;
}

/**
 * Rounds until the watermark is behind everything. The first one opens the checkpoints, the second
 * finds its mark settled, unless a transaction is under way anywhere on the server, in the database
 * of another test too.
 */
const catchUp = (): Promise<void> =>
  eventually(async () => {
    await expect(round()).resolves.toEqual(clean);
    expect((await watermark())['ledger_entry']).toBe(await lastEntry());
  });

const breakStatus = (id: string): Promise<void> =>
  tamper(`UPDATE task_event SET status = 'failed' WHERE task_id = $1 AND sequence = 3`, id);

describe('the running audit', () => {
  it('does not read again what it has verified, which is for the audit of everything', async () => {
    const id = await aSettledTask();
    await breakStatus(id);

    await expect(round()).resolves.toEqual(clean);
    await expect(everything()).resolves.toMatchObject([
      { invariant: 'status_is_of_the_last_event', subject: id },
    ]);
  });

  it('finds an old entry that was tampered with by the audit of everything', async () => {
    const id = await aSettledTask();
    await tamper(
      `UPDATE ledger_entry SET quota = quota + 1 WHERE task_id = $1 AND kind = 'hold'`,
      id,
    );

    await expect(round()).resolves.toEqual(clean);
    expect((await everything()).map(({ invariant }) => invariant)).toEqual([
      'held_is_sum_of_entries',
      'entries_form_a_chain',
      'closed_hold_has_its_entries',
    ]);
  });

  it('compares balances with the sums up to the watermark and the entries since', async () => {
    await aSettledTask();
    const { id } = await stories.succeeded(5);
    await createHolds(test.database).settle(id);
    await createLedger(test.database).topUp(accountId, 40, 'more');
    await expect(round()).resolves.toEqual(clean);

    await tamper('UPDATE balance SET balance = balance + 7 WHERE account_id = $1', accountId);

    await expect(round()).resolves.toMatchObject({
      found: [{ invariant: 'balance_is_sum_of_entries', detail: 'balance 967, entries 960' }],
    });
  });

  it('goes on naming what it found until it is mended, however long ago that was', async () => {
    const { id } = await stories.succeeded(3);
    await createHolds(test.database).settle(id);
    await round();
    await breakStatus(id);
    await expect(round()).resolves.toMatchObject({ found: [{ subject: id }] });
    for (let rounds = 0; rounds < 3; rounds += 1) await round();

    await expect(round()).resolves.toMatchObject({ found: [{ subject: id }] });
    expect((await state()).checks).toContainEqual(
      expect.objectContaining({ invariant: 'status_is_of_the_last_event', violations: 1 }),
    );

    await tamper(
      `UPDATE task_event SET status = 'succeeded' WHERE task_id = $1 AND sequence = 3`,
      id,
    );
    await expect(round()).resolves.toEqual(clean);
  });

  it('misses no row of a transaction that commits after later ones', async () => {
    await aSettledTask();
    const { id } = await stories.running();
    const slow = await test.database.pool.connect();
    await slow.query('BEGIN');
    await slow.query(
      `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 7, 'failed')`,
      [id],
    );
    // Numbered later, committed earlier; rounds go by meanwhile.
    const later = await stories.running();
    for (let rounds = 0; rounds < 3; rounds += 1) await expect(round()).resolves.toEqual(clean);
    await slow.query('COMMIT');
    slow.release();

    const done = await round();

    expect(done?.found.map(({ subject }) => subject)).toContain(id);
    expect(done?.found.map(({ subject }) => subject)).not.toContain(later.id);
  });

  it('adds no entry twice and none too few while an entry is late', async () => {
    await aSettledTask();
    const other = await anAccount(test.database, { quota: 5 });
    const slow = await test.database.pool.connect();
    await slow.query('BEGIN');
    await slow.query('UPDATE balance SET balance = balance + 9 WHERE account_id = $1', [other.id]);
    await slow.query(
      `INSERT INTO ledger_entry (account_id, kind, quota, debit, credit, balance_after, held_after) VALUES ($1, 'top_up', 9, 'operator:issued', 'available', 14, 0)`,
      [other.id],
    );
    await createLedger(test.database).topUp(accountId, 1, 'meanwhile');
    const before = await watermark();
    for (let rounds = 0; rounds < 3; rounds += 1) await expect(round()).resolves.toEqual(clean);
    expect(await watermark()).toMatchObject({ ledger_entry: before['ledger_entry'] });
    await slow.query('COMMIT');
    slow.release();

    await catchUp();
  });

  it('looks at every row, also when there are more than it reads at once', async () => {
    await aSettledTask();
    const { id } = await stories.running();
    await tamper(
      `INSERT INTO task_event (task_id, sequence, status) SELECT 'video_' || n, 1, 'queued' FROM generate_series(1, 4500) n`,
    );
    await tamper(`INSERT INTO task_event (task_id, sequence, status) VALUES ($1, 3, 'queued')`, id);

    await expect(round({ everyMs: 20_000 })).resolves.toMatchObject({
      found: expect.arrayContaining([
        { invariant: 'events_are_gapless', subject: id, detail: '3 events, newest 2' },
      ]) as unknown,
    });
  });

  it('lets one replica have each turn', async () => {
    const rounds = await Promise.all([1, 2, 3].map(() => round({ everyMs: 60_000 })));

    expect(rounds.filter((done) => done !== undefined)).toEqual([clean]);
    await expect(round({ everyMs: 60_000 })).resolves.toBeUndefined();
  });

  it('goes on with the other checks when one fails, and takes that one up where it was', async () => {
    const id = await aSettledTask();
    await breakStatus(id);
    const rename = (from: string, to: string): Promise<unknown> =>
      test.database.pool.query(`ALTER FUNCTION ${from}(timestamptz, integer) RENAME TO ${to}`);
    await rename('retained_until', 'retained_to');
    const { id: fresh } = await stories.running();
    await tamper(`UPDATE task SET status = 'queued', step = 'submit' WHERE id = $1`, fresh);
    await tamper('UPDATE balance SET balance = balance + 7');

    const done = await round();

    expect(done?.failed).toEqual([
      {
        invariant: 'media_are_kept_their_time',
        reason: expect.stringContaining('retained_until') as unknown,
      },
    ]);
    expect(done?.found.map(({ invariant }) => invariant)).toEqual([
      'balance_is_sum_of_entries',
      'status_is_of_the_last_event',
    ]);
    const { checks } = await state();
    expect(checks.filter(({ isFailed }) => isFailed)).toHaveLength(1);
    expect(checks.every(({ checkedAt }) => checkedAt > 0)).toBe(true);

    // Withdrawn too early, and behind several marks by the time the check works again.
    const { id: early } = await stories.succeeded(1);
    await createHolds(test.database).settle(early);
    await tamper(`UPDATE task SET media_purged_at = now() - interval '1 day' WHERE id = $1`, early);
    for (let rounds = 0; rounds < 3; rounds += 1) await round();
    await rename('retained_to', 'retained_until');

    expect((await round())?.found).toContainEqual(
      expect.objectContaining({ invariant: 'media_are_kept_their_time', subject: early }),
    );
  });

  it('leaves the watermark where it was when it dies between the sums and the checks', async () => {
    await aSettledTask();
    const { id } = await stories.succeeded(2);
    await createHolds(test.database).settle(id);
    await breakStatus(id);
    const dying = dyingAt('INSERT INTO audit_check');

    await expect(round({ database: dying })).rejects.toThrow('killed');
    await expect(round({ database: dying })).rejects.toThrow('killed');

    await expect(round()).resolves.toMatchObject({
      found: [{ invariant: 'status_is_of_the_last_event', subject: id }],
    });
    await expect(everything()).resolves.toHaveLength(1);
  });

  it('adds nothing to the sums when another replica has taken its turn', async () => {
    await aSettledTask();
    await createLedger(test.database).topUp(accountId, 5, 'more');
    await round();
    const overtaken = intercepted('WITH moved AS', () =>
      test.database.pool.query(`UPDATE audit_watermark SET claim = 'another'`),
    );

    // Sums are added once their mark is settled, which other tests' transactions put off.
    await eventually(async () => {
      await expect(round({ database: overtaken })).resolves.toMatchObject({
        failed: expect.arrayContaining([
          {
            invariant: 'balance_is_sum_of_entries',
            reason: expect.stringContaining('another replica') as unknown,
          },
        ]) as unknown,
      });
    });
    await expect(round()).resolves.toEqual(clean);
  });

  it('forgets the marks of a server that numbered its transactions otherwise', async () => {
    await aSettledTask();
    await test.database.pool.query('UPDATE audit_mark SET next_transaction = 1000000000000000');
    await createLedger(test.database).topUp(accountId, 5, 'more');

    await catchUp();
  });

  it('says when each invariant was last checked, and counts exposures', async () => {
    await expect(state()).resolves.toMatchObject({ checks: [], full: undefined });
    await aSettledTask();

    const { checks, exposures } = await state();

    expect(checks.map(({ invariant }) => invariant).sort()).toEqual([...invariantNames].sort());
    expect(exposures).toEqual(Object.fromEntries(exposureKinds.map((kind) => [kind, 0])));
  });
});

describe('an audit of everything that is recorded', () => {
  const run = (options: { resume?: boolean; database?: Database } = {}): Promise<Violation[]> =>
    createRecordedAudit(options.database ?? test.database).run({
      graceSeconds: 60,
      resume: options.resume ?? false,
      onProgress: () => undefined,
    });

  it('goes on where it was interrupted, with what it had found', async () => {
    const { id } = await stories.running();
    await tamper('UPDATE balance SET balance = balance + 7 WHERE account_id = $1', accountId);
    await tamper('DELETE FROM task_event WHERE task_id = $1 AND sequence = 1', id);
    await expect(run({ database: dyingAt('FROM callback_push p') })).rejects.toThrow('killed');
    const seen: string[] = [];
    const watched = intercepted('SELECT', (sql) => {
      seen.push(sql);
      return Promise.resolve();
    });

    const found = await run({ database: watched, resume: true });

    expect(found.map(({ invariant }) => invariant)).toEqual([
      'balance_is_sum_of_entries',
      'events_are_gapless',
    ]);
    expect(seen.some((sql) => sql.includes(`format('balance %s, entries %s'`))).toBe(false);
    await expect(state()).resolves.toMatchObject({ full: { found } });
  });

  it('begins anew without being asked to resume, and when there is nothing to resume', async () => {
    await expect(run({ database: dyingAt('FROM callback_push p') })).rejects.toThrow('killed');
    await tamper('UPDATE balance SET balance = balance + 7 WHERE account_id = $1', accountId);

    await expect(run()).resolves.toHaveLength(1);
    await tamper('UPDATE balance SET balance = balance - 7 WHERE account_id = $1', accountId);
    await expect(run({ resume: true })).resolves.toEqual([]);
    await expect(state()).resolves.toMatchObject({ full: { found: [] } });
  });
});

/** The same database; something happens before each statement that has these words. */
function intercepted(words: string, before: (sql: string) => Promise<unknown>): Database {
  const { pool } = test.database;
  const query = async (statement: { text: string } | string): Promise<unknown> => {
    const sql = typeof statement === 'string' ? statement : statement.text;
    if (sql.includes(words)) await before(sql);
    return pool.query(statement as string);
  };
  return {
    ...test.database,
    pool: new Proxy(pool, {
      get: (target, key): unknown =>
        key === 'query' ? query : (Reflect.get(target, key) as unknown),
    }),
  };
}

const dyingAt = (words: string): Database =>
  intercepted(words, () => Promise.reject(new Error('killed')));
