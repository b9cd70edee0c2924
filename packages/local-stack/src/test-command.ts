import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { killAllChildren } from './child.ts';
import { startDatabases } from './databases.ts';
import { LocalStackError } from './local-stack-error.ts';
import { longPassesOf, type LongPass } from './long-passes.ts';
import { createNarrator } from './narrator.ts';
import { repositoryRoot } from './package-folder.ts';
import { signalProcess } from './processes.ts';
import { standBehind } from './stand-behind.ts';
import { watchForStop } from './stop-request.ts';
import { makeTestFolder } from './test-folder.ts';
import {
  jestArgumentsOf,
  passArgumentsOf,
  projectsOf,
  readTestRequest,
  runsAllLong,
  unfitPaths,
  type TestRequest,
} from './test-selection.ts';

const jestGraceMs = 10_000;

const testUsage = `npm test                      unit, integration, component and e2e tests
npm test -- PATH ...          the files whose path contains PATH (a regular expression)
npm run test:watch -- PATH    those files, again whenever a file is saved
npm run test:long             what takes minutes: crashes, chaos, documentation, official clients
npm run test:long -- PATH ... some of these

PostgreSQL and Redis are started beside the tests, but for unit tests alone, which need
none; TEST_DATABASE_URL and TEST_REDIS_URL name others.

  --selectProjects unit component   these kinds of tests only
  -t NAME                           tests whose name contains NAME
  --verbose                         a line for each test
  --detectOpenHandles               tells where something was opened that stayed open
Every other option is jest's.`;

/**
 * Runs jest on what `args` ask for, with PostgreSQL and Redis beside it where those tests need
 * them; gives jest's exit code.
 */
export async function testCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const request = readTestRequest(args);
  if (request.help) {
    console.log(testUsage);
    return 0;
  }
  const files = testFiles();
  const projects = projectsOf(request, files);
  const unfit = unfitPaths(request, projects, files);
  if (unfit.length > 0) {
    console.error(unfit.join('\n'));
    return 1;
  }
  const { inTurn, behind } = jestRunsOf(request, projects, files);
  const stop = watchForStop({
    followParent: environment['npm_lifecycle_event'] !== undefined,
    force: () => {
      killAllChildren();
      process.exit(1);
    },
  });
  const run = async (env: NodeJS.ProcessEnv): Promise<number> => {
    const [codes, codesBehind] = await Promise.all([
      runInTurn(inTurn, env, stop.signal),
      Promise.all(behind.map((each) => runJest(each, env, stop.signal))),
    ]);
    if (stop.signal.aborted) return 1;
    return [...codes, ...codesBehind].find((code) => code !== 0) ?? 0;
  };
  try {
    const needStores = projects.some((project) => project !== 'unit');
    if (!needStores) return await run(environment);
    return await withStores(environment, stop.signal, run);
  } catch (error) {
    if (LocalStackError.is(error) && error.code === 'cancelled') return 1;
    throw error;
  } finally {
    stop.dispose();
  }
}

interface JestRun {
  /** A line before it. */
  readonly told?: string;
  readonly jestArguments: readonly string[];
  /** Takes what others leave of the processors. */
  readonly isBehind?: boolean;
}

interface JestRuns {
  readonly inTurn: readonly JestRun[];
  /** Beside all of those. */
  readonly behind: readonly JestRun[];
}

/** All long files in passes, some of them behind the others; everything else in one run. */
function jestRunsOf(
  request: TestRequest,
  projects: readonly string[],
  files: readonly string[],
): JestRuns {
  if (!runsAllLong(request, projects)) {
    return { inTurn: [{ jestArguments: jestArgumentsOf(request, projects) }], behind: [] };
  }
  const long = files.filter((file) => file.startsWith('test/long/'));
  const passes = longPassesOf(
    new Map(long.map((file) => [file, readFileSync(join(repositoryRoot, file), 'utf8')])),
  );
  const alone = passes.filter(({ isBehind }) => !isBehind);
  const runOf = (pass: LongPass, name: string): JestRun => ({
    told: `${name}: ${pass.files.length} files, ${pass.workers} at once`,
    jestArguments: passArgumentsOf(request, projects, pass),
    isBehind: pass.isBehind,
  });
  return {
    inTurn: alone.map((pass, index) => runOf(pass, `Pass ${index + 1} of ${alone.length}`)),
    behind: passes
      .filter(({ isBehind }) => isBehind)
      .map((pass) => runOf(pass, 'Behind all passes')),
  };
}

/** Hands the addresses of a PostgreSQL and a Redis to `run`, and stops what was started for it. */
async function withStores(
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
  run: (env: NodeJS.ProcessEnv) => Promise<number>,
): Promise<number> {
  const narrator = createNarrator(process.stderr, environment);
  const dataDir = makeTestFolder(repositoryRoot);
  try {
    const databases = await startDatabases({
      dataDir,
      durable: false,
      database: 'postgres',
      log: narrator.log,
      signal,
      databaseUrl: given(environment['TEST_DATABASE_URL']),
      redisUrl: given(environment['TEST_REDIS_URL']),
    });
    try {
      return await run({
        ...environment,
        TEST_DATABASE_URL: databases.databaseUrl,
        TEST_REDIS_URL: databases.redisUrl,
      });
    } finally {
      await databases.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** An empty setting counts as not set. */
const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

/** Every test file, as a path from the root of the repository. */
function testFiles(): string[] {
  return readdirSync(join(repositoryRoot, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));
}

async function runInTurn(
  runs: readonly JestRun[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number[]> {
  const codes: number[] = [];
  for (const each of runs) {
    if (signal.aborted) break;
    codes.push(await runJest(each, env, signal));
  }
  return codes;
}

async function runJest(
  { told, jestArguments, isBehind = false }: JestRun,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  if (told !== undefined) console.log(told);
  const flags = [
    '--disable-warning=ExperimentalWarning',
    // A test's modules are garbage soon: a wide nursery saves a tenth of the processor's time.
    '--max-semi-space-size=64',
  ];
  const jest = spawn(
    process.execPath,
    [...flags, join(repositoryRoot, 'node_modules/jest/bin/jest.js'), ...jestArguments],
    {
      cwd: repositoryRoot,
      // Each worker would print which Node the AWS SDK wants next.
      env: { ...env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
      stdio: 'inherit',
      // A session of its own, for its place behind the others.
      detached: isBehind,
    },
  );
  if (isBehind) standBehind(jest.pid);
  const stop = (by: NodeJS.Signals): void => {
    // No terminal tells the processes of another session.
    if (jest.pid !== undefined) signalProcess(isBehind ? -jest.pid : jest.pid, by);
  };
  signal.addEventListener('abort', () => {
    stop('SIGTERM');
    setTimeout(stop, jestGraceMs, 'SIGKILL').unref();
  });
  const [exitCode] = (await once(jest, 'exit')) as [number | null];
  return exitCode ?? 1;
}
