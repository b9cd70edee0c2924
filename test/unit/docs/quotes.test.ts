import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@gateway/contracts';
import { errorCatalogue } from '@gateway/domain';
import { videoVendors } from '@gateway/video-providers';
import { parse } from '../../../services/admin/src/run.ts';
import { parseDirectives } from '../../../services/sandbox-vendor/src/tasks/directives.ts';
import { allPages, blocksOf, projectRoot } from '../../documentation/markdown.ts';

const pages = allPages().filter(({ name }) => name === 'README.md' || name.startsWith('docs/'));

/**
 * Everything that may print or read something, with template holes and escapes as they are written.
 */
function sources(folder: string): string[] {
  return readdirSync(path.join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : sources(name);
    }
    return /\.(?:ts|mjs|ya?ml)$/.test(entry.name)
      ? [readFileSync(path.join(projectRoot, name), 'utf8')]
      : [];
  });
}
const printed = ['packages', 'services', 'scripts'].flatMap(sources).join('\n');

/** The first cells of a page's tables. */
const firstCells = (text: string): string[] =>
  [...text.matchAll(/^\| (.*?) \| /gm)].map(([, cell]) => cell!);

/**
 * What stands between backticks and is a sentence: names, codes and commands have no two spaces.
 */
const sentencesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)]
    .map(([, quoted]) => quoted!)
    .filter((quoted) => quoted.split(' ').length > 2 && !quoted.startsWith('npm '));

describe('docs/troubleshooting.md', () => {
  const quotes = firstCells(
    pages.find(({ name }) => name === 'docs/troubleshooting.md')!.text,
  ).flatMap(sentencesIn);

  it('quotes messages that the gateway prints', () => {
    const partsOf = (quote: string): string[] =>
      quote
        .split('…')
        .map((part) => part.trim())
        .filter((part) => part.length > 3);

    expect(
      quotes.filter((quote) => partsOf(quote).some((part) => !printed.includes(part))),
    ).toEqual([]);
    expect(quotes.length).toBeGreaterThan(15);
  });
});

describe('a status and a code that a page names together', () => {
  it.each(pages.map(({ name, text }) => [name, text] as const))(
    'in %s belong together',
    (_name, text) => {
      const wrong = [...text.matchAll(/\b([45]\d\d),? `([a-z]+(?:_[a-z]+)+)`/g)].filter(
        ([, status, code]) => {
          const known: { status: number } | undefined = Object.entries(errorCatalogue).find(
            ([name]) => name === code,
          )?.[1];
          return known?.status !== Number(status);
        },
      );

      expect(wrong.map(([words]) => words)).toEqual([]);
    },
  );
});

describe('a name that a page gives in backticks', () => {
  const known = [
    printed,
    ...['docker', 'k8s', 'test', 'bench', 'config'].flatMap(sources),
    readFileSync(path.join(projectRoot, 'docker-compose.yml'), 'utf8'),
  ].join('\n');
  const quoted = allPages()
    .filter(({ name }) => name !== 'CHANGELOG.md')
    .flatMap(({ name, text }) =>
      [...text.matchAll(/`([^`\n]+)`/g)].map(([, words]) => ({ name, words: words! })),
    );
  /** Looks through all sources once for a name, however many pages give it. */
  const unknown = (pattern: RegExp): string[] => {
    const named = quoted.flatMap(({ name, words }) =>
      [...words.matchAll(pattern)].map(([found]) => ({ name, found })),
    );
    const isKnown = new Map(
      [...new Set(named.map(({ found }) => found))].map((found) => [found, known.includes(found)]),
    );
    return named
      .filter(({ found }) => isKnown.get(found) !== true)
      .map(({ name, found }) => `${name}: ${found}`);
  };

  it('as a setting is one', () => {
    expect(unknown(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)).toEqual([]);
  });

  it('as a metric is one', () => {
    expect(unknown(/\bgateway_[a-z_]+\b/g)).toEqual([]);
  });

  it('as a file is one', () => {
    const files = quoted.filter(({ words }) =>
      /^(?:packages|services|test|config|prisma|scripts|docker|k8s|bench|docs)\/[\w./-]+$/.test(
        words,
      ),
    );

    expect(
      files
        .filter(({ words }) => !existsSync(path.join(projectRoot, words)))
        .map(({ name, words }) => `${name}: ${words}`),
    ).toEqual([]);
    expect(files.length).toBeGreaterThan(10);
  });

  it('as a command of npm is one', () => {
    const { scripts } = JSON.parse(
      readFileSync(path.join(projectRoot, 'package.json'), 'utf8'),
    ) as { scripts: Record<string, string> };
    const commands = quoted.flatMap(({ name, words }) =>
      [...words.matchAll(/\bnpm run (?:-s )?([a-z:-]*[a-z])/g)].map(([, command]) => ({
        name,
        command: command!,
      })),
    );

    expect(
      commands
        .filter(({ command }) => !(command in scripts))
        .map(({ name, command }) => `${name}: ${command}`),
    ).toEqual([]);
  });

  it('as an administration command is one', () => {
    const commands = quoted.flatMap(({ name, words }) =>
      [...words.matchAll(/\bnpm run (?:-s )?admin -- ([a-z][a-z -]*[a-z])/g)].map(
        ([, command]) => ({ name, command: command!.replace(/ --.*$/, '') }),
      ),
    );
    // An unknown command prints the overview.
    const isKnown = (command: string): boolean =>
      JSON.stringify(parse([...command.split(' '), '--help'])) !== JSON.stringify(parse([]));

    expect(
      commands
        .filter(({ command }) => !isKnown(command))
        .map(({ name, command }) => `${name}: ${command}`),
    ).toEqual([]);
    expect(commands.length).toBeGreaterThan(10);
  });

  it('as a word for the sandbox is one', () => {
    const directives = quoted.flatMap(({ words }) =>
      [...words.matchAll(/^\[[a-z-]+(?:=[\d.]+)?\]$/g)].map(([found]) => found),
    );

    expect(
      directives.filter(
        (written) =>
          parseDirectives(written).problem !== undefined ||
          Object.keys(parseDirectives(written).directives).length === 0,
      ),
    ).toEqual([]);
    expect(directives.length).toBeGreaterThan(5);
  });
});

describe('a configuration that a page shows whole', () => {
  const files = pages.flatMap((page) =>
    blocksOf(page)
      .filter(
        ({ language, code }) =>
          language === 'yaml' && /^providers:/m.test(code) && /^models:/m.test(code),
      )
      .map((block) => [`${page.name}:${block.line}`, block.code] as const),
  );

  it.each(files)('in %s is one that the services take', (_place, code) => {
    const variables = [...code.matchAll(/\$\{(\w+)\}/g)].map(
      ([, variable]) => [variable!, 'a-key'] as const,
    );
    const read = readConfiguration(
      code,
      {
        environment: Object.fromEntries(variables),
        readFile: () => 'a-key',
      },
      videoVendors,
    );

    expect(read).toMatchObject({ ok: true });
  });

  it('is there', () => {
    expect(files.length).toBeGreaterThan(1);
  });
});
