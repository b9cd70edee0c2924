import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cacheRoot = path.resolve(import.meta.dirname, '../../.cache');

/** Whether there is a `python3` of 3.11 or later that can make environments. */
export const hasPython = (): boolean =>
  spawnSync('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'])
    .status === 0;

/**
 * The folder of programs of a Python environment with these packages, from the checkout's cache or
 * made there now. `requirements` pins every package with its hash; `name` is the cache's folder.
 */
export async function installPackages(name: string, requirements: string): Promise<string> {
  const cache = path.join(cacheRoot, name);
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const home = path.join(cache, wanted);
  const programs = path.join(home, 'bin');
  if (existsSync(path.join(home, 'installed'))) return programs;
  await rm(home, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await run('python3', ['-m', 'venv', home]);
  await run(path.join(programs, 'pip'), ['install', '--require-hashes', '-r', requirements]);
  // The last step: what was cut off before is installed anew.
  await mkdir(path.join(home, 'installing'));
  await rename(path.join(home, 'installing'), path.join(home, 'installed'));
  return programs;
}
