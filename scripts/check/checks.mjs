/**
 * What `npm run check` runs, the longest first: the program below node_modules, its arguments, and
 * what to do when it refuses.
 */
export const checks = [
  {
    name: 'lint',
    title: 'oxlint: rules that need types, who may open connections and read the environment',
    program: ['oxlint', 'bin', 'oxlint'],
    args: ['--type-aware', '--report-unused-disable-directives', '--deny-warnings', '.'],
    remedy:
      'mend what oxlint names; .oxlintrc.json says who may what, and "npm run lint -- --fix" mends some of it.',
  },
  {
    name: 'types',
    title: 'types of all code, tests and scripts',
    program: ['typescript-native', 'bin', 'tsc'],
    args: ['-b'],
    remedy: 'mend the types that the compiler names.',
  },
  {
    name: 'form',
    title: "Prettier's form",
    program: ['prettier', 'bin', 'prettier.cjs'],
    args: [
      ...['--check', '--log-level', 'warn', '.'],
      ...['--cache', '--cache-strategy', 'content', '--cache-location', '.cache/prettier'],
    ],
    remedy: '"npm run format" puts these files into their form.',
  },
  {
    name: 'floors',
    title: 'who imports whom, and no circles',
    program: ['dependency-cruiser', 'bin', 'dependency-cruise.mjs'],
    args: [
      ...['--config', '.dependency-cruiser.mjs', '--output-type', 'err-long'],
      ...['packages', 'services', 'bench', 'scripts', 'docker', 'prisma', 'test'],
    ],
    remedy: 'move the import, as the line below each violation says.',
  },
  {
    name: 'unused',
    title: 'exports, files and dependencies that nobody uses or declares',
    program: ['knip', 'bin', 'knip.js'],
    args: ['--no-progress', '--no-config-hints'],
    remedy: 'remove what knip names, or its "export", or declare the dependency.',
  },
  {
    name: 'lock',
    title: 'a hash for every package in package-lock.json',
    program: ['..', 'scripts', 'check', 'lock-file.mjs'],
    args: [],
    remedy:
      'install with a registry that carries the package, so that npm notes its hash; scripts/check/unverified-packages.json names those that none carries.',
  },
  {
    name: 'duplicates',
    title: 'sources that repeat themselves',
    program: ['jscpd', 'run-jscpd.js'],
    args: ['--config', '.jscpd.json', 'packages', 'services', 'bench', 'scripts', 'docker'],
    remedy:
      'give what is repeated a function, in the lowest place that all who need it may import.',
  },
];
