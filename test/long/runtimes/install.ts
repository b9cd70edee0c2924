import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pinned = path.join(import.meta.dirname, 'packages');
const cache = path.resolve(import.meta.dirname, '../../../.cache/runtimes');

/**
 * The folder of the packages that `packages/package-lock.json` pins, from the checkout's cache or
 * installed there now. None of their scripts runs.
 */
export async function installRuntimes(): Promise<string> {
  const lock = await readFile(path.join(pinned, 'package-lock.json'));
  const home = path.join(cache, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  const packages = path.join(home, 'node_modules');
  if (existsSync(packages)) return packages;
  // Of this process: two test files may install at once.
  const unfinished = `${home}.${process.pid}`;
  await removeOthers(home);
  await cp(pinned, unfinished, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished });
  await rename(unfinished, home).catch(async (error: unknown) => {
    if (!existsSync(packages)) throw error;
    await rm(unfinished, { recursive: true });
  });
  return packages;
}

/** Those of other versions of the list. */
async function removeOthers(home: string): Promise<void> {
  const names = existsSync(cache) ? await readdir(cache) : [];
  for (const name of names) {
    const folder = path.join(cache, name);
    if (!folder.startsWith(home)) await rm(folder, { recursive: true, force: true });
  }
}

/** Another version of Node; undefined where there is none for this kind of machine. */
export function nodeIn(packages: string, major: number): string | undefined {
  const program = path.join(packages, `node-${major}`, 'bin/node');
  return existsSync(program) ? program : undefined;
}

/** The runtime of workers for this kind of machine. */
export async function workerdIn(packages: string): Promise<string> {
  const builds = path.join(packages, '@cloudflare');
  const [build = ''] = await readdir(builds);
  return path.join(builds, build, 'bin/workerd');
}

export const inspectorIn = (packages: string): string =>
  path.join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
