/** @workers behind: it only computes. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { recordedHashes } from '../simulation/hashes.ts';
import { installRuntimes, nodeIn } from './runtimes/install.ts';

/** Undefined where no registry is to be reached. */
const packages = await installRuntimes().catch(() => undefined);
const test = path.resolve(import.meta.dirname, '..');

/** What the recorded worlds tell in another Node. */
async function hashesBy(node: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(node, [
    '--import',
    path.join(test, 'runner/register.js'),
    path.join(test, 'simulation/main.ts'),
    '--hashes',
  ]);
  return JSON.parse(stdout);
}

describe('a simulated world', () => {
  for (const major of [22, 24, 26]) {
    const node = packages === undefined ? undefined : nodeIn(packages, major);
    (node === undefined ? it.skip : it)(
      `tells the recorded story in Node ${major}${node === undefined ? ', which is not to be had here' : ''}`,
      async () => {
        expect(await hashesBy(node!)).toEqual(recordedHashes());
      },
      3_600_000,
    );
  }
});
