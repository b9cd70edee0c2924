import { storageSettingSchemas, type StorageSettings } from '@gateway/media';
import { loadSettings, settingSchemas, type SettingsSchema } from '@gateway/runtime';

export interface Settings extends StorageSettings {
  DATABASE_URL: string;
  CALLBACK_SECRET_KEYS: string;
  REDIS_URL?: string;
  QUEUE_PREFIX: string;
  GATEWAY_CONFIG?: string;
  BILLING_URL?: string;
}

const { address, CALLBACK_SECRET_KEYS, DATABASE_URL, GATEWAY_CONFIG, QUEUE_PREFIX, REDIS_URL } =
  settingSchemas;

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
    ...storageSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> =>
  loadSettings(settingsSchema, environment);
