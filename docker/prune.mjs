// node docker/prune.mjs PART…: removes every installed package that none of these workspaces needs
// to run, and what no program reads of those that stay. `npm ci --omit=dev` keeps optional peers
// that the lock file holds for development too: Prisma's command line and all that comes with it.
import { existsSync, lstatSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Types and source maps; and the query compilers of Prisma that are for other databases, 58 MB of
 * them.
 */
const unread = [
  /\.d\.[cm]?ts$/,
  /\.map$/,
  /@prisma\/client\/runtime\/query_compiler_\w+\.(?!postgresql\.)/,
];

const root = realpathSync('.');
const needed = new Set();

/** Where Node finds a package from this folder, or undefined. */
function find(name, from) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  return undefined;
}

function need(folder) {
  if (needed.has(folder)) return;
  needed.add(folder);
  const real = realpathSync(folder); // a workspace is linked
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8'));
  const peers = Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
  for (const name of [
    ...Object.keys(dependencies),
    ...peers,
    ...Object.keys(optionalDependencies),
  ]) {
    const found = find(name, real);
    if (found !== undefined) need(found);
    else if (name in dependencies && !(name in optionalDependencies)) {
      throw new Error(`${name}, which ${folder} needs, is not installed`);
    }
  }
}

/** Packages in a folder node_modules, those of a scope and those inside a package too. */
function* packagesIn(modules) {
  for (const name of existsSync(modules) ? readdirSync(modules) : []) {
    const folder = join(modules, name);
    if (name.startsWith('@')) yield* readdirSync(folder).map((each) => join(folder, each));
    else if (!name.startsWith('.')) yield folder;
  }
}

function prune(modules) {
  for (const folder of packagesIn(modules)) {
    if (!needed.has(folder)) rmSync(folder, { recursive: true, force: true });
    else if (!lstatSync(folder).isSymbolicLink()) prune(join(folder, 'node_modules'));
  }
}

function removeUnread() {
  for (const file of readdirSync(join(root, 'node_modules'), {
    recursive: true,
    withFileTypes: true,
  })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && unread.some((pattern) => pattern.test(path))) rmSync(path);
  }
}

need(root);
for (const part of process.argv.slice(2)) need(join(root, part));
prune(join(root, 'node_modules'));
for (const group of ['packages', 'services']) {
  for (const part of readdirSync(group)) prune(join(root, group, part, 'node_modules'));
}
rmSync(join(root, 'node_modules', '.bin'), { recursive: true, force: true });
removeUnread();
