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
  const unfinished = `${home}.unfinished`;
  await rm(cache, { recursive: true, force: true });
  await cp(pinned, unfinished, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: unfinished });
  await rename(unfinished, home);
  return packages;
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
