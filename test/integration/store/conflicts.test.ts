import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createEndpoints } from '@gateway/store';
import { anAccount, aQueuedTask, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { readdir, readFile } from 'node:fs/promises';

let test: TestDatabase;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());

interface Upsert {
  readonly table: string;
  /** The columns that decide, as `a, b`. */
  readonly target: string;
}

const insertInto = /INSERT INTO "?([\w$}{]+)"?/g;
/** Without a target every unique index decides. */
const onConflict = /ON CONFLICT \(([^)]*)\)/g;

/** Each `ON CONFLICT (…)` with the table of the `INSERT` before it. */
function upsertsOf(source: string): Upsert[] {
  const inserts = [...source.matchAll(insertInto)];
  return [...source.matchAll(onConflict)].map(({ index, 1: columns = '' }) => {
    const [, table = ''] = inserts.findLast((insert) => insert.index < index) ?? [];
    return { table, target: columns.replaceAll('"', '') };
  });
}

async function allUpserts(): Promise<readonly Upsert[]> {
  const folder = 'packages/store/src';
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const sources = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, 'utf8')));
  const { rows } = await test.database.pool.query<{ prosrc: string }>(
    'SELECT prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace',
  );
  return [...sources, ...rows.map(({ prosrc }) => prosrc)].flatMap(upsertsOf);
}

/** The columns of each unique index of a table. */
async function uniqueIndexes(table: string): Promise<readonly string[]> {
  const { rows } = await test.database.pool.query<{ columns: string }>(
    `SELECT (SELECT string_agg(a.attname, ', ' ORDER BY k.position)
       FROM unnest(i.indkey) WITH ORDINALITY AS k (attnum, position)
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) AS columns
     FROM pg_index i WHERE i.indrelid = to_regclass($1) AND i.indisunique`,
    [table],
  );
  return rows.map(({ columns }) => columns);
}

/** Other unique indexes of such a table, and why no statement that meets a row there is refused. */
const excused: Readonly<Record<string, string>> = {
  'exposure (task_id, kind): id': 'each insert brings an id that is new',
  'endpoint (account_id, url): id': 'each insert brings an id that is new',
  'task_try (task_id, number): task_id': 'written with the row of the task locked',
};

describe('ON CONFLICT with a target', () => {
  it('names the one unique index that a row can meet', async () => {
    const upserts = await allUpserts();
    expect(upserts.length).toBeGreaterThan(25);

    const others: string[] = [];
    for (const { table, target } of upserts) {
      const indexes = await uniqueIndexes(table);
      expect([table, indexes]).toEqual([table, expect.arrayContaining([target])]);
      for (const index of indexes) {
        if (index !== target) others.push(`${table} (${target}): ${index}`);
      }
    }
    expect([...new Set(others)].sort()).toEqual(Object.keys(excused).sort());
  });

  it('is not refused where an endpoint is owed more while a dispatcher claims', async () => {
    const { database } = test;
    const { id: accountId } = await anAccount(database);
    const endpoints = createEndpoints(database);
    const endpointId = newId('endpoint');
    const url = 'https://receiver.example/endpoint';
    await endpoints.create({ id: endpointId, accountId, url, description: null, events: [] }, 100);
    await endpoints.noteChallenge(endpointId, { attemptClass: 'success', detail: null });
    const { id: taskId } = await aQueuedTask(database, accountId);

    let isOver = false;
    const claims = Array.from({ length: 2 }, async () => {
      while (!isOver) {
        await database.pool.query(
          'UPDATE endpoint_callback SET due_at = clock_timestamp() WHERE task_id = $1',
          [taskId],
        );
      }
    });
    let sequence = 1;
    const events = Array.from({ length: 3 }, async () => {
      while (sequence < 3_000) {
        sequence += 1;
        await database.pool.query(
          `INSERT INTO task_event (task_id, sequence, status) VALUES ($1, $2, 'running')`,
          [taskId, sequence],
        );
      }
    });

    try {
      await Promise.all(events);
    } finally {
      isOver = true;
      await Promise.all(claims);
    }
  });
});
