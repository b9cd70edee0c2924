import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { MediaKind } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { StoredObject } from '@gateway/media';
import type { Log } from '@gateway/runtime';
import type { Asset, AssetDraft, AssetFacts, Assets } from '@gateway/store';
import { assetKindOf, type AssetType } from './asset-types.ts';
import { leftToReconciler, type PurgeAssets } from './purge-assets.ts';

/** One file of a customer, as it arrives. */
export interface CreateAsset {
  readonly accountId: string;
  readonly declaredType: string | undefined;
  /** The most that the request says it brings; undefined when it does not say. */
  readonly announcedBytes?: number | undefined;
  readonly content: Readable;
  /** What the request says beside the file, once it is read to its end. */
  readonly rest: Promise<{ readonly name: string | undefined }>;
}

interface Draft extends AssetDraft {
  readonly contentType: AssetType;
}

export interface CreateAssetPorts {
  readonly newAssetId: () => string;
  /** The type that the first bytes prove; undefined for what is not taken. */
  readonly sniff: (head: Uint8Array) => AssetType | undefined;
  readonly sniffBytes: number;
  /**
   * Stores all of it, or throws payload_too_large, request_timeout or what the content threw, and
   * leaves no file.
   */
  readonly store: (
    storageKey: string,
    content: Readable,
    maxBytes: number,
  ) => Promise<StoredObject>;
  /** Throws invalid_parameter for a file that cannot be read. */
  readonly probe: (
    storageKey: string,
    type: AssetType,
  ) => Promise<Pick<AssetFacts, 'width' | 'height' | 'durationSeconds'>>;
  readonly checkName: (name: string) => GatewayError | undefined;
  readonly assets: Pick<Assets, 'begin' | 'finish' | 'giveUp'>;
  readonly purge: PurgeAssets;
  readonly log: Pick<Log, 'warn'>;
  readonly limits: {
    readonly assetBytes: Readonly<Record<MediaKind, number>>;
    readonly accountBytes: number;
  };
  readonly timeoutMs: number;
}

/**
 * Stores an asset: row, file, checks, and then the row says that it is ready. A crash on the way
 * leaves a row that is not ready, by which the reconciler finds the file.
 */
export function createCreateAsset(
  ports: CreateAssetPorts,
): (request: CreateAsset) => Promise<Asset> {
  const { accountBytes, assetBytes } = ports.limits;
  return async ({ accountId, declaredType, announcedBytes = Infinity, content, rest }) => {
    const type = provenType(await peek(content, ports), declaredType, ports);
    const kind = assetKindOf(type);
    const id = ports.newAssetId();
    const draft: Draft = { id, accountId, kind, contentType: type, storageKey: `assets/${id}` };
    const grantedBytes = await ports.assets.begin(draft, {
      wantedBytes: Math.min(assetBytes[kind], announcedBytes),
      maxBytes: accountBytes,
    });
    if (grantedBytes <= 0) throw full(accountBytes);
    try {
      return await receive({ draft, content, rest, grantedBytes, announcedBytes }, ports);
    } catch (error) {
      await takeBack(id, ports);
      throw error;
    }
  };
}

/** Removes file and row of an upload that failed. */
const takeBack = (
  assetId: string,
  { assets, purge, log }: Pick<CreateAssetPorts, 'assets' | 'purge' | 'log'>,
): Promise<void> =>
  assets
    .giveUp(assetId)
    .then(() => purge(assetId))
    .catch(leftToReconciler(assetId, log));

interface Receiving {
  readonly draft: Draft;
  readonly content: Readable;
  readonly rest: CreateAsset['rest'];
  readonly grantedBytes: number;
  readonly announcedBytes: number;
}

async function receive(
  { draft, content, rest, grantedBytes, announcedBytes }: Receiving,
  ports: CreateAssetPorts,
): Promise<Asset> {
  const { accountBytes, assetBytes } = ports.limits;
  const isLess = grantedBytes < Math.min(assetBytes[draft.kind], announcedBytes);
  const stored = await ports
    .store(draft.storageKey, content, grantedBytes)
    .catch((error: unknown) => {
      // What ends an upload is the smaller of the two limits.
      throw isLess && GatewayError.is(error) && error.code === 'payload_too_large'
        ? full(accountBytes)
        : error;
    });
  const { name = draft.id } = await rest;
  const problem = ports.checkName(name);
  if (problem !== undefined) throw problem;
  const probed = await ports.probe(draft.storageKey, draft.contentType);
  const asset = await ports.assets.finish(draft.id, { ...stored, ...probed, name }, accountBytes);
  if (asset === 'full') throw full(accountBytes);
  if (asset === undefined) {
    throw new GatewayError(
      'request_timeout',
      'the upload took too long and was abandoned; send it again over a faster connection',
    );
  }
  return asset;
}

function provenType(
  head: Uint8Array,
  declaredType: string | undefined,
  { sniff }: Pick<CreateAssetPorts, 'sniff'>,
): AssetType {
  const found = sniff(head);
  if (found !== undefined && (declaredType === undefined || declaredType === found)) return found;
  const says =
    declaredType === undefined ? '' : `it was declared as ${declaredType.slice(0, 80)}, and `;
  throw new GatewayError(
    'unsupported_media_type',
    `file must be a JPEG, PNG, WebP, GIF or BMP image, an MP4 or QuickTime video, or an MP3 or WAV clip, and be declared as what it is; ${says}${found === undefined ? 'its first bytes match none of these' : `its first bytes say ${found}`}`,
    { param: 'file' },
  );
}

const full = (accountBytes: number): GatewayError =>
  new GatewayError(
    'asset_quota_exceeded',
    `the assets of this account, with the uploads under way, would exceed its limit of ${accountBytes} bytes; delete some first, or wait for the uploads`,
  );

/** The first bytes, which stay in the stream. Throws for a file that has not even so many. */
async function peek(
  content: Readable,
  { sniffBytes, timeoutMs }: Pick<CreateAssetPorts, 'sniffBytes' | 'timeoutMs'>,
): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(timeoutMs);
  let head: Buffer = Buffer.alloc(0);
  while (head.length < sniffBytes && !content.readableEnded) {
    if (content.errored) throw content.errored;
    // All that is there: a stream that is asked for more than it has announces the same bytes again
    // and again.
    const chunk = content.read() as Buffer | null;
    if (chunk !== null) head = Buffer.concat([head, chunk]);
    else {
      await nextEvent(content, signal).catch((error: unknown) => {
        throw signal.aborted ? tooSlow(timeoutMs) : error;
      });
    }
  }
  if (content.readableEnded) {
    throw head.length === 0
      ? new GatewayError('invalid_parameter', 'file is empty', { param: 'file' })
      : tooShort();
  }
  content.unshift(head);
  return head.subarray(0, sniffBytes);
}

const tooShort = (): GatewayError =>
  new GatewayError(
    'unsupported_media_type',
    'file is too short to be an image, a video or an audio clip',
    { param: 'file' },
  );

const nextEvent = (content: Readable, signal: AbortSignal): Promise<unknown> =>
  Promise.race([once(content, 'readable', { signal }), once(content, 'end', { signal })]);

export const tooSlow = (timeoutMs: number): GatewayError =>
  new GatewayError(
    'request_timeout',
    `the file did not arrive within ${timeoutMs} ms; use a faster connection or a smaller file`,
  );
