import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pageNames, resultsFolder } from '../../../bench/src/results/pages.ts';
import { render } from '../../../bench/src/results/render.ts';
import { jsonOf, readResult, readResults } from '../../../bench/src/results/result.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const results = readResults(resultsFolder);
const remedy = 'its figures are not those of bench/results; renew them: npm run bench -- render';

describe('the figures of the bench', () => {
  it.each(pageNames)('in %s are those of its results', (name) => {
    const text = readFileSync(path.join(root, name), 'utf8');

    expect(render({ name, text }, results) === text ? 'up to date' : remedy).toBe('up to date');
  });

  it('are shown by each of these pages, and nowhere written by hand only', () => {
    const counts = pageNames.map(
      (name) => readFileSync(path.join(root, name), 'utf8').split(/(?<!`)<!-- bench:\w/).length - 1,
    );

    expect(Object.fromEntries(pageNames.map((name, index) => [name, counts[index]! > 0]))).toEqual(
      Object.fromEntries(pageNames.map((name) => [name, true])),
    );
  });

  it.each(readdirSync(resultsFolder))('in %s are written as the bench writes them', (file) => {
    const json = readFileSync(path.join(resultsFolder, file), 'utf8');

    expect(jsonOf(readResult(json))).toBe(json);
  });
});
