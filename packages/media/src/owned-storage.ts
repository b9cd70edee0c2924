import { setTimeout as pause } from 'node:timers/promises';
import { findOwnership, type InstallationFacts, type Ownership } from './storage-owner.ts';
import { StorageError, type MediaStorage } from './storage.ts';

export interface OwnedStorage extends MediaStorage {
  /** Looks again whose the storage is. */
  checkOwner(): Promise<Ownership>;
}

/** What to do when the storage names another installation. */
const foreignStorage = (owner: string): string =>
  `the media storage belongs to another installation (${owner}): check DATABASE_URL, and STORAGE_DIR or S3_BUCKET and S3_PREFIX. Nothing is stored or deleted there. If this database is to take the files over, run npm run admin -- storage adopt`;

/**
 * A storage in which nothing is stored or deleted before it is known not to be another
 * installation's. Reading is not held up.
 */
export function withOwner(storage: MediaStorage, installation: InstallationFacts): OwnedStorage {
  let found: Ownership | undefined;
  let checking: Promise<Ownership> | undefined;
  const checkOwner = async (): Promise<Ownership> => {
    checking ??= findOwnership(storage, installation).finally(() => {
      checking = undefined;
    });
    found = await checking;
    return found;
  };
  const refuseForeign = async (): Promise<void> => {
    const ownership =
      found?.kind === 'foreign' ? await checkOwner() : (found ?? (await checkOwner()));
    if (ownership.kind === 'foreign') {
      throw new StorageError('storage_refused', foreignStorage(ownership.owner));
    }
  };
  return {
    ...storage,
    checkOwner,
    async put(key, content, options) {
      content.on('error', () => undefined); // it may fail before it is read; reading tells
      try {
        await refuseForeign();
      } catch (error) {
        content.destroy();
        throw error;
      }
      return storage.put(key, content, options);
    },
    async delete(key) {
      await refuseForeign();
      await storage.delete(key);
    },
    async sweepUnfinished(before) {
      await refuseForeign();
      return storage.sweepUnfinished(before);
    },
    async checkReady() {
      await storage.checkReady();
      await refuseForeign();
    },
  };
}

/** A storage or a database that cannot be asked must not keep a service from starting. */
const startWaitsMs = 10_000;

/**
 * Rejects for another installation's storage; called at the start of a service. While database or
 * storage cannot be asked the start goes on: the first use of the storage asks again.
 */
export async function refuseForeignStorage(
  { checkOwner }: Pick<OwnedStorage, 'checkOwner'>,
  log: { warn(message: string, fields?: object): void },
): Promise<void> {
  const giveUp = new AbortController();
  const late = pause(startWaitsMs, undefined, { signal: giveUp.signal }).catch(() => undefined);
  const asked = checkOwner().catch((error: unknown) => {
    log.warn('not known yet whose the media storage is', { reason: String(error) });
    return undefined;
  });
  const ownership = await Promise.race([asked, late]);
  giveUp.abort();
  if (ownership?.kind === 'foreign') throw new Error(foreignStorage(ownership.owner));
  if (ownership?.kind === 'unclaimed') {
    log.warn('the media storage names no owner, and its files are not known to this database', {
      ...ownership.sample,
      remedy: 'npm run admin -- storage adopt',
    });
  }
}
