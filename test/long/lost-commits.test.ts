/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { readVendorTasks } from '../chaos/checks/evidence.ts';
import { call } from '../chaos/customer.ts';
import { chaosEnvironment } from '../chaos/run.ts';
import { startStack, type Stack, type StackCustomer } from '../chaos/stack.ts';

/*
 * What an asynchronous fail-over does: the database that is there afterwards lacks the last commits
 * of the one before, although everybody was told that they are safe. Here PostgreSQL says so before
 * it has written anything, and is cut off: what it had not written yet is lost.
 */

const patience = { withinMs: 90_000, everyMs: 250 };

let stack: Stack;
let customer: StackCustomer;
beforeAll(async () => {
  stack = await startStack({ doubled: [], log: () => undefined, env: chaosEnvironment });
  customer = await stack.aCustomer(10_000_000);
});
afterAll(() => stack.stop());

async function create(prompt: string): Promise<string | undefined> {
  const response = await call({
    method: 'POST',
    url: `${stack.suite.urlOf('api')}/v1/videos`,
    apiKey: customer.apiKey,
    body: { model: 'sandbox-video', prompt, duration: 4, resolution: '480p' },
  });
  return response.kind === 'responded' && response.status === 200
    ? (response.body as { id: string }).id
    : undefined;
}

const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await stack.database.pool.query(sql, values)).rows as Row[];

async function allEnd(): Promise<void> {
  await eventually(async () => {
    expect(await query(`SELECT id FROM task WHERE status <> 'succeeded'`)).toEqual([]);
    expect(await query(`SELECT task_id FROM hold WHERE state = 'open'`)).toEqual([]);
  }, patience);
}

/** From now on a commit is told before it is written, which happens every ten seconds. */
async function commitCarelessly(): Promise<void> {
  await query(`ALTER SYSTEM SET wal_writer_delay = '10s'`);
  await query(`ALTER SYSTEM SET synchronous_commit = off`);
  await query('SELECT pg_reload_conf()');
  await query('CHECKPOINT');
}

const serverPid = async (): Promise<number> => {
  const [row] = await query<{ file: string }>(`SELECT pg_read_file('postmaster.pid') AS file`);
  return Number(row!.file.split('\n')[0]);
};

/**
 * The worker dies with the database, and stays down: nothing is sent until the books are compared.
 */
async function loseTheLastCommits(pid: number): Promise<void> {
  // Immediate: what is in memory alone is lost.
  process.kill(pid, 'SIGQUIT');
  stack.suite.kill('video-worker', 'SIGKILL');
  await stack.suite.stopService('video-worker');
  await eventually(async () => {
    expect(await query('SELECT 1')).toHaveLength(1);
  }, patience);
}

const vendorKnows = async (taskId: string): Promise<boolean> =>
  (await readVendorTasks(stack.suite.sandboxUrl)).some(
    ({ safety_identifier: id }) => id === taskId,
  );

/**
 * Creates tasks until the vendor has one that the disk has not: what was written last may reach the
 * disk at any moment, since pages are written out meanwhile. Returns what customers were told.
 */
async function createUntilSomethingIsNotWritten(): Promise<string[]> {
  const told: string[] = [];
  await eventually(async () => {
    const [before] = await query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn() AS lsn');
    const id = await create('in the last seconds');
    if (id === undefined) throw new Error('no task was created');
    told.push(id);
    await eventually(
      async () => {
        expect(await vendorKnows(id)).toBe(true);
      },
      { withinMs: 20_000, everyMs: 20 },
    );
    const [now] = await query<{ safe: boolean }>(
      'SELECT pg_current_wal_flush_lsn() > $1::pg_lsn AS safe',
      [before!.lsn],
    );
    expect(now).toEqual({ safe: false });
  }, patience);
  return told;
}

const admin = async (...args: string[]): Promise<{ code: number; data: AuditData }> => {
  const { code, output } = await stack.admin('audit', '--hours', '1', '--json', ...args);
  return { code, data: JSON.parse(output) as AuditData };
};
interface AuditData {
  readonly vendors: {
    readonly findings: readonly { taskId: string; vendorTaskId: string; standing: string }[];
  };
}

describe('a database that has lost its last commits', () => {
  it('is compared with the vendor: nothing is rendered twice, and what was lost is noted', async () => {
    for (let task = 0; task < 4; task += 1) await create('before');
    await allEnd();
    expect((await admin()).code).toBe(0);

    await commitCarelessly();
    const pid = await serverPid();
    const told = await createUntilSomethingIsNotWritten();
    await loseTheLastCommits(pid);

    const found = await admin();
    expect(found.code).toBe(1);
    const { findings } = found.data.vendors;
    expect(findings.length).toBeGreaterThan(0);
    await admin('--repair');
    expect((await admin()).code).toBe(0);

    await stack.suite.startService('video-worker');
    await allEnd();
    const kept = new Set((await query<{ id: string }>('SELECT id FROM task')).map(({ id }) => id));
    expect(told.filter((id) => !kept.has(id)).length).toBeGreaterThan(0);
    const sent = (await readVendorTasks(stack.suite.sandboxUrl)).map(
      ({ safety_identifier: id }) => id ?? '',
    );
    expect(sent.filter((id) => kept.has(id)).sort()).toEqual([...kept].sort());
    const noted = await query<{ id: string }>('SELECT task_id AS id FROM exposure');
    expect(noted.map(({ id }) => id).sort()).toEqual(sent.filter((id) => !kept.has(id)).sort());
    expect((await stack.admin('billing', 'verify', '--grace', '0')).code).toBe(0);
  }, 240_000);
});
