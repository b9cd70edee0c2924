import { randomUUID } from 'node:crypto';
import {
  createDatabase,
  createDataKeeping,
  createRunningAudit,
  type Database,
} from '@gateway/store';
import { loadHistory } from '@gateway/testing';
import { cpuSecondsOf } from '../proc.ts';
import { shown, type Cells, type Figure, type Publish, type Table } from '../report.ts';
import { startStack } from '../stack.ts';
import { usualConfiguration } from '../tasks/configuration.ts';
import { readHistoryOptions } from './options.ts';
import { quantileOf } from '../statistics.ts';
import { runningTasks, works, type Stage } from './work.ts';

const mostGrowth = { atMost: 1.3 };
const mostAuditMs = { atMost: 100 };
/** In which the samples of one figure are taken, before and after those of the other installation. */
const turns = 20;
const warmUp = 60;
const patience = {
  applicationName: 'bench',
  silentMs: 1_800_000,
  onError: () => undefined,
};

/** What a long history costs those who come after it. */
export async function benchHistory(publish: Publish, args: readonly string[]): Promise<void> {
  const { tasks, samples } = readHistoryOptions(args);
  const stages: Stage[] = [];
  try {
    const empty = await open(stages, samples);
    const long = await open(stages, samples);
    const before = await createDataKeeping(long.database).sizes();
    const begun = performance.now();
    await load(long, tasks);
    const loaded = `${shown(tasks)} finished tasks loaded in ${secondsSince(begun)} s.`;
    const growth = await compare(empty, long);
    const audit = await auditTable([empty, long]);
    const weight = await weights(long.database, before, tasks);
    publish({
      tables: [growth.table, audit.table, weight],
      figures: [...growth.figures, audit.figure, ...(await archiving(long.database))],
      notes: [loaded],
    });
  } finally {
    for (const { stack, database } of stages) {
      await database.part.stop();
      await stack.stop();
    }
  }
}

async function open(stages: Stage[], samples: number): Promise<Stage> {
  const stack = await startStack(() => undefined, {
    services: ['billing', 'api', 'sandbox-vendor'],
    configuration: await usualConfiguration(),
    // The bench audits. Beside a load of more than a minute billing would begin with an empty past.
    env: { billing: { VERIFY_MS: String(hourMs) } },
  });
  const database = createDatabase({ ...patience, url: stack.databaseUrl, poolSize: 4 });
  const stage = { stack, database, samples, running: await runningTasks({ stack, database }) };
  stages.push(stage);
  return stage;
}

const hourMs = 3_600_000;

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

const head = ['', 'empty: p50 (ms)', 'p99 (ms)', 'beside them: p50 (ms)', 'their p99 (ms)'];

/** In turn, little by little: whatever else the machine does, it does to both. */
async function compare(
  empty: Stage,
  long: Stage,
): Promise<{ table: Table; figures: readonly Figure[] }> {
  const rows: Cells[] = [];
  const figures: Figure[] = [];
  for (const [name, work] of Object.entries(works)) {
    const times: [number[], number[]] = [[], []];
    for (const stage of [empty, long]) await work({ ...stage, samples: warmUp });
    for (let turn = 0; turn < turns; turn += 1) {
      for (const [index, stage] of [empty, long].entries()) {
        const samples = Math.ceil(stage.samples / turns);
        times[index as 0 | 1].push(...(await work({ ...stage, samples })));
      }
    }
    rows.push([name, ...times.flatMap((each) => [0.5, 0.99].map((of) => quantileOf(each, of)))]);
    const [before, beside] = times.map((each) => quantileOf(each, 0.99));
    const value = (beside ?? NaN) / (before ?? NaN);
    figures.push({ measure: `${name}: p99 grows`, unit: '×', value, target: mostGrowth });
  }
  return { table: { head, rows }, figures };
}

const minutes = 10;

/**
 * The time that the database works for it: the CPU of the one connection, in hundredths of a second,
 * so over several rounds. The first round reads the past, once in the life of an installation.
 */
async function audited({
  stack: { databaseUrl: url },
}: Stage): Promise<[once: number, usual: number]> {
  const database = createDatabase({ ...patience, url, poolSize: 1 });
  try {
    const { rows } = await database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? NaN;
    const once = await cpuMsOf(pid, () => auditRound(database));
    await auditRound(database);
    const often = await cpuMsOf(pid, async () => {
      for (let minute = 0; minute < minutes; minute += 1) await auditRound(database);
    });
    return [once, often / minutes];
  } finally {
    await database.part.stop();
  }
}

/** Both check what was made in the minutes before: as many tasks in each. */
async function auditTable(stages: readonly Stage[]): Promise<{ table: Table; figure: Figure }> {
  const found: [number, number][] = [];
  for (const stage of stages) found.push(await audited(stage));
  const row = (name: string, index: 0 | 1): Cells => [name, ...found.map((times) => times[index])];
  return {
    table: {
      head: ['audit, ms of the database', 'empty', 'beside them'],
      rows: [row('the first round, once', 0), row('each minute', 1)],
    },
    figure: {
      measure: 'audit beside them, each minute',
      unit: 'ms',
      value: found.at(-1)?.[1] ?? NaN,
      target: mostAuditMs,
    },
  };
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
): Promise<Table> {
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

async function archiving(database: Database): Promise<Figure[]> {
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
  return [
    { measure: 'tasks archived', unit: '', value: moved },
    { measure: 'the same, a second', unit: '1/s', value: moved / seconds },
    { measure: 'bytes of a task in the archive', unit: '', value: bytes },
  ];
}
