/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { knownApiServer } from '../../scripts/manifests/programs.mjs';
import { root } from '../unit/deploy/suite.ts';

const run = promisify(execFile);
const hasGo = await run('go', ['version']).then(
  () => true,
  () => false,
);
const manifests = async (...options: string[]): Promise<string[]> => {
  const { stdout } = await run(process.execPath, ['scripts/manifests.mjs', ...options], {
    cwd: root,
  });
  return stdout.trim().split('\n');
};

(hasGo ? it : it.skip)(
  'the manifests fit the published schemas of every kind (left out where there is no Go)',
  async () => {
    const lines = await manifests();

    expect(lines).toHaveLength(5);
    expect(lines.filter((line) => !line.endsWith(', 0 problems'))).toEqual([]);
  },
  180_000,
);

(hasGo && knownApiServer() !== undefined ? it : it.skip)(
  'a Kubernetes API server takes them, and one release after another (left out until "npm run manifests -- --server" has built one)',
  async () => {
    const lines = await manifests('--server');

    expect(lines.filter((line) => /^release .*, [1-9]\d* pods, /.test(line))).toHaveLength(3);
    expect(lines.filter((line) => !line.endsWith(', 0 problems'))).toEqual([]);
  },
  180_000,
);
