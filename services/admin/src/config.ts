import { loadSettings, settingSchemas, type SettingsSchema } from '@gateway/runtime';

export interface Settings {
  DATABASE_URL: string;
}

export const settingsSchema: SettingsSchema<Settings> = {
  type: 'object', required: ['DATABASE_URL'],
  properties: { DATABASE_URL: { ...settingSchemas.text, description: 'PostgreSQL, as postgres://user:password@host:port/database' } },
};

export const readSettings = (environment: NodeJS.ProcessEnv = process.env): Readonly<Settings> => loadSettings(settingsSchema, environment);
