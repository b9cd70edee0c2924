import { loadSettings, settingSchemas } from '@gateway/runtime';
import type { JSONSchemaType } from 'ajv';

/**
 * Everything that can be set. Durations carry their unit; a setting without a value here has none.
 */
export interface Settings {
  readonly HOST: string;
  readonly PORT: number;
  readonly LOG_LEVEL: 'error' | 'warn' | 'info' | 'debug';
  readonly LOG_FORMAT: 'json' | 'text';
  readonly SANDBOX_API_KEY: string;
  readonly SANDBOX_PUBLIC_URL?: string;
  readonly SANDBOX_DATA_DIR?: string;
  readonly SANDBOX_CONTROL: 'loopback' | 'open' | 'off';
  readonly SANDBOX_QUEUE_MS: number;
  readonly SANDBOX_RENDER_MS: number;
  readonly SANDBOX_RENDER_THREADS?: number;
  readonly SANDBOX_RENDER_QUALITY: 'standard' | 'fast';
  readonly SANDBOX_CACHE_BYTES: number;
  readonly SANDBOX_LINK_TTL_SECONDS: number;
  readonly SANDBOX_MAX_TASKS: number;
  readonly SANDBOX_MAX_BODY_BYTES: number;
  readonly SANDBOX_CALLBACK_TIMEOUT_MS: number;
  readonly SANDBOX_CALLBACK_RESEND_MS: number;
  readonly SANDBOX_STRICT_LIMITS: boolean;
  readonly SANDBOX_GET_QPS?: number;
  readonly SANDBOX_LIST_QPS?: number;
  readonly SANDBOX_DELETE_QPS?: number;
  readonly SANDBOX_CREATE_RPM?: number;
  readonly SANDBOX_MAX_RUNNING?: number;
  readonly SANDBOX_TOKENS_PER_SECOND: number;
}

const milliseconds = (value: number) =>
  ({ type: 'integer', minimum: 0, maximum: 3_600_000, default: value }) as const;
const limit = { type: 'integer', minimum: 1, maximum: 1_000_000, nullable: true } as const;

export const settingsSchema: JSONSchemaType<Settings> = {
  type: 'object',
  required: ['SANDBOX_API_KEY'],
  properties: {
    HOST: {
      ...settingSchemas.HOST,
      default: '127.0.0.1',
      description:
        'Address to listen on; the control endpoint has no key, so loopback unless said otherwise.',
    },
    PORT: { ...settingSchemas.PORT, default: 8090 },
    LOG_LEVEL: settingSchemas.LOG_LEVEL,
    LOG_FORMAT: settingSchemas.LOG_FORMAT,
    SANDBOX_API_KEY: {
      ...settingSchemas.text,
      description: 'The key that clients of the vendor send.',
    },
    SANDBOX_PUBLIC_URL: {
      type: 'string',
      pattern: '^https?://[^?#]+$',
      nullable: true,
      description:
        'How clients reach the vendor; links to files begin with it. Without it: the address it listens on.',
    },
    SANDBOX_DATA_DIR: {
      type: 'string',
      minLength: 1,
      nullable: true,
      description: 'Folder in which tasks outlive the process. Without it they do not.',
    },
    SANDBOX_CONTROL: {
      type: 'string',
      enum: ['loopback', 'open', 'off'],
      default: 'loopback',
      description: 'Who may use /control, which has no key.',
    },
    SANDBOX_QUEUE_MS: { ...milliseconds(500), description: 'Time a task stays queued.' },
    SANDBOX_RENDER_MS: { ...milliseconds(2_000), description: 'Shortest time a task runs.' },
    SANDBOX_RENDER_THREADS: {
      type: 'integer',
      minimum: 0,
      maximum: 64,
      nullable: true,
      description:
        'Renders at once; 0 renders in the main thread. Without it: half the processors, at most 4.',
    },
    SANDBOX_RENDER_QUALITY: {
      type: 'string',
      enum: ['standard', 'fast'],
      default: 'standard',
      description: 'fast: small pictures at 4 frames a second, for tests.',
    },
    SANDBOX_CACHE_BYTES: {
      type: 'integer',
      minimum: 0,
      default: 134_217_728,
      description:
        'Rendered videos kept in memory; the others are rendered again when they are fetched.',
    },
    SANDBOX_LINK_TTL_SECONDS: {
      type: 'integer',
      minimum: 0,
      default: 86_400,
      description: 'Life of the links to files.',
    },
    SANDBOX_MAX_TASKS: {
      type: 'integer',
      minimum: 1,
      default: 20_000,
      description: 'Tasks kept; beyond, the oldest finished ones are forgotten.',
    },
    SANDBOX_MAX_BODY_BYTES: {
      type: 'integer',
      minimum: 1_024,
      default: 67_108_864,
      description: 'Largest body of a creation.',
    },
    SANDBOX_CALLBACK_TIMEOUT_MS: { ...milliseconds(5_000), description: 'Time for one callback.' },
    SANDBOX_CALLBACK_RESEND_MS: {
      ...milliseconds(1_000),
      description: 'Pause before a callback is sent again.',
    },
    SANDBOX_STRICT_LIMITS: {
      type: 'boolean',
      default: false,
      description: 'The documented limits of the vendor instead of generous ones.',
    },
    SANDBOX_GET_QPS: { ...limit, description: 'GETs of a task in a second.' },
    SANDBOX_LIST_QPS: { ...limit, description: 'Lists in a second.' },
    SANDBOX_DELETE_QPS: { ...limit, description: 'DELETEs in a second.' },
    SANDBOX_CREATE_RPM: { ...limit, description: 'Creations of a model in a minute.' },
    SANDBOX_MAX_RUNNING: {
      ...limit,
      description: 'Tasks that run at once; the others stay queued.',
    },
    SANDBOX_TOKENS_PER_SECOND: {
      type: 'number',
      minimum: 0,
      maximum: 100_000,
      default: 50,
      description: 'Pace of text responses, whole or streamed; 0 is as fast as possible.',
    },
  },
};

/** Reads the settings; throws with every problem at once. */
export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
