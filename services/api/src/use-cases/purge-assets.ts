import { describeError } from '@gateway/domain';
import type { FileRemover } from '@gateway/media';
import type { Log } from '@gateway/runtime';
import type { Assets } from '@gateway/store';
import { removeEach } from './remove-each.ts';

export interface PurgeAssetsPorts extends Pick<Assets, 'findRemovable' | 'forget'> {
  readonly removeFile: FileRemover['remove'];
}

/** Of one asset, or of all that there are. */
export type PurgeAssets = (assetId?: string) => Promise<void>;

/**
 * Removes deleted assets that no live task uses: one, or all there are. Files go first, so that
 * none is left without a row.
 */
export const createPurgeAssets =
  ({ findRemovable, removeFile, forget }: PurgeAssetsPorts): PurgeAssets =>
  (assetId) =>
    removeEach({
      find: async (page) =>
        (await findRemovable({ ...page, ...(assetId !== undefined && { assetId }) })).map(
          ({ assetId: id, storageKey }) => ({ id, storageKeys: [storageKey] }),
        ),
      removeFile,
      forget,
      name: 'deleted assets',
    });

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
