// Run through `node --experimental-vm-modules node_modules/jest/bin/jest.js` (npm test does): ESM,
// sources read directly, no dist.
import { availableParallelism } from 'node:os';

const shared = {
  testEnvironment: '<rootDir>/test/handle-guard-environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  // Beside the checkout's other caches: transformed sources, and which files take long.
  cacheDirectory: '<rootDir>/.cache/jest',
  testEnvironmentOptions: { customExportConditions: ['@gateway/source', 'node', 'node-addons'] },
  injectGlobals: false,
  restoreMocks: true,
};

/** Unit tests touch nothing; the others need the databases that `scripts/test.mjs` brings up. */
const project = (name, extra = {}) => ({
  ...shared,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...extra,
});

export default {
  // A story with real stores and a real vendor takes seconds; a story that hangs is cut here.
  testTimeout: 60_000,
  projects: ['unit', 'integration', 'component', 'e2e', 'long'].map((name) => project(name)),
  // One more than cores: what waits for a store leaves its core to another. A worker that is idle
  // above the limit is replaced, since jest keeps the ES modules of each file that it has run.
  maxWorkers: availableParallelism() + 1,
  workerIdleMemoryLimit: '1GB',
  reporters: ['<rootDir>/test/progress-reporter.js'],
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'packages/*/src/**/*.ts',
    'services/*/src/**/*.ts',
    '!**/index.ts',
    '!**/main.ts',
  ],
};
