import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountWithId, canEnter, unprivilegedAccount, type Account } from './account.ts';
import { LocalStackError } from './local-stack-error.ts';
import {
  canRun,
  copyBinaries,
  installedBinaries,
  type PostgresBinaries,
} from './postgres-binaries.ts';

/** Where PostgreSQL keeps its data, which binaries it runs, and as whom. */
export interface PostgresHome {
  readonly folder: string;
  readonly cluster: string;
  readonly binaries: PostgresBinaries;
  /** Set when we are root: PostgreSQL refuses to run as root. */
  readonly account?: Account;
}

/**
 * Finds a home for PostgreSQL: below the data folder where possible. As root, PostgreSQL runs as
 * another user, and what that user cannot reach (a checkout below /root) is put into a private
 * folder below the system's folder for temporary files that survive a reboot. The data folder
 * remembers that place.
 */
export function preparePostgresHome({
  dataDir,
  log,
}: {
  dataDir: string;
  log: (line: string) => void;
}): PostgresHome {
  const binaries = installedBinaries();
  const local = join(dataDir, 'postgres');
  mkdirSync(local, { recursive: true });
  if (process.getuid?.() !== 0) return { folder: local, cluster: join(local, 'cluster'), binaries };
  const account = accountFor(join(local, 'cluster'));
  const privateFolder = privateFolderOf(dataDir);
  const movedMarker = join(local, 'moved-to');
  const isMoved = existsSync(movedMarker) || !canEnter(local, account);
  if (isMoved) moveTo(privateFolder, { movedMarker, account, log });
  const folder = isMoved ? privateFolder : local;
  const runnable = canRun(binaries, account)
    ? binaries
    : copyBinaries(binaries, openPrivateFolder(privateFolder));
  return { folder, cluster: join(folder, 'cluster'), binaries: runnable, account };
}

/** The owner of an existing cluster, else somebody unprivileged. */
function accountFor(cluster: string): Account {
  const ownerId = existsSync(cluster) ? statSync(cluster).uid : 0;
  const account =
    ownerId === 0
      ? unprivilegedAccount()
      : (accountWithId(ownerId) ?? {
          name: String(ownerId),
          uid: ownerId,
          gid: statSync(cluster).gid,
        });
  if (account === undefined) {
    throw new LocalStackError(
      'server_not_startable',
      'PostgreSQL refuses to run as root and this machine has no other user: run as another user, or set DATABASE_URL.',
    );
  }
  return account;
}

/**
 * Where a data folder that PostgreSQL's user cannot reach keeps its database. Public for cleaning
 * up.
 */
export function privateFolderOf(dataDir: string): string {
  const base = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();
  return join(
    base,
    `generation-gateway-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`,
  );
}

function moveTo(
  privateFolder: string,
  {
    movedMarker,
    account,
    log,
  }: { movedMarker: string; account: Account; log: (line: string) => void },
): void {
  openPrivateFolder(privateFolder);
  if (!existsSync(movedMarker) && existsSync(join(privateFolder, 'cluster'))) {
    // The data folder was deleted since: its accounts, media and secrets are gone, so its database
    // has to go too.
    rmSync(join(privateFolder, 'cluster'), { recursive: true });
  }
  writeFileSync(movedMarker, `${privateFolder}\n`);
  log(
    `PostgreSQL runs as user ${account.name}, who cannot enter the data folder: the database is in ${privateFolder}`,
  );
}

/** Makes the folder, and refuses one that somebody else put there. */
function openPrivateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const status = lstatSync(folder);
  if (!status.isDirectory() || status.uid !== 0) {
    throw new LocalStackError(
      'folder_not_usable',
      `${folder} belongs to somebody else: remove it, or set DATA_DIR to a folder that every user can enter.`,
    );
  }
  chmodSync(folder, 0o711);
  return folder;
}
