import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { programs } from './bundle.mjs';
import { fingerprintOf, hashOf, readStamp, writeStamp } from './fingerprint.mjs';
import { run } from './run.mjs';

/** Prisma's client, written anew only when the schema or Prisma changed. */
export function prismaClientStep(root) {
  const stamp = join(root, '.cache', 'setup', 'prisma-client');
  const wanted = () =>
    hashOf(
      join(root, 'prisma', 'schema.prisma'),
      join(root, 'prisma.config.ts'),
      join(root, 'node_modules', 'prisma', 'package.json'),
    );
  return {
    title: 'generating the database client',
    isDone: () =>
      existsSync(join(root, 'packages', 'store', 'src', 'generated', 'client.ts')) &&
      readStamp(stamp) === wanted(),
    run: async () => {
      // Prisma would download its schema engine, which generating does not use: any program in its
      // place will do. Set for this one process only; a migration that sees this variable succeeds
      // without doing anything.
      const env = {
        ...process.env,
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_HIDE_UPDATE_MESSAGE: '1',
        CHECKPOINT_DISABLE: '1',
      };
      const before = wanted();
      await run(
        process.execPath,
        [join(root, 'node_modules', 'prisma', 'build', 'index.js'), 'generate'],
        {
          cwd: root,
          env,
          failure:
            'Generating the database client failed: see above; prisma/schema.prisma is its source.',
        },
      );
      writeStamp(stamp, before);
    },
  };
}

/** Projects that are checked and not emitted: `npm run check` looks at them. */
const onlyChecked = ['./test', './scripts', './services/api/browser', './services/console'];
/** Projects whose types come with what is installed for development. */
const onlyDevelopment = ['./packages/testing', './bench', './test/chaos'];

/** Which projects of tsconfig.json to compile for what. */
const isFor = {
  everything: (project) => !onlyChecked.includes(project),
  start: (project) => ![...onlyChecked, ...onlyDevelopment].includes(project),
  'local-stack': (project) => project === './packages/local-stack',
};

/**
 * Compiles the projects of tsconfig.json that something is emitted from. TypeScript 7 does it in a
 * fifth of the time of the `typescript` beside it, which is there for the tools that need its API,
 * such as dependency-cruiser.
 *
 * @param {string} root
 * @param {keyof typeof isFor} purpose
 */
export function compileStep(root, purpose) {
  const projects = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
    .references.filter(({ path }) => isFor[purpose](path))
    .map(({ path }) => join(root, path));
  const stamp = join(root, '.cache', 'setup', `compiled-for-${purpose}`);
  const wanted = () =>
    `${fingerprintOf(projects)} ${hashOf(join(root, 'tsconfig.json'), join(root, 'tsconfig.base.json'), join(root, 'package-lock.json'))}`;
  return {
    title: 'compiling',
    isDone: () =>
      projects.every((folder) => existsSync(join(folder, 'dist', '.tsbuildinfo'))) &&
      readStamp(stamp) === wanted(),
    run: async () => {
      const before = wanted();
      await run(
        process.execPath,
        [join(root, 'node_modules', 'typescript-native', 'bin', 'tsc'), '-b', ...projects],
        { cwd: root, failure: 'Compiling failed: see above.' },
      );
      writeStamp(stamp, before);
    },
  };
}

/** The services and their command line, each in a few files. */
export function bundleStep(root) {
  const stamp = join(root, '.cache', 'setup', 'bundled');
  const sources = ['packages', 'services'].map((folder) => join(root, folder));
  const wanted = () =>
    `${fingerprintOf(sources)} ${hashOf(join(root, 'scripts', 'setup', 'bundle.mjs'), join(root, 'tsconfig.base.json'), join(root, 'package-lock.json'))}`;
  return {
    title: 'bundling the services',
    isDone: () =>
      Object.keys(programs).every((name) => existsSync(join(root, 'dist', `${name}.js`))) &&
      readStamp(stamp) === wanted(),
    run: async () => {
      const before = wanted();
      await run(process.execPath, [join(root, 'scripts', 'setup', 'bundle.mjs')], {
        cwd: root,
        failure: 'Bundling the services failed: see above.',
      });
      writeStamp(stamp, before);
    },
  };
}

/** The pages of the console, from their sources and those of the client that they call. */
export function consoleStep(root) {
  const folder = join(root, 'services', 'console');
  const stamp = join(root, '.cache', 'setup', 'console');
  const wanted = () =>
    `${fingerprintOf([folder, join(root, 'packages', 'client')])} ${hashOf(join(root, 'package-lock.json'))}`;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  return {
    title: 'building the console',
    isDone: () => existsSync(join(folder, 'dist', 'index.html')) && readStamp(stamp) === wanted(),
    run: async () => {
      const before = wanted();
      await run(process.execPath, [vite, 'build', '--logLevel', 'error', folder], {
        cwd: root,
        failure: 'Building the console failed: see above.',
      });
      writeStamp(stamp, before);
    },
  };
}
