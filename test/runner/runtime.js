import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import './register.js';
import { startCoverage, takeCoverage } from './coverage.js';
import { bindGlobals, bindJest } from './globals.js';

/** Jest's worker requires this file and takes its default export. */
export const __esModule = true;

const require = createRequire(import.meta.url);

/** Where the framework keeps it in the global scope. */
const frameworkState = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']);

let runs = 0;

/**
 * What jest loads a test file with: Node's own loader instead of a registry of modules per file, as a
 * service loads its code in production. A module is loaded, and compiled by V8, once per worker and
 * not once per file, which saves most of the time of a short file. Jest's own parts, the framework
 * that runs a file's tests included, are as they are otherwise.
 */
export default class NativeRuntime {
  #mocks;
  #coverage = [];

  constructor(_config, environment) {
    this.#mocks = environment.moduleMocker;
    bindJest(environment);
  }

  /** Jest asks for its framework alone, whose state is a file's own. */
  requireInternalModule(path) {
    Reflect.deleteProperty(require.cache, path);
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (frameworkState.has(symbol.description ?? '')) Reflect.deleteProperty(globalThis, symbol);
    }
    return withoutMessages(require(path));
  }

  requireModule(path) {
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    bindGlobals(globals);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** Watch mode and `--runInBand` may come to the same file twice in one process. */
  async unstable_importModule(path) {
    runs += 1;
    await import(`${pathToFileURL(path).href}?run=${runs}`);
  }

  getSourceMaps() {
    return null;
  }

  restoreAllMocks() {
    this.#mocks.restoreAllMocks();
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {}

  collectV8Coverage() {
    return startCoverage();
  }

  async stopCollectingV8Coverage() {
    this.#coverage = await takeCoverage();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  getAllV8CoverageInfoCopy() {
    return this.#coverage;
  }
}

/**
 * Jest's main process would be told when each test begins and ends, by two messages a test: it hears
 * of the tests of a file when that is over, and nothing that reports here asks for more.
 *
 * @template {{ initialize?: (options: object) => unknown }} Framework
 * @param {Framework} framework
 */
function withoutMessages(framework) {
  const { initialize } = framework;
  if (initialize === undefined) return framework;
  return {
    ...framework,
    initialize: (options) => initialize({ ...options, sendMessageToJest: undefined }),
  };
}
