// Writes down which test files take long, for the order in which a fresh clone runs them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { endWith } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';

const help = `npm run accept:test-times: writes test/runner/usual-seconds.json from what jest remembers of the last
runs of npm test and npm run test:long. A fresh clone starts with the files that take longest.
`;
const root = path.resolve(import.meta.dirname, '..');
const leastMs = 8_000;

try {
  readArguments(help, {});
  const remembered = path.join(root, '.cache/jest');
  /** @type {Record<string, number>} */
  const seconds = {};
  for (const cache of readdirSync(remembered).filter((each) => each.startsWith('perf-cache'))) {
    const runs = JSON.parse(readFileSync(path.join(remembered, cache), 'utf8'));
    for (const [file, [, ms]] of Object.entries(runs)) {
      const name = path.relative(root, file);
      // A copied cache remembers the checkout that it comes from.
      if (ms < leastMs || name.startsWith('..') || !existsSync(file)) continue;
      seconds[name] = Math.round(ms / 1_000);
    }
  }
  const target = path.join(root, 'test/runner/usual-seconds.json');
  writeFileSync(target, `${JSON.stringify(seconds, Object.keys(seconds).sort(), 2)}\n`);
} catch (error) {
  endWith(error);
}
