import { randomUUID } from 'node:crypto';
import {
  createDatabase,
  createDataKeeping,
  createRunningAudit,
  type Database,
} from '@gateway/store';
import { loadHistory } from '@gateway/testing';
import { cpuSecondsOf } from '../proc.ts';
import { linesOf, type Cells } from '../report.ts';
import { startStack } from '../stack.ts';
import { usualConfiguration } from '../tasks/configuration.ts';
import { readHistoryOptions } from './options.ts';
import { runningTasks, works, type Stage, type Times } from './work.ts';

const mostGrowth = 1.3;
const mostAuditMs = 100;
const rounds = 3;
const patience = {
  applicationName: 'bench',
  silentMs: 1_800_000,
  onError: () => undefined,
};

/** What a long history costs those who come after it. */
export async function benchHistory(
  print: (line: string) => void,
  args: readonly string[],
): Promise<void> {
  const { tasks, samples } = readHistoryOptions(args);
  const stack = await startStack(() => undefined, {
    services: ['billing', 'api', 'sandbox-vendor'],
    configuration: await usualConfiguration(),
  });
  const database = createDatabase({ ...patience, url: stack.databaseUrl, poolSize: 4 });
  try {
    const running = await runningTasks({ stack, database });
    const stage: Stage = { stack, database, samples, running };
    await measureAll({ ...stage, samples: 100 }, 1);
    const before = await measureAll(stage, rounds);
    const empty = await createDataKeeping(database).sizes();
    const begun = performance.now();
    await load(stage, tasks);
    print(`${tasks} finished tasks loaded in ${secondsSince(begun)} s\n`);
    await measureAll({ ...stage, samples: 100 }, 1);
    const after = await measureAll(stage, rounds);
    const head = [
      '',
      'empty: p50, p99 (ms)',
      'beside them: p50, p99 (ms)',
      'p99 grows',
      'target',
      '',
    ];
    for (const line of linesOf({ head, rows: rowsOf(before, after) })) print(line);
    for (const line of linesOf(await audits(stack.databaseUrl))) print(line);
    for (const line of linesOf(await weights(database, empty, tasks))) print(line);
    print(await archiving(database));
  } finally {
    await database.part.stop();
    await stack.stop();
  }
}

const secondsSince = (begun: number): number => Math.round((performance.now() - begun) / 100) / 10;

async function load({ stack, database }: Stage, tasks: number): Promise<void> {
  const { rows } = await database.pool.query<{ id: string }>(
    `INSERT INTO account (id, name) SELECT 'acct_history_' || n, 'history' FROM generate_series(1, 25) n RETURNING id`,
  );
  const others = rows.map(({ id }) => id);
  await loadHistory(stack.databaseUrl, {
    accountId: stack.accountId,
    others,
    tasks,
    say: (table) => {
      console.error(`loaded ${table}`);
    },
  });
}

/** The middle one of some rounds, by its p99: a busy machine disturbs single ones. */
async function measureAll(stage: Stage, of: number): Promise<Map<string, Times>> {
  const found = new Map<string, Times>();
  for (const [name, work] of Object.entries(works)) {
    const times: Times[] = [];
    for (let round = 0; round < of; round += 1) times.push(await work(stage));
    times.sort((one, other) => one.p99 - other.p99);
    found.set(name, times[Math.floor(of / 2)] ?? { p50: NaN, p99: NaN });
  }
  return found;
}

const two = (value: number): number => Math.round(value * 100) / 100;

function rowsOf(before: Map<string, Times>, after: Map<string, Times>): Cells[] {
  return [...before].map(([name, empty]): Cells => {
    const beside = after.get(name) ?? { p50: NaN, p99: NaN };
    const growth = beside.p99 / empty.p99;
    return [
      name,
      `${two(empty.p50)}, ${two(empty.p99)}`,
      `${two(beside.p50)}, ${two(beside.p99)}`,
      `${two(growth)} ×`,
      `≤ ${mostGrowth} ×`,
      growth <= mostGrowth ? 'met' : 'not met',
    ];
  });
}

const minutes = 10;

/**
 * The time that the database works for it: the CPU of the one connection, in hundredths of a second,
 * so over several rounds. The first round reads the past, once in the life of an installation.
 */
async function audits(url: string): Promise<{ head: string[]; rows: Cells[] }> {
  const database = createDatabase({ ...patience, url, poolSize: 1 });
  try {
    const { rows } = await database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? NaN;
    const once = await cpuMsOf(pid, () => auditRound(database));
    await auditRound(database);
    const often = await cpuMsOf(pid, async () => {
      for (let minute = 0; minute < minutes; minute += 1) await auditRound(database);
    });
    const usual = often / minutes;
    return {
      head: ['audit', 'ms of the database', 'target', ''],
      rows: [
        ['the first round, once', Math.round(once), '', ''],
        [
          'each minute',
          Math.round(usual),
          `≤ ${mostAuditMs}`,
          usual <= mostAuditMs ? 'met' : 'not met',
        ],
      ],
    };
  } finally {
    await database.part.stop();
  }
}

async function cpuMsOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = cpuSecondsOf(pid);
  await work();
  return (cpuSecondsOf(pid) - before) * 1_000;
}

async function auditRound(database: Database): Promise<void> {
  await database.pool.query(`UPDATE audit_watermark SET claimed_until = '-infinity'`);
  const done = await createRunningAudit(database).round({
    graceSeconds: 3_600,
    settleSeconds: 60,
    everyMs: 60_000,
    claim: randomUUID(),
  });
  const wrong = [...(done?.found ?? []), ...(done?.failed ?? [])];
  if (wrong.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(wrong[0])}`);
}

async function weights(
  database: Database,
  empty: readonly { readonly table: string; readonly bytes: number }[],
  tasks: number,
): Promise<{ head: string[]; rows: Cells[] }> {
  const grown = (await createDataKeeping(database).sizes()).map(({ table, bytes }) => ({
    table,
    bytes: (bytes - (empty.find((one) => one.table === table)?.bytes ?? 0)) / tasks,
  }));
  return {
    head: ['table', 'bytes a task, or a text request'],
    rows: grown
      .filter(({ bytes }) => bytes >= 1)
      .map(({ table, bytes }): Cells => [table, Math.round(bytes)]),
  };
}

const mostArchived = 20_000;

async function archiving(database: Database): Promise<string> {
  const keeping = createDataKeeping(database);
  const sizeOf = async (): Promise<number> =>
    (await keeping.sizes()).find(({ table }) => table === 'archived_task')?.bytes ?? NaN;
  const [begun, size] = [performance.now(), await sizeOf()];
  let moved = 0;
  for (let batch = -1; batch !== 0 && moved < mostArchived; moved += batch) {
    batch = await keeping.archiveTasks({ days: 7, limit: 200 });
  }
  const seconds = (performance.now() - begun) / 1_000;
  const bytes = ((await sizeOf()) - size) / moved;
  return `${moved} tasks archived, ${Math.round(moved / seconds)} a second; ${Math.round(bytes)} bytes each in the archive`;
}
