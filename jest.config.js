// Started by `npm test`. Test files and sources are ES modules, read directly, no dist.
import { availableParallelism } from 'node:os';

/** Unit tests touch nothing; the others need the databases that `scripts/test.mjs` brings up. */
const project = (name) => ({
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  // Beside the checkout's other caches: which files take long.
  cacheDirectory: '<rootDir>/.cache/jest',
  // Other releases, each with packages of the same names.
  modulePathIgnorePatterns: ['<rootDir>/.cache/'],
  injectGlobals: false,
  restoreMocks: true,
  // Node's own loader, once per worker; jest's would load everything again for each file.
  testEnvironment: '<rootDir>/test/runner/environment.js',
  runtime: '<rootDir>/test/runner/runtime.js',
  transform: {},
});

export default {
  // A story with real stores and a real vendor takes seconds, on a machine that does much else a minute;
  // a story that hangs is cut here. Only what takes longer says so itself.
  testTimeout: 180_000,
  projects: ['unit', 'integration', 'component', 'e2e', 'long'].map(project),
  // Two more than cores: what waits for a store leaves its core to another. On two cores four workers
  // take 273 s and three 324 s. A worker that is idle above the limit is replaced.
  maxWorkers: availableParallelism() + 2,
  workerIdleMemoryLimit: '1GB',
  // At its end a worker frees all that it has loaded, which takes longer than jest's half second where
  // the cores are busy. One that something keeps alive is still told of.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/test/runner/sequencer.js',
  reporters: ['<rootDir>/test/progress-reporter.js'],
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'packages/*/src/**/*.ts',
    'services/*/src/**/*.ts',
    '!**/index.ts',
    '!**/main.ts',
  ],
};
