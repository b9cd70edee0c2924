import { createHash } from 'node:crypto';
import { createVideoRequestReader, type Configuration, type TaskVendor, type VideoModel } from '@gateway/contracts';
import { openFileSystemStorage, createMediaLinks, mediaTokenDefaults, parseTokenKeys } from '@gateway/media';
import { parseCidrs } from '@gateway/outbound';
import { createProducer } from '@gateway/queue';
import { createHealth, createHttpApp, createLogger, createMetrics, httpServerPart, intervalPart, newId, type Log, type Service } from '@gateway/runtime';
import { createAccounts, createDatabase, createTaskCreation, createTaskReads } from '@gateway/store';
import { capabilitiesOf } from '@gateway/video-providers';
import { createBillingClient } from './adapters/billing-client.ts';
import { hashBody } from './adapters/body-hash.ts';
import { createKeyCache } from './adapters/key-cache.ts';
import { addressChecks, createReferenceStore } from './adapters/reference-store.ts';
import type { Settings } from './config.ts';
import { withPathAliases } from './http/path-aliases.ts';
import { mediaRoutes } from './http/routes/media.ts';
import { rootRoutes } from './http/routes/root.ts';
import { videoRoutes } from './http/routes/videos.ts';
import { createAuthenticate } from './use-cases/authenticate.ts';
import { createCreateVideo } from './use-cases/create-video.ts';

const hourMs = 3_600_000;

/** Builds the api service: the only place where its clients are made. */
export async function createService(settings: Readonly<Settings>, configuration: Configuration, { log = loggerOf(settings) }: { log?: Log } = {}): Promise<Service & { url(): string }> {
  const metrics = createMetrics('api');
  const database = createDatabase({
    url: settings.DATABASE_URL, applicationName: 'gateway api', poolSize: settings.DATABASE_POOL_SIZE,
    onError: (error) => { log.warn('database connection lost', { reason: error.message }); },
  });
  const producer = createProducer({ redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX, log });
  const storage = await openFileSystemStorage({ folder: settings.STORAGE_DIR });
  const keys = parseTokenKeys(settings.MEDIA_TOKEN_KEYS);
  const links = createMediaLinks({ baseUrl: settings.PUBLIC_BASE_URL, keys, ...mediaTokenDefaults, now: () => new Date() });
  const creation = createTaskCreation(database);
  const reads = createTaskReads(database);

  const authenticate = createAuthenticate({ findKey: createKeyCache(createAccounts(database)), now: () => new Date() });
  const createVideo = createCreateVideo({
    newTaskId: () => newId('task'),
    read: createVideoRequestReader({
      models: configuration.models,
      capabilitiesOf: (model) => capabilitiesOf(providerOf(configuration, model).kind),
      checks: addressChecks({ allowHttp: settings.CALLBACK_ALLOW_HTTP, allowCidrs: parseCidrs(settings.CALLBACK_ALLOW_CIDRS) }),
    }),
    hashBody,
    vendorOf: (model) => vendorOf(configuration, model),
    takeHold: createBillingClient({ baseUrl: settings.BILLING_URL, serviceToken: settings.SERVICE_TOKEN, log }),
    storeReferences: createReferenceStore(storage),
    tasks: { ...creation, find: reads.findForAccount },
    wake: ({ id, requestId, callbackUrl }) => {
      void producer.wake('video.advance', id, { requestId });
      if (callbackUrl !== null) void producer.wake('callback.push', id, { requestId });
    },
  });

  const health = createHealth({ database: database.check, storage: storage.checkReady });
  const app = createHttpApp({
    log, metrics, health,
    routes: (to) => {
      to.use(rootRoutes('0.1.0'));
      to.use(mediaRoutes({ keys, maxTtlSeconds: mediaTokenDefaults.ttlSeconds, findMedia: reads.findMedia, storage, log, now: () => new Date() }));
      to.use(videoRoutes({ authenticate, createVideo, findTask: reads.findForAccount, links, bodyLimitBytes: settings.VIDEO_BODY_LIMIT_BYTES }));
    },
  });
  const server = httpServerPart({ host: settings.HOST, port: settings.PORT, handler: withPathAliases(app), health, log });
  return {
    log,
    url: server.url,
    parts: [
      database.part,
      producer.part,
      intervalPart({ name: 'purge idempotency keys', everyMs: hourMs, work: async () => { await creation.purgeKeys(); }, log }),
      server,
    ],
  };
}

function providerOf({ providers }: Configuration, model: VideoModel) {
  const provider = providers.get(model.provider);
  if (provider === undefined) throw new Error(`model ${model.name} names the provider ${model.provider}, which is not configured`);
  return provider;
}

function vendorOf(configuration: Configuration, model: VideoModel): TaskVendor {
  const { name, kind, baseUrl, apiKey } = providerOf(configuration, model);
  const credentialId = createHash('sha256').update(apiKey).digest('hex').slice(0, 12);
  return { provider: name, kind, baseUrl, credentialId, upstreamModel: model.upstreamModel, taskId: null };
}

const loggerOf = ({ LOG_LEVEL: level, LOG_FORMAT: format }: Readonly<Settings>): Log => createLogger({ service: 'api', level, format });
