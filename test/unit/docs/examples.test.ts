import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { buildDocument, examplesPage } from '@gateway/api';

const root = path.resolve(import.meta.dirname, '../../..');

it('the page of examples is that of the document; "npm run generate:client-types" renews it', () => {
  const document = buildDocument({ baseUrl: 'http://localhost:3000', version: '0' });

  expect(readFileSync('docs/examples.md', 'utf8')).toBe(examplesPage(document));
});

/** Programs of a page in TypeScript or with the client, by where the compiler says that they are. */
const programsOf = (page: string): (readonly [string, string])[] =>
  [...readFileSync(path.join(root, page), 'utf8').matchAll(/^```(js|ts)\b.*\n([^]*?)^```/gm)]
    .filter(([, language, source]) => language === 'ts' || source?.includes('@gateway/client'))
    .map(([, , source = ''], index) => [`${page}.${index + 1}.ts`, source]);

const options: ts.CompilerOptions = {
  strict: true,
  // The pages' own functions are JavaScript.
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

/** What the compiler says of programs that lie in no file, as one who installs the client sees it. */
function complaintsAbout(programs: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  const sources = new Map([...programs].map(([name, source]) => [path.join(root, name), source]));
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...more) => {
    const source = sources.get(file);
    return source === undefined
      ? getSourceFile(file, version, ...more)
      : ts.createSourceFile(file, source, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${path.relative(root, file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
}

describe('the TypeScript of the documentation', () => {
  const pages = [
    'README.md',
    ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`),
  ];
  const programs = new Map(pages.filter((name) => name.endsWith('.md')).flatMap(programsOf));

  it('is what the types of the client allow', () => {
    expect(programs.size).toBeGreaterThan(50);
    expect(complaintsAbout(programs)).toEqual([]);
  });
});
