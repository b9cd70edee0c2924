// Who may import whom, types counted; test/unit/floors shows that each rule refuses what it names.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { bodies, textLane } from './scripts/check/api-floors.mjs';
import { anyOf, forbid } from './scripts/check/floor-rules.mjs';

/** From the lowest floor up, each with those that it may import; one that is missing has none. */
const packageFloors = {
  domain: [],
  'text-dialects': ['domain'],
  contracts: ['domain', 'text-dialects'],
  runtime: ['domain', 'contracts'],
  store: ['domain', 'contracts'],
  media: [],
  outbound: [],
  'video-providers': ['domain', 'contracts'],
  queue: ['domain', 'contracts', 'runtime'],
  limits: ['runtime'],
  'local-stack': [],
  mcp: [],
  testing: ['domain', 'contracts', 'runtime', 'store'],
  // Stand apart: they see the published document only, as a stranger would.
  client: [],
  cli: ['client', 'mcp'],
};

/** What customers run, which shares nothing with the gateway. */
const customerSide = ['client', 'cli'];

/** Libraries that few may know, so that the others ask those. */
const wrappedLibraries = {
  bullmq: '^packages/queue/',
  ioredis: '^packages/(?:queue|limits)/|^(?:bench|test)/',
  pg: '^packages/(?:store|local-stack|testing)/|^(?:prisma|test)/',
  '@prisma': '^packages/store/|^(?:prisma|test)/',
  winston: '^packages/runtime/|^test/',
  'prom-client': '^packages/runtime/|^test/',
  '@opentelemetry': '^packages/runtime/|^test/',
  '@aws-sdk': '^packages/media/|^test/',
};

const packageFolders = (names) => `^packages/${anyOf(names)}/`;
const libraries = (names) => `(?:^|/)node_modules/(?:@types/)?${anyOf(names)}/`;
const anyLibrary = '(?:^|/)node_modules/(?!@types/node/)';

/** Domain code and use cases do no I/O and reach for no library that does: they get a port. */
const inputAndOutput =
  '^(?:node:)?(?:fs|http|http2|https|net|tls|dgram|dns|child_process|cluster|worker_threads|readline)(?:/|$)';

/** The other packages that the package.json of each package and service names. */
const declaredPackages = ['packages', 'services'].flatMap((floor) =>
  readdirSync(floor)
    .map((name) => `${floor}/${name}`)
    .filter((folder) => existsSync(`${folder}/package.json`))
    .map((folder) => {
      const { dependencies = {} } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const names = Object.keys(dependencies).filter((name) => name.startsWith('@gateway/'));
      return { folder, names: names.map((name) => name.slice('@gateway/'.length)) };
    }),
);

const circles = [
  forbid(
    'no-circle',
    'Move what both need into a module of its own, or pass it in.',
    {},
    { circular: true },
  ),
];

const floors = [
  ...Object.entries(packageFloors).map(([name, mayImport]) =>
    forbid(
      `floor-of-${name}`,
      `packages/${name} may import ${mayImport.length === 0 ? 'no other package' : mayImport.join(', ')}: .dependency-cruiser.mjs lists the floors.`,
      { path: `^packages/${name}/` },
      { path: '^(?:packages|services)/', pathNot: packageFolders([name, ...mayImport]) },
    ),
  ),
  forbid(
    'floor-is-known',
    'Give the package its floor in .dependency-cruiser.mjs.',
    { path: '^packages/', pathNot: packageFolders(Object.keys(packageFloors)) },
    { path: '^packages/' },
  ),
  forbid(
    'no-customer-side-inside',
    'The client and gw are for customers and tests: the gateway shares nothing with them.',
    {
      path: '^(?:packages|services)/',
      pathNot: [packageFolders(customerSide), '^services/console/'],
    },
    { path: packageFolders(customerSide) },
  ),
  forbid(
    'no-service-from-another',
    'Services talk through Postgres, the queue or HTTP: move what both need into a package.',
    { path: '^services/([^/]+)/' },
    { path: '^services/', pathNot: '^services/$1/' },
  ),
  forbid(
    'no-service-from-outside',
    'Only tests import a service; everybody else starts it as a process.',
    { path: '^(?:bench|scripts|docker|prisma)/' },
    { path: '^services/' },
  ),
  forbid(
    'no-workshop-in-production',
    'packages/testing and packages/local-stack serve tests, benches and the local run only.',
    { path: '^services/' },
    { path: packageFolders(['testing', 'local-stack']) },
  ),
  forbid(
    'no-test-from-outside',
    'Tests, benches and scripts are imported by their own kind only.',
    { path: '^(?:packages|services)/' },
    { path: '^(?:test|bench|scripts|docker|prisma)/' },
  ),
  forbid(
    'package-face',
    'Import the name of the package; what others may use is exported from its index.ts.',
    { path: '^(packages|services|bench|scripts|docker|prisma)/([^/]+)/' },
    { path: '^packages/', pathNot: ['^$1/$2/', '^packages/[^/]+/src/index\\.ts$'] },
  ),
];

const insideServices = [
  forbid(
    'use-cases-know-no-edge',
    'A use case knows the domain and its own ports: pass what it needs in.',
    { path: '^services/([^/]+)/src/use-cases/' },
    { path: '^services/', pathNot: '^services/$1/src/use-cases/' },
  ),
  forbid(
    'use-cases-do-no-io',
    'A use case gets its store, queue and clients as ports; only their types may be imported.',
    { path: '^services/[^/]+/src/use-cases/' },
    {
      path: packageFolders(['store', 'media', 'outbound', 'video-providers', 'queue', 'limits']),
      dependencyTypesNot: ['type-only'],
    },
  ),
  forbid(
    'use-cases-use-no-library',
    'A use case uses no library and opens nothing: pass a port in.',
    { path: '^services/[^/]+/src/use-cases/' },
    { path: [anyLibrary, inputAndOutput] },
  ),
  forbid(
    'adapters-know-no-edge',
    'An adapter fulfils a port; what calls the use cases is none of its business.',
    { path: '^services/[^/]+/src/adapters/' },
    { path: '^services/[^/]+/src/(?:http|handlers)/' },
  ),
  forbid(
    'edges-know-no-adapter',
    'Routes and handlers get use cases; only the container constructs adapters.',
    { path: '^services/[^/]+/src/(?:http|handlers)/' },
    { path: '^services/[^/]+/src/adapters/' },
  ),
  forbid(
    'container-on-top',
    'Only main.ts and index.ts know the container.',
    { path: '^services/', pathNot: '^services/[^/]+/src/(?:main|index)\\.ts$' },
    { path: '^services/[^/]+/src/container\\.ts$' },
  ),
  forbid(
    'wiring-below-the-container',
    'wiring/ constructs for the container; nobody else imports it.',
    { path: '^services/', pathNot: '^services/[^/]+/src/(?:wiring/|container\\.ts$)' },
    { path: '^services/[^/]+/src/wiring/' },
  ),
  forbid(
    'main-is-started',
    'main.ts is started, never imported.',
    {},
    { path: '^services/[^/]+/src/main\\.ts$' },
  ),
  forbid(
    'strangers-through-outbound',
    'An address that a stranger chose is reached through packages/outbound only.',
    { path: '^services/(?:callback-dispatcher|video-worker)/' },
    { path: ['^(?:node:)?https?$', libraries(['got', 'undici', 'axios'])] },
  ),
];

const purity = [
  forbid(
    'pure-packages-do-no-io',
    'domain, text-dialects and contracts decide and translate; whoever calls them does the I/O.',
    { path: packageFolders(['domain', 'text-dialects', 'contracts']) },
    { path: inputAndOutput },
  ),
  forbid(
    'pure-packages-use-no-library',
    'domain and text-dialects use no library, contracts only those that read configurations.',
    { path: packageFolders(['domain', 'text-dialects', 'contracts']) },
    { path: anyLibrary, pathNot: libraries(['ajv', 'yaml']) },
  ),
  ...Object.entries(wrappedLibraries).map(([library, owner]) =>
    forbid(
      `${library.replace('@', '')}-is-wrapped`,
      `Ask the package that wraps ${library}: .dependency-cruiser.mjs says which.`,
      { path: '^(?:packages|services|bench|prisma|test)/', pathNot: owner },
      { path: libraries([library]) },
    ),
  ),
];

const customers = [
  forbid(
    'client-uses-no-library',
    'The client runs wherever fetch does: it uses no library, and nothing of Node.',
    { path: packageFolders(['client']) },
    { path: anyLibrary },
  ),
  forbid(
    'client-uses-nothing-of-node',
    'The client runs wherever fetch does: it uses no library, and nothing of Node.',
    { path: packageFolders(['client']) },
    { dependencyTypes: ['core'] },
  ),
];

const declared = [
  forbid(
    'declared-dependency',
    'Add it to the dependencies of the nearest package.json.',
    { path: '^(?:packages|services)/' },
    { path: anyLibrary, dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
  ),
  // Of a workspace the tool cannot tell whether it is declared.
  ...declaredPackages.map(({ folder, names }) =>
    forbid(
      `declared-in-${folder.replace('/', '-')}`,
      `Add the package to the dependencies of ${folder}/package.json.`,
      { path: `^${folder}/` },
      {
        path: '^packages/',
        pathNot: [`^${folder}/`, ...names.map((name) => `^packages/${name}/`)],
      },
    ),
  ),
  forbid('found-module', 'This import leads nowhere.', {}, { couldNotResolve: true }),
  forbid(
    'no-orphan',
    'Nothing imports this module, and it imports nothing: remove it.',
    { orphan: true, path: '^(?:packages|services|bench)/.*\\.ts$' },
    {},
  ),
];

export default {
  forbidden: [
    ...circles,
    ...floors,
    ...insideServices,
    ...textLane,
    ...bodies,
    ...purity,
    ...customers,
    ...declared,
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)(?:dist|generated)/' },
    // A package is read from its sources, as tsconfig.base.json and jest.config.js have it.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@gateway/source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
