import { describe, expect, it } from '@jest/globals';
import { companyOf, longPassesOf } from '../../../packages/local-stack/src/long-passes.ts';

const patient = "/** @workers 3: it promises no times. */\nimport path from 'node:path';\n";
const usual = "import path from 'node:path';\n";

describe('the passes of npm run test:long', () => {
  it.each([
    [3, patient],
    [2, usual],
    [4, '/**\n * Waits for others.\n *\n * @workers 4\n */\n'],
    ['behind', '/** @workers behind: it only computes. */\n'],
    [2, '/** Drives workers. */\n'],
    [2, `${usual}/** @workers 3 */\n`],
    [2, `/** Drives. */\n${usual}/** @workers 3 */\n`],
  ])('%s files at once with one that begins %j', (company, source) => {
    expect(companyOf(source)).toBe(company);
  });

  it('begin with what bears most company, end with what only computes, and leave nothing out', () => {
    const sources = new Map([
      ['a', usual],
      ['b', patient],
      ['c', usual],
      ['d', '/** @workers behind: it only computes. */\n'],
      ['e', patient],
    ]);

    expect(longPassesOf(sources)).toEqual([
      { workers: 3, isBehind: false, files: ['b', 'e'] },
      { workers: 2, isBehind: false, files: ['a', 'c'] },
      { workers: 2, isBehind: true, files: ['d'] },
    ]);
  });
});
