import { defaultCallbackRetryDelaysMs } from '@gateway/domain';
import {
  loadSettings,
  settingSchemas,
  tracingSettingSchemas,
  type SettingsSchema,
  type TracingSettings,
} from '@gateway/runtime';

export interface Settings extends TracingSettings {
  NODE_ENV?: string;
  HOST: string;
  OPS_HOST?: string;
  OPS_PORT: number;
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  EXCEPTIONS_BEFORE_RESTART: number;
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
  DATABASE_SILENCE_MS: number;
  REDIS_URL: string;
  REDIS_SILENCE_MS: number;
  QUEUE_PREFIX: string;
  PUBLIC_BASE_URL: string;
  MEDIA_TOKEN_KEYS: string;
  CALLBACK_RETRY_DELAYS_MS: string;
  CALLBACK_ALLOW_CIDRS: string;
  CALLBACK_ALLOW_HTTP: boolean;
  CALLBACK_EGRESS_PROXY: string;
  CALLBACK_TIMEOUT_MS: number;
  CALLBACK_SWEEP_MS: number;
  CALLBACK_CONCURRENCY: number;
  CALLBACK_MAX_PER_ORIGIN: number;
  CALLBACK_MAX_PER_ACCOUNT: number;
  CALLBACK_COOL_DOWN_MS: number;
  CALLBACK_SECRET_KEYS: string;
  CLOCK_MAX_OFFSET_MS: number;
  WATCHDOG_STALLED_MS: number;
}

const {
  CALLBACK_ALLOW_CIDRS,
  CALLBACK_ALLOW_HTTP,
  CALLBACK_EGRESS_PROXY,
  CALLBACK_SECRET_KEYS,
  DATABASE_POOL_SIZE,
  DATABASE_SILENCE_MS,
  DATABASE_URL,
  EXCEPTIONS_BEFORE_RESTART,
  HOST,
  LOG_FORMAT,
  LOG_LEVEL,
  MEDIA_TOKEN_KEYS,
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
  required: ['DATABASE_URL', 'REDIS_URL', 'PUBLIC_BASE_URL', 'MEDIA_TOKEN_KEYS'],
  properties: {
    NODE_ENV,
    HOST,
    OPS_HOST,
    OPS_PORT: { ...OPS_PORT, default: 3003 },
    LOG_LEVEL,
    LOG_FORMAT,
    EXCEPTIONS_BEFORE_RESTART,
    DATABASE_URL,
    DATABASE_POOL_SIZE,
    DATABASE_SILENCE_MS,
    REDIS_URL,
    REDIS_SILENCE_MS,
    QUEUE_PREFIX,
    PUBLIC_BASE_URL,
    MEDIA_TOKEN_KEYS,
    CALLBACK_RETRY_DELAYS_MS: {
      type: 'string',
      pattern: '^\\d{1,9}( *, *\\d{1,9}){0,4}$',
      default: defaultCallbackRetryDelaysMs.join(','),
      description:
        'Waits before the second, third … attempt of a push: one to five, separated by commas',
    },
    CALLBACK_ALLOW_CIDRS,
    CALLBACK_ALLOW_HTTP,
    CALLBACK_EGRESS_PROXY,
    CALLBACK_TIMEOUT_MS: {
      type: 'integer',
      minimum: 100,
      maximum: 60_000,
      default: 15_000,
      description: 'Limit for a whole attempt, from name resolution to the end of the response',
    },
    CALLBACK_SWEEP_MS: {
      type: 'integer',
      minimum: 50,
      default: 5000,
      description: 'How often to look for due pushes whose wake-up was lost',
    },
    CALLBACK_CONCURRENCY: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 2_000,
      description:
        'Tasks a replica works on at once; each has at most one push in flight. Slow receivers get a quarter of it, unknown ones another',
    },
    CALLBACK_MAX_PER_ORIGIN: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 32,
      description: 'Pushes of one account in flight to one origin, over all replicas',
    },
    CALLBACK_MAX_PER_ACCOUNT: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000,
      default: 64,
      description: 'Pushes of one account in flight, over all replicas',
    },
    CALLBACK_COOL_DOWN_MS: {
      type: 'integer',
      minimum: 10,
      maximum: 600_000,
      default: 30_000,
      description:
        'How long an origin is skipped after five tasks in a row failed to reach it; doubles up to ten minutes while it stays down',
    },
    CALLBACK_SECRET_KEYS,
    CLOCK_MAX_OFFSET_MS,
    WATCHDOG_STALLED_MS,
    ...tracingSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);

/** The waits of CALLBACK_RETRY_DELAYS_MS, which passed the schema. */
export const retryDelaysOf = ({ CALLBACK_RETRY_DELAYS_MS: list }: Readonly<Settings>): number[] =>
  list.split(',').map(Number);
