export {
  environmentExample,
  settingsDocument,
  type ServiceSettings,
  type ShownSchema,
} from './settings-document.ts';
export {
  SettingsError,
  loadSettings,
  settingSchemas,
  settingsExitCode,
  type SettingsSchema,
} from './settings.ts';
