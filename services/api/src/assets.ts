import { describeError, GatewayError } from '@gateway/domain';
import { sniffBytes, sniffMediaType, type MediaStorage } from '@gateway/media';
import {
  intervalPart,
  newId,
  perVersion,
  type LiveConfiguration,
  type Log,
  type Part,
} from '@gateway/runtime';
import { createAssets, type Asset, type Database } from '@gateway/store';
import { createAssetFiles } from './adapters/asset-files.ts';
import type { AssetRoutesOptions } from './http/routes/assets.ts';
import { nameProblem } from './http/upload.ts';
import { createCreateAsset } from './use-cases/create-asset.ts';
import { createPurgeAssets } from './use-cases/purge-assets.ts';
import { createResolveAssets, type ResolveAssetsPorts } from './use-cases/resolve-assets.ts';

export interface AssetParts {
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly uploadTimeoutMs: number;
  readonly log: Log;
}

const purgeEveryMs = 60_000;
/** An upload that began so many times its time limit ago has ended, however it ended. */
const staleAfterLimits = 2;

/** What customers do with assets, and the part that finishes what was interrupted. */
export function buildAssets({
  database,
  storage,
  configuration,
  uploadTimeoutMs,
  log,
}: AssetParts): Omit<AssetRoutesOptions, 'authenticate' | 'served'> & {
  readonly findServed: (assetId: string) => Promise<Asset | undefined>;
  readonly resolverFor: (
    deliveryTo: ResolveAssetsPorts['deliveryTo'],
  ) => ReturnType<typeof createResolveAssets>;
  readonly reconciler: Part;
} {
  const assets = createAssets(database);
  const purge = createPurgeAssets({
    findRemovable: assets.findRemovable,
    deleteFile: storage.delete,
    forget: assets.forget,
  });
  const leftToReconciler =
    (assetId: string) =>
    (error: unknown): void => {
      log.warn('an asset is left to the reconciler', { assetId, reason: describeError(error) });
    };
  const createAsset = perVersion(configuration, ({ limits }) =>
    createCreateAsset<Asset>({
      newAssetId: () => newId('asset'),
      sniff: sniffMediaType,
      sniffBytes,
      ...createAssetFiles(storage, uploadTimeoutMs),
      checkName: nameProblem,
      assets,
      giveUp: (assetId) =>
        assets
          .giveUp(assetId)
          .then(() => purge(assetId))
          .catch(leftToReconciler(assetId)),
      limits: { assetBytes: limits.assetBytes, accountBytes: limits.defaultAccount.assetBytes },
      timeoutMs: uploadTimeoutMs,
    }),
  );
  return {
    createAsset: (request) => createAsset()(request),
    async deleteAsset({ assetId, accountId }) {
      if (!(await assets.markDeleted(assetId, accountId))) {
        throw new GatewayError('asset_not_found', 'there is no such asset in this account');
      }
      await purge(assetId).catch(leftToReconciler(assetId));
    },
    findOwn: assets.findOwn,
    page: assets.page,
    findServed: assets.findServed,
    resolverFor: (deliveryTo) => createResolveAssets({ findOwn: assets.findOwn, deliveryTo }),
    reconciler: intervalPart({
      name: 'finish assets',
      everyMs: purgeEveryMs,
      log,
      work: async () => {
        await assets.giveUpOlder(uploadTimeoutMs * staleAfterLimits);
        await purge();
      },
    }),
  };
}
