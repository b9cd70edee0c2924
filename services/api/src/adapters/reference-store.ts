import { Readable } from 'node:stream';
import type {
  AddressChecks,
  MediaKind,
  NewTask,
  Reference,
  WrittenReference,
} from '@gateway/contracts';
import { describeError, GatewayError } from '@gateway/domain';
import { parseDataUrl, type MediaStorage } from '@gateway/media';
import { checkOutboundUrl, type UrlRule } from '@gateway/outbound';
import type { Log } from '@gateway/runtime';
import { assetTypes } from '../use-cases/asset-types.ts';
import type { AssetSource } from '../use-cases/resolve-assets.ts';

/** The largest file of each kind, in bytes. */
type MaxBytes = Readonly<Record<MediaKind, number>>;

/** Checks the addresses in a request; callbacks and references follow the same rule. */
export function addressChecks(rule: UrlRule, maxBytes: MaxBytes): AddressChecks {
  const problem = (text: string): string | undefined => {
    const verdict = checkOutboundUrl(text, rule);
    return verdict.ok ? undefined : verdict.message;
  };
  return {
    callbackUrl: problem,
    referenceUrl: problem,
    dataUrl: (text, { kind }) => {
      const verdict = parseDataUrl(text, {
        allowedTypes: assetTypes[kind],
        maxBytes: maxBytes[kind],
      });
      return verdict.ok ? undefined : verdict.message;
    },
  };
}

/**
 * Puts the bytes of `data:` references into storage; like for assets, the request keeps only key,
 * length and hash. Throws upstream_unavailable.
 */
export function createReferenceStore(
  storage: MediaStorage,
  maxBytes: MaxBytes,
): (
  taskId: string,
  references: readonly WrittenReference[],
  assets: ReadonlyMap<string, AssetSource>,
) => Promise<Reference[]> {
  return (taskId, references, assets) =>
    Promise.all(
      references.map(async ({ kind, role, source }, index): Promise<Reference> => {
        const asset = source.type === 'asset' ? assets.get(source.text) : undefined;
        if (asset !== undefined) return { kind, role, source: asset };
        if (source.type !== 'data') {
          return { kind, role, source: { type: 'url', url: source.text } };
        }
        const verdict = parseDataUrl(source.text, {
          allowedTypes: assetTypes[kind],
          maxBytes: maxBytes[kind],
        });
        if (!verdict.ok) throw new Error('a data URL that was checked can no longer be read');
        const key = `inputs/${taskId}-${index}`;
        const { mediaType, bytes } = verdict;
        const { sizeBytes, sha256 } = await put(storage, key, bytes);
        return { kind, role, source: { type: 'stored', key, mediaType, sizeBytes, sha256 } };
      }),
    );
}

/**
 * Removes what `createReferenceStore` stored for a task that was refused or cancelled. What cannot
 * be removed now is left to the sweep of the storage.
 */
export function createReferenceRemover(
  storage: Pick<MediaStorage, 'delete'>,
  log: Pick<Log, 'warn'>,
): (task: Pick<NewTask, 'id' | 'request'>) => Promise<void> {
  return async ({ id, request: { references } }) => {
    const removals = await Promise.allSettled(
      references.map(async ({ source }) => {
        if (source.type === 'stored') await storage.delete(source.key);
      }),
    );
    const failed = removals.find(({ status }) => status === 'rejected');
    if (failed === undefined) return;
    log.warn('stored references of a refused or cancelled task not removed', {
      taskId: id,
      reason: describeError((failed as PromiseRejectedResult).reason),
    });
  };
}

async function put(
  storage: MediaStorage,
  key: string,
  bytes: Uint8Array,
): Promise<{ sizeBytes: number; sha256: string }> {
  try {
    return await storage.put(key, Readable.from([bytes]), { maxBytes: bytes.length });
  } catch (error) {
    throw new GatewayError(
      'upstream_unavailable',
      'the references could not be stored, so nothing was created; try again',
      { retryAfterMs: 5_000, cause: error },
    );
  }
}
