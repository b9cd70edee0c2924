import { setTimeout } from 'node:timers/promises';
import { loadMigrations } from './engine.ts';
import { compareGrants } from './grants.ts';
import { isAhead, readUnfinished } from './migrate-history.ts';
import { connect, fail, ownNames, readPending, sentenceOf } from './migrate-pending.ts';

const pauseMs = 2_000;

/** Shows what is pending, with its SQL. */
export async function plan(databaseUrl: string): Promise<number> {
  const { names, problem } = await readPending(databaseUrl);
  if (problem !== undefined) return fail(problem);
  const { migrationDirectories } = await loadMigrations();
  for (const { path, migrationFile } of migrationDirectories) {
    if (names.includes(path)) process.stdout.write(`-- ${path}\n${migrationFile.content.value}\n`);
  }
  process.stdout.write(
    names.length === 0
      ? 'Nothing is pending.\n'
      : `-- ${names.length} pending. Nothing was changed.\n`,
  );
  return 0;
}

/** For what has to wait for the schema: a newer one than this folder has is good enough. */
export async function check(databaseUrl: string): Promise<number> {
  const { names, problem, isBehind } = await readPending(databaseUrl);
  if (problem !== undefined) return fail(problem);
  if (names.length > 0) {
    process.stdout.write(`${names.length} pending. Nothing was changed.\n`);
    return 3;
  }
  const grants = isBehind === true ? 0 : await countMissingGrants(databaseUrl);
  process.stdout.write(
    grants === 0 ? 'Nothing is pending.\n' : `${grants} grants pending. Nothing was changed.\n`,
  );
  return grants === 0 ? 0 : 3;
}

async function countMissingGrants(databaseUrl: string): Promise<number> {
  const client = await connect(databaseUrl);
  try {
    return (await compareGrants(client)).missing.length;
  } finally {
    await client.end();
  }
}

/** For pods that start before the schema is there: says once in a while what they wait for. */
export async function untilMigrated(databaseUrl: string): Promise<void> {
  let said = '';
  const names = await ownNames();
  for (;;) {
    const waitsFor = await missing(databaseUrl, names);
    if (waitsFor === undefined) return;
    if (waitsFor !== said) process.stdout.write(`waiting: ${waitsFor}\n`);
    said = waitsFor;
    await setTimeout(pauseMs);
  }
}

async function missing(databaseUrl: string, names: readonly string[]): Promise<string | undefined> {
  try {
    const client = await connect(databaseUrl);
    try {
      const pendingNames = await readUnfinished(client, names);
      if (pendingNames.length > 0) return `${pendingNames.length} pending`;
      if (await isAhead(client, names)) return undefined;
      const grants = (await compareGrants(client)).missing.length;
      return grants === 0 ? undefined : `${grants} grants pending`;
    } finally {
      await client.end();
    }
  } catch (error) {
    return sentenceOf(error);
  }
}
