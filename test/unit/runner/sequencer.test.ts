import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

interface Test {
  readonly path: string;
  readonly duration?: number;
  readonly context: { readonly config: { readonly rootDir: string } };
}
const root = path.resolve(import.meta.dirname, '../../..');
const { inOrder } = (await import(new URL('../../runner/sequencer.js', import.meta.url).href)) as {
  inOrder: (tests: readonly Test[]) => Test[];
};
const usual = JSON.parse(
  readFileSync(path.join(root, 'test/runner/usual-seconds.json'), 'utf8'),
) as Record<string, number>;

const aTest = (name: string, seconds?: number): Test => ({
  path: path.join(root, name),
  ...(seconds !== undefined && { duration: seconds * 1_000 }),
  context: { config: { rootDir: root } },
});

describe('the order of test files', () => {
  const [[slowest, most]] = Object.entries(usual).sort(([, one], [, other]) => other - one) as [
    [string, number],
  ];

  it('begins with what usually takes longest, where nothing was timed yet', () => {
    const tests = ['test/unit/a.test.ts', slowest, 'test/unit/b.test.ts'].map((name) =>
      aTest(name),
    );

    expect(inOrder(tests).map(({ path: file }) => path.relative(root, file))).toEqual([
      slowest,
      'test/unit/a.test.ts',
      'test/unit/b.test.ts',
    ]);
  });

  it('believes what was timed here', () => {
    const [first] = inOrder([aTest(slowest), aTest('test/unit/a.test.ts', most + 1)]);

    expect(first?.path).toMatch(/a\.test\.ts$/);
  });

  it('names files that are there; "npm run accept:test-times" writes it anew', () => {
    expect(Object.keys(usual).filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });
});
