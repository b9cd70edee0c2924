import { boundHeapGrowth, openConfiguration, openTracing, runService } from '@gateway/runtime';
import { videoVendors } from '@gateway/video-providers';
import { readSettings } from './config.ts';
import { createService } from './container.ts';

await runService(async () => {
  const settings = readSettings();
  boundHeapGrowth();
  return createService(
    settings,
    openConfiguration({
      path: settings.GATEWAY_CONFIG,
      environment: process.env,
      videoVendors,
      secretsOf: 'video',
    }),
    { tracing: await openTracing('video-worker', settings) },
  );
});
