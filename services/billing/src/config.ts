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
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  DATABASE_URL: string;
  REDIS_URL: string;
  QUEUE_PREFIX: string;
  SERVICE_TOKEN: string;
  DATABASE_POOL_SIZE: number;
  ORPHAN_GRACE_SECONDS: number;
  USAGE_LEASE_SECONDS: number;
  SWEEP_MS: number;
  VERIFY_MS: number;
  WATCHDOG_STALLED_MS: number;
}

const {
  DATABASE_POOL_SIZE,
  DATABASE_URL,
  HOST,
  LOG_FORMAT,
  LOG_LEVEL,
  PORT,
  QUEUE_PREFIX,
  REDIS_URL,
  SERVICE_TOKEN,
  WATCHDOG_STALLED_MS,
} = settingSchemas;

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object',
  required: ['DATABASE_URL', 'REDIS_URL', 'SERVICE_TOKEN'],
  properties: {
    HOST,
    PORT: { ...PORT, default: 3001 },
    LOG_LEVEL,
    LOG_FORMAT,
    DATABASE_URL,
    REDIS_URL,
    QUEUE_PREFIX,
    SERVICE_TOKEN,
    DATABASE_POOL_SIZE,
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
      description: 'How often the money invariants are checked',
    },
    WATCHDOG_STALLED_MS,
    ...tracingSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
