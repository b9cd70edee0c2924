import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A user of this machine to run a program as. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const preferredNames = ['postgres', 'nobody', 'daemon'];

/**
 * The user that PostgreSQL runs as when we are root (it refuses root): an existing one, nothing is
 * created.
 */
export function unprivilegedAccount(
  passwd: string = readFileSync('/etc/passwd', 'utf8'),
): Account | undefined {
  const accounts = accountsIn(passwd).filter(({ uid }) => uid !== 0);
  for (const name of preferredNames) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account !== undefined) return account;
  }
  return accounts[0];
}

/** The owner of existing files. */
export function accountWithId(
  uid: number,
  passwd: string = readFileSync('/etc/passwd', 'utf8'),
): Account | undefined {
  return accountsIn(passwd).find((account) => account.uid === uid);
}

function accountsIn(passwd: string): Account[] {
  return passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name === undefined || uid === undefined || gid === undefined
      ? []
      : [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

export interface Permissions {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const bit = { read: 4, enter: 1 } as const;

/** Whether the permission bits let this account read (a file) or enter (a folder). */
export function isAllowed(
  wanted: keyof typeof bit,
  { mode, uid, gid }: Permissions,
  account: Account,
): boolean {
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & bit[wanted]) !== 0;
}

/** Whether this account can enter an existing folder and each folder above it. */
export function canEnter(folder: string, account: Account): boolean {
  const above = dirname(folder);
  return (
    isAllowed('enter', statSync(folder), account) && (above === folder || canEnter(above, account))
  );
}
