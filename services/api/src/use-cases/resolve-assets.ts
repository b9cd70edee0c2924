import {
  assetDelivery,
  inlineMaxBytesOf,
  requestError,
  type DeliveryQuestion,
  type ReadVideoRequest,
  type ReferenceSource,
  type VideoModel,
  type Violation,
  type WrittenReference,
} from '@gateway/contracts';
import { isId } from '@gateway/domain';
import type { Asset, Assets } from '@gateway/store';

export type AssetSource = Extract<ReferenceSource, { type: 'asset' }>;

/** An asset as a task names it, and how long its file is where that says it. */
export interface ResolvedAsset {
  readonly source: AssetSource;
  readonly durationSeconds: number | null;
}

export interface ResolveAssetsPorts {
  readonly findOwn: Assets['findOwn'];
  /** What a model's vendor takes, and whether it can fetch from us. */
  readonly deliveryTo: (model: VideoModel) => DeliveryQuestion;
}

/**
 * The assets that a request names, by id. Throws every problem: asset_not_found, or
 * invalid_parameter for one of another kind.
 */
export function createResolveAssets({
  findOwn,
  deliveryTo,
}: ResolveAssetsPorts): (
  read: ReadVideoRequest,
  accountId: string,
) => Promise<ReadonlyMap<string, ResolvedAsset>> {
  return async ({ model, request: { references } }, accountId) => {
    const named = references.filter(({ source }) => source.type === 'asset');
    if (named.length === 0) return new Map();
    const ids = [...new Set(named.map(({ source }) => source.text))];
    const found = new Map(
      (
        await findOwn(
          ids.filter((id) => isId('asset', id)),
          accountId,
        )
      ).map((asset) => [asset.id, asset]),
    );
    const delivery = deliveryTo(model);
    const [first, ...rest] = [
      ...named.flatMap((reference) =>
        violationsOf(reference, { asset: found.get(reference.source.text), delivery }),
      ),
      ...inlineViolations(named, { found, delivery }),
    ];
    if (first !== undefined) throw requestError([first, ...rest]);
    return new Map(
      [...found.values()].map((asset) => [
        asset.id,
        { source: sourceOf(asset), durationSeconds: asset.durationSeconds },
      ]),
    );
  };
}

const sourceOf = ({ id, storageKey, contentType, sizeBytes, sha256 }: Asset): AssetSource => ({
  type: 'asset',
  assetId: id,
  key: storageKey,
  mediaType: contentType,
  sizeBytes,
  sha256,
});

function violationsOf(
  { kind, param }: WrittenReference,
  { asset, delivery }: { asset: Asset | undefined; delivery: DeliveryQuestion },
): Violation[] {
  if (asset === undefined) {
    return [
      {
        code: 'asset_not_found',
        param,
        message: `${param} names an asset that does not exist in this account`,
      },
    ];
  }
  if (asset.kind !== kind) {
    return [
      {
        code: 'invalid_parameter',
        param,
        message: `${param} must name an asset of kind ${kind}; ${asset.id} is of kind ${asset.kind}`,
      },
    ];
  }
  if (assetDelivery(kind, delivery) !== undefined) return [];
  return [
    {
      code: 'unsupported_parameter',
      param,
      message: `${param}: this model's vendor takes a ${kind} only from an address that it can reach, and this gateway has no public address; send a public URL`,
    },
  ];
}

/** Files that go inline share one request body. */
function inlineViolations(
  named: readonly WrittenReference[],
  { found, delivery }: { found: ReadonlyMap<string, Asset>; delivery: DeliveryQuestion },
): Violation[] {
  const most = inlineMaxBytesOf(delivery.capabilities);
  let sum = 0;
  const tooMuch = named.find(({ kind, source }) => {
    if (assetDelivery(kind, delivery) === 'inline') sum += found.get(source.text)?.sizeBytes ?? 0;
    return sum > most;
  });
  return tooMuch === undefined
    ? []
    : [
        {
          code: 'invalid_parameter',
          param: tooMuch.param,
          message: `${tooMuch.param}: with this model, the assets of one video may have at most ${most} bytes in total; use fewer or smaller files`,
        },
      ];
}
