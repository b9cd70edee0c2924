import { readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';

const projects = ['unit', 'integration', 'component', 'e2e'];

/** More failing files than this are no matter of the moment. */
const mostRunAgain = 3;

export interface JestProjects {
  /** Runs jest with these arguments; gives its exit code. */
  readonly runJest: (jestArguments: readonly string[]) => Promise<number>;
  /** Where jest may write what it found. */
  readonly resultsFile: string;
  readonly root: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs every test, in a process for each project: what jest keeps of some three hundred files with
 * ES modules is more than a heap may hold. Gives the worst exit code. Up to three files of a
 * project that failed are run once more, with nothing else beside them: many tests hold the suite
 * to a time, and a shared machine stands still for seconds. What passes then is named as unstable.
 */
export async function runJestProjects(options: JestProjects): Promise<number> {
  const unstable: string[] = [];
  let worst = 0;
  for (const project of projects) {
    if (options.signal.aborted) return 1;
    worst = Math.max(worst, await runProject(project, unstable, options));
  }
  if (unstable.length > 0) {
    options.say(`unstable, failed at first and passed when run again: ${unstable.join(', ')}`);
  }
  return options.signal.aborted ? 1 : worst;
}

async function runProject(
  project: string,
  unstable: string[],
  { runJest, resultsFile, root, say, signal }: JestProjects,
): Promise<number> {
  rmSync(resultsFile, { force: true });
  const exitCode = await runJest([
    '--selectProjects',
    project,
    '--json',
    `--outputFile=${resultsFile}`,
  ]);
  if (exitCode === 0 || signal.aborted) return exitCode;
  const failed = failedFiles(resultsFile);
  if (failed.length === 0 || failed.length > mostRunAgain) return exitCode;
  const names = failed.map((file) => relative(root, file));
  say(`failed, and run once more by themselves: ${names.join(', ')}`);
  const again = await runJest([
    '--selectProjects',
    project,
    '--runInBand',
    '--runTestsByPath',
    ...failed,
  ]);
  if (again === 0) unstable.push(...names);
  return again;
}

/** None where jest ended before it could tell. */
function failedFiles(resultsFile: string): string[] {
  let written: string;
  try {
    written = readFileSync(resultsFile, 'utf8');
  } catch {
    return [];
  }
  const { testResults } = JSON.parse(written) as {
    testResults: readonly { readonly name: string; readonly status: string }[];
  };
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}
