import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AbortMultipartUploadCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { toS3Error } from './storage-s3-error.ts';
import { StorageError, type PutOptions, type StoredObject } from './storage.ts';

export interface S3Target {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * The smallest that S3 takes; an object holds 10,000 parts, so at most 52 GB. One upload has three
 * of them in memory at most.
 */
const partBytes = 5 * 1024 * 1024;
const partsAtOnce = 2;

/**
 * Streams content of unknown length into an object: in one request when it fits into a part,
 * otherwise in parts that become an object all at once. What fails is aborted at the server; what a
 * crash leaves there is for `sweepUnfinished`.
 */
export async function putObject(
  content: Readable,
  { client, Bucket, Key }: S3Target,
  options: PutOptions,
): Promise<StoredObject> {
  const { signal } = options;
  const meter = createMeter(content, options);
  const stopReading = (): void => {
    content.destroy(signal?.reason as Error);
  };
  content.on('error', () => undefined); // it may fail before it is read; reading tells
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', stopReading, { once: true });
    const body = Readable.from(meter.chunks());
    await new Upload({
      client: abortable(client, signal),
      params: { Bucket, Key, Body: body, ...(options.ifAbsent === true && { IfNoneMatch: '*' }) },
      partSize: partBytes,
      queueSize: partsAtOnce,
    }).done();
    return meter.stored();
  } catch (thrown) {
    content.destroy();
    throw meter.failure() ?? (signal?.aborted === true ? signal.reason : toS3Error(thrown));
  } finally {
    signal?.removeEventListener('abort', stopReading);
  }
}

interface Meter {
  chunks(): AsyncGenerator<Uint8Array>;
  /**
   * What the content threw, or that it is too large: this is told, whatever cleaning up came to.
   */
  failure(): unknown;
  stored(): StoredObject;
}

function createMeter(content: Readable, { maxBytes }: PutOptions): Meter {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let failure: unknown;
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const part of content as AsyncIterable<Uint8Array | string>) {
      const chunk = typeof part === 'string' ? Buffer.from(part) : part;
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) {
        throw new StorageError('too_large', `the object is larger than ${maxBytes} bytes`);
      }
      hash.update(chunk);
      yield chunk;
    }
  }
  return {
    async *chunks() {
      try {
        yield* read();
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      }
    },
    failure: () => failure,
    stored: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  };
}

/**
 * The same client, whose requests end with the signal; only the request that cleans up after them
 * does not.
 */
function abortable(client: S3Client, signal: AbortSignal | undefined): S3Client {
  if (signal === undefined) return client;
  const send = (command: Parameters<S3Client['send']>[0]): Promise<unknown> =>
    client.send(
      command,
      command instanceof AbortMultipartUploadCommand ? {} : { abortSignal: signal },
    );
  return Object.create(client, { send: { value: send } }) as S3Client;
}
