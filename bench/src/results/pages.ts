import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { render } from './render.ts';
import { readResults } from './result.ts';

const root = path.resolve(import.meta.dirname, '../../..');

export const resultsFolder = path.join(root, 'bench/results');

/** Those that show figures of the bench. */
export const pageNames = [
  'bench/README.md',
  'bench/figures.md',
  'README.md',
  'docs/operations.md',
] as const;

/** Writes the pages that differ from the results, and names them. */
export function renewPages(): string[] {
  const results = readResults(resultsFolder);
  return pageNames.filter((name) => {
    const file = path.join(root, name);
    const text = readFileSync(file, 'utf8');
    const renewed = render({ name, text }, results);
    if (renewed !== text) writeFileSync(file, renewed);
    return renewed !== text;
  });
}
