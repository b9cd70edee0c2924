import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { killAllChildren } from './child.ts';
import { startDatabases } from './databases.ts';
import { runJestProjects } from './jest-projects.ts';
import { LocalStackError } from './local-stack-error.ts';
import { createNarrator } from './narrator.ts';
import { repositoryRoot } from './package-folder.ts';
import { privateFolderOf } from './postgres-home.ts';
import { startOf } from './processes.ts';
import { watchForStop } from './stop-request.ts';

const folderPrefix = 'test-';
const jestGraceMs = 10_000;

/**
 * Runs jest with PostgreSQL and Redis beside it; gives jest's exit code. The arguments go to jest;
 * without any, every project is run.
 */
export async function testCommand(
  jestArguments: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const narrator = createNarrator(process.stderr, environment);
  const request = watchForStop({
    followParent: environment['npm_lifecycle_event'] !== undefined,
    force: () => {
      killAllChildren();
      process.exit(1);
    },
  });
  const dataDir = makeTestFolder(join(repositoryRoot, '.cache'));
  try {
    const databases = await startDatabases({
      dataDir,
      durable: false,
      database: 'postgres',
      log: narrator.log,
      signal: request.signal,
      databaseUrl: given(environment['TEST_DATABASE_URL']),
      redisUrl: given(environment['TEST_REDIS_URL']),
    });
    try {
      const env = {
        ...environment,
        TEST_DATABASE_URL: databases.databaseUrl,
        TEST_REDIS_URL: databases.redisUrl,
      };
      const run = (given: readonly string[]): Promise<number> =>
        runJest(given, env, request.signal);
      if (jestArguments.length > 0) return await run(jestArguments);
      return await runJestProjects({
        runJest: run,
        resultsFile: join(dataDir, 'jest.json'),
        root: repositoryRoot,
        say: (line) => {
          process.stderr.write(`\ntest: ${line}\n`);
        },
        signal: request.signal,
      });
    } finally {
      await databases.stop();
    }
  } catch (error) {
    if (LocalStackError.is(error) && error.code === 'cancelled') return 1;
    throw error;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
    request.dispose();
  }
}

/** An empty setting counts as not set. */
const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

/** A folder of this run alone; folders of runs that were killed go. */
function makeTestFolder(cacheDir: string): string {
  mkdirSync(cacheDir, { recursive: true });
  for (const name of readdirSync(cacheDir).filter((each) => each.startsWith(folderPrefix))) {
    if (startOf(Number(name.slice(folderPrefix.length))) !== undefined) continue;
    for (const left of [join(cacheDir, name), privateFolderOf(join(cacheDir, name))]) {
      rmSync(left, { recursive: true, force: true });
    }
  }
  const folder = join(cacheDir, `${folderPrefix}${process.pid}`);
  mkdirSync(folder);
  return folder;
}

/**
 * Forced to end: BullMQ keeps handles of connections that never came up, which the tests with an
 * absent Redis make.
 */
async function runJest(
  jestArguments: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = spawn(
    process.execPath,
    [
      ...flags,
      join(repositoryRoot, 'node_modules/jest/bin/jest.js'),
      '--forceExit',
      ...jestArguments,
    ],
    { cwd: repositoryRoot, env, stdio: 'inherit' },
  );
  signal.addEventListener('abort', () => {
    jest.kill('SIGTERM');
    setTimeout(() => jest.kill('SIGKILL'), jestGraceMs).unref();
  });
  const [exitCode] = (await once(jest, 'exit')) as [number | null];
  return exitCode ?? 1;
}
