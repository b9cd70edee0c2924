import { describe, expect, it } from '@jest/globals';
import { longPassesOf, workersOf } from '../../../packages/local-stack/src/long-passes.ts';

const patient = "/** @workers 3: it promises no times. */\nimport path from 'node:path';\n";
const usual = "import path from 'node:path';\n";

describe('the passes of npm run test:long', () => {
  it.each([
    [3, patient],
    [2, usual],
    [4, '/**\n * Waits for others.\n *\n * @workers 4\n */\n'],
    [2, '/** Drives workers. */\n'],
    [2, `${usual}/** @workers 3 */\n`],
    [2, `/** Drives. */\n${usual}/** @workers 3 */\n`],
  ])('%i files at once with one that begins %j', (workers, source) => {
    expect(workersOf(source)).toBe(workers);
  });

  it('begin with what bears most company, and leave nothing out', () => {
    const sources = new Map([
      ['a', usual],
      ['b', patient],
      ['c', usual],
      ['d', patient],
    ]);

    expect(longPassesOf(sources)).toEqual([
      { workers: 3, files: ['b', 'd'] },
      { workers: 2, files: ['a', 'c'] },
    ]);
  });
});
