import { storageSettingSchemas, type StorageSettings } from '@gateway/media';
import {
  loadSettings,
  settingSchemas,
  tracingSettingSchemas,
  type SettingsSchema,
  type TracingSettings,
} from '@gateway/runtime';

export interface Settings extends StorageSettings, TracingSettings {
  NODE_ENV?: string;
  HOST: string;
  OPS_HOST?: string;
  OPS_PORT: number;
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  EXCEPTIONS_BEFORE_RESTART: number;
  DATABASE_URL: string;
  REDIS_URL: string;
  REDIS_SILENCE_MS: number;
  QUEUE_PREFIX: string;
  GATEWAY_CONFIG: string;
  PUBLIC_BASE_URL: string;
  MEDIA_TOKEN_KEYS: string;
  FFMPEG_PATH: string;
  PATH: string;
  LAST_FRAME_TIMEOUT_MS: number;
  MAKE_POSTERS: boolean;
  INGEST_ALLOW_CIDRS: string;
  INGEST_ALLOW_HTTP: boolean;
  INGEST_MAX_BYTES: number;
  INGEST_TIMEOUT_MS: number;
  VENDOR_TIMEOUT_MS: number;
  VENDOR_BREAKER_FAILURES: number;
  VENDOR_BREAKER_PAUSE_MS: number;
  VENDOR_BREAKER_LONGEST_PAUSE_MS: number;
  SUBMISSION_UNKNOWN_AFTER_MS: number;
  DEADLINE_GRACE_SECONDS: number;
  LATE_WATCH_SECONDS: number;
  LATE_WATCH_EVERY_MS: number;
  DATABASE_POOL_SIZE: number;
  DATABASE_SILENCE_MS: number;
  SWEEP_MS: number;
  ADMIT_SWEEP_MS: number;
  RETENTION_SWEEP_MS: number;
  STORAGE_SWEEP_MS: number;
  STORAGE_SWEEP_AFTER_SECONDS: number;
  STORAGE_SWEEP_UNKNOWN_AFTER_SECONDS: number;
  STORAGE_SWEEP_MAX_PERCENT: number;
  STORAGE_SWEEP_MAX_FILES: number;
  CLOCK_MAX_OFFSET_MS: number;
  WATCHDOG_STALLED_MS: number;
}

const {
  DATABASE_POOL_SIZE,
  DATABASE_SILENCE_MS,
  DATABASE_URL,
  GATEWAY_CONFIG,
  EXCEPTIONS_BEFORE_RESTART,
  HOST,
  LOG_FORMAT,
  LOG_LEVEL,
  MEDIA_TOKEN_KEYS,
  INGEST_ALLOW_CIDRS,
  INGEST_ALLOW_HTTP,
  NODE_ENV,
  OPS_HOST,
  OPS_PORT,
  PUBLIC_BASE_URL,
  QUEUE_PREFIX,
  REDIS_SILENCE_MS,
  REDIS_URL,
  CLOCK_MAX_OFFSET_MS,
  WATCHDOG_STALLED_MS,
} = settingSchemas;

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object',
  required: ['DATABASE_URL', 'REDIS_URL', 'GATEWAY_CONFIG', 'PUBLIC_BASE_URL', 'MEDIA_TOKEN_KEYS'],
  properties: {
    NODE_ENV,
    HOST,
    OPS_HOST,
    OPS_PORT: { ...OPS_PORT, default: 3002 },
    LOG_LEVEL,
    LOG_FORMAT,
    EXCEPTIONS_BEFORE_RESTART,
    DATABASE_URL,
    REDIS_URL,
    REDIS_SILENCE_MS,
    QUEUE_PREFIX,
    GATEWAY_CONFIG,
    ...storageSettingSchemas,
    PUBLIC_BASE_URL,
    MEDIA_TOKEN_KEYS,
    FFMPEG_PATH: {
      type: 'string',
      default: '',
      description:
        'An ffmpeg, for posters and for last frames that vendors do not provide; by default the one on the PATH, if there is one',
    },
    PATH: { type: 'string', default: '', description: 'Folders that are searched for ffmpeg' },
    LAST_FRAME_TIMEOUT_MS: {
      type: 'integer',
      minimum: 100,
      default: 60_000,
      description: 'How long cutting one last frame may take',
    },
    MAKE_POSTERS: {
      type: 'boolean',
      default: true,
      description: 'Whether each video gets a poster, where there is an ffmpeg',
    },
    INGEST_ALLOW_CIDRS,
    INGEST_ALLOW_HTTP,
    INGEST_MAX_BYTES: {
      type: 'integer',
      minimum: 1024,
      default: 2_147_483_648,
      description: 'Largest video that is accepted from a vendor',
    },
    INGEST_TIMEOUT_MS: {
      type: 'integer',
      minimum: 1000,
      default: 600_000,
      description: 'How long one download may take',
    },
    VENDOR_TIMEOUT_MS: {
      type: 'integer',
      minimum: 100,
      default: 30_000,
      description: 'How long to wait for one response from a vendor',
    },
    VENDOR_BREAKER_FAILURES: {
      type: 'integer',
      minimum: 1,
      default: 5,
      description:
        'Failed submissions in a row after which a replica submits nothing more to a vendor for a while',
    },
    VENDOR_BREAKER_PAUSE_MS: {
      type: 'integer',
      minimum: 10,
      default: 10_000,
      description:
        'How long a vendor that fails is left alone before one submission tries it again; doubled each time that fails',
    },
    VENDOR_BREAKER_LONGEST_PAUSE_MS: {
      type: 'integer',
      minimum: 10,
      default: 120_000,
      description: 'The longest such pause',
    },
    SUBMISSION_UNKNOWN_AFTER_MS: {
      type: 'integer',
      minimum: 100,
      default: 90_000,
      description:
        'A submission without a clear response ends as submission_unknown if the vendor does not list it within this time; longer than VENDOR_TIMEOUT_MS',
    },
    DEADLINE_GRACE_SECONDS: {
      type: 'integer',
      minimum: 0,
      default: 60,
      description:
        'How long after its deadline a task is kept for a vendor that does not say how it is; a video that is finished by then may be copied for INGEST_TIMEOUT_MS more',
    },
    LATE_WATCH_SECONDS: {
      type: 'integer',
      minimum: 0,
      default: 86_400,
      description:
        'How long after its deadline an expired task is watched for a late success at the vendor',
    },
    LATE_WATCH_EVERY_MS: {
      type: 'integer',
      minimum: 100,
      default: 600_000,
      description: 'How often an expired task is polled',
    },
    DATABASE_POOL_SIZE: { ...DATABASE_POOL_SIZE, default: 20 },
    DATABASE_SILENCE_MS,
    SWEEP_MS: {
      type: 'integer',
      minimum: 100,
      default: 15_000,
      description: 'How often every unfinished task is given a job again, in case its job was lost',
    },
    ADMIT_SWEEP_MS: {
      type: 'integer',
      minimum: 100,
      default: 1_000,
      description:
        'How often waiting tasks are given free slots, in case nobody said that a slot became free',
    },
    RETENTION_SWEEP_MS: {
      type: 'integer',
      minimum: 100,
      default: 60_000,
      description: 'How often media past their retention period are removed',
    },
    STORAGE_SWEEP_MS: {
      type: 'integer',
      minimum: 100,
      default: 3_600_000,
      description: 'How often the storage is searched for files that a crash left without a row',
    },
    STORAGE_SWEEP_AFTER_SECONDS: {
      type: 'integer',
      minimum: 60,
      default: 86_400,
      description: 'Age at which such a file is removed; longer than INGEST_TIMEOUT_MS',
    },
    STORAGE_SWEEP_UNKNOWN_AFTER_SECONDS: {
      type: 'integer',
      minimum: 60,
      default: 2_592_000,
      description:
        'Age at which such a file is removed if this database does not know its task: after a restore, the time to look at what the backup does not contain',
    },
    STORAGE_SWEEP_MAX_PERCENT: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 1,
      description:
        'A search that would remove a larger share of the files, and more than 20, removes none and raises StorageSweepStopped',
    },
    STORAGE_SWEEP_MAX_FILES: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
      description: 'The most files that one search removes; the next one goes on',
    },
    CLOCK_MAX_OFFSET_MS,
    WATCHDOG_STALLED_MS,
    ...tracingSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
