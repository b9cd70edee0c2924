import tseslint from 'typescript-eslint';

// Who may open a connection, who may read the environment, and what slows V8 down. Every other rule
// is oxlint's (.oxlintrc.json), which needs an eighth of the time for rules that need types.

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

const anyClock =
  'Two processes agree on the time of the shared clock only (packages/runtime/src/clock): take it as a port. For a duration use performance.now().';
/** Deadlines, leases, expiries and signatures of one service are judged by another. */
const ownClock = [
  { selector: 'MemberExpression[object.name="Date"][property.name="now"]', message: anyClock },
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: anyClock },
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
  // Most directives are for oxlint, which looks for those that nothing needs.
  { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings in config.ts only.' },
      ],
    },
  },
  { files: ['packages/**/*.ts', 'services/**/*.ts'], ignores: mayConnect, rules: noConnection },
  {
    files: ['packages/text-dialects/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...connectingSyntax, literalGetter] },
  },
  {
    files: [
      'services/{api,billing,callback-dispatcher,video-worker}/**/*.ts',
      'packages/{store,domain,contracts,limits}/**/*.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...connectingSyntax, ...ownClock] },
  },
  {
    files: ['services/api/src/text/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...connectingSyntax, ...ownClock, literalGetter] },
  },
  {
    // Lines of the log carry the time of the machine that wrote them.
    files: ['services/api/src/text/hot-path/request-lines.ts'],
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
);
