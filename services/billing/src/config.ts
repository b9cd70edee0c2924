import {
  loadSettings,
  settingSchemas,
  tracingSettingSchemas,
  type SettingsSchema,
  type TracingSettings,
} from '@gateway/runtime';

export interface Settings extends TracingSettings {
  HOST: string;
  PORT: number;
  OPS_HOST?: string;
  OPS_PORT: number;
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  EXCEPTIONS_BEFORE_RESTART: number;
  DATABASE_URL: string;
  REDIS_URL: string;
  REDIS_SILENCE_MS: number;
  QUEUE_PREFIX: string;
  SERVICE_TOKEN: string;
  DATABASE_POOL_SIZE: number;
  DATABASE_SILENCE_MS: number;
  DATABASE_LOCK_MS: number;
  WAITING_PER_ACCOUNT: number;
  WAITING_IN_ALL: number;
  WAITING_MS: number;
  ORPHAN_GRACE_SECONDS: number;
  USAGE_LEASE_SECONDS: number;
  SWEEP_MS: number;
  VERIFY_MS: number;
  VERIFY_STATEMENT_MS: number;
  DATA_SWEEP_MS: number;
  ARCHIVE_AFTER_DAYS?: number;
  ARCHIVE_KEEP_DAYS?: number;
  LEDGER_KEEP_DAYS?: number;
  USAGE_DETAIL_DAYS?: number;
  CLOCK_MAX_OFFSET_MS: number;
  WATCHDOG_STALLED_MS: number;
}

const {
  DATABASE_POOL_SIZE,
  DATABASE_SILENCE_MS,
  DATABASE_URL,
  EXCEPTIONS_BEFORE_RESTART,
  HOST,
  LOG_FORMAT,
  LOG_LEVEL,
  OPS_HOST,
  OPS_PORT,
  PORT,
  QUEUE_PREFIX,
  REDIS_SILENCE_MS,
  REDIS_URL,
  SERVICE_TOKEN,
  CLOCK_MAX_OFFSET_MS,
  WATCHDOG_STALLED_MS,
  WAITING_IN_ALL,
  WAITING_MS,
  WAITING_PER_ACCOUNT,
} = settingSchemas;

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object',
  required: ['DATABASE_URL', 'REDIS_URL', 'SERVICE_TOKEN'],
  properties: {
    HOST,
    PORT: { ...PORT, default: 3001 },
    OPS_HOST,
    OPS_PORT: { ...OPS_PORT, default: 3011 },
    LOG_LEVEL,
    LOG_FORMAT,
    EXCEPTIONS_BEFORE_RESTART,
    DATABASE_URL,
    REDIS_URL,
    REDIS_SILENCE_MS,
    QUEUE_PREFIX,
    SERVICE_TOKEN,
    DATABASE_POOL_SIZE,
    DATABASE_SILENCE_MS,
    DATABASE_LOCK_MS: {
      type: 'integer',
      minimum: 10,
      maximum: 60_000,
      default: 2_500,
      description:
        'How long a statement waits for a row that another one has locked; shorter than the 3 s for which the api waits for a reservation',
    },
    WAITING_PER_ACCOUNT,
    WAITING_IN_ALL,
    WAITING_MS,
    ORPHAN_GRACE_SECONDS: {
      type: 'integer',
      minimum: 5,
      default: 60,
      description: 'A hold whose task was never created is released after this time',
    },
    USAGE_LEASE_SECONDS: {
      type: 'integer',
      minimum: 15,
      maximum: 60,
      default: 30,
      description:
        'An api replica that has been silent for this long counts as dead, and billing takes over the text usage it left open',
    },
    SWEEP_MS: {
      type: 'integer',
      minimum: 100,
      default: 5000,
      description: 'How often to look for unsettled tasks and orphaned holds',
    },
    VERIFY_MS: {
      type: 'integer',
      minimum: 100,
      default: 60000,
      description: 'How often one of the replicas checks the money invariants in what is new',
    },
    VERIFY_STATEMENT_MS: {
      type: 'integer',
      minimum: 100,
      maximum: 60000,
      default: 5000,
      description:
        'After this time the database cancels a single check of an invariant; the others go on',
    },
    DATA_SWEEP_MS: {
      type: 'integer',
      minimum: 100,
      default: 600_000,
      description:
        'How often to make the partitions of the months ahead, to close months of the ledger, and to do what the next four say',
    },
    ARCHIVE_AFTER_DAYS: {
      type: 'integer',
      nullable: true,
      minimum: 7,
      maximum: 36_500,
      description:
        'Tasks that have been over for so many days, and whose files are gone, move into the archive, where they are found and listed as before. Never, when unset',
    },
    ARCHIVE_KEEP_DAYS: {
      type: 'integer',
      nullable: true,
      minimum: 90,
      maximum: 36_500,
      description:
        'Months of the archive are dropped so many days after their end; their usage by day stays. Exposures of that age become sums by day. Never, when unset',
    },
    LEDGER_KEEP_DAYS: {
      type: 'integer',
      nullable: true,
      minimum: 400,
      maximum: 36_500,
      description:
        'Closed months of the ledger are dropped so many days after their end, once their tasks are in the archive; their sums stay. Never, when unset',
    },
    USAGE_DETAIL_DAYS: {
      type: 'integer',
      nullable: true,
      minimum: 31,
      maximum: 36_500,
      description:
        'Months of single text requests become sums by day so many days after their end, by account, model and key, and what was not paid becomes sums by month. Never, when unset',
    },
    CLOCK_MAX_OFFSET_MS,
    WATCHDOG_STALLED_MS,
    ...tracingSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
