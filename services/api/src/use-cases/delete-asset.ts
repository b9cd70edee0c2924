import { GatewayError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { Assets } from '@gateway/store';
import { leftToReconciler, type PurgeAssets } from './purge-assets.ts';

export interface DeleteAsset {
  readonly assetId: string;
  readonly accountId: string;
}

export interface DeleteAssetPorts {
  readonly markDeleted: Assets['markDeleted'];
  readonly purge: PurgeAssets;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Deletes an asset: from the mark on no task can begin with it. The file follows at once, or once
 * no live task uses it. Throws asset_not_found.
 */
export const createDeleteAsset =
  ({ markDeleted, purge, log }: DeleteAssetPorts): ((request: DeleteAsset) => Promise<void>) =>
  async ({ assetId, accountId }) => {
    if (!(await markDeleted(assetId, accountId))) {
      throw new GatewayError('asset_not_found', 'there is no such asset in this account');
    }
    await purge(assetId).catch(leftToReconciler(assetId, log));
  };
