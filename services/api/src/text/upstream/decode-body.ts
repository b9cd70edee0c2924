import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { ResponseHead } from './response-head.ts';

const decoders: ReadonlyMap<
  string,
  (bytes: Buffer, options: { maxOutputLength: number }) => Buffer
> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/**
 * Undefined for an encoding nobody knows, bytes that are not in it, and what would grow too large.
 */
export function decodeBody(
  { headers }: ResponseHead,
  bytes: Buffer,
  maxBytes: number,
): Buffer | undefined {
  try {
    return decoders.get((headers['content-encoding'] ?? '').trim().toLowerCase())?.(bytes, {
      maxOutputLength: maxBytes,
    });
  } catch {
    return undefined;
  }
}
