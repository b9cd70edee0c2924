import type { Router } from 'express';
import { sniffBytes, sniffMediaType } from '@gateway/media';
import {
  intervalPart,
  newId,
  perVersion,
  type LiveConfiguration,
  type Part,
} from '@gateway/runtime';
import { createAssets, type Assets } from '@gateway/store';
import { createAssetFiles } from '../adapters/asset-files.ts';
import type { Settings } from '../config.ts';
import type { Authenticate } from '../http/authentication.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { assetRoutes } from '../http/routes/assets.ts';
import { nameProblem } from '../http/upload.ts';
import { createCreateAsset } from '../use-cases/create-asset.ts';
import { createDeleteAsset } from '../use-cases/delete-asset.ts';
import {
  createFinishAssets,
  createPurgeAssets,
  type PurgeAssets,
} from '../use-cases/purge-assets.ts';
import type { Clients } from './clients.ts';
import type { FileServing } from './media.ts';

export interface AssetParts extends Pick<
  Clients,
  'database' | 'storage' | 'clock' | 'removeFile' | 'log'
> {
  readonly settings: Readonly<Settings>;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly authenticate: Authenticate;
  readonly serving: FileServing;
  readonly bodyRoutes: BodyRoutes;
}

const finishEveryMs = 60_000;

/** What customers do with assets, and the part that finishes what was interrupted. */
export function buildAssets(parts: AssetParts): {
  readonly routes: Router;
  readonly reconciler: Part;
} {
  const { database, removeFile, settings, authenticate, serving, log } = parts;
  const assets = createAssets(database);
  const { findRemovable, forget, findServed, findOwn, page } = assets;
  const purge = createPurgeAssets({ findRemovable, forget, removeFile });
  const createAsset = buildCreateAsset(parts, { assets, purge });
  return {
    routes: assetRoutes({
      authenticate,
      createAsset: (request) => createAsset()(request),
      deleteAsset: createDeleteAsset({ markDeleted: assets.markDeleted, purge, log }),
      findOwn,
      page,
      served: { ...serving, findServed },
      bodies: parts.bodyRoutes,
      mostBytes: () => Math.max(...Object.values(parts.configuration.current().limits.assetBytes)),
    }),
    reconciler: intervalPart({
      name: 'finish assets',
      everyMs: finishEveryMs,
      work: createFinishAssets({
        assets,
        purge,
        uploadTimeoutMs: settings.ASSET_UPLOAD_TIMEOUT_MS,
      }),
      log,
    }),
  };
}

const buildCreateAsset = (
  {
    configuration,
    storage,
    clock,
    settings: { ASSET_UPLOAD_TIMEOUT_MS: timeoutMs },
    log,
  }: AssetParts,
  { assets, purge }: { readonly assets: Assets; readonly purge: PurgeAssets },
): (() => ReturnType<typeof createCreateAsset>) =>
  perVersion(configuration, ({ limits }) =>
    createCreateAsset({
      newAssetId: () => newId('asset', clock.now()),
      sniff: sniffMediaType,
      sniffBytes,
      ...createAssetFiles(storage, timeoutMs),
      checkName: nameProblem,
      assets,
      purge,
      log: log,
      limits: { assetBytes: limits.assetBytes, accountBytes: limits.defaultAccount.assetBytes },
      timeoutMs,
    }),
  );
