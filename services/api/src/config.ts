import { storageSettingSchemas, type StorageSettings } from '@gateway/media';
import {
  loadSettings,
  settingSchemas,
  tracingSettingSchemas,
  type SettingsSchema,
  type TracingSettings,
} from '@gateway/runtime';
import { receiptSettingSchemas } from './adapters/receipt-keys.ts';
import { bodySettingSchemas, type BodySettings } from './bodies/index.ts';
import { consoleSettingSchemas, type ConsoleSettings } from './console-settings.ts';
import { textSettingSchemas, type TextSettings } from './text-settings.ts';

export interface Settings
  extends StorageSettings, TracingSettings, BodySettings, ConsoleSettings, TextSettings {
  NODE_ENV?: string;
  HOST: string;
  PORT: number;
  OPS_HOST?: string;
  OPS_PORT: number;
  API_PROCESSES: number;
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
  CALLBACK_EGRESS_PROXY: string;
  CALLBACK_SECRET_KEYS: string;
  ENDPOINTS_PER_ACCOUNT: number;
  DATABASE_POOL_SIZE: number;
  DATABASE_SILENCE_MS: number;
  WAITING_PER_ACCOUNT: number;
  WAITING_IN_ALL: number;
  WAITING_MS: number;
  ASSET_UPLOAD_TIMEOUT_MS: number;
  DRAIN_MS: number;
  STOP_DELAY_MS: number;
  OUTCOME_WAIT_MS: number;
  EVENT_STREAM_LOOK_MS: number;
  EVENT_STREAM_PING_MS: number;
  EVENT_STREAMS_PER_KEY: number;
  TRACE_TEXT_UPSTREAMS?: boolean;
  TRUST_TRACEPARENT?: boolean;
  TRUSTED_PROXIES: string;
  CORS_ORIGINS: string;
  UNKNOWN_KEYS_PER_MINUTE: number;
  RECEIPT_KEYS?: string;
  STORE_PROMPTS?: boolean;
}

const {
  API_PROCESSES,
  CALLBACK_ALLOW_CIDRS,
  CALLBACK_ALLOW_HTTP,
  CALLBACK_EGRESS_PROXY,
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

/** A yes or no that may be left out. */
const choice = (description: string) => ({ type: 'boolean', nullable: true, description }) as const;

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
    API_PROCESSES,
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
    CALLBACK_EGRESS_PROXY,
    CALLBACK_SECRET_KEYS,
    ENDPOINTS_PER_ACCOUNT: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      default: 5,
      description:
        'Endpoints that an account may have, to which every status of its tasks is pushed; 0: no new ones',
    },
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
    ...textSettingSchemas,
    DRAIN_MS: {
      type: 'integer',
      minimum: 0,
      maximum: 3_600_000,
      default: 15_000,
      description:
        'How long open responses may go on when the service stops, before an error event ends them. The process ends itself ten seconds later; what stops it must wait longer than that',
    },
    STOP_DELAY_MS: {
      type: 'integer',
      minimum: 0,
      maximum: 60_000,
      default: 0,
      description:
        'How long a stopping service goes on taking requests while /readyz already says 503, so that a balancer which asks it sends them elsewhere; DRAIN_MS begins afterwards',
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
      description:
        'Event streams that one key, or one session of an operator, may have open at once, over all replicas; and requests to `/mcp`',
    },
    ...tracingSettingSchemas,
    TRACE_TEXT_UPSTREAMS: choice(
      'Whether text upstreams are sent our `traceparent`, so that an upstream of your own continues the trace',
    ),
    TRUST_TRACEPARENT: choice(
      'Whether a trace that a client names in `traceparent` is continued, with its sampling decision; otherwise our trace only links to it',
    ),
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
        'Origins whose pages may use `/v1` and `/mcp` from a browser, separated by commas; `*` is every origin',
      examples: ['https://app.example.com'],
    },
    ...consoleSettingSchemas,
    UNKNOWN_KEYS_PER_MINUTE: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      default: 300,
      description:
        'How many unknown API keys, sessions that are over, or wrong admin tokens may come from one address (IPv6: one /64) within a minute, on each replica, before further ones are refused unread with 429',
    },
    ...receiptSettingSchemas,
    STORE_PROMPTS: choice(
      'Whether prompts and references stay with a video that is over, for its account; with `false` they are removed when it ends',
    ),
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
