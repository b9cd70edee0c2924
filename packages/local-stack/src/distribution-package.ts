import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runCommand, type CommandResult } from './run-command.ts';

export interface FetchOptions<Program> {
  /** Its name in the distribution. */
  readonly name: string;
  /** The program in the root folder of an unpacked package, if it works on this machine. */
  readonly find: (root: string) => Promise<Program | undefined>;
  /** Kept between runs; everything, also what apt writes, stays inside. */
  readonly cacheDir: string;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

type AnyFetch = FetchOptions<unknown>;

const fetchTimeoutMs = 120_000;
const retryAfterMs = 24 * 60 * 60 * 1_000;

/**
 * A program of the distribution on Debian and Ubuntu, without installing it and without root: the
 * package and the libraries that this machine lacks are downloaded with apt-get (which checks their
 * signatures) and unpacked into the cache folder. Undefined where that is not possible.
 */
export async function fetchPackage<Program>(
  options: FetchOptions<Program>,
): Promise<Program | undefined> {
  const root = join(options.cacheDir, `root-${process.arch}`);
  const cached = await options.find(root);
  if (cached !== undefined) return cached;
  const gaveUp = join(options.cacheDir, 'not-available');
  if (!isDebian() || isFresh(gaveUp)) return undefined;
  options.log(
    `${options.name} is not installed: fetching the distribution's package into ${options.cacheDir}`,
  );
  mkdirSync(options.cacheDir, { recursive: true });
  const work = mkdtempSync(join(options.cacheDir, 'fetch-'));
  try {
    if (await download(work, options)) await unpackTo(root, work, options);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  const fetched = await options.find(root);
  if (fetched === undefined) {
    writeFileSync(
      gaveUp,
      'The distribution package could not be fetched. Delete this file to try again at once.\n',
    );
  }
  return fetched;
}

/**
 * A failed attempt takes long where the network is closed, so it is not repeated at every start.
 */
function isFresh(marker: string): boolean {
  return existsSync(marker) && Date.now() - statSync(marker).mtimeMs < retryAfterMs;
}

function isDebian(): boolean {
  return (
    process.platform === 'linux' &&
    ['/usr/bin/apt-get', '/usr/bin/apt-cache', '/usr/bin/dpkg'].every((program) =>
      existsSync(program),
    )
  );
}

/**
 * First with the machine's package lists; when those are missing or out of date, with fresh ones of
 * our own.
 */
async function download(work: string, options: AnyFetch): Promise<boolean> {
  const settings = aptSettings(work);
  if (await downloadWith(settings, work, options)) return true;
  const ownLists = join(work, 'lists');
  mkdirSync(join(ownLists, 'partial'), { recursive: true });
  const ownSettings = [...settings, '-o', `Dir::State::lists=${ownLists}`];
  options.log(
    'the package lists on this machine do not help: fetching fresh ones into the cache folder',
  );
  // A third-party source that cannot be reached makes this fail, though the lists that matter have
  // come.
  await apt(['apt-get', ...ownSettings, 'update'], work, options);
  return downloadWith(ownSettings, work, options);
}

/**
 * apt writes into our folder only, and as root downloads without changing user: that user cannot
 * enter the folder.
 */
function aptSettings(work: string): string[] {
  mkdirSync(join(work, 'cache', 'archives', 'partial'), { recursive: true });
  const settings = [
    `Dir::Cache=${join(work, 'cache')}`,
    `Dir::Log=${work}`,
    'APT::Sandbox::User=root',
    'Acquire::http::Timeout=15',
    'Acquire::https::Timeout=15',
    'Acquire::Retries=1',
  ];
  return settings.flatMap((setting) => ['-o', setting]);
}

async function downloadWith(
  settings: readonly string[],
  work: string,
  options: AnyFetch,
): Promise<boolean> {
  const names = await missingPackages(settings, work, options);
  const { exitCode } = await apt(['apt-get', ...settings, 'download', ...names], work, options);
  return exitCode === 0;
}

/** The package and what it needs, as far as this machine has not installed it. */
async function missingPackages(
  settings: readonly string[],
  work: string,
  options: AnyFetch,
): Promise<string[]> {
  const names = [options.name];
  for (const name of names) {
    const { stdout } = await apt(
      ['apt-cache', ...settings, 'depends', '--important', name],
      work,
      options,
    );
    for (const needed of neededPackages(stdout)) {
      if (!names.includes(needed) && !(await isInstalled(needed, work, options))) {
        names.push(needed);
      }
    }
  }
  return names;
}

/**
 * What the server runs on, out of `apt-cache depends`: its programs and libraries, not set-up tools
 * for a service.
 */
export function neededPackages(dependsOutput: string): string[] {
  return [...dependsOutput.matchAll(/^ {2}(?:Pre)?Depends: ((?:lib|lua|redis-)\S+)$/gm)].flatMap(
    ([, name]) => name ?? [],
  );
}

async function isInstalled(name: string, work: string, options: AnyFetch): Promise<boolean> {
  const { stdout } = await apt(
    ['dpkg-query', '--show', '--showformat=${db:Status-Status}', name],
    work,
    options,
  );
  return stdout === 'installed';
}

async function unpackTo(root: string, work: string, options: AnyFetch): Promise<void> {
  for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
    await apt(['dpkg', '--extract', join(work, file), join(work, 'root')], work, options);
  }
  // Another start in this checkout may have been faster, and may run from there already.
  if ((await options.find(root)) !== undefined) return;
  rmSync(root, { recursive: true, force: true });
  renameSync(join(work, 'root'), root);
}

function apt(
  [program, ...args]: readonly [string, ...string[]],
  work: string,
  { signal }: AnyFetch,
): Promise<CommandResult> {
  return runCommand(program, args, {
    cwd: work,
    timeoutMs: fetchTimeoutMs,
    env: { ...process.env, LC_ALL: 'C' },
    signal,
  });
}
