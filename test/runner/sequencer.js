import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

// Its types tell of a CommonJS module, and `import` takes another file.
const require = createRequire(import.meta.url);
/** @type {typeof import('@jest/test-sequencer')} */
const { default: TestSequencer } = require('@jest/test-sequencer');

/** @typedef {import('@jest/test-result').Test} Test */

/** @type {Record<string, number>} Seconds of each file that takes long, by its path. */
const usualSeconds = JSON.parse(
  readFileSync(new URL('./usual-seconds.json', import.meta.url), 'utf8'),
);

/**
 * Long files first, so that no worker is alone with one at the end. Jest knows how long a file took
 * from the run before; in a fresh clone it goes by sizes, which say little. There the usual seconds
 * decide, which `npm run accept:test-times` writes.
 */
export default class LongFilesFirst extends TestSequencer {
  /** @param {Test[]} tests */
  async sort(tests) {
    const usual = await super.sort(tests);
    if (usual.every(({ duration }) => duration !== undefined)) return usual;
    return inOrder(usual);
  }
}

/** @param {readonly Test[]} tests */
export function inOrder(tests) {
  return tests
    .map((test) => ({ test, seconds: secondsOf(test) }))
    .sort((one, other) => other.seconds - one.seconds)
    .map(({ test }) => test);
}

/**
 * What is not in the table is short, and keeps jest's order.
 *
 * @param {Test} test
 */
function secondsOf({ duration, path: file, context }) {
  if (duration !== undefined) return duration / 1_000;
  return usualSeconds[path.relative(context.config.rootDir, file)] ?? 0;
}
