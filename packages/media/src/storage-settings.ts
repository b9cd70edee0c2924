import { readFile } from 'node:fs/promises';
import { openFileSystemStorage } from './file-system-storage.ts';
import type { S3StorageOptions } from './storage-s3.ts';
import type { MediaStorage } from './storage.ts';

/** The settings of every service that stores or reads media. */
export interface StorageSettings {
  MEDIA_STORAGE?: 'file' | 's3';
  STORAGE_DIR?: string;
  S3_ENDPOINT?: string;
  S3_BUCKET?: string;
  S3_REGION?: string;
  S3_FORCE_PATH_STYLE?: boolean;
  S3_PREFIX?: string;
  S3_ACCESS_KEY_ID?: string;
  S3_ACCESS_KEY_ID_FILE?: string;
  S3_SECRET_ACCESS_KEY?: string;
  S3_SECRET_ACCESS_KEY_FILE?: string;
}

const text = { type: 'string', minLength: 1, nullable: true } as const;

/**
 * Pieces of a service's settings schema. What is needed depends on MEDIA_STORAGE, and `openStorage`
 * says what is missing.
 */
export const storageSettingSchemas = {
  MEDIA_STORAGE: {
    type: 'string',
    enum: ['file', 's3'],
    default: 'file',
    nullable: true,
    description:
      'Where videos and last frames are stored: in a folder, or in a bucket of S3 or an S3-compatible server; the same for api and video-worker',
  },
  STORAGE_DIR: {
    ...text,
    description:
      'With MEDIA_STORAGE=file: the folder with videos and last frames, shared by api and video-worker',
  },
  S3_ENDPOINT: {
    ...text,
    pattern: '^https?://',
    description: 'With MEDIA_STORAGE=s3: URL of the server; without it, Amazon S3',
  },
  S3_BUCKET: { ...text, description: 'With MEDIA_STORAGE=s3: the bucket, which must exist' },
  S3_REGION: { ...text, default: 'us-east-1', description: 'Region of the bucket' },
  S3_FORCE_PATH_STYLE: {
    type: 'boolean',
    default: false,
    nullable: true,
    description:
      'Whether the bucket is in the path instead of the host name; most servers other than Amazon S3 need it',
  },
  S3_PREFIX: {
    ...text,
    pattern: '^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*/$',
    description: 'Prefix of every key, ending in "/"; set it when several gateways share a bucket',
  },
  S3_ACCESS_KEY_ID: {
    ...text,
    description:
      'Without it and its file, credentials are found as the AWS SDK finds them: environment, web identity, instance role',
  },
  S3_ACCESS_KEY_ID_FILE: { ...text, description: 'File that holds S3_ACCESS_KEY_ID' },
  S3_SECRET_ACCESS_KEY: { ...text, description: 'Belongs to S3_ACCESS_KEY_ID' },
  S3_SECRET_ACCESS_KEY_FILE: { ...text, description: 'File that holds S3_SECRET_ACCESS_KEY' },
} as const;

/**
 * Opens the storage that the settings name; throws one Error that names everything that is missing
 * or contradicts itself.
 */
export async function openStorage(settings: Readonly<StorageSettings>): Promise<MediaStorage> {
  const problems = problemsOf(settings);
  if (problems.length > 0) {
    throw new Error(
      `Settings of the media storage:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
  return settings.MEDIA_STORAGE === 's3'
    ? openS3Storage(await s3Options(settings))
    : openFileSystemStorage({ folder: settings.STORAGE_DIR ?? '' });
}

/** Media in a bucket. The SDK, 20 MB of memory, is loaded only by who has one. */
export async function openS3Storage(options: S3StorageOptions): Promise<MediaStorage> {
  const { createS3Storage } = await import('./storage-s3.ts');
  return createS3Storage(options);
}

function problemsOf(settings: Readonly<StorageSettings>): string[] {
  if (settings.MEDIA_STORAGE !== 's3') {
    return settings.STORAGE_DIR === undefined
      ? ['STORAGE_DIR is required with MEDIA_STORAGE=file']
      : [];
  }
  const twice = (['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const).filter(
    (name) => settings[name] !== undefined && settings[`${name}_FILE`] !== undefined,
  );
  const hasId = (settings.S3_ACCESS_KEY_ID ?? settings.S3_ACCESS_KEY_ID_FILE) !== undefined;
  const hasSecret =
    (settings.S3_SECRET_ACCESS_KEY ?? settings.S3_SECRET_ACCESS_KEY_FILE) !== undefined;
  return [
    ...(settings.S3_BUCKET === undefined ? ['S3_BUCKET is required with MEDIA_STORAGE=s3'] : []),
    ...twice.map((name) => `${name} and ${name}_FILE exclude each other`),
    ...(hasId && !hasSecret
      ? ['S3_SECRET_ACCESS_KEY or S3_SECRET_ACCESS_KEY_FILE is required with S3_ACCESS_KEY_ID']
      : []),
    ...(hasSecret && !hasId
      ? ['S3_ACCESS_KEY_ID or S3_ACCESS_KEY_ID_FILE is required with S3_SECRET_ACCESS_KEY']
      : []),
  ];
}

async function s3Options(settings: Readonly<StorageSettings>): Promise<S3StorageOptions> {
  const accessKeyId = await secretOf(settings, 'S3_ACCESS_KEY_ID');
  const secretAccessKey = await secretOf(settings, 'S3_SECRET_ACCESS_KEY');
  return {
    bucket: settings.S3_BUCKET ?? '',
    region: settings.S3_REGION ?? 'us-east-1',
    forcePathStyle: settings.S3_FORCE_PATH_STYLE ?? false,
    ...(settings.S3_ENDPOINT !== undefined && { endpoint: settings.S3_ENDPOINT }),
    ...(settings.S3_PREFIX !== undefined && { prefix: settings.S3_PREFIX }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
  };
}

async function secretOf(
  settings: Readonly<StorageSettings>,
  name: 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY',
): Promise<string | undefined> {
  const file = settings[`${name}_FILE`];
  if (file === undefined) return settings[name];
  const secret = (
    await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new Error(`${name}_FILE cannot be read`, { cause });
    })
  ).trim();
  if (secret === '') throw new Error(`${name}_FILE is empty`);
  return secret;
}
