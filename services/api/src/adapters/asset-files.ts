import type { Readable } from 'node:stream';
import { GatewayError } from '@gateway/domain';
import {
  MediaError,
  probeAsset,
  sourceFromStorage,
  StorageError,
  type MediaStorage,
} from '@gateway/media';
import type { AssetType } from '../use-cases/asset-types.ts';
import { tooSlow, type CreateAssetPorts } from '../use-cases/create-asset.ts';

/** Stores and probes assets; failures are errors of the api. */
export function createAssetFiles(
  storage: MediaStorage,
  timeoutMs: number,
): Pick<CreateAssetPorts, 'store' | 'probe'> {
  return {
    async store(storageKey: string, content: Readable, maxBytes: number) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        return await storage.put(storageKey, content, { maxBytes, signal });
      } catch (error) {
        if (signal.aborted) throw tooSlow(timeoutMs);
        if (GatewayError.is(error)) throw error;
        if (StorageError.is(error) && error.code === 'too_large') {
          throw new GatewayError(
            'payload_too_large',
            `file is larger than ${maxBytes} bytes, the limit for its kind`,
            { param: 'file' },
          );
        }
        throw unavailable(error);
      }
    },
    async probe(storageKey: string, type: AssetType) {
      try {
        const {
          width = null,
          height = null,
          durationSeconds = null,
        } = await probeAsset(type, await sourceFromStorage(storage, storageKey));
        return { width, height, durationSeconds };
      } catch (error) {
        if (MediaError.is(error)) {
          throw new GatewayError(
            'invalid_parameter',
            `file is damaged or truncated: ${error.message}`,
            { param: 'file', cause: error },
          );
        }
        throw unavailable(error);
      }
    },
  };
}

const unavailable = (cause: unknown): GatewayError =>
  new GatewayError(
    'upstream_unavailable',
    'the asset could not be stored and nothing was saved; try again',
    { retryAfterMs: 5_000, cause },
  );
