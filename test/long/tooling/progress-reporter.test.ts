/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'progress-reporter-'));
const inFolder = (name: string): string => path.join(folder, name);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs jest with the reporter on test files of these names and contents; gives what it prints. The
 * file `told` appears in their folder as soon as the reporter names what is running.
 */
async function report(
  files: Readonly<Record<string, string>>,
  options: { readonly quietMs?: number } = {},
): Promise<string> {
  const project = mkdtempSync(inFolder('run-'));
  for (const [name, source] of Object.entries(files)) {
    writeFileSync(path.join(project, name), source);
  }
  const config = {
    rootDir: project,
    reporters: [[path.join(root, 'test/progress-reporter.js'), options]],
    cacheDirectory: inFolder('cache'),
    transform: {},
  };
  return new Promise((resolve) => {
    const { stdout } = execFile(
      process.execPath,
      [path.join(root, 'node_modules/jest/bin/jest.js'), '-i', '--config', JSON.stringify(config)],
      { cwd: project },
      (_error, printed) => {
        resolve(printed);
      },
    );
    stdout?.on('data', (text: string) => {
      if (text.includes('running: ')) writeFileSync(path.join(project, 'told'), '');
    });
  });
}

const passes = `test('passes', () => {});`;
const fails = `test('fails', () => { throw new Error('on purpose'); });`;
const isSkipped = `test.skip('is skipped', () => {});`;

describe('the last lines of a run', () => {
  it.each([
    [
      'what passes',
      { 'a.test.js': passes + passes },
      'Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total',
    ],
    [
      'what passes, fails and is skipped, over all files',
      { 'a.test.js': passes + fails + isSkipped, 'b.test.js': passes + isSkipped },
      'Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 skipped, 2 passed, 5 total',
    ],
    [
      'as a failure a file that cannot be run',
      { 'a.test.js': passes, 'b.test.js': '}' },
      'Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 passed, 1 total',
    ],
  ])('count %s, in the form of jest that CI systems read', async (_what, files, lines) => {
    const printed = await report(files);

    expect(printed).toContain(`\n\n${lines}\n`);
    expect(printed).toMatch(/\nTime: .*\n$/);
  });
});

describe('the line of a file', () => {
  const leftOut = `describe.skip('elsewhere (left out: no such machine)', () => { test('a', () => {}); test('b', () => {}); });`;

  it('that ran nothing does not say PASS, and says what was left out, once', async () => {
    const printed = await report({ 'a.test.js': leftOut });

    expect(printed).toMatch(
      /^SKIP {2}a\.test\.js {2}0 passed, 2 skipped, [\d.]+ s\n {6}skipped: elsewhere \(left out: no such machine\)$/m,
    );
    expect(printed).not.toContain('PASS');
  });

  it('that ran in part says both', async () => {
    const printed = await report({ 'a.test.js': passes + isSkipped });

    expect(printed).toMatch(
      /^PASS {2}a\.test\.js {2}1 passed, 1 skipped, [\d.]+ s\n {6}skipped: is skipped$/m,
    );
  });
});

describe('a run in which no file ends for long', () => {
  const waits = `
    const { existsSync } = require('node:fs');
    test('goes on when it was told of', (done) => {
      const timer = setInterval(() => {
        if (!existsSync(__dirname + '/told')) return;
        clearInterval(timer);
        done();
      }, 10);
    });`;

  it('names those that are running', async () => {
    const printed = await report({ 'a.test.js': waits, 'b.test.js': passes }, { quietMs: 100 });

    expect(printed).toMatch(/^running: a\.test\.js \(\d s\)$/m);
  });
});
