import path from 'node:path';
import { utils } from '@jest/reporters';

/** A file that takes longer gets a line of its own. */
const slowSeconds = 15;
/** Where there is no terminal for a counter, one line in this time. */
const lineEverySeconds = 30;
/** Where no file has ended for so long, a line says which are running: one that hangs has a name. */
const quietSeconds = 60;

/** So few files, and the long ones, have a line each. */
const fewFiles = 10;

/** What did not run, by the outermost group that was left out; its title says why. */
const leftOut = ({ testResults }) => [
  ...new Set(
    testResults
      .filter(({ status }) => status === 'pending')
      .map(({ ancestorTitles, title }) => ancestorTitles[0] ?? title),
  ),
];

/** A file that ran nothing has not passed. */
function lineOf(name, result, seconds) {
  const { numPassingTests: passed, numPendingTests: skipped } = result;
  if (skipped === 0) return `PASS  ${name}  ${passed} passed, ${seconds.toFixed(1)} s`;
  const word = passed === 0 ? 'SKIP' : 'PASS';
  const counts = `${passed} passed, ${skipped} skipped, ${seconds.toFixed(1)} s`;
  return `${word}  ${name}  ${counts}\n      skipped: ${leftOut(result).join('; ')}`;
}

/**
 * Quiet: lines for files that fail or are slow, a counter, at the end a line for each kind of tests
 * and jest's summary. Beside jest's own reporter, which has its own, nothing.
 */
export default class ProgressReporter {
  #root;
  #silent;
  #everyFile = false;
  #isTerminal = process.stdout.isTTY === true;
  /** What came of each kind of tests, by its name. */
  #kinds = new Map();
  #failedFiles = [];
  #startedAt = 0;
  #saidAt = 0;
  /** When each file that is running began, by its path from the root. */
  #running = new Map();
  #quietMs;
  #quietTimer;

  constructor({ rootDir, reporters }, options = {}) {
    this.#root = rootDir;
    this.#silent = reporters.some(([name]) => name === 'default');
    this.#quietMs = options.quietMs ?? quietSeconds * 1_000;
  }

  onRunStart({ numTotalTestSuites: files }) {
    this.#kinds.clear();
    this.#failedFiles = [];
    this.#everyFile = files <= fewFiles;
    this.#startedAt = performance.now();
    this.#saidAt = 0;
    this.#say(`${files} test files`);
    this.#running.clear();
    this.#quietTimer = setInterval(() => {
      this.#tellRunning();
    }, this.#quietMs).unref();
  }

  onTestFileStart({ path: file }) {
    this.#running.set(path.relative(this.#root, file), performance.now());
  }

  onTestFileResult({ path: file, context }, result, { numTotalTestSuites: files }) {
    const name = path.relative(this.#root, file);
    this.#running.delete(name);
    this.#quietTimer.refresh();
    const kind = context.config.displayName?.name ?? 'tests';
    const seconds = (result.perfStats.runtime ?? 0) / 1_000;
    const failed = result.numFailingTests + (result.testExecError === undefined ? 0 : 1);
    const sum = this.#kinds.get(kind) ?? { files: 0, passed: 0, failed: 0, skipped: 0, seconds: 0 };
    sum.files += 1;
    sum.passed += result.numPassingTests;
    sum.failed += failed;
    sum.skipped += result.numPendingTests;
    sum.seconds += seconds;
    this.#kinds.set(kind, sum);
    if (failed > 0) this.#tellFailure(name, result);
    else if (this.#everyFile || kind === 'long' || seconds > slowSeconds) {
      this.#say(lineOf(name, result, seconds));
    }
    this.#count(files);
  }

  onRunComplete(_contexts, results) {
    clearInterval(this.#quietTimer);
    for (const [kind, sum] of this.#kinds) {
      this.#say(
        `${kind.padEnd(12)} ${sum.files} files, ${sum.passed} passed, ${sum.failed} failed, ` +
          `${sum.skipped} skipped; ${sum.seconds.toFixed(0)} s, summed over files`,
      );
    }
    for (const name of this.#failedFiles) this.#say(`FAIL  ${name}`);
    // Jest's own closing lines, so that a CI system that reads the output finds them.
    this.#say(`\n${utils.getSummary(results, { roundTime: true })}`);
  }

  #tellFailure(name, { failureMessage, console: printed }) {
    this.#failedFiles.push(name);
    this.#say(`FAIL  ${name}\n${failureMessage ?? ''}`);
    for (const { type, message } of printed ?? []) this.#say(`${type}: ${message}`);
  }

  #tellRunning() {
    const now = performance.now();
    const files = [...this.#running].map(
      ([name, since]) => `${name} (${Math.round((now - since) / 1_000)} s)`,
    );
    if (files.length > 0) this.#say(`running: ${files.join(', ')}`);
  }

  /** How far it is: in place on a terminal, else a line now and then. */
  #count(files) {
    const sums = [...this.#kinds.values()];
    const done = sums.reduce((sum, kind) => sum + kind.files, 0);
    const passed = sums.reduce((sum, kind) => sum + kind.passed, 0);
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000);
    const line = `${done} of ${files} files, ${passed} tests passed, ${seconds} s`;
    if (this.#silent) return;
    if (this.#isTerminal) this.#write(`\r${line}\u001b[K`);
    else if (!this.#everyFile && seconds - this.#saidAt >= lineEverySeconds) {
      this.#saidAt = seconds;
      this.#write(`${line}\n`);
    }
  }

  /** A line, over the counter where there is one. */
  #say(line) {
    if (this.#silent) return;
    this.#write(this.#isTerminal ? `\r\u001b[K${line}\n` : `${line}\n`);
  }

  #write(text) {
    process.stdout.write(text);
  }
}
