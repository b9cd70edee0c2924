import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What CONTRIBUTING.md wants no name to say, from the last column of its table of words. */
const refusedWords = wordsRefusedBy(readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8'));

/** Names that may say such a word all the same, with the reason. */
const exceptions: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^lookUp/, 'a look-up is a standard term'],
  [/^EVENT_STREAM_LOOK_MS$/, 'a public setting'],
  [/^answer_timeout_seconds$/, 'a field of the configuration'],
  [/^answerExcerpt$/, 'the column answer_excerpt'],
  [
    /[Tt]ext-?[Ll]ane|^(?:build-)?lane(?:Ports)?$|^(?:Build|Built)?Lane(?:Options|Ports)?$/,
    'the text lane',
  ],
  [/^[Ff]igures?(Table)?$/, 'a bench prints figures, and a page has them'],
];

interface Name {
  readonly name: string;
  readonly file: string;
}

describe('names', () => {
  it('refuse at least the words that were once here', () => {
    expect([...refusedWords]).toEqual(
      expect.arrayContaining(['glance', 'wish', 'vigil', 'desk', 'answer']),
    );
  });

  it('use the words of CONTRIBUTING.md', () => {
    const files = sources();

    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((file) => misnamed(file, namesIn(file, textOf(file))))).toStrictEqual([]);
  });

  it.each([
    ['a function', 'export function takeGlance() {}', 'takeGlance'],
    ['a constant', 'const firstWishes = 1;', 'firstWishes'],
    ['a property of a type', 'export interface A { readonly vigilMs: number }', 'vigilMs'],
    ['a type', 'type Desk = 1;', 'Desk'],
    ['a name of several words', 'const lastAnswers = 1;', 'lastAnswers'],
  ])('are refused in %s', (_what, source, name) => {
    const file = 'packages/domain/src/planted.ts';

    expect(misnamed(file, namesIn(file, source))).toStrictEqual([`${file}: ${name}`]);
  });

  it('are refused in the name of a file', () => {
    const file = 'packages/domain/src/glance.ts';

    expect(misnamed(file, namesIn(file, ''))).toStrictEqual([`${file}: glance`]);
  });
});

function wordsRefusedBy(markdown: string): ReadonlySet<string> {
  const table = markdown.slice(markdown.indexOf('## Words'), markdown.indexOf('## What'));
  const rows = table.split('\n').filter((line) => line.startsWith('| **'));
  return new Set(
    rows.flatMap((row) =>
      [...(row.split('|')[3] ?? '').matchAll(/`([a-z]+)`/g)].map(([, word = '']) => word),
    ),
  );
}

function sources(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', 'packages', 'services', 'bench', 'scripts'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  });
  return listed
    .split('\n')
    .filter((file) => /\.(?:ts|mjs)$/.test(file) && file !== 'packages/client/src/schema.ts');
}

const textOf = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** What a file declares, and its own name; parameters and fields of unnamed types are left out. */
function namesIn(file: string, source: string): readonly Name[] {
  const names = [path.basename(file).replace(/\.(?:ts|mjs)$/, '')];
  const visit = (node: ts.Node): void => {
    const declared = declaredName(node);
    if (declared !== undefined) names.push(declared);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false));
  return names.map((name) => ({ name, file }));
}

function declaredName(node: ts.Node): string | undefined {
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node);
  return isNamed && node.name !== undefined && ts.isIdentifier(node.name)
    ? node.name.text
    : undefined;
}

function misnamed(file: string, names: readonly Name[]): readonly string[] {
  return names
    .filter(({ name }) => wordsOf(name).some((word) => refusedWords.has(word)))
    .filter(({ name }) => !exceptions.some(([pattern]) => pattern.test(name)))
    .map(({ name }) => `${file}: ${name}`);
}

/** Words in lower case and singular, as the table has them. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
    .flatMap((word) => [word, word.replace(/s$/, ''), word.replace(/es$/, '')]);
