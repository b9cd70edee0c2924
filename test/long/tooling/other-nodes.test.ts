/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { installRuntimes, nodeIn } from '../runtimes/install.ts';

/** Undefined where no registry is to be reached. */
const packages = await installRuntimes().catch(() => undefined);
const root = path.resolve(import.meta.dirname, '../../..');

/** What `npm test` says of a few files in another Node: it loads the sources and the runner's own tests. */
const testsIn = (node: string): Promise<{ code: number; text: string }> =>
  new Promise((resolve) => {
    const args = [path.join(root, 'scripts/test.mjs'), 'test/unit/runner', 'test/unit/api/text'];
    execFile(node, args, { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` });
    });
  });

describe('the tests', () => {
  for (const major of [22, 24, 26]) {
    const node = packages === undefined ? undefined : nodeIn(packages, major);
    (node === undefined ? it.skip : it)(
      `run in Node ${major}${node === undefined ? ', which is not to be had here' : ''}`,
      async () => {
        const { code, text } = await testsIn(node!);

        expect({ code, text }).toEqual({
          code: 0,
          text: expect.stringMatching(/^Tests: +\d+ passed, \d+ total$/m),
        });
      },
    );
  }
});
