import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSettings as readApiSettings } from '../../../services/api/src/config.ts';
import { openStorage, type StorageSettings } from '@gateway/media';
import { openTestS3 } from '@gateway/testing';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gateway-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

const said = (settings: StorageSettings): Promise<string> =>
  openStorage(settings).then(
    () => 'opened',
    (thrown: unknown) => (thrown as Error).message,
  );

describe('the settings of the media storage', () => {
  it.each<[string, StorageSettings, readonly string[]]>([
    ['a folder without its path', {}, ['STORAGE_DIR is required with MEDIA_STORAGE=file']],
    [
      'a bucket without its name',
      { MEDIA_STORAGE: 's3', STORAGE_DIR: '/x' },
      ['S3_BUCKET is required with MEDIA_STORAGE=s3'],
    ],
    [
      'an id without its secret',
      { MEDIA_STORAGE: 's3', S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'a' },
      ['S3_SECRET_ACCESS_KEY or S3_SECRET_ACCESS_KEY_FILE is required'],
    ],
    [
      'a secret without its id',
      { MEDIA_STORAGE: 's3', S3_BUCKET: 'b', S3_SECRET_ACCESS_KEY_FILE: 'f' },
      ['S3_ACCESS_KEY_ID or S3_ACCESS_KEY_ID_FILE is required'],
    ],
    [
      'a secret given twice, and no bucket',
      {
        MEDIA_STORAGE: 's3',
        S3_ACCESS_KEY_ID: 'a',
        S3_SECRET_ACCESS_KEY: 'top',
        S3_SECRET_ACCESS_KEY_FILE: 'f',
      },
      [
        'S3_BUCKET is required',
        'S3_SECRET_ACCESS_KEY and S3_SECRET_ACCESS_KEY_FILE exclude each other',
      ],
    ],
    [
      'a file that is not there',
      {
        MEDIA_STORAGE: 's3',
        S3_BUCKET: 'b',
        S3_ACCESS_KEY_ID: 'a',
        S3_SECRET_ACCESS_KEY_FILE: '/nowhere/secret',
      },
      ['S3_SECRET_ACCESS_KEY_FILE cannot be read'],
    ],
  ])('name what is wrong with %s, and no secret', async (_case, settings, problems) => {
    const message = await said(settings);

    for (const problem of problems) expect(message).toContain(problem);
    expect(message).not.toContain('top');
  });

  it('refuse an empty secret file', async () => {
    await writeFile(path.join(folder, 'secret'), '\n');

    await expect(
      said({
        MEDIA_STORAGE: 's3',
        S3_BUCKET: 'b',
        S3_ACCESS_KEY_ID: 'a',
        S3_SECRET_ACCESS_KEY_FILE: path.join(folder, 'secret'),
      }),
    ).resolves.toContain('S3_SECRET_ACCESS_KEY_FILE is empty');
  });

  it('open a folder', async () => {
    const storage = await openStorage({ STORAGE_DIR: path.join(folder, 'media') });

    await expect(storage.checkReady()).resolves.toBeUndefined();
  });

  it('open a bucket, with the secret in a file and everything under a prefix', async () => {
    const s3 = await openTestS3();
    await writeFile(path.join(folder, 'secret'), `${s3.secretAccessKey}\n`);
    const storage = await openStorage({
      MEDIA_STORAGE: 's3',
      S3_ENDPOINT: s3.url,
      S3_BUCKET: s3.bucketName,
      S3_FORCE_PATH_STYLE: true,
      S3_PREFIX: 'production/',
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY_FILE: path.join(folder, 'secret'),
    });

    await storage.put('videos/a', Readable.from([Buffer.from('x')]), { maxBytes: 1 });

    expect([...s3.bucket.objects.keys()]).toEqual(['production/videos/a']);
    await s3.close();
  });

  it.each([
    ['MEDIA_STORAGE', 'floppy'],
    ['S3_ENDPOINT', 'ftp://x'],
    ['S3_PREFIX', 'no-slash'],
    ['S3_PREFIX', '/x/'],
  ])('keep the api from starting with %s=%s', (name, value) => {
    const others = {
      DATABASE_URL: 'x',
      REDIS_URL: 'x',
      GATEWAY_CONFIG: 'x',
      PUBLIC_BASE_URL: 'http://x',
      BILLING_URL: 'http://x',
      SERVICE_TOKEN: 'x'.repeat(16),
      MEDIA_TOKEN_KEYS: 'x',
    };

    expect(() => readApiSettings({ ...others, [name]: value })).toThrow(new RegExp(`${name} must`));
    expect(readApiSettings(others)).toMatchObject({
      MEDIA_STORAGE: 'file',
      S3_REGION: 'us-east-1',
      S3_FORCE_PATH_STYLE: false,
    });
  });
});
