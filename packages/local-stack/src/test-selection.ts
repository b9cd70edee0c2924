import { usualLongWorkers, type LongPass } from './long-passes.ts';
import { nearMatches } from './near-matches.ts';

/** The kinds of tests that `npm test` runs, in the order in which they are told. */
const shortProjects = ['unit', 'integration', 'component', 'e2e'] as const;
/** What takes minutes: `npm run test:long`. */
const longProject = 'long';

/** Options of jest that take the word behind them. */
const withValue = new Set([
  '-t',
  '--testNamePattern',
  '-w',
  '--maxWorkers',
  '-c',
  '--config',
  '--seed',
  '--shard',
  '--testTimeout',
  '--outputFile',
  '--reporters',
  '--coverageDirectory',
  '--coverageReporters',
  '--collectCoverageFrom',
  '--changedSince',
  '--testPathIgnorePatterns',
  '--cacheDirectory',
]);

export interface TestRequest {
  readonly help: boolean;
  /** The long tests only: `npm run test:long`. */
  readonly long: boolean;
  /** Runs again whenever a file is saved: `npm run test:watch`. */
  readonly watch: boolean;
  /** A line for each test, as jest prints it. */
  readonly verbose: boolean;
  /** Projects that were asked for by name. */
  readonly projects: readonly string[];
  /** Paths, parts of paths or regular expressions; any of them selects a file. */
  readonly paths: readonly string[];
  /** Everything else; jest's own. */
  readonly jestOptions: readonly string[];
}

const ownOptions = new Set(['--help', '-h', '--long', '--watch', '--watchAll', '--verbose']);
/** Handed to jest anew, with what they select. */
const selecting = new Set(['--selectProjects', '--testPathPatterns', '--testPathPattern']);

/** Takes the arguments of `npm test` apart; what jest alone understands stays as it is. */
export function readTestRequest(args: readonly string[]): TestRequest {
  const own = new Set<string>();
  const projects: string[] = [];
  const paths: string[] = [];
  const jestOptions: string[] = [];
  let option = '';
  for (const word of args.flatMap(withoutEqualsSign)) {
    if (word.startsWith('-')) {
      option = word;
      if (ownOptions.has(word)) own.add(word);
      else if (!selecting.has(word)) jestOptions.push(word);
    } else if (option === '--selectProjects' && isProject(word)) projects.push(word);
    else {
      if (withValue.has(option)) jestOptions.push(word);
      else paths.push(word.replace(/^\.\//, ''));
      option = '';
    }
  }
  return {
    help: own.has('--help') || own.has('-h'),
    long: own.has('--long'),
    watch: own.has('--watch') || own.has('--watchAll'),
    verbose: own.has('--verbose'),
    projects,
    paths,
    jestOptions,
  };
}

/** `--selectProjects=unit` as two words. */
function withoutEqualsSign(argument: string): readonly string[] {
  const [name = '', value = ''] = argument.split(/=(.*)/s);
  return selecting.has(name) && value !== '' ? [name, value] : [argument];
}

function isProject(name: string): boolean {
  return [...shortProjects, longProject].some((project) => project === name);
}

/**
 * The projects that a request needs, none where no file fits it. `files` are the test files of the
 * repository as paths from its root, `test/<project>/…`. A path that fits both a short and a long
 * test means the short one; a long one runs where it is the only one that fits.
 */
export function projectsOf(
  request: Pick<TestRequest, 'long' | 'projects' | 'paths'>,
  files: readonly string[],
): readonly string[] {
  const asked = projectsAskedFor(request);
  if (request.paths.length === 0) return asked ?? shortProjects;
  const found = (project: string): boolean =>
    request.paths.some((path) => fits(path, files, [project]));
  if (asked !== undefined) return asked.filter(found);
  const short = shortProjects.filter(found);
  if (short.length > 0) return short;
  return found(longProject) ? [longProject] : [];
}

/**
 * What to tell about each path that selects nothing in `projects`: a slip of the pen, most likely,
 * and the run would pass without what was meant.
 */
export function unfitPaths(
  request: Pick<TestRequest, 'long' | 'projects' | 'paths'>,
  projects: readonly string[],
  files: readonly string[],
): readonly string[] {
  const among = projects.length > 0 ? projects : projectsAskedFor(request);
  return request.paths
    .filter((path) => !fits(path, files, projects))
    .map((path) => {
      const kinds = among === undefined ? '' : ` of ${among.join(', ')}`;
      const near = nearMatches(path, files);
      const hint =
        near.length === 0 ? 'The files are below test/.' : `Near it:\n  ${near.join('\n  ')}`;
      return `No test file${kinds} fits "${path}". ${hint}`;
    });
}

function projectsAskedFor({
  long,
  projects,
}: Pick<TestRequest, 'long' | 'projects'>): readonly string[] | undefined {
  if (long) return [longProject];
  return projects.length > 0 ? projects : undefined;
}

function fits(path: string, files: readonly string[], projects: readonly string[]): boolean {
  const pattern = patternOf(path);
  return files.some(
    (file) =>
      pattern?.test(file) === true &&
      projects.some((project) => file.startsWith(`test/${project}/`)),
  );
}

/** Nothing where it is no regular expression. */
function patternOf(path: string): RegExp | undefined {
  try {
    return new RegExp(path, 'i');
  } catch {
    // Jest could not read it either: it fits no file.
    return undefined;
  }
}

const progressReporter = '<rootDir>/test/progress-reporter.js';

const setsWorkers = (option: string): boolean => /^(?:-w|-i|--maxWorkers|--runInBand)/.test(option);

const workersOption = (workers: number): string => `--maxWorkers=${workers}`;

/** Whether a request means all long files, which then run in passes. */
export const runsAllLong = (
  { watch, paths, jestOptions }: TestRequest,
  projects: readonly string[],
): boolean =>
  projects.join() === longProject && paths.length === 0 && !watch && !jestOptions.some(setsWorkers);

/** What jest is started with for these projects. */
export function jestArgumentsOf(
  { watch, verbose, paths, jestOptions }: TestRequest,
  projects: readonly string[],
): readonly string[] {
  const needsWorkers = projects.includes(longProject) && !jestOptions.some(setsWorkers);
  return [
    ...jestOptions,
    ...(needsWorkers ? [workersOption(usualLongWorkers)] : []),
    // jest's own reporter explains the keys of watch mode and prints each test.
    ...(watch || verbose ? ['--reporters=default', `--reporters=${progressReporter}`] : []),
    ...(verbose ? ['--verbose'] : []),
    ...(watch ? ['--watchAll'] : []),
    '--selectProjects',
    ...projects,
    ...(paths.length > 0 ? ['--testPathPatterns', ...paths] : []),
  ];
}

/** The same for one pass of the long files. */
export function passArgumentsOf(
  request: TestRequest,
  projects: readonly string[],
  { workers, files }: LongPass,
): readonly string[] {
  const jestOptions = [...request.jestOptions, workersOption(workers)];
  return [...jestArgumentsOf({ ...request, jestOptions }, projects), '--runTestsByPath', ...files];
}
