export {
  environmentExample,
  settingsDocument,
  type ServiceSettings,
  type ShownSchema,
} from './settings-document.ts';
export { readSentinels } from './sentinels.ts';
export {
  SettingsError,
  loadSettings,
  settingSchemas,
  settingsExitCode,
  type SettingsSchema,
} from './settings.ts';
