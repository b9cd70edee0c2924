// Run through `node --experimental-vm-modules node_modules/jest/bin/jest.js` (npm test does): ESM,
// sources read directly, no dist.
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
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
  projects: [project('unit'), project('integration'), project('component'), project('e2e')],
  reporters: ['default', '<rootDir>/test/closing-line-reporter.js'],
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'packages/*/src/**/*.ts',
    'services/*/src/**/*.ts',
    '!**/index.ts',
    '!**/main.ts',
  ],
};
