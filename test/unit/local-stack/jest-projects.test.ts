import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runJestProjects } from '../../../packages/local-stack/src/jest-projects.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jest-projects-'));
});
afterEach(() => rm(folder, { recursive: true }));

interface Script {
  /** Files of the component project that fail when the whole project is run. */
  readonly failing: readonly string[];
  /** What jest answers when it is asked for those files alone. */
  readonly again: number;
}

/** A jest whose component project fails, and what it was asked for. */
async function run({ failing, again }: Script, { aborted = false, writesResults = true } = {}) {
  const asked: string[] = [];
  const said: string[] = [];
  const resultsFile = join(folder, 'jest.json');
  const abort = new AbortController();
  const exitCode = await runJestProjects({
    resultsFile,
    root: '/project',
    signal: abort.signal,
    say: (line) => said.push(line),
    async runJest(jestArguments) {
      const project = jestArguments[1]!;
      const files = jestArguments.includes('--runTestsByPath')
        ? jestArguments.slice(jestArguments.indexOf('--runTestsByPath') + 1)
        : undefined;
      asked.push([project, ...(files ?? [])].join(' '));
      if (files !== undefined) return again;
      if (project !== 'component' || failing.length === 0) return 0;
      if (aborted) abort.abort();
      const testResults = [
        { name: '/project/test/good.test.ts', status: 'passed' },
        ...failing.map((name) => ({ name: `/project/${name}`, status: 'failed' })),
      ];
      if (writesResults) await writeFile(resultsFile, JSON.stringify({ testResults }));
      return 1;
    },
  });
  return { exitCode, asked, said };
}

describe('npm test', () => {
  it('runs each project once when all is well', async () => {
    expect(await run({ failing: [], again: 0 })).toEqual({
      exitCode: 0,
      asked: ['unit', 'integration', 'component', 'e2e'],
      said: [],
    });
  });

  it('runs a file that failed once more by itself, and names it as unstable when it passes then', async () => {
    expect(await run({ failing: ['test/a.test.ts'], again: 0 })).toEqual({
      exitCode: 0,
      asked: ['unit', 'integration', 'component', 'component /project/test/a.test.ts', 'e2e'],
      said: [
        'failed, and run once more by themselves: test/a.test.ts',
        'unstable, failed at first and passed when run again: test/a.test.ts',
      ],
    });
  });

  it('fails when the file fails again, and still runs the other projects', async () => {
    const { exitCode, asked, said } = await run({ failing: ['test/a.test.ts'], again: 1 });
    expect([exitCode, asked.at(-1), said]).toEqual([
      1,
      'e2e',
      ['failed, and run once more by themselves: test/a.test.ts'],
    ]);
  });

  it('takes more than three files that fail for what they are', async () => {
    const { exitCode, asked } = await run({ failing: ['a', 'b', 'c', 'd'], again: 0 });
    expect([exitCode, asked]).toEqual([1, ['unit', 'integration', 'component', 'e2e']]);
  });

  it('fails when jest ends without saying what failed', async () => {
    await writeFile(
      join(folder, 'jest.json'),
      JSON.stringify({ testResults: [{ name: '/project/of-before', status: 'failed' }] }),
    );
    const { exitCode, asked } = await run(
      { failing: ['test/a.test.ts'], again: 0 },
      { writesResults: false },
    );
    expect([exitCode, asked]).toEqual([1, ['unit', 'integration', 'component', 'e2e']]);
  });

  it('runs nothing more once it was told to stop', async () => {
    expect(await run({ failing: ['test/a.test.ts'], again: 0 }, { aborted: true })).toEqual({
      exitCode: 1,
      asked: ['unit', 'integration', 'component'],
      said: [],
    });
  });
});
