import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../../chaos/stack.ts';

const run = promisify(execFile);
const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: checkout })).stdout.trim();

/**
 * The release before this one: the commit that UPGRADE_FROM names, else the newest tag of a version
 * that is not this one's, else what there was before the last change of the schema. Undefined in a
 * clone without history.
 */
export async function releaseBefore(): Promise<string | undefined> {
  const here = await git('rev-parse', 'HEAD');
  for (const name of await candidates()) {
    const commit = await git('rev-parse', '--verify', `${name}^{commit}`).catch(() => here);
    if (commit !== here) return commit;
  }
  return undefined;
}

async function candidates(): Promise<string[]> {
  const named = process.env['UPGRADE_FROM'];
  if (named !== undefined) return [named];
  const tags = await git('tag', '--list', 'v*', '--sort=-version:refname', '--merged');
  const lastMigration = await git('log', '-1', '--format=%H', '--', 'prisma/migrations');
  return [...tags.split('\n').filter((tag) => tag !== ''), `${lastMigration}^`];
}

/** A checkout of that commit beside this one, installed and compiled; kept for the next time. */
export async function buildRelease(commit: string): Promise<string> {
  const folder = path.join(checkout, '.cache', 'releases', commit);
  if (!existsSync(folder)) {
    await git('worktree', 'prune');
    await git('worktree', 'add', '--detach', folder, commit);
  }
  if (!existsSync(path.join(folder, 'node_modules')) && (await hasSameLock(folder))) {
    await linkDependencies(folder);
  }
  const setup = ['scripts/setup.mjs', '--start'];
  await run(process.execPath, setup, { cwd: folder, maxBuffer: 64_000_000 });
  return folder;
}

const hasSameLock = async (folder: string): Promise<boolean> => {
  const [theirs, ours] = await Promise.all(
    [folder, checkout].map((each) => readFile(path.join(each, 'package-lock.json'), 'utf8')),
  );
  return theirs === ours;
};

/** What is the same need not be fetched again. */
async function linkDependencies(folder: string): Promise<void> {
  const { stdout } = await run(
    'find',
    ['.', '-name', 'node_modules', '-prune', '-not', '-path', './.cache/*'],
    {
      cwd: checkout,
    },
  );
  for (const each of stdout.trim().split('\n')) {
    await run('cp', ['-al', path.join(checkout, each), path.join(folder, each)]);
  }
}
