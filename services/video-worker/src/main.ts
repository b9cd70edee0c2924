import { loadConfiguration, runService } from '@gateway/runtime';
import { readSettings } from './config.ts';
import { createService } from './container.ts';

await runService(() => {
  const settings = readSettings();
  return createService(settings, loadConfiguration(settings.GATEWAY_CONFIG, process.env));
});
