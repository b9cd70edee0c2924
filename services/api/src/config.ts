import { storageSettingSchemas, type StorageSettings } from '@gateway/media';
import {
  loadSettings,
  settingSchemas,
  tracingSettingSchemas,
  type SettingsSchema,
  type TracingSettings,
} from '@gateway/runtime';
import { bodySettingSchemas, type BodySettings } from './bodies/index.ts';

export interface Settings extends StorageSettings, TracingSettings, BodySettings {
  NODE_ENV?: string;
  HOST: string;
  PORT: number;
  OPS_HOST?: string;
  OPS_PORT: number;
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  EXCEPTIONS_BEFORE_RESTART: number;
  CLOCK_MAX_OFFSET_MS: number;
  DATABASE_URL: string;
  REDIS_URL: string;
  REDIS_SILENCE_MS: number;
  QUEUE_PREFIX: string;
  GATEWAY_CONFIG: string;
  PUBLIC_BASE_URL: string;
  BILLING_URL: string;
  SERVICE_TOKEN: string;
  ADMIN_TOKEN?: string;
  MEDIA_TOKEN_KEYS: string;
  CALLBACK_ALLOW_CIDRS: string;
  CALLBACK_ALLOW_HTTP: boolean;
  CALLBACK_SECRET_KEYS: string;
  DATABASE_POOL_SIZE: number;
  DATABASE_SILENCE_MS: number;
  WAITING_PER_ACCOUNT: number;
  WAITING_IN_ALL: number;
  WAITING_MS: number;
  ASSET_UPLOAD_TIMEOUT_MS: number;
  TEXT_BODY_LIMIT_BYTES: number;
  TEXT_BODY_TIMEOUT_MS: number;
  TEXT_PING_MS: number;
  TEXT_QUEUE_MS: number;
  TEXT_LEASE_SECONDS: number;
  TEXT_LEASE_IDLE_SECONDS: number;
  RESPONSES_RETENTION_HOURS: number;
  RESPONSES_BYTES_PER_ACCOUNT: number;
  REQUIRE_VERSION_HEADER: boolean;
  DRAIN_MS: number;
  OUTCOME_WAIT_MS: number;
  EVENT_STREAM_LOOK_MS: number;
  EVENT_STREAM_PING_MS: number;
  EVENT_STREAMS_PER_KEY: number;
  TRACE_TEXT_UPSTREAMS?: boolean;
  TRUST_TRACEPARENT?: boolean;
  TRUSTED_PROXIES: string;
  CORS_ORIGINS: string;
  UNKNOWN_KEYS_PER_MINUTE: number;
}

const {
  CALLBACK_ALLOW_CIDRS,
  CALLBACK_ALLOW_HTTP,
  CALLBACK_SECRET_KEYS,
  DATABASE_POOL_SIZE,
  DATABASE_SILENCE_MS,
  DATABASE_URL,
  GATEWAY_CONFIG,
  EXCEPTIONS_BEFORE_RESTART,
  CLOCK_MAX_OFFSET_MS,
  HOST,
  LOG_FORMAT,
  LOG_LEVEL,
  MEDIA_TOKEN_KEYS,
  NODE_ENV,
  OPS_HOST,
  OPS_PORT,
  PORT,
  PUBLIC_BASE_URL,
  QUEUE_PREFIX,
  REDIS_SILENCE_MS,
  REDIS_URL,
  SERVICE_TOKEN,
  address,
  WAITING_IN_ALL,
  WAITING_MS,
  WAITING_PER_ACCOUNT,
} = settingSchemas;

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object',
  required: [
    'DATABASE_URL',
    'REDIS_URL',
    'GATEWAY_CONFIG',
    'PUBLIC_BASE_URL',
    'BILLING_URL',
    'SERVICE_TOKEN',
    'MEDIA_TOKEN_KEYS',
  ],
  properties: {
    NODE_ENV,
    HOST,
    PORT: { ...PORT, default: 3000 },
    OPS_HOST,
    OPS_PORT: { ...OPS_PORT, default: 3010 },
    LOG_LEVEL,
    LOG_FORMAT,
    EXCEPTIONS_BEFORE_RESTART,
    CLOCK_MAX_OFFSET_MS,
    DATABASE_URL,
    REDIS_URL,
    REDIS_SILENCE_MS,
    QUEUE_PREFIX,
    GATEWAY_CONFIG,
    PUBLIC_BASE_URL,
    BILLING_URL: {
      ...address,
      description: 'Address of the billing service',
      examples: ['http://127.0.0.1:3001'],
    },
    SERVICE_TOKEN,
    ADMIN_TOKEN: {
      type: 'string',
      minLength: 16,
      nullable: true,
      description: 'Opens /admin/v1; without it those routes do not exist',
    },
    MEDIA_TOKEN_KEYS,
    ...storageSettingSchemas,
    CALLBACK_ALLOW_CIDRS,
    CALLBACK_ALLOW_HTTP,
    CALLBACK_SECRET_KEYS,
    DATABASE_POOL_SIZE,
    DATABASE_SILENCE_MS,
    WAITING_PER_ACCOUNT,
    WAITING_IN_ALL,
    WAITING_MS,
    ...bodySettingSchemas,
    ASSET_UPLOAD_TIMEOUT_MS: {
      type: 'integer',
      minimum: 100,
      maximum: 280_000,
      default: 240_000,
      description: 'How long the upload of an asset may take in total',
    },
    TEXT_BODY_LIMIT_BYTES: {
      type: 'integer',
      minimum: 1024,
      default: 33_554_432,
      description: 'Largest body of the text routes',
    },
    TEXT_BODY_TIMEOUT_MS: {
      type: 'integer',
      minimum: 100,
      maximum: 300_000,
      default: 60_000,
      description:
        'How long a body on the text routes may take to arrive in total; the request holds a slot of its key meanwhile',
    },
    TEXT_PING_MS: {
      type: 'integer',
      minimum: 100,
      default: 15_000,
      description: 'How long a text stream may be silent before a ping is sent',
    },
    TEXT_QUEUE_MS: {
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 10_000,
      description: 'How long a text request may wait for a slot of its provider, in turn',
    },
    TEXT_LEASE_SECONDS: {
      type: 'integer',
      minimum: 1,
      maximum: 60,
      default: 5,
      description:
        'Seconds of its spending on text for which a replica holds quota of each active account',
    },
    TEXT_LEASE_IDLE_SECONDS: {
      type: 'integer',
      minimum: 1,
      maximum: 3600,
      default: 10,
      description:
        'A replica gives the quota of an account back that has asked for no text this long',
    },
    RESPONSES_RETENTION_HOURS: {
      type: 'integer',
      minimum: 0,
      maximum: 8_760,
      default: 24,
      description:
        'How long finished responses are kept for their account, with the prompts and answers in them; 0 keeps none and removes those that were kept',
    },
    RESPONSES_BYTES_PER_ACCOUNT: {
      type: 'integer',
      minimum: 1_048_576,
      default: 268_435_456,
      description:
        'Bytes of kept responses that one account may have; beyond them its oldest are removed',
    },
    REQUIRE_VERSION_HEADER: {
      type: 'boolean',
      default: true,
      description: 'Whether the messages routes refuse requests without anthropic-version',
    },
    DRAIN_MS: {
      type: 'integer',
      minimum: 0,
      maximum: 20_000,
      default: 15_000,
      description:
        'How long open responses may go on when the service stops, before an error event ends them',
    },
    OUTCOME_WAIT_MS: {
      type: 'integer',
      minimum: 0,
      maximum: 20_000,
      default: 5_000,
      description:
        'How long a cancellation waits for the vendor, a deletion for the settlement, and any change of a video for a database that fell silent in the middle',
    },
    EVENT_STREAM_LOOK_MS: {
      type: 'integer',
      minimum: 20,
      maximum: 10_000,
      default: 500,
      description:
        'How often the news of all tasks that event streams follow is read, in one statement',
    },
    EVENT_STREAM_PING_MS: {
      type: 'integer',
      minimum: 100,
      maximum: 60_000,
      default: 15_000,
      description: 'How long an event stream may be silent before a comment is sent',
    },
    EVENT_STREAMS_PER_KEY: {
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Event streams that one key may have open at once, over all replicas',
    },
    ...tracingSettingSchemas,
    TRACE_TEXT_UPSTREAMS: {
      type: 'boolean',
      nullable: true,
      description:
        'Whether text upstreams are sent our `traceparent`, so that an upstream of your own continues the trace',
    },
    TRUST_TRACEPARENT: {
      type: 'boolean',
      nullable: true,
      description:
        'Whether a trace that a client names in `traceparent` is continued, with its sampling decision; otherwise our trace only links to it',
    },
    TRUSTED_PROXIES: {
      type: 'string',
      default: '',
      description:
        'Addresses and CIDR ranges of your own proxies, separated by commas: from them, and nobody else, the address of a client is taken from `x-forwarded-for`',
      examples: ['10.0.0.0/8'],
    },
    CORS_ORIGINS: {
      type: 'string',
      default: '',
      description:
        'Origins whose pages may use `/v1` from a browser, separated by commas; `*` is every origin',
      examples: ['https://app.example.com'],
    },
    UNKNOWN_KEYS_PER_MINUTE: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 300,
      description:
        'How many unknown API keys may come from one address (IPv6: one /64) within a minute, on each replica, before further ones are refused unread with 429',
    },
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
