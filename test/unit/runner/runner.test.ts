import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it, jest } from '@jest/globals';
import type { ModuleMocker } from 'jest-mock';
import { toDecimal } from '../../../packages/domain/src/decimal.ts';

interface Environment {
  readonly moduleMocker: ModuleMocker;
  readonly fakeTimersModern: { useFakeTimers(): void };
  handleTestEvent(event: { name: string }): void;
  teardown(): Promise<void>;
}
const { default: NativeEnvironment } = (await import(
  new URL('../../runner/environment.js', import.meta.url).href
)) as { default: new (options: object) => Environment };
const config = {
  projectConfig: {
    rootDir: process.cwd(),
    fakeTimers: {},
    testEnvironmentOptions: { graceMs: 500 },
  },
};

function parseStack(error: Error): { line: number; column: number } {
  const [, line, column] = /runner\.test\.ts[^:]*:(\d+):(\d+)/.exec(error.stack ?? '') ?? [];
  return { line: Number(line), column: Number(column) };
}

describe('the runner of tests', () => {
  it('gives the line and column of the source, without a source map', () => {
    interface Gone {
      readonly line: number;
    }
    const where: Gone = parseStack(new Error('here')) satisfies Gone;

    expect(where).toEqual({ line: 36, column: 36 });
  });

  it("loads this repository's packages as sources, once for all test files of a process", async () => {
    const domain = await import('@gateway/domain');

    expect(import.meta.resolve('@gateway/domain')).toMatch(/src\/index\.ts$/);
    expect(domain.toDecimal).toBe(toDecimal);
  });

  it('is in the global scope of the process: what Node makes has the constructors of the test', () => {
    expect(process.hrtime()).toBeInstanceOf(Array);
    expect(new TextEncoder().encode('a')).toBeInstanceOf(Uint8Array);
    expect(path.isAbsolute(import.meta.filename)).toBe(true);
  });

  it('loads a helper once for many files, so that none registers a hook by itself', () => {
    const tests = path.resolve(import.meta.dirname, '../..');
    const helpers = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.test\.ts$|\bdist\b/.test(name),
    );

    expect(helpers.length).toBeGreaterThan(100);
    expect(
      helpers.filter((name) =>
        /^(?:before|after)(?:Each|All)\(|^jest\.setTimeout/m.test(
          readFileSync(path.join(tests, name), 'utf8'),
        ),
      ),
    ).toEqual([]);
  });

  it('offers no mock of a module', () => {
    expect(() => jest.mock('node:fs')).toThrow(/jest\.mock is not offered/);
  });

  it('puts back mocks, timers, the environment and what jest replaces for a file', async () => {
    const { exit, env } = process;
    const { console } = globalThis;
    const before = { now: Date.now, setTimeout, path: env['PATH'] };
    const environment = new NativeEnvironment(config);
    environment.moduleMocker.spyOn(Date, 'now').mockReturnValue(1);
    environment.fakeTimersModern.useFakeTimers();
    env['PATH'] = '/nowhere';
    env['RUNNER_TEST'] = 'left';
    const replaced = { exit: () => undefined as never, console: { ...console } };
    process.exit = replaced.exit;
    globalThis.console = replaced.console;

    await environment.teardown();
    const after = { exit: process.exit, console: globalThis.console };
    // This file is not at its end yet.
    process.exit = exit;
    globalThis.console = console;

    expect({ now: Date.now, setTimeout, path: env['PATH'] }).toEqual(before);
    expect(env['RUNNER_TEST']).toBeUndefined();
    expect(after.exit).not.toBe(replaced.exit);
    expect(after.console).not.toBe(replaced.console);
  });

  it('puts back what took the place of the standard output, and ends contexts that are in use', async () => {
    const environment = new NativeEnvironment(config);
    const context = new AsyncLocalStorage<string>();
    const { write } = process.stdout;
    const taken: string[] = [];
    process.stdout.write = (text) => taken.push(String(text)) > 0;
    const inUse = context.run('a request', async () => {
      process.stdout.write('nobody reads this');
      await environment.teardown();
      return context.getStore();
    });

    await expect(inUse).resolves.toBeUndefined();
    expect(taken).toEqual(['nobody reads this']);
    expect(process.stdout.write).toBe(write);
  });

  it('takes away what a file left listening to signals and to exceptions', async () => {
    const kept = (): void => undefined;
    const left = (): void => undefined;
    process.on('SIGHUP', kept);
    const environment = new NativeEnvironment(config);
    process.on('SIGHUP', left);
    process.once('uncaughtException', left);

    await environment.teardown();

    expect(process.listeners('SIGHUP')).toContain(kept);
    expect(process.listeners('SIGHUP')).not.toContain(left);
    expect(process.listeners('uncaughtException')).not.toContain(left);
    process.off('SIGHUP', kept);
  });

  it('fails a file that leaves something open, and waits for what ends by itself', async () => {
    const leaving = new NativeEnvironment(config);
    const timer = setInterval(() => undefined, 1_000);
    await expect(leaving.teardown()).rejects.toThrow(/leaves open: 1 × Timeout/);
    clearInterval(timer);

    const ending = new NativeEnvironment(config);
    setTimeout(() => undefined, 50);
    await expect(ending.teardown()).resolves.toBeUndefined();
  });

  it('tells where a timer was set that a file leaves, long or set again and again', async () => {
    const leaving = new NativeEnvironment(config);
    let short: NodeJS.Timeout;
    const again = (): void => {
      short = setTimeout(again, 20);
    };
    again();
    const long = setTimeout(() => undefined, 60_000);

    await expect(leaving.teardown()).rejects.toThrow(
      /a timer of 60000 ms, set .*runner\.test\.ts.*a timer of 20 ms, set .*again .*runner\.test\.ts/,
    );
    clearTimeout(short!);
    clearTimeout(long);
  });

  it('tells the failure of a file that failed, not what it left open', async () => {
    const environment = new NativeEnvironment(config);
    const timer = setInterval(() => undefined, 1_000);
    environment.handleTestEvent({ name: 'test_fn_failure' });

    await expect(environment.teardown()).resolves.toBeUndefined();
    clearInterval(timer);
  });
});
