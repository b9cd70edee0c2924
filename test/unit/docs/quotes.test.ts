import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '@gateway/domain';
import { allPages, projectRoot } from '../../documentation/markdown.ts';

const pages = allPages().filter(({ name }) => name === 'README.md' || name.startsWith('docs/'));

/** Everything that may print something, with template holes and escapes as they are written. */
function sources(folder: string): string[] {
  return readdirSync(path.join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : sources(name);
    return /\.(?:ts|mjs)$/.test(entry.name) ? [readFileSync(path.join(projectRoot, name), 'utf8')] : [];
  });
}
const printed = ['packages', 'services', 'scripts'].flatMap(sources).join('\n');

/** The first cells of a page's tables. */
const firstCells = (text: string): string[] => [...text.matchAll(/^\| (.*?) \| /gm)].map(([, cell]) => cell!);

/** What stands between backticks and is a sentence: names, codes and commands have no two spaces. */
const sentencesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted!).filter((quoted) => quoted.split(' ').length > 2 && !quoted.startsWith('npm '));

describe('docs/troubleshooting.md', () => {
  const quotes = firstCells(pages.find(({ name }) => name === 'docs/troubleshooting.md')!.text).flatMap(sentencesIn);

  it('quotes messages that the gateway prints', () => {
    const partsOf = (quote: string): string[] => quote.split('…').map((part) => part.trim()).filter((part) => part.length > 3);

    expect(quotes.filter((quote) => partsOf(quote).some((part) => !printed.includes(part)))).toEqual([]);
    expect(quotes.length).toBeGreaterThan(15);
  });
});

describe('a status and a code that a page names together', () => {
  it.each(pages.map(({ name, text }) => [name, text] as const))('in %s belong together', (_name, text) => {
    const wrong = [...text.matchAll(/\b([45]\d\d),? `([a-z]+(?:_[a-z]+)+)`/g)].filter(([, status, code]) => {
      const known: { status: number } | undefined = Object.entries(errorCatalogue).find(([name]) => name === code)?.[1];
      return known?.status !== Number(status);
    });

    expect(wrong.map(([words]) => words)).toEqual([]);
  });
});
