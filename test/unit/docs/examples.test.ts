import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { buildDocument, exampleLanguages, examplesPage } from '@gateway/api';
import { pagesWithExamples, withExamples } from '../../../scripts/page-examples/page-examples.mjs';
import { allPages, blocksOf } from '../../documentation/markdown.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const document = buildDocument({ baseUrl: 'http://localhost:3000', version: '0' });
const reference = { document, languages: exampleLanguages };

it('the page of examples is that of the document; "npm run generate:client-types" renews it', () => {
  expect(readFileSync('docs/examples.md', 'utf8')).toBe(examplesPage(document));
});

describe('the programs below the curl commands of a page', () => {
  it.each(pagesWithExamples().map((page) => [path.relative(root, page), page] as const))(
    'of %s do what the commands do; "npm run generate:client-types" renews them',
    (_name, page) => {
      const text = readFileSync(page, 'utf8');

      expect(text).toBe(withExamples(text, reference));
    },
  );

  const shown = (command: string): string[] =>
    blocksOf({
      name: 'x.md',
      text: withExamples(`\`\`\`sh\n${command}\n\`\`\`\n`, reference),
    }).map(({ code }) => code);
  const key = '-H "authorization: Bearer $KEY"';

  it('follow an id and an address from one request to the next', () => {
    const [, typescript, python] = shown(
      [
        `ID=$(curl -s http://localhost:3000/v1/videos ${key} \\\n  -d '{"prompt":"a \\"boat\\" | a lake"}' | tee /dev/stderr | head -1)`,
        `URL=$(curl -s http://localhost:3000/v1/videos/$ID ${key} | grep -o 'http[^"]*')`,
        'curl -s -o "video.mp4" "$URL"',
      ].join('\n'),
    );

    expect(typescript).toContain(
      [
        'const { id } = await client.videos.create({ prompt: \'a "boat" | a lake\' });',
        "await writeFile('video.mp4', await client.videos.download(id));",
      ].join('\n'),
    );
    expect(python).toContain('video_id = json.load(response)["id"]');
    expect(python).toContain('f"http://localhost:3000/v1/videos/{video_id}"');
    expect(python).toContain('Request(\n    video_url,\n)');
  });

  it('are left out where a page has them already, or says that there are none', () => {
    const command = `\`\`\`sh\ncurl http://localhost:3000/v1/billing/balance ${key}\n\`\`\`\n`;
    const languages = (text: string): string[] =>
      blocksOf({ name: 'x.md', text: withExamples(text, reference) }).map(
        ({ language }) => language,
      );

    expect(languages(`${command}\n${command}`)).toEqual(['sh', 'ts', 'python', 'sh']);
    expect(languages(`<!-- curl alone: why -->\n${command}`)).toEqual(['sh']);
    expect(languages(command.replace('/v1/', '/admin/v1/'))).toEqual(['sh']);
  });

  it.each([
    ['curl --compressed http://localhost:3000/v1/models', 'curl --compressed is unknown'],
    ['curl http://localhost:3000/v1/vidoes', 'the document has no GET /v1/vidoes'],
    ['curl http://localhost:3000/v1/models\ncurl -o x "$URL"', 'no request above keeps $URL'],
  ])('cannot be made from %s', (command, problem) => {
    expect(() => shown(command)).toThrow(problem);
  });
});

const withoutPython = spawnSync('python3', ['--version']).status !== 0;

(withoutPython ? it.skip : it)('the Python of the documentation is Python', () => {
  const programs = allPages().flatMap((page) =>
    blocksOf(page).filter(({ language }) => language === 'python'),
  );
  const read = 'import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)';

  const { status, stderr } = spawnSync('python3', ['-c', read], {
    input: JSON.stringify(programs.map(({ code }) => code)),
    encoding: 'utf8',
  });

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(programs.length).toBeGreaterThan(80);
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
