export { createService } from './container.ts';
export { settingsSchema, type Settings } from './config.ts';
