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
  PORT: number;
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  DATABASE_URL: string;
  REDIS_URL: string;
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
  VIDEO_BODY_LIMIT_BYTES: number;
  ASSET_UPLOAD_TIMEOUT_MS: number;
  TEXT_BODY_LIMIT_BYTES: number;
  TEXT_BODY_TIMEOUT_MS: number;
  TEXT_PING_MS: number;
  REQUIRE_VERSION_HEADER: boolean;
  DRAIN_MS: number;
  OUTCOME_WAIT_MS: number;
  EVENT_STREAM_LOOK_MS: number;
  EVENT_STREAM_PING_MS: number;
  EVENT_STREAMS_PER_KEY: number;
  TRACE_TEXT_UPSTREAMS?: boolean;
}

const {
  CALLBACK_ALLOW_CIDRS,
  CALLBACK_ALLOW_HTTP,
  CALLBACK_SECRET_KEYS,
  DATABASE_POOL_SIZE,
  DATABASE_URL,
  GATEWAY_CONFIG,
  HOST,
  LOG_FORMAT,
  LOG_LEVEL,
  MEDIA_TOKEN_KEYS,
  NODE_ENV,
  PORT,
  PUBLIC_BASE_URL,
  QUEUE_PREFIX,
  REDIS_URL,
  SERVICE_TOKEN,
  address,
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
    LOG_LEVEL,
    LOG_FORMAT,
    DATABASE_URL,
    REDIS_URL,
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
    VIDEO_BODY_LIMIT_BYTES: {
      type: 'integer',
      minimum: 1024,
      default: 67_108_864,
      description: 'Largest body of POST /v1/videos',
    },
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
        'How long a cancellation waits for the vendor, and a deletion for the settlement',
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
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
