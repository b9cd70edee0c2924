import { randomBytes } from 'node:crypto';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { openS3Storage } from '@gateway/media';
import type { StorageUnderTest } from './storage-contract.ts';

export interface BucketAddress {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A storage in a bucket of a server that is not ours, below a prefix of its own, which it empties. */
export async function openBucketUnderTest({
  accessKeyId,
  secretAccessKey,
  ...address
}: BucketAddress): Promise<StorageUnderTest> {
  const { bucket } = address;
  const options = {
    ...address,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  };
  const prefix = `test-${randomBytes(6).toString('hex')}/`;
  const client = new S3Client(options);
  const storage = await openS3Storage({ ...options, prefix });
  return {
    storage,
    async countObjects() {
      const objects = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }),
      );
      const uploads = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }),
      );
      return (objects.KeyCount ?? 0) + (uploads.Uploads?.length ?? 0);
    },
    async leaveUnfinished() {
      await client.send(
        new CreateMultipartUploadCommand({ Bucket: bucket, Key: `${prefix}videos/half.mp4` }),
      );
    },
    async close() {
      for (const folder of ['videos', 'videosx', 'frames']) {
        for await (const { key } of storage.list(folder)) await storage.delete(key);
      }
      await Promise.all(
        ['key', 'empty', 'videos-f', 'installation.json'].map((key) => storage.delete(key)),
      );
      client.destroy();
    },
  };
}
