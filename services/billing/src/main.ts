import { openTracing, runService } from '@gateway/runtime';
import { readSettings } from './config.ts';
import { createService } from './container.ts';

await runService(async () => {
  const settings = readSettings();
  return createService(settings, { tracing: await openTracing('billing', settings) });
});
