import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type {
  AddressChecks,
  MediaKind,
  NewTask,
  Reference,
  WrittenReference,
} from '@gateway/contracts';
import { describeError, GatewayError } from '@gateway/domain';
import type { DataUrlRule, DataUrlVerdict, MediaStorage } from '@gateway/media';
import { checkOutboundUrl, type UrlRule } from '@gateway/outbound';
import type { Log } from '@gateway/runtime';
import { assetTypes } from '../use-cases/asset-types.ts';
import type { OwnFiles } from '../use-cases/own-files.ts';

/** The largest file of each kind, in bytes. */
type MaxBytes = Readonly<Record<MediaKind, number>>;

/** Of a data URL, or of the name that a body has for one whose bytes are decoded already. */
type JudgeDataUrl = (text: string, rule: DataUrlRule) => DataUrlVerdict;

/** Checks the addresses in a request; callbacks and references follow the same rule. */
export function addressChecks(
  rule: UrlRule,
  maxBytes: MaxBytes,
  judge: JudgeDataUrl,
): AddressChecks {
  const problem = (text: string): string | undefined => {
    const verdict = checkOutboundUrl(text, rule);
    return verdict.ok ? undefined : verdict.message;
  };
  return {
    callbackUrl: problem,
    referenceUrl: problem,
    dataUrl: (text, { kind }) => {
      const verdict = judge(text, {
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
  judge: JudgeDataUrl,
): (
  taskId: string,
  references: readonly WrittenReference[],
  ownFiles: OwnFiles,
) => Promise<Reference[]> {
  return (taskId, references, ownFiles) =>
    Promise.all(
      references.map(async (reference, index): Promise<Reference> => {
        const { kind, role, source } = reference;
        const own = ownFiles.get(reference);
        if (own !== undefined) return { kind, role, source: own.source };
        if (source.type !== 'data') {
          return { kind, role, source: { type: 'url', url: source.text } };
        }
        const verdict = judge(source.text, {
          allowedTypes: assetTypes[kind],
          maxBytes: maxBytes[kind],
        });
        if (!verdict.ok) throw new Error('a data URL that was checked can no longer be read');
        // A request with the same Idempotency-Key has the same task: it must not share the file.
        const key = `inputs/${taskId}-${index}-${randomBytes(6).toString('hex')}`;
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

const pieceBytes = 262_144;

/** Written and hashed piece by piece, so that others have their turns between. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    yield bytes.subarray(from, from + pieceBytes);
  }
}

async function put(
  storage: MediaStorage,
  key: string,
  bytes: Uint8Array,
): Promise<{ sizeBytes: number; sha256: string }> {
  try {
    return await storage.put(key, Readable.from(piecesOf(bytes)), { maxBytes: bytes.length });
  } catch (error) {
    throw new GatewayError(
      'upstream_unavailable',
      'the references could not be stored, so nothing was created; try again',
      { retryAfterMs: 5_000, cause: error },
    );
  }
}
