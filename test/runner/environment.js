import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { openHandles, refuseLeftOvers, watchTimers } from './handle-guard.js';

const { console: ownConsole } = globalThis;
const { exit: ownExit } = process;
const ownWrites = [process.stdout, process.stderr].map((stream) => ({
  stream,
  write: stream.write,
}));

/**
 * What keeps something for a call and all that it leads to, the framework's too: each that was used
 * since the last file ended.
 */
const contexts = new Set();
for (const name of /** @type {const} */ (['run', 'enterWith'])) {
  const own = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function use(...values) {
    contexts.add(this);
    return Reflect.apply(own, this, values);
  };
}

/** Enough to find where it happened; every frame costs each error that a test makes. */
const stackFrames = 30;

/** What a service in process listens to; where a file leaves such a listener, it ends the next one. */
const endings = /^(?:SIG|uncaughtException|unhandledRejection)/;

/**
 * A test file runs in the worker's own global scope, beside the modules that the files before it have
 * loaded. So it has to leave everything as it was: mocks, timers, variables and listeners go back by
 * themselves, and a file that leaves something open fails.
 */
export default class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimersModern;
  #open = openHandles();
  #timers;
  #variables = { ...process.env };
  #listeners = endingListeners();
  #failures = 0;
  #formatStack;
  #graceMs;

  constructor({ projectConfig }) {
    this.#graceMs = projectConfig.testEnvironmentOptions?.graceMs;
    this.#timers = watchTimers(this.#graceMs);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    Error.stackTraceLimit = stackFrames;
    // Jest's reads the source of every frame to look for a source map; here there is none.
    this.#formatStack = Error.prepareStackTrace;
    Reflect.deleteProperty(Error, 'prepareStackTrace');
  }

  handleTestEvent({ name }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.#failures += 1;
  }

  /** Nothing runs in a context of Node's `vm`. */
  getVmContext() {
    return null;
  }

  exportConditions() {
    return [];
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    globalThis.console = ownConsole;
    process.exit = ownExit;
    for (const { stream, write } of ownWrites) stream.write = write;
    // One that stays in use makes every promise of the files to come dearer: those of a hundred files
    // took an eighth of all time.
    for (const context of contexts) context.disable();
    contexts.clear();
    Error.prepareStackTrace = this.#formatStack;
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#variables)) Reflect.deleteProperty(process.env, name);
    }
    Object.assign(process.env, this.#variables);
    for (const { name, listener } of endingListeners()) {
      const isOld = this.#listeners.some((old) => old.name === name && old.listener === listener);
      if (!isOld) process.off(name, listener);
    }
    // A test that fails may not come to its closing; the reason why it failed must be seen.
    try {
      if (this.#failures === 0) {
        await refuseLeftOvers(this.#open, this.#timers, this.#graceMs);
      }
    } finally {
      this.#timers.stop();
    }
  }
}

function endingListeners() {
  return process
    .eventNames()
    .filter((name) => endings.test(String(name)))
    .flatMap((name) =>
      process
        .rawListeners(name)
        .map((listener) => ({ name, listener: /** @type {any} */ (listener) })),
    );
}
