import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const operations = readFileSync('docs/operations.md', 'utf8');
const bench = readFileSync('bench/README.md', 'utf8');

const figureIn = (page: string, pattern: RegExp): number =>
  Number(pattern.exec(page)?.[1]?.replaceAll(',', ''));

/** What the page promises, and the row of the bench that it comes from: the lower of two figures. */
it.each([
  ['creations', /(\d+) a second measured, all of one/, /\| creates, 32 callers.* \| ([\d,]+) \| ≥/],
  [
    'short responses',
    /([\d,]+) short responses/,
    /\| requests, 64 callers.*? \|.*? \| ([\d,]+) to/,
  ],
  ['streams', /([\d,]+) streams of 100/, /\| streams, passed through.*? \|.*? \| ([\d,]+) to/],
  ['translated', /or ([\d,]+) \(translated\)/, /\| streams, translated.*? \|.*? \| ([\d,]+) to/],
  [
    'open streams',
    /about (\d+) MB with 1,000/,
    /the version before[^]*?MB\) \| 131 \| \d+, (\d+) \|/,
  ],
  ['holds', /([\d,]+) holds a second/, /\| 1,000 cold accounts \| 1 \| ([\d,]+) \|/],
  [
    'holds of one account',
    /hot account ([\d,]+) a second/,
    /\| one hot account \| 1 \| ([\d,]+) \|/,
  ],
  ['pushes', /\| (\d+) to \d+ measured next/, /\| 1 \| (\d+) \| 1\.25 \|/],
])('docs/operations.md and the bench agree on %s', (_what, stated, measured) => {
  const [said, seen] = [figureIn(operations, stated), figureIn(bench, measured)];

  expect(said).toBeGreaterThan(seen * 0.97);
  expect(said).toBeLessThan(seen * 1.03);
});

it('names what a process weighs at rest as the bench does', () => {
  const said = ['api, creating videos', 'billing', 'video-worker', 'callback-dispatcher'].map(
    (service) => figureIn(operations, new RegExp(`\\| ${service} \\|[^|]*\\| (\\d+) MB`)),
  );
  const seen = ['api', 'billing', 'video-worker', 'callback-dispatcher'].map((service) =>
    figureIn(bench, new RegExp(`\\| ${service} \\| (\\d+) \\|\\n`)),
  );

  said.forEach((figure, index) => {
    expect(Math.abs(figure - (seen[index] ?? NaN))).toBeLessThanOrEqual(5);
  });
});
