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

const { CALLBACK_SECRET_KEYS, DATABASE_URL, QUEUE_PREFIX } = settingSchemas;
const optionalText = { type: 'string', minLength: 1, nullable: true } as const;

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object', required: ['DATABASE_URL'],
  properties: {
    DATABASE_URL,
    CALLBACK_SECRET_KEYS,
    REDIS_URL: { ...optionalText, description: 'Redis, for queues and doctor' },
    QUEUE_PREFIX,
    GATEWAY_CONFIG: { ...optionalText, description: 'Path of the file with vendors, models and prices, for doctor' },
    BILLING_URL: { ...optionalText, pattern: '^https?://', description: 'Address of the billing service, for doctor' },
    ...storageSettingSchemas,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> => loadSettings(settingsSchema, environment);
