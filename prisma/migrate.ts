import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { loadMigrations, noFilters, openEngine, sqlFrom } from './engine.ts';
import { applyGrants, compareGrants, ensureRoles, rolesSql } from './grants.ts';
import { check, plan, untilMigrated } from './migrate-check.ts';
import {
  committedMark,
  isStillRunning,
  readFailed,
  readUnfinished,
  resolve,
  sharesSessions,
  type FailedMigration,
} from './migrate-history.ts';
import { connect, fail, ownNames, pending, sentenceOf } from './migrate-pending.ts';

const usage = `Applies the migrations in prisma/migrations to DIRECT_DATABASE_URL, or to DATABASE_URL without it, then grants
each service's role what that service writes (docs/deployment.md#database-roles).

  npm run migrate              apply what is pending
  npm run migrate -- --plan    show what is pending, with its SQL, and change nothing
  npm run migrate -- --check   exit with 3 while something is pending, and change nothing
  npm run migrate -- --check --wait
                               wait until nothing is pending, and change nothing
  npm run migrate -- --resolve bring the history to what is, after a migration that failed half-way; then migrate again
  npm run migrate -- --resolve --applied
                               the same, when you have finished its statements by hand
  npm run migrate -- --roles   print the SQL that makes the roles, for a server where this user may not
  npm run migrate -- --draft old.prisma
                               print the SQL that leads from a former schema file to prisma/schema.prisma

Runs without downloading anything. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something is pending.`;

/** Two migrations at once wait for each other on this advisory lock. */
const migrationLock = 7_404_271;
const lockRetryMs = 200;
/** How often a migration is tried that gets no lock, and the pause in between. */
const mostTries = 60;
const pauseMs = 2_000;
const lockNotAvailable = '55P03';

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  if (options.roles) {
    process.stdout.write(rolesSql);
    return 0;
  }
  const databaseUrl = process.env['DIRECT_DATABASE_URL'] ?? process.env['DATABASE_URL'];
  if (options.help || databaseUrl === undefined) {
    process.stdout.write(`${usage}\n`);
    return options.help ? 0 : 2;
  }
  return carryOut(databaseUrl, options);
}

async function carryOut(
  databaseUrl: string,
  options: NonNullable<ReturnType<typeof readOptions>>,
): Promise<number> {
  if (options.plan) return plan(databaseUrl);
  if (options.check && options.wait) await untilMigrated(databaseUrl);
  if (options.check) return check(databaseUrl);
  if (options.resolve) return resolveFailed(databaseUrl, options.applied);
  return options.draft === undefined ? apply(databaseUrl) : draft(databaseUrl, options.draft);
}

function readOptions():
  | (Record<'plan' | 'check' | 'wait' | 'resolve' | 'applied' | 'roles' | 'help', boolean> & {
      draft?: string | undefined;
    })
  | undefined {
  try {
    const flag = { type: 'boolean', default: false } as const;
    return parseArgs({
      options: {
        plan: flag,
        check: flag,
        wait: flag,
        resolve: flag,
        applied: flag,
        roles: flag,
        draft: { type: 'string' },
        help: { ...flag, short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    return undefined;
  }
}

/** Says what was done: services with a role of their own wait for it. */
async function grant(client: pg.Client): Promise<void> {
  await ensureRoles(client, process.env);
  const difference = await compareGrants(client);
  const { missing, surplus, absentRoles } = difference;
  await applyGrants(client, difference);
  if (missing.length + surplus.length > 0) {
    process.stdout.write(`${missing.length} granted, ${surplus.length} revoked.\n`);
  }
  if (absentRoles.length > 0) {
    process.stdout.write(
      `No role of their own for the services: ${absentRoles.join(', ')}. This user may not create them; npm run migrate -- --roles prints the SQL.\n`,
    );
  }
}

/**
 * Asks for the lock until it is free. A statement that waits for it would be a transaction under
 * way, and building an index concurrently waits for those: the two would wait for each other.
 */
async function takeTurn(lock: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await lock.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS taken',
      [migrationLock],
    );
    if (rows[0]?.taken === true) return;
    await setTimeout(lockRetryMs);
  }
}

/** One migrator at a time, on a session that stays its own. */
async function inTurn(
  databaseUrl: string,
  work: (lock: pg.Client) => Promise<number>,
): Promise<number> {
  const lock = await connect(databaseUrl);
  try {
    if (await sharesSessions(lock, databaseUrl)) {
      return fail(
        'its address leads through a pooler that gives sessions to each transaction anew, where a lock protects nothing; set DIRECT_DATABASE_URL to the address of the server itself',
      );
    }
    await takeTurn(lock);
    return await work(lock);
  } finally {
    await lock.end();
  }
}

const apply = (databaseUrl: string): Promise<number> =>
  inTurn(databaseUrl, async (lock) => {
    // A migrator that was killed says nothing of why: what it left is known without a person.
    await resolveAll(lock, ({ logs }) => logs === null || logs === committedMark);
    let refusal: unknown;
    const engine = await openEngine(databaseUrl, (error) => {
      refusal = error;
    });
    const { problem, isBehind } = await pending(engine);
    if (problem !== undefined) return fail(problem);
    const before = await readUnfinished(lock, await ownNames());
    for (let tried = 1; ; tried += 1) {
      refusal = undefined;
      try {
        await engine.applyMigrations({
          migrationsList: await loadMigrations(),
          filters: noFilters,
        });
        break;
      } catch (error) {
        const cause = refusal ?? error;
        if ((cause as { code?: unknown }).code !== lockNotAvailable || tried === mostTries) {
          throw cause;
        }
      }
      process.stdout.write('A table is locked by others; trying again.\n');
      await resolveAll(lock);
      await setTimeout(pauseMs);
    }
    const left = await readUnfinished(lock, await ownNames());
    const appliedMigrationNames = before.filter((name) => !left.includes(name));
    for (const name of appliedMigrationNames) process.stdout.write(`applied ${name}\n`);
    if (isBehind !== true) await grant(lock);
    process.stdout.write(
      appliedMigrationNames.length === 0
        ? 'The schema is up to date.\n'
        : `${appliedMigrationNames.length} applied.\n`,
    );
    return 0;
  });

/** Returns how many there were. Waits for a script of a migrator that is gone. */
async function resolveAll(
  client: pg.Client,
  isMeant: (failed: FailedMigration) => boolean = () => true,
  isApplied = false,
): Promise<number> {
  const { migrationDirectories } = await loadMigrations();
  const names = migrationDirectories.map(({ path }) => path);
  const failed = await readFailed(client, names);
  while (failed.some(isMeant) && (await isStillRunning(client))) await setTimeout(pauseMs);
  let resolved = 0;
  // What ran on may have ended otherwise since.
  for (const each of (await readFailed(client, names)).filter(isMeant)) {
    const script = migrationDirectories.find(({ path }) => path === each.name)?.migrationFile
      .content.value;
    const resolution = await resolve(client, each, { script: script ?? '', isApplied });
    process.stdout.write(`${each.name}: ${resolution}\n`);
    resolved += 1;
  }
  return resolved;
}

const resolveFailed = (databaseUrl: string, isApplied: boolean): Promise<number> =>
  inTurn(databaseUrl, async (lock) => {
    const resolved = await resolveAll(lock, undefined, isApplied);
    process.stdout.write(
      resolved === 0 ? 'No migration failed half-way.\n' : `${resolved} resolved. Migrate again.\n`,
    );
    return 0;
  });

async function draft(databaseUrl: string, formerSchema: string): Promise<number> {
  const engine = await openEngine(databaseUrl);
  process.stdout.write(await sqlFrom(engine, await readFile(formerSchema, 'utf8')));
  return 0;
}

/** A pipe takes some 64 kB until somebody reads it: the rest of a long plan is written first. */
function endWith(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

main().then(endWith, (error: unknown) => {
  endWith(fail(sentenceOf(error)));
});
