import {
  assetDelivery,
  inlineMaxBytesOf,
  requestError,
  type DeliveryQuestion,
  type ReadVideoRequest,
  type VideoRoute,
  type Violation,
  type WrittenReference,
} from '@gateway/contracts';
import { isId } from '@gateway/domain';
import type { Asset, Assets, SourceVideo, SourceVideos } from '@gateway/store';
import type { OwnFile, OwnFiles } from './own-files.ts';
import { resolveVideo } from './resolve-video.ts';

export interface ResolveReferencesPorts {
  readonly findAssets: Assets['findOwn'];
  readonly findVideos: SourceVideos['findSources'];
  /** What a route's vendor takes, and whether it can fetch from us. */
  readonly deliveryTo: (route: VideoRoute) => DeliveryQuestion;
}

/** Throws every problem of references that name files of the account's own. */
export type ResolveReferences = (read: ReadVideoRequest, accountId: string) => Promise<OwnFiles>;

/**
 * Finds the assets and videos that a request names: asset_not_found or task_not_found, as for those
 * of others; invalid_parameter for one that does not fit its role, or has no such file.
 */
export function createResolveReferences({
  findAssets,
  findVideos,
  deliveryTo,
}: ResolveReferencesPorts): ResolveReferences {
  return async ({ routes, request: { references } }, accountId) => {
    const named = references.filter(({ source }) => isOwn(source.type));
    if (named.length === 0) return new Map();
    const [assets, videos] = await Promise.all([
      found(findAssets, { ids: idsOf(named, 'asset'), accountId, key: ({ id }) => id }),
      found(findVideos, { ids: idsOf(named, 'task'), accountId, key: ({ taskId }) => taskId }),
    ]);
    const resolved = named.map((reference) => ({
      reference,
      outcome: resolve(reference, { assets, videos }),
    }));
    const files = new Map(
      resolved.flatMap(({ reference, outcome }) =>
        'source' in outcome ? [[reference, outcome] as const] : [],
      ),
    );
    // What one route cannot deliver is left to the others.
    const perRoute = routes.map((route) => undeliverable(files, deliveryTo(route)));
    const [first, ...rest] = [
      ...resolved.flatMap(({ outcome }) => ('source' in outcome ? [] : [outcome])),
      ...(perRoute.every((each) => each.length > 0) ? (perRoute[0] ?? []) : []),
    ];
    if (first !== undefined) throw requestError([first, ...rest]);
    return files;
  };
}

/** The routes whose vendors can get these files. */
export const createRoutesFor =
  ({ deliveryTo }: Pick<ResolveReferencesPorts, 'deliveryTo'>) =>
  ({ routes }: ReadVideoRequest, files: OwnFiles): readonly VideoRoute[] =>
    routes.length === 1 || files.size === 0
      ? routes
      : routes.filter((route) => undeliverable(files, deliveryTo(route)).length === 0);

/** What keeps these files from a vendor. */
const undeliverable = (files: OwnFiles, delivery: DeliveryQuestion): Violation[] => [
  ...[...files.keys()].flatMap((reference) => deliveryViolations(reference, delivery)),
  ...inlineViolations(files, delivery),
];

const isOwn = (type: WrittenReference['source']['type']): type is 'asset' | 'task' =>
  type === 'asset' || type === 'task';

const idsOf = (named: readonly WrittenReference[], type: 'asset' | 'task'): string[] => [
  ...new Set(
    named
      .filter(({ source }) => source.type === type && isId(type, source.text))
      .map(({ source }) => source.text),
  ),
];

async function found<Row>(
  find: (ids: readonly string[], accountId: string) => Promise<readonly Row[]>,
  {
    ids,
    accountId,
    key,
  }: { readonly ids: readonly string[]; readonly accountId: string; key: (row: Row) => string },
): Promise<ReadonlyMap<string, Row>> {
  const rows = ids.length === 0 ? [] : await find(ids, accountId);
  return new Map(rows.map((row) => [key(row), row]));
}

const resolve = (
  reference: WrittenReference,
  {
    assets,
    videos,
  }: {
    readonly assets: ReadonlyMap<string, Asset>;
    readonly videos: ReadonlyMap<string, SourceVideo>;
  },
): OwnFile | Violation =>
  reference.source.type === 'asset'
    ? resolveAsset(reference, assets.get(reference.source.text))
    : resolveVideo(reference, videos.get(reference.source.text));

function resolveAsset(
  { kind, param }: WrittenReference,
  asset: Asset | undefined,
): OwnFile | Violation {
  if (asset === undefined) {
    return {
      code: 'asset_not_found',
      param,
      message: `${param} names an asset that does not exist in this account`,
    };
  }
  if (asset.kind !== kind) {
    return {
      code: 'invalid_parameter',
      param,
      message: `${param} must name an asset of kind ${kind}; ${asset.id} is of kind ${asset.kind}`,
    };
  }
  const { id, storageKey, contentType, sizeBytes, sha256, durationSeconds } = asset;
  return {
    source: {
      type: 'asset',
      assetId: id,
      key: storageKey,
      mediaType: contentType,
      sizeBytes,
      sha256,
    },
    durationSeconds,
  };
}

const deliveryViolations = (
  { kind, param }: WrittenReference,
  delivery: DeliveryQuestion,
): Violation[] =>
  assetDelivery(kind, delivery) !== undefined
    ? []
    : [
        {
          code: 'unsupported_parameter',
          param,
          message: `${param}: this model's vendor takes a ${kind} only from an address that it can reach, and this gateway has no public address; send a public URL`,
        },
      ];

/** Files that go inline share one request body. */
function inlineViolations(files: OwnFiles, delivery: DeliveryQuestion): Violation[] {
  const most = inlineMaxBytesOf(delivery.capabilities);
  let sum = 0;
  const tooMuch = [...files].find(([{ kind }, { source }]) => {
    if (assetDelivery(kind, delivery) === 'inline') sum += source.sizeBytes;
    return sum > most;
  });
  if (tooMuch === undefined) return [];
  const [{ param }] = tooMuch;
  return [
    {
      code: 'invalid_parameter',
      param,
      message: `${param}: with this model, the assets and videos that one video is made from may have at most ${most} bytes in total; use fewer or smaller files`,
    },
  ];
}
