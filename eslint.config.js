import tseslint from 'typescript-eslint';

/** Who may import whom: services → packages → domain. A later block replaces a rule of an earlier one, so each block states its whole list. */
const noImport = (...bans) => ({
  'no-restricted-imports': ['error', { patterns: bans.map(([group, message]) => ({ group, message })) }],
});

const services = [['@gateway/api', '@gateway/video-worker', '@gateway/callback-dispatcher', '@gateway/billing', '@gateway/admin', '@gateway/sandbox-vendor', '**/services/**'], 'Packages and services never import a service.'];
const ownedByQueue = [['bullmq', 'bullmq/*'], 'Only packages/queue knows BullMQ.'];
const ownedByStore = [['pg', '@prisma/*', '**/generated/**'], 'Only packages/store knows Prisma and SQL drivers.'];
const io = [['express', 'bullmq', 'ioredis', 'got', 'pg', 'winston', '@prisma/*', 'node:fs', 'node:fs/*', 'node:http', 'node:https', 'node:net', 'node:child_process', 'undici'], 'Domain code and use cases do no I/O: pass a port in.'];
const strangers = [['got', 'undici', 'node:http', 'node:https', 'axios'], 'An address a stranger chose is reached through packages/outbound only.'];

/** Everything that opens a connection to an address. Types, servers and agents do not. */
const clientModules = ['got', 'undici', 'axios', 'node-fetch', 'cross-fetch', 'ky', 'superagent', 'needle', 'request', 'follow-redirects', 'ws', 'node:http2', 'http2', 'node:dgram', 'dgram'];
const clientFunctions = [
  [['node:http', 'http', 'node:https', 'https'], ['default', 'request', 'get', 'ClientRequest']],
  [['node:net', 'net', 'node:tls', 'tls'], ['default', 'connect', 'createConnection', 'Socket', 'TLSSocket']],
];
const clientGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const oneWayOut = 'Only the files listed in eslint.config.js open connections; an address a stranger chose is reached through packages/outbound.';
const anyOf = (names) => `/^(${names.join('|').replaceAll('/', '\\u002F')})$/`;

/** Each of them knows whom it calls: the guard itself, the operator's vendors and upstreams, our own services, and the tools of tests and the local run. */
const mayConnect = [
  'packages/outbound/**', 'packages/video-providers/src/*.ts', 'services/api/src/text/*.ts', 'services/api/src/adapters/billing-client.ts', 'services/admin/src/doctor/reach.ts',
  'services/sandbox-vendor/**', 'packages/local-stack/**', 'packages/testing/**',
];

const connectingSyntax = [
  { selector: `MemberExpression[object.name=/^(globalThis|global)$/][property.name=${anyOf(clientGlobals)}]`, message: oneWayOut },
  { selector: `ImportExpression[source.value=${anyOf([...clientModules, ...clientFunctions.flatMap(([group]) => group)])}]`, message: oneWayOut },
];

const noConnection = {
  '@typescript-eslint/no-restricted-imports': ['error', { patterns: [
    { group: clientModules, message: oneWayOut, allowTypeImports: true },
    ...clientFunctions.map(([group, importNames]) => ({ group, importNames, message: oneWayOut, allowTypeImports: true })),
  ] }],
  'no-restricted-globals': ['error', ...clientGlobals.map((name) => ({ name, message: oneWayOut }))],
  'no-restricted-syntax': ['error', ...connectingSyntax],
};

/** Made for each stream and asked for each chunk, which is where a microsecond counts. */
const literalGetter = {
  selector: 'ObjectExpression > Property[kind="get"]',
  message: 'To V8 an object literal with getters is a dictionary, which takes sixty times as long to make and to ask: write a class, or a method.',
};

export default tseslint.config(
  { ignores: ['prisma.config.ts', '**/dist/**', '**/generated/**', '**/node_modules/**', '.cache/**', '.data/**', 'coverage/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-properties': ['error', { object: 'process', property: 'env', message: 'Read settings in config.ts only.' }],
      // Objects of functions here close over what they need and never use `this`.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      complexity: ['error', 10],
      'max-params': ['error', 3],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['packages/**/*.ts', 'services/**/*.ts'], rules: noImport(services, ownedByQueue, ownedByStore) },
  { files: ['packages/queue/**/*.ts'], rules: noImport(services, ownedByStore) },
  { files: ['packages/store/**/*.ts'], rules: noImport(services, ownedByQueue) },
  { files: ['packages/{local-stack,testing}/**/*.ts'], rules: noImport(services, ownedByQueue) },
  { files: ['services/callback-dispatcher/**/*.ts', 'services/video-worker/**/*.ts'], rules: noImport(services, ownedByQueue, ownedByStore, strangers) },
  { files: ['packages/{domain,contracts,text-dialects}/**/*.ts', '**/use-cases/**/*.ts'], rules: noImport(services, io) },
  { files: ['packages/**/*.ts', 'services/**/*.ts'], ignores: mayConnect, rules: noConnection },
  { files: ['packages/text-dialects/src/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...connectingSyntax, literalGetter] } },
  { files: ['services/api/src/text/*.ts'], rules: { 'no-restricted-syntax': ['error', literalGetter] } },
  {
    files: ['**/config.ts', '**/main.ts', 'packages/local-stack/**/*.ts', 'packages/testing/**/*.ts', 'prisma/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  { files: ['packages/local-stack/**/*.ts', 'services/admin/**/*.ts', 'prisma/*.ts', 'bench/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // Tests read like stories: a describe block is one function, and a story may need more lines than a unit.
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Tables of cases arrive as parameters, and supertest's bodies and jest's matchers are untyped.
      'max-params': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      ...noImport(ownedByQueue),
    },
  },
  {
    // What YAML holds is untyped; a test there checks its shape, so that the others may read it freely.
    files: ['test/unit/deploy/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
);
