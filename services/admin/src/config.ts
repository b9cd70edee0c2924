import { loadSettings, settingSchemas, type SettingsSchema } from '@gateway/runtime';

export interface Settings {
  DATABASE_URL: string;
  CALLBACK_SECRET_KEYS: string;
}

const { CALLBACK_SECRET_KEYS, DATABASE_URL } = settingSchemas;

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object', required: ['DATABASE_URL'],
  properties: {
    DATABASE_URL,
    CALLBACK_SECRET_KEYS,
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> => loadSettings(settingsSchema, environment);
