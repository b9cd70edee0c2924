import { loadSettings, settingSchemas, type SettingsSchema } from '@gateway/runtime';

export interface Settings {
  DATABASE_URL: string;
  CALLBACK_SECRET_KEYS: string;
}

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object', required: ['DATABASE_URL'],
  properties: {
    DATABASE_URL: { ...settingSchemas.text, description: 'PostgreSQL, as postgres://user:password@host:port/database' },
    CALLBACK_SECRET_KEYS: { type: 'string', default: '', description: 'Keys that callback secrets are sealed under in the database; the same as the services have' },
  },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> => loadSettings(settingsSchema, environment);
