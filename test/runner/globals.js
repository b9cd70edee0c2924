// What `@jest/globals` is for a test here: jest's own describe, it and expect. They are bound anew for
// each file, since a helper that several files share is loaded once.
export let describe, it, test, expect, jest, beforeAll, beforeEach, afterEach, afterAll;

/** @param {Record<string, any>} globals as jest-circus hands them out for one file */
export function bindGlobals(globals) {
  ({ describe, it, test, expect, beforeAll, beforeEach, afterEach, afterAll } = globals);
}

/**
 * The part of the `jest` object that needs no module registry.
 *
 * @param {any} environment
 */
export function bindJest({ moduleMocker, fakeTimersModern, global }) {
  const offered = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers: (options) => {
      fakeTimersModern.useFakeTimers(options);
      return jest;
    },
    useRealTimers: () => {
      fakeTimersModern.useRealTimers();
      return jest;
    },
    advanceTimersByTime: (ms) => fakeTimersModern.advanceTimersByTime(ms),
    advanceTimersByTimeAsync: (ms) => fakeTimersModern.advanceTimersByTimeAsync(ms),
    getTimerCount: () => fakeTimersModern.getTimerCount(),
    setTimeout: (ms) => {
      global[Symbol.for('TEST_TIMEOUT_SYMBOL')] = ms;
      return jest;
    },
  };
  jest = new Proxy(offered, {
    get(target, name) {
      if (name in target) return target[name];
      throw new TypeError(
        `jest.${String(name)} is not offered: modules are Node's own, and none is mocked`,
      );
    },
  });
}
