import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDataKeeping } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import pg from 'pg';
import { violations } from './books.ts';
import { aTaskLongOver } from './long-ago.ts';

describe('one at a time', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await openTestDatabase();
    const { id } = await anAccount(own.database);
    await aTaskLongOver(own.database, id, { daysAgo: 400 });
    await createDataKeeping(own.database).archiveTasks({ days: 100, limit: 100 });
    await aTaskLongOver(own.database, id, { daysAgo: 400 });
  });
  afterAll(() => own.close());

  /** What this finds while another session has begun that and has not ended, and afterwards. */
  async function beside(
    sql: string,
    work: (data: ReturnType<typeof createDataKeeping>) => Promise<unknown>,
    end: 'COMMIT' | 'ROLLBACK',
  ): Promise<unknown[]> {
    const other = new pg.Client({ connectionString: own.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query(sql);
    const data = createDataKeeping(own.database);
    const meanwhile = await work(data);
    await other.query(end);
    await other.end();
    return [meanwhile, await work(data)];
  }

  it('drops a month once, whoever else is about to drop it', async () => {
    const dropping = `SELECT drop_archive(now() - interval '365 days')`;
    const name: unknown = expect.stringMatching(/^archived_task_y/);

    expect(await beside(dropping, (data) => data.dropArchive(365), 'ROLLBACK')).toEqual([
      undefined,
      name,
    ]);
    await createDataKeeping(own.database).archiveTasks({ days: 100, limit: 100 });
    expect(await beside(dropping, (data) => data.dropArchive(365), 'COMMIT')).toEqual([
      undefined,
      undefined,
    ]);
    const { rows } = await own.database.pool.query(
      'SELECT sum(requests)::int AS sum FROM usage_day',
    );
    expect(rows).toEqual([{ sum: 2 }]);
    expect(await violations(own.database)).toEqual([]);
  });

  it('does not drop a month that is being filled', async () => {
    const { id } = await anAccount(own.database);
    await aTaskLongOver(own.database, id, { daysAgo: 400 });
    const archiving = `SELECT archive_tasks(now() - interval '100 days', 100)`;

    expect(await beside(archiving, (data) => data.dropArchive(365), 'COMMIT')).toEqual([
      undefined,
      expect.stringMatching(/^archived_task_y/),
    ]);
    expect(await violations(own.database)).toEqual([]);
  });

  it('makes partitions once', async () => {
    const making = 'SELECT make_partitions(5)';

    expect(await beside(making, (data) => data.makePartitions(5), 'COMMIT')).toEqual([0, 0]);
  });
});
