import { describe, expect, it } from '@jest/globals';
import type { Database } from '@gateway/store';
import { inWorld } from './scene.ts';

const rename = `UPDATE account SET name = 'Changed'`;

const nameOf = async ({ pool }: Database): Promise<unknown> =>
  (await pool.query('SELECT name FROM account')).rows[0];

/** Longer than a silent server waits until it gets to everything. */
const afterwardsMs = 3_000;

describe('a PostgreSQL that is silent', () => {
  it('carries out afterwards what had arrived, though its sender has given up', async () => {
    await inWorld(async ({ shared: { world, silence }, database }) => {
      silence.begin();
      const sentAt = world.now();

      await expect(database.pool.query(rename)).rejects.toMatchObject({ code: 'ETIMEDOUT' });

      expect(world.now() - sentAt).toBeGreaterThanOrEqual(9_000);
      expect(world.now() - sentAt).toBeLessThan(9_500);
      silence.end();
      expect(await nameOf(database)).toEqual({ name: 'Simulated' });
      await world.pause(afterwardsMs);
      expect(await nameOf(database)).toEqual({ name: 'Changed' });
    });
  });

  it('responds late to who still waits', async () => {
    await inWorld(async ({ shared: { world, silence }, database }) => {
      silence.begin();
      const sent = database.pool.query(rename);
      await world.pause(5_000);
      silence.end();

      expect((await sent).rowCount).toBe(1);
    });
  });

  it('lets nobody connect whose connections were dropped, and hears nothing of it', async () => {
    await inWorld(async ({ shared: { world, silence }, database }) => {
      silence.begin();
      await expect(database.pool.query('SELECT 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' });

      await expect(database.pool.query(rename)).rejects.toThrow(/connection timeout/);
      await expect(database.pool.connect()).rejects.toThrow(/connection timeout/);

      silence.end();
      await world.pause(afterwardsMs);
      expect(await nameOf(database)).toEqual({ name: 'Simulated' });
    });
  });

  it('rolls back a transaction whose connection was dropped', async () => {
    await inWorld(async ({ shared: { world, silence }, database }) => {
      const client = await database.pool.connect();
      await client.query('BEGIN');
      silence.begin();

      await expect(client.query(rename)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
      await expect(client.query('ROLLBACK')).rejects.toThrow(/not queryable/);
      client.release();

      silence.end();
      await world.pause(afterwardsMs);
      expect(await nameOf(database)).toEqual({ name: 'Simulated' });
    });
  });

  it('commits what it was told to commit', async () => {
    await inWorld(async ({ shared: { world, silence }, database }) => {
      const client = await database.pool.connect();
      await client.query('BEGIN');
      await client.query(rename);
      silence.begin();

      await expect(client.query('COMMIT')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
      client.release();

      silence.end();
      await world.pause(afterwardsMs);
      expect(await nameOf(database)).toEqual({ name: 'Changed' });
    });
  });

  it('is gone with all that had arrived when a standby takes over', async () => {
    await inWorld(async ({ shared, database }) => {
      const { world, silence } = shared;
      silence.begin();
      const sent = database.pool.query(rename);
      await world.pause(5_000);
      shared.servers += 1;
      silence.end();

      await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(await nameOf(database)).toEqual({ name: 'Simulated' });
    });
  });
});
