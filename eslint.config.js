import tseslint from 'typescript-eslint';

/** Everything that opens a connection to an address. Types, servers and agents do not. */
const clientModules = [
  'got',
  'undici',
  'axios',
  'node-fetch',
  'cross-fetch',
  'ky',
  'superagent',
  'needle',
  'request',
  'follow-redirects',
  'ws',
  'node:http2',
  'http2',
  'node:dgram',
  'dgram',
];
const clientFunctions = [
  [
    ['node:http', 'http', 'node:https', 'https'],
    ['default', 'request', 'get', 'ClientRequest'],
  ],
  [
    ['node:net', 'net', 'node:tls', 'tls'],
    ['default', 'connect', 'createConnection', 'Socket', 'TLSSocket'],
  ],
];
const clientGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const oneWayOut =
  'Only the files listed in eslint.config.js open connections; an address a stranger chose is reached through packages/outbound.';
const anyOf = (names) => `/^(${names.join('|').replaceAll('/', '\\u002F')})$/`;

/**
 * Each of them knows whom it calls: the guard itself, the operator's vendors and upstreams, our own
 * services, and the tools of tests and the local run.
 */
const mayConnect = [
  'packages/outbound/**',
  'packages/video-providers/src/*.ts',
  'services/api/src/text/upstream/*.ts',
  'services/api/src/adapters/billing-client.ts',
  'services/admin/src/doctor/reach.ts',
  'services/sandbox-vendor/**',
  'packages/local-stack/**',
  'packages/testing/**',
];

const connectingSyntax = [
  {
    selector: `MemberExpression[object.name=/^(globalThis|global)$/][property.name=${anyOf(clientGlobals)}]`,
    message: oneWayOut,
  },
  {
    selector: `ImportExpression[source.value=${anyOf([...clientModules, ...clientFunctions.flatMap(([group]) => group)])}]`,
    message: oneWayOut,
  },
];

/** @type {import('typescript-eslint').ConfigWithExtends['rules']} */
const noConnection = {
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          // The packages of these names, not a folder of our own.
          group: clientModules.map((name) => `/${name}`),
          message: oneWayOut,
          allowTypeImports: true,
        },
        ...clientFunctions.map(([group, importNames]) => ({
          group,
          importNames,
          message: oneWayOut,
          allowTypeImports: true,
        })),
      ],
    },
  ],
  'no-restricted-globals': [
    'error',
    ...clientGlobals.map((name) => ({ name, message: oneWayOut })),
  ],
  'no-restricted-syntax': ['error', ...connectingSyntax],
};

/** Made for each stream and asked for each chunk, which is where a microsecond counts. */
const literalGetter = {
  selector: 'ObjectExpression > Property[kind="get"]',
  message:
    'To V8 an object literal with getters is a dictionary, which takes sixty times as long to make and to ask: write a class, or a method.',
};

/** Sources with a function beyond 60 lines. */
const longFunctions = [
  'scripts/image/buildah.mjs', // one command line a method
  'scripts/image/containers.mjs', // one container, from its folder to its end
  'packages/local-stack/src/supervisor.ts', // the life of one process; its states are of no use apart
  'packages/testing/src/s3-server.ts', // one server: what it is asked and what it does for it
  'packages/text-dialects/src/completion-events.ts', // one state per stream, closed over by one function per event
  'packages/text-dialects/src/chat/read-stream.ts', // as above: a call per chunk, and no object that passes the state on
  'packages/text-dialects/src/messages/read-stream-blocks.ts', // as above
  'packages/text-dialects/src/messages/read-stream.ts', // as above
  'packages/text-dialects/src/messages/write-stream.ts', // as above
];

/** Stories beyond 500 lines. */
const longTests = [
  'test/component/api/admin.test.ts',
  'test/component/api/assets.test.ts',
  'test/long/text-hostile-upstreams.test.ts',
  'test/component/api/text-hostile.test.ts',
  'test/component/api/text-resilience.test.ts',
  'test/component/billing.test.ts',
  'test/long/callback-acceptance.test.ts',
  'test/component/callback-dispatcher.test.ts',
  'test/component/sandbox-vendor-text/chat.test.ts',
  'test/component/sandbox-vendor-text/messages.test.ts',
  'test/component/sandbox-vendor.test.ts',
  'test/contracts/storage-contract.ts',
  'test/contracts/video-provider-contract.ts',
  'test/long/text-chat-sdk.test.ts',
  'test/long/text-messages-sdk.test.ts',
  'test/integration/media/serve-media.test.ts',
  'test/integration/proof/fencing.test.ts',
  'test/integration/store/callbacks.test.ts',
  'test/integration/store/ledger-verify.test.ts',
  'test/integration/store/metering.test.ts',
  'test/unit/contracts/read-configuration.test.ts',
  'test/unit/contracts/video-references.test.ts',
  'test/unit/contracts/video-request-refusals.test.ts',
  'test/unit/runtime/http-app.test.ts',
  'test/unit/text-dialects/c2m-messages.test.ts',
  'test/unit/text-dialects/c2m-request.test.ts',
  'test/unit/text-dialects/c2m-stream.test.ts',
  'test/unit/text-dialects/wire-failure.test.ts',
];

export default tseslint.config(
  {
    ignores: [
      'prisma.config.ts',
      '**/dist/**',
      '**/generated/**',
      '**/node_modules/**',
      '.cache/**',
      '.data/**',
      'coverage/**',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings in config.ts only.' },
      ],
      // Objects of functions here close over what they need and never use `this`.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      // Where the formatter has to break a line, what belongs to an if has braces.
      curly: ['error', 'multi-line'],
      complexity: ['error', 10],
      'max-params': ['error', 3],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60 }],
    },
  },
  {
    // Scripts, configurations and what is loaded into a process: scripts/tsconfig.json checks their
    // types.
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.strict],
    rules: {
      curly: ['error', 'multi-line'],
      complexity: ['error', 10],
      'max-params': ['error', 3],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 60 }],
      'no-undef': 'off',
      'prefer-const': 'error',
      eqeqeq: 'error',
    },
  },
  { files: ['packages/**/*.ts', 'services/**/*.ts'], ignores: mayConnect, rules: noConnection },
  {
    files: ['packages/text-dialects/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...connectingSyntax, literalGetter] },
  },
  {
    files: ['services/api/src/text/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...connectingSyntax, literalGetter] },
  },
  {
    files: [
      '**/config.ts',
      '**/main.ts',
      'packages/local-stack/**/*.ts',
      'packages/testing/**/*.ts',
      'prisma/*.ts',
      'test/**/*.ts',
      'bench/**/*.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: [
      'packages/local-stack/**/*.ts',
      'services/admin/**/*.ts',
      'prisma/*.ts',
      'bench/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // Tests read like stories: a describe block is one function, and a story may need more lines
    // than a unit.
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 500 }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Tables of cases arrive as parameters, and supertest's bodies and jest's matchers are
      // untyped.
      'max-params': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // What YAML holds is untyped; a test there checks its shape, so that the others may read it
    // freely.
    files: ['test/unit/deploy/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  { files: longTests, rules: { 'max-lines': 'off' } },
  { files: longFunctions, rules: { 'max-lines-per-function': 'off' } },
);
