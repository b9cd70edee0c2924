import { storageSettingSchemas, type StorageSettings } from '@gateway/media';
import { loadSettings, settingSchemas, type SettingsSchema } from '@gateway/runtime';

export interface Settings extends StorageSettings {
  DATABASE_URL: string;
  CALLBACK_SECRET_KEYS: string;
  REDIS_URL?: string;
  QUEUE_PREFIX: string;
  GATEWAY_CONFIG?: string;
  BILLING_URL?: string;
  OPS_URLS?: string;
  INGEST_ALLOW_CIDRS?: string;
  INGEST_ALLOW_HTTP?: boolean;
  NODE_ENV?: string;
}

const {
  address,
  CALLBACK_SECRET_KEYS,
  DATABASE_URL,
  GATEWAY_CONFIG,
  INGEST_ALLOW_CIDRS,
  INGEST_ALLOW_HTTP,
  NODE_ENV,
  QUEUE_PREFIX,
  REDIS_URL,
} = settingSchemas;

const opsUrl = '[a-z][a-z-]*=https?://[^,\\s]+';

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object',
  required: ['DATABASE_URL'],
  properties: {
    DATABASE_URL,
    CALLBACK_SECRET_KEYS,
    REDIS_URL: { ...REDIS_URL, nullable: true },
    QUEUE_PREFIX,
    GATEWAY_CONFIG: { ...GATEWAY_CONFIG, nullable: true },
    BILLING_URL: {
      ...address,
      nullable: true,
      description: 'Address of the billing service',
      examples: ['http://127.0.0.1:3001'],
    },
    OPS_URLS: {
      type: 'string',
      nullable: true,
      pattern: `^${opsUrl}(,${opsUrl})*$`,
      description:
        'Where services serve /readyz, for the doctor: pairs of a name and the address of its operations port, with commas; a service with several replicas may appear several times',
      examples: ['api=http://127.0.0.1:9090,video-worker=http://127.0.0.1:9091'],
    },
    INGEST_ALLOW_CIDRS: { ...INGEST_ALLOW_CIDRS, nullable: true },
    INGEST_ALLOW_HTTP: { ...INGEST_ALLOW_HTTP, nullable: true },
    NODE_ENV,
    ...storageSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
