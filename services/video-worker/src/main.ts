import { openConfiguration, runService } from '@gateway/runtime';
import { readSettings } from './config.ts';
import { createService } from './container.ts';

await runService(() => {
  const settings = readSettings();
  return createService(settings, openConfiguration({ path: settings.GATEWAY_CONFIG, environment: process.env, secretsOf: 'video' }));
});
