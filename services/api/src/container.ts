import { createHash, randomUUID } from 'node:crypto';
import { createVideoRequestReader, type Configuration, type DeliveryQuestion, type TaskVendor, type VideoModel } from '@gateway/contracts';
import { createMediaLinks, mediaTokenDefaults, openStorage, parseTokenKeys, type MediaStorage } from '@gateway/media';
import { canBeFetchedBy, openedRanges, type UrlRule } from '@gateway/outbound';
import { createSharedLimits } from '@gateway/limits';
import { createProducer, type Producer } from '@gateway/queue';
import { createHealth, createHttpApp, createLogger, createMetrics, createRequestLines, httpServerPart, intervalPart, newId, perVersion, type LiveConfiguration, type Log, type LoggerOptions, type Registry, type RequestLines, type Service } from '@gateway/runtime';
import { createAccounts, createDatabase, createLedger, createLedgerReads, createTaskCreation, createTaskReads, createUsageOutbox, createUsageReads, type Database } from '@gateway/store';
import { capabilitiesOf } from '@gateway/video-providers';
import { createBillingClient } from './adapters/billing-client.ts';
import { hashBody } from './adapters/body-hash.ts';
import { createKeyCache } from './adapters/key-cache.ts';
import { createOpenUsage, type OpenUsage } from './adapters/open-usage.ts';
import { createQuotaGate } from './adapters/quota-gate.ts';
import { addressChecks, createReferenceRemover, createReferenceStore } from './adapters/reference-store.ts';
import { createUsageRecorder, type UsageRecorder } from './adapters/usage-recorder.ts';
import { buildAssets } from './assets.ts';
import { buildCallbacks } from './callbacks.ts';
import type { Settings } from './config.ts';
import { buildEndings } from './endings.ts';
import { withPathAliases } from './http/path-aliases.ts';
import { assetRoutes } from './http/routes/assets.ts';
import { billingRoutes } from './http/routes/billing.ts';
import { callbackRoutes } from './http/routes/callbacks.ts';
import { mediaRoutes } from './http/routes/media.ts';
import { modelRoutes } from './http/routes/models.ts';
import { rootRoutes } from './http/routes/root.ts';
import { videoRoutes } from './http/routes/videos.ts';
import { buildTextLane } from './text/build-lane.ts';
import { createAuthenticate } from './use-cases/authenticate.ts';
import { createCreateVideo } from './use-cases/create-video.ts';
import { createListModels } from './use-cases/list-models.ts';

const hourMs = 3_600_000;

/** Builds the api service: the only place where its clients are made. */
export async function createService(settings: Readonly<Settings>, configuration: LiveConfiguration, { log: replaced }: { log?: Log } = {}): Promise<Service & { url(): string }> {
  const rule = addressRule(settings);
  const log = replaced ?? createLogger(logOptions(settings));
  const lines = requestLinesTo(replaced, settings);
  const metrics = createMetrics('api');
  const database = openDatabase(settings, log);
  const producer = createProducer({ redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX, log });
  const { storage, links, served } = await openMedia(settings, log);
  const creation = createTaskCreation(database);
  const reads = createTaskReads(database);

  const authenticate = createAuthenticate({ findKey: createKeyCache(createAccounts(database)), now: () => new Date() });
  const assets = buildAssets({ database, storage, log, configuration, uploadTimeoutMs: settings.ASSET_UPLOAD_TIMEOUT_MS });
  const derived = deriver(configuration, { settings, rule, log, producer, storage, creation, reads, resolverFor: assets.resolverFor });
  const endings = buildEndings({ database, reads, storage, producer, waitMs: settings.OUTCOME_WAIT_MS, metrics, log });
  const replicaId = randomUUID();
  const limits = createSharedLimits({ redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX, replicaId, log });
  const usage = createUsageReads(database);
  const { recorder, openUsage } = buildMetering({ database, producer, metrics, log, replicaId });
  const text = buildTextLane({
    configuration, authenticate, limits, metrics, log, logRequest: lines.write,
    availableOf: createQuotaGate({ availableOf: usage.availableOf }),
    record: (ended) => { openUsage.end(ended.id); recorder.record(ended); },
    keepOpen: openUsage.keep,
    body: { limitBytes: settings.TEXT_BODY_LIMIT_BYTES, timeoutMs: settings.TEXT_BODY_TIMEOUT_MS }, pingAfterMs: settings.TEXT_PING_MS, requireVersion: settings.REQUIRE_VERSION_HEADER,
  });

  const health = createHealth({ database: database.check, storage: storage.checkReady });
  const app = createHttpApp({
    log, metrics, health,
    routes: (to) => {
      to.use(rootRoutes('0.1.0'), mediaRoutes({ ...served, findMedia: reads.findMedia }), assetRoutes({ authenticate, ...assets, served: { ...served, findServed: assets.findServed } }));
      to.use(videoRoutes({ authenticate, createVideo: (request) => derived().createVideo(request), ...endings, findTask: reads.findForAccount, queuePosition: reads.queuePosition, links, bodyLimitBytes: settings.VIDEO_BODY_LIMIT_BYTES }));
      to.use(callbackRoutes({ authenticate, findTask: reads.findForAccount, ...buildCallbacks({ database, producer }) }));
      to.use(modelRoutes({ authenticate, models: () => derived().models }));
      to.use(billingRoutes({ authenticate, balanceOf: createLedger(database).balanceOf, ledgerPage: createLedgerReads(database).page, usageByDay: usage.byDay, now: () => new Date() }));
    },
  });
  const control = withPathAliases(app);
  const server = httpServerPart({
    host: settings.HOST, port: settings.PORT, health, log,
    handler: (request, response) => { if (!text.lane(request, response)) control(request, response); },
    drainMs: settings.DRAIN_MS, endOpenAnswers: text.endOpenAnswers,
  });
  return {
    log,
    url: server.url,
    parts: [
      lines.part,
      configuration.watch({ log, metrics, prepare: derived }),
      database.part,
      producer.part,
      recorder.part,
      limits.part,
      text.part,
      endings.reconciler,
      assets.reconciler,
      intervalPart({ name: 'purge idempotency keys', everyMs: hourMs, work: async () => { await creation.purgeKeys(); }, log }),
      server,
    ],
  };
}

/** Throws for ranges that may not be opened. */
const addressRule = ({ CALLBACK_ALLOW_HTTP: allowHttp, CALLBACK_ALLOW_CIDRS: cidrs, NODE_ENV: nodeEnv }: Readonly<Settings>): UrlRule =>
  ({ allowHttp, allowCidrs: openedRanges(cidrs, { setting: 'CALLBACK_ALLOW_CIDRS', nodeEnv }) });

/** Where media lie, how they are linked to, and what serving them takes. */
async function openMedia(settings: Readonly<Settings>, log: Log) {
  const storage = await openStorage(settings);
  const keys = parseTokenKeys(settings.MEDIA_TOKEN_KEYS);
  const now = (): Date => new Date();
  return {
    storage,
    links: createMediaLinks({ baseUrl: settings.PUBLIC_BASE_URL, keys, ...mediaTokenDefaults, now }),
    served: { keys, maxTtlSeconds: mediaTokenDefaults.ttlSeconds, storage, log, now },
  };
}

const openDatabase = ({ DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize, CALLBACK_SECRET_KEYS: secretKeys }: Readonly<Settings>, log: Log): Database =>
  createDatabase({ url, applicationName: 'gateway api', poolSize, secretKeys, onError: (error) => { log.warn('database connection lost', { reason: error.message }); } });

interface MeteringParts {
  readonly database: Database;
  readonly producer: Producer;
  readonly metrics: Registry;
  readonly log: Log;
  readonly replicaId: string;
}

/** Final records go through the open ones, so that a statement that saves one also ends what stood for it. */
function buildMetering({ database, producer, metrics, log, replicaId }: MeteringParts): { recorder: UsageRecorder; openUsage: OpenUsage } {
  const outbox = createUsageOutbox(database);
  const openUsage = createOpenUsage({ keepOpen: (records) => outbox.keepOpen({ replica: replicaId, records }), save: outbox.save, log });
  const recorder = createUsageRecorder({ save: openUsage.save, wake: (batchId) => producer.wake('metering.apply', batchId, { requestId: batchId }), log, metrics });
  return { recorder, openUsage };
}

interface DerivedParts {
  readonly settings: Readonly<Settings>;
  readonly rule: UrlRule;
  readonly log: Log;
  readonly producer: Producer;
  readonly storage: MediaStorage;
  readonly creation: ReturnType<typeof createTaskCreation>;
  readonly reads: ReturnType<typeof createTaskReads>;
  readonly resolverFor: ReturnType<typeof buildAssets>['resolverFor'];
}

/** What the api makes of a version of the configuration; of the first one at once. */
function deriver(configuration: LiveConfiguration, parts: DerivedParts) {
  const { BILLING_URL: baseUrl, SERVICE_TOKEN: serviceToken } = parts.settings;
  const billing = createBillingClient({ baseUrl, serviceToken, log: parts.log });
  const derived = perVersion(configuration, (version) => ({ models: createListModels(version, new Date()), createVideo: buildCreateVideo(version, { ...parts, billing }) }));
  derived();
  return derived;
}

type CreateVideoParts = DerivedParts & { readonly billing: ReturnType<typeof createBillingClient> };

/** Of one version of the configuration: a request keeps to it from its first look at the model to the task's row. */
function buildCreateVideo(configuration: Configuration, { rule, settings, billing, producer, storage, creation, reads, resolverFor }: CreateVideoParts): ReturnType<typeof createCreateVideo> {
  return createCreateVideo({
    newTaskId: () => newId('task'),
    read: createVideoRequestReader({
      models: configuration.models,
      capabilitiesOf: (model) => capabilitiesOf(providerOf(configuration, model).kind),
      checks: addressChecks(rule, configuration.limits.assetBytes),
    }),
    hashBody,
    vendorOf: (model) => vendorOf(configuration, model),
    takeHold: billing.takeHold,
    releaseHold: billing.releaseHold,
    maxActive: configuration.limits.defaultAccount.activeVideos,
    resolveAssets: resolverFor(deliveries(settings, configuration)),
    storeReferences: createReferenceStore(storage, configuration.limits.assetBytes),
    dropReferences: createReferenceRemover(storage),
    tasks: { ...creation, find: reads.findForAccount },
    wake: ({ id, requestId, callbackUrl }) => {
      void producer.wake('video.advance', id, { requestId });
      if (callbackUrl !== null) void producer.wake('callback.push', id, { requestId });
    },
  });
}

const deliveries = ({ PUBLIC_BASE_URL: ours }: Readonly<Settings>, configuration: Configuration) => (model: VideoModel): DeliveryQuestion => {
  const { kind, baseUrl } = providerOf(configuration, model);
  return { capabilities: capabilitiesOf(kind), canFetch: canBeFetchedBy(baseUrl, ours) };
};

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

const logOptions = ({ LOG_LEVEL: level, LOG_FORMAT: format }: Readonly<Settings>): LoggerOptions => ({ service: 'api', level, format });

/** A log for people, or a test's own, takes access lines as it takes all others. */
function requestLinesTo(log: Log | undefined, settings: Readonly<Settings>): RequestLines {
  if (log === undefined && settings.LOG_FORMAT === 'json') return createRequestLines(logOptions(settings));
  const lines = log ?? createLogger(logOptions(settings));
  return { write: (fields) => { lines.info('request', fields); }, part: { name: 'request lines', stop: () => Promise.resolve() } };
}
