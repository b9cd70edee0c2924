import { fileURLToPath } from 'node:url';
import {
  asGroupMember,
  boundHeapGrowth,
  createGroupService,
  createLogger,
  openConfiguration,
  openTracing,
  processNumber,
  runService,
  type Service,
} from '@gateway/runtime';
import { readSettings, type Settings } from './config.ts';

await runService(() => {
  const settings = readSettings();
  const isFirst = settings.API_PROCESSES > 1 && processNumber() === undefined;
  return isFirst ? openGroup(settings) : openProcess(settings);
});

/** The first process of several, which gives out connections and serves nobody but operators. */
function openGroup(settings: Readonly<Settings>): Service {
  const { LOG_LEVEL: level, LOG_FORMAT: format } = settings;
  return createGroupService({
    service: 'api',
    count: settings.API_PROCESSES,
    program: fileURLToPath(import.meta.url),
    settings,
    drainMs: settings.STOP_DELAY_MS + settings.DRAIN_MS,
    log: createLogger({ service: 'api', level, format }),
  });
}

/** A process that serves customers, alone or as one of a group. */
async function openProcess(settings: Readonly<Settings>): Promise<Service> {
  boundHeapGrowth();
  // The first process of a group needs none of them.
  const [{ createService }, { videoVendors }] = await Promise.all([
    import('./container.ts'),
    import('@gateway/video-providers'),
  ]);
  const isMember = processNumber() !== undefined;
  const service = await createService(
    // OPS_PORT is the first process's, which asks the others where only it reaches them.
    isMember ? { ...settings, OPS_HOST: '127.0.0.1', OPS_PORT: 0 } : settings,
    openConfiguration({ path: settings.GATEWAY_CONFIG, environment: process.env, videoVendors }),
    { tracing: await openTracing('api', settings) },
  );
  return isMember ? asGroupMember(service) : service;
}
