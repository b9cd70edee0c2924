import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { overview } from '../../../services/admin/src/run.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const guide = readFileSync(path.join(root, 'docs/operations.md'), 'utf8');
const settings = readFileSync(path.join(root, 'docs/settings.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** `callback-secret rotate`, `tasks`: the words before the first option. */
const administered = [...guide.matchAll(/npm run admin -- ([a-z][a-z -]*?)(?=`| --| +#|\n)/g)].map(
  ([, words]) => words!.trim(),
);

describe('docs/operations.md', () => {
  it('names only commands that exist', () => {
    const called = [...guide.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name!);

    expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    expect(administered.length).toBeGreaterThan(8);
    expect(
      administered.filter(
        (words) => !new RegExp(`^  npm run admin -- ${words} +\\S`, 'm').test(overview),
      ),
    ).toEqual([]);
  });

  it('names only settings that exist', () => {
    const own = new Set(['SERVER_URL', 'RESTORED_URL', 'REDIS_PASSWORD', 'FLUSHALL']);
    const named = [...guide.matchAll(/`([A-Z][A-Z_]{5,})`/g)].map(([, name]) => name!);

    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !own.has(name) && !settings.includes(`| \`${name}\` |`))).toEqual(
      [],
    );
  });

  it('names only tests and files of the project that exist', () => {
    const named = [...guide.matchAll(/`((?:test|packages|services|k8s|docker)\/[\w./-]+)`/g)].map(
      ([, file]) => file!,
    );

    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});
