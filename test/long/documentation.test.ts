/** @workers 3: it promises no times. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { allPages, blocksOf, type Block } from '../documentation/markdown.ts';
import { differences, jsonIn, missingLines } from '../documentation/shape.ts';
import { openShell, type Ran } from '../documentation/shell.ts';
import { openStage, type Stage } from '../documentation/stage.ts';

/** The command that starts what every other block talks to. */
const start = 'npm start';
const pages = allPages()
  .map((page) => ({ name: page.name, blocks: blocksOf(page) }))
  .filter(
    ({ name }) => name === 'README.md' || name === 'CONTRIBUTING.md' || name.startsWith('docs/'),
  );
const commands = new Set(['sh', 'js', 'ts', 'python']);
const isCommand = ({ language }: Block): boolean => commands.has(language);
const hasPython = spawnSync('python3', ['--version']).status === 0;
const isRun = (block: Block): boolean =>
  isCommand(block) && block.notRun === undefined && (block.language !== 'python' || hasPython);
/** The pages that tell where the key comes from. */
const firstPages = new Set(['README.md', 'docs/quickstart.md']);

const hasCurl = curlCanFail();

let stage: Stage;
beforeAll(async () => {
  if (hasCurl) stage = await openStage(start);
});
afterAll(async () => {
  if (hasCurl) await stage.close();
});

/** Without `--fail-with-body` (7.76) a response of 400 would pass for a success. */
function curlCanFail(): boolean {
  try {
    const [, major = 0, minor = 0] =
      /^curl (\d+)\.(\d+)/
        .exec(execFileSync('curl', ['--version'], { encoding: 'utf8' }))
        ?.map(Number) ?? [];
    return major > 7 || (major === 7 && minor >= 76);
  } catch {
    return false;
  }
}

/**
 * The block behind a command that shows what it prints, when there is one under the same heading.
 * Programs print the same in the form of their language.
 */
function outputOf(blocks: readonly Block[], block: Block): Block | undefined {
  if (block.isSame) return undefined;
  const next = blocks.slice(blocks.indexOf(block) + 1).find(({ isSame }) => !isSame);
  return next !== undefined &&
    next.section === block.section &&
    ['json', 'text'].includes(next.language)
    ? next
    : undefined;
}

/** What is wrong with what a block printed, given what the page shows. */
function wrongWith(shown: Block, printed: string): string[] {
  if (shown.language === 'text') {
    return missingLines(shown.code, printed).map((line) => `not printed: ${line}`);
  }
  const responses = jsonIn(printed);
  const compared = responses.map((response) => differences(JSON.parse(shown.code), response));
  return compared.find((wrong) => wrong.length === 0) ?? compared.at(-1) ?? ['no JSON was printed'];
}

/** Whether an error body is shown, and not a task that has ended with an error. */
const isRefusal = ({ language, code }: Block): boolean =>
  language === 'json' && Object.keys(JSON.parse(code) as object).join() === 'error';

/**
 * Programs talk to the address that they are told, so it is put in place of the one that pages
 * show.
 */
async function asCommand({ language, code, line }: Block): Promise<string> {
  if (language === 'sh') return code;
  const here = code.replaceAll('http://localhost:3000', stage.baseUrl);
  const isPython = language === 'python';
  const file = path.join(stage.folder, `block-${line}.${isPython ? 'py' : 'mjs'}`);
  await writeFile(file, language === 'ts' ? withoutTypes(here) : here);
  return `${isPython ? 'python3' : 'node'} ${file}`;
}

const withoutTypes = (code: string): string =>
  ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  }).outputText;

const title = (name: string, { line, code }: Block): string =>
  `${name}:${line} ${code.split('\n')[0]!.slice(0, 60)}`;

(hasCurl ? describe : describe.skip)(
  'the commands in the documentation (they need curl 7.76 or later)',
  () => {
    describe.each(pages.filter(({ blocks }) => blocks.some(isRun)))(
      'of $name',
      ({ name, blocks }) => {
        let run: (code: string) => Promise<Ran>;
        beforeAll(() => {
          const key = firstPages.has(name) ? {} : { KEY: stage.apiKey };
          run = openShell({
            folder: stage.folder,
            environment: { ...stage.environment, ...key },
            timeoutMs: 50_000,
            terminal: name.replaceAll('/', '-'),
          }).run;
        });

        it.each(blocks.filter(isRun).map((block) => [title(name, block), block] as const))(
          '%s',
          async (_title, block) => {
            if (block.given !== undefined) {
              expect(await run(block.given)).toMatchObject({ status: 0 });
            }

            const { status, printed } =
              block.code === start
                ? { status: 0, printed: stage.printed() }
                : await run(await asCommand(block));

            const shown = outputOf(blocks, block);
            expect({ status, printed }).toEqual({
              status: shown !== undefined && isRefusal(shown) ? 22 : 0,
              printed,
            });
            if (shown !== undefined) {
              expect({ wrong: wrongWith(shown, printed), printed }).toEqual({ wrong: [], printed });
            }
          },
        );
      },
    );
  },
);

describe('the blocks of the documentation', () => {
  it('are of a language that is run, or say why they are not', () => {
    const shown = ['json', 'text', 'yaml', 'promql', 'sql', 'mermaid'];
    const known = new Set([...commands, ...shown]);
    const odd = pages.flatMap(({ name, blocks }) =>
      blocks
        .filter(({ language, notRun }) => notRun === undefined && !known.has(language))
        .map((block) => title(name, block)),
    );

    expect(odd).toEqual([]);
  });

  it('that show JSON show JSON', () => {
    const broken = pages.flatMap(({ name, blocks }) =>
      blocks
        .filter(({ language, code }) => language === 'json' && jsonIn(code).length !== 1)
        .map((block) => title(name, block)),
    );

    expect(broken).toEqual([]);
  });

  it('are run, all but those that say why not', () => {
    const all = pages
      // Its blocks are run one by one, beside those of the reference.
      .filter(({ name }) => name !== 'docs/examples.md')
      .flatMap(({ name, blocks }) => blocks.filter(isCommand).map((block) => ({ name, block })));
    const left = all.filter(({ block }) => !isRun(block));
    process.stdout.write(
      `documentation: ${all.length - left.length} blocks of commands run, ${left.length} not run:\n${left.map(({ name, block }) => `  ${title(name, block)} (${block.notRun ?? 'there is no python3'})\n`).join('')}`,
    );

    expect(left.filter(({ block }) => block.notRun === '')).toEqual([]);
    expect(all.length - left.length).toBeGreaterThan(left.length);
  });
});
