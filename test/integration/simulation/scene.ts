import { createAccounts, createLedger, type Database } from '@gateway/store';
import { aQueuedTask } from '@gateway/testing';
import {
  connectDatabase,
  createSessions,
  type SharedPostgres,
} from '../../simulation/stores/database.ts';
import { openPostgres } from '../../simulation/stores/postgres-server.ts';
import { createRepeats } from '../../simulation/stores/repeats.ts';
import { createSilence } from '../../simulation/stores/silence.ts';
import { beginLife } from '../../simulation/world/life.ts';
import { createWorld } from '../../simulation/world/world.ts';

export interface Scene {
  readonly shared: SharedPostgres;
  readonly database: Database;
}

/** A database in virtual time, with an account that has quota and a task. */
export async function inWorld<Result>(work: (scene: Scene) => Promise<Result>): Promise<Result> {
  const postgres = await openPostgres();
  postgres.reset();
  const world = createWorld(1);
  const shared: SharedPostgres = {
    world,
    server: createRepeats(postgres, world.now),
    weather: { lostBefore: 0, lostAfter: 0 },
    isAway: false,
    silence: createSilence(world),
    servers: 1,
    sessions: createSessions(),
    leftOpen: [],
  };
  const database = connectDatabase(shared, beginLife(world, 'the test'));
  const play = async (): Promise<Result> => {
    const id = 'acct_simulated';
    await createAccounts(database).create({ id, name: 'Simulated', callbackSecret: 'secret' });
    await createLedger(database).topUp(id, 1_000, 'before');
    await aQueuedTask(database, id);
    return work({ shared, database });
  };
  let isOver = false;
  const played = play().finally(() => {
    isOver = true;
  });
  try {
    await Promise.race([played, world.runUntil(() => isOver, 600_000)]);
    return await played;
  } finally {
    world.end();
    for (const close of shared.leftOpen) await close();
  }
}
