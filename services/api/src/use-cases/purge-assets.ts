import { describeError } from '@gateway/domain';
import type { MediaStorage } from '@gateway/media';
import type { Log } from '@gateway/runtime';
import type { Assets } from '@gateway/store';
import { removeEach } from './remove-each.ts';

export interface PurgeAssetsPorts extends Pick<Assets, 'findRemovable' | 'forget'> {
  /** Succeeds also when there is no such file. */
  readonly deleteFile: MediaStorage['delete'];
}

/** Of one asset, or of all that there are. */
export type PurgeAssets = (assetId?: string) => Promise<void>;

const batch = 500;

/**
 * Removes deleted assets that no live task uses: one, or all there are. Files go first, so that
 * none is left without a row.
 */
export function createPurgeAssets({
  findRemovable,
  deleteFile,
  forget,
}: PurgeAssetsPorts): PurgeAssets {
  return async (assetId) => {
    const removable = await findRemovable({
      limit: batch,
      ...(assetId !== undefined && { assetId }),
    });
    await removeEach(
      removable,
      async ({ assetId: id, storageKey }) => {
        await deleteFile(storageKey);
        await forget(id);
      },
      'deleted assets',
    );
  };
}

/** For a removal that failed after the customer's request was decided. */
export const leftToReconciler =
  (assetId: string, log: Pick<Log, 'warn'>) =>
  (error: unknown): void => {
    log.warn('asset not removed, left to the reconciler', {
      assetId,
      reason: describeError(error),
    });
  };

export interface FinishAssetsPorts {
  readonly assets: Pick<Assets, 'giveUpOlder'>;
  readonly purge: PurgeAssets;
  /** How long an upload may take. */
  readonly uploadTimeoutMs: number;
}

/** An upload that began so many times its time limit ago has ended, however it ended. */
const staleAfterLimits = 2;

/** Finishes what was interrupted: uploads that ended nowhere, and deletions. */
export const createFinishAssets =
  ({ assets, purge, uploadTimeoutMs }: FinishAssetsPorts): (() => Promise<void>) =>
  async () => {
    await assets.giveUpOlder(uploadTimeoutMs * staleAfterLimits);
    await purge();
  };
