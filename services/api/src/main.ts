import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import {
  asGroupMember,
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
  // Streams outlive V8's collections of young objects, and what they leave waits for a full one: by
  // default until the heap has grown up to fourfold. On Node 24, 1,000 translated streams hold 395 to
  // 414 MB resident at 100 %, 348 to 394 at 70 and 356 at 50, where their chunks wait for full
  // collections: 75 ms at p99 instead of 40 to 64.
  setFlagsFromString('--heap-growing-percent=70');
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
