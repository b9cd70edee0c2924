import { randomUUID } from 'node:crypto';
import { createMediaLinks, mediaTokenDefaults, openStorage, parseTokenKeys } from '@gateway/media';
import { openedRanges, type UrlRule } from '@gateway/outbound';
import { createSharedLimits } from '@gateway/limits';
import { createProducer, type Producer } from '@gateway/queue';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  createRequestLines,
  httpServerPart,
  intervalPart,
  version,
  type LiveConfiguration,
  type Log,
  type LoggerOptions,
  type Registry,
  type RequestLines,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createDatabase,
  createLedger,
  createLedgerReads,
  createTaskCreation,
  createTaskReads,
  createUsageOutbox,
  createUsageReads,
  createWork,
  type Database,
} from '@gateway/store';
import { createAccountRoom } from './adapters/account-room.ts';
import { billingMeasure } from './adapters/billing-measure.ts';
import { createOpenUsage, type OpenUsage } from './adapters/open-usage.ts';
import { createQuotaGate } from './adapters/quota-gate.ts';
import { createTaskInserter } from './adapters/task-inserter.ts';
import { createUsageRecorder, type UsageRecorder } from './adapters/usage-recorder.ts';
import { buildAdmin } from './admin.ts';
import { buildAssets } from './assets.ts';
import { buildAuthentication } from './authentication.ts';
import { buildCallbacks } from './callbacks.ts';
import type { Settings } from './config.ts';
import { deriver } from './derived.ts';
import { buildEndings } from './endings.ts';
import { withPathAliases } from './http/path-aliases.ts';
import { createAdmission } from './http/rate.ts';
import { assetRoutes } from './http/routes/assets.ts';
import { billingRoutes } from './http/routes/billing.ts';
import { callbackRoutes } from './http/routes/callbacks.ts';
import { mediaRoutes } from './http/routes/media.ts';
import { modelRoutes } from './http/routes/models.ts';
import { referenceRoutes } from './http/routes/reference.ts';
import { videoEventRoutes } from './http/routes/video-events.ts';
import { videoRoutes } from './http/routes/videos.ts';
import { servedRoutes } from './http/served-routes.ts';
import { createReference } from './reference/reference.ts';
import { buildShowing } from './showing.ts';
import { buildTextLane, refusalBody, type BuildLaneOptions } from './text/index.ts';

const hourMs = 3_600_000;

export interface ApiService extends Service {
  url(): string;
  /** Every route and method, as `GET /v1/videos/{}`. */
  readonly routes: readonly string[];
}

/** Builds the api service: the only place where its clients are made. */
export async function createService(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { log: replaced, tracing }: { log?: Log; tracing?: Tracing | undefined } = {},
): Promise<ApiService> {
  const rule = addressRule(settings);
  const log = replaced ?? createLogger(logOptions(settings));
  const lines = requestLinesTo(replaced, settings);
  const metrics = createMetrics('api');
  const database = openDatabase(settings, log);
  const producer = createProducer({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    log,
  });
  const { storage, links, served } = await openMedia(settings, log);
  const creation = createTaskCreation(database);
  const reads = createTaskReads(database);

  const { authenticate: findCaller, keyUses } = buildAuthentication(database, log);
  const admin = buildAdmin({ settings, database, producer, findTask: reads.find, log });
  const ledger = createLedger(database);
  const assets = buildAssets({
    database,
    storage,
    log,
    configuration,
    uploadTimeoutMs: settings.ASSET_UPLOAD_TIMEOUT_MS,
  });
  const derived = deriver(configuration, {
    settings,
    rule,
    log,
    onBillingCall: billingMeasure(metrics),
    producer,
    storage,
    creation: { ...creation, insertTask: createTaskInserter(creation) },
    hasRoom: createAccountRoom(creation),
    reads,
    placesTaken: createWork(database).countAtVendor,
    balanceOf: ledger.balanceOf,
    resolverFor: assets.resolverFor,
  });
  const endings = buildEndings({
    database,
    reads,
    storage,
    producer,
    waitMs: settings.OUTCOME_WAIT_MS,
    metrics,
    log,
  });
  const replicaId = randomUUID();
  const limits = createSharedLimits({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    replicaId,
    log,
  });
  const usage = createUsageReads(database);
  const metering = buildMetering({ database, producer, metrics, log, replicaId });
  const text = buildText({
    settings,
    metering,
    availableOf: usage.availableOf,
    configuration,
    authenticate: findCaller,
    limits,
    metrics,
    log,
    logRequest: lines.write,
    tracing,
  });

  const authenticate = createAdmission({
    findCaller,
    rate: limits.rate,
    requestsPerMinute: () => configuration.current().limits.defaultKey.requestsPerMinute,
  });
  const showing = buildShowing({
    database,
    links,
    slots: limits.slots,
    findCaller,
    settings,
    metrics,
    log,
  });
  // text needs no storage
  const health = createHealth({ database: database.check }, { storage: storage.checkReady });
  const app = createHttpApp({
    log,
    metrics,
    health,
    tracing,
    routes: (to) => {
      to.use(
        referenceRoutes(createReference({ baseUrl: settings.PUBLIC_BASE_URL, version })),
        admin.routes,
        mediaRoutes({ ...served, findMedia: reads.findMedia }),
        assetRoutes({
          authenticate,
          ...assets,
          served: { ...served, findServed: assets.findServed },
        }),
      );
      to.use(
        videoRoutes({
          authenticate,
          createVideo: (request) => derived().createVideo(request),
          quoteVideo: (request) => derived().quoteVideo(request),
          ...endings,
          findTask: reads.findForAccount,
          ...showing.videos,
          bodyLimitBytes: settings.VIDEO_BODY_LIMIT_BYTES,
        }),
      );
      to.use(videoEventRoutes({ authenticate, findTask: reads.findForAccount, ...showing.events }));
      to.use(
        callbackRoutes({
          authenticate,
          findTask: reads.findForAccount,
          ...buildCallbacks({ database, producer }),
        }),
      );
      to.use(modelRoutes({ authenticate, models: () => derived().models }));
      to.use(
        billingRoutes({
          authenticate,
          balanceOf: ledger.balanceOf,
          ledgerPage: createLedgerReads(database).page,
          usageByDay: usage.byDay,
          now: () => new Date(),
        }),
      );
    },
  });
  const control = withPathAliases(app);
  const server = httpServerPart({
    host: settings.HOST,
    port: settings.PORT,
    health,
    log,
    handler: (request, response) => {
      if (!text.lane(request, response)) control(request, response);
    },
    drainMs: settings.DRAIN_MS,
    onStopping: showing.endStreams,
    endOpenAnswers: text.endOpenAnswers,
    refusalBody,
  });
  return {
    log,
    url: server.url,
    routes: servedRoutes(app),
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      lines.part,
      configuration.watch({ log, metrics, prepare: derived }),
      database.part,
      keyUses,
      producer.part,
      ...admin.parts,
      metering.recorder.part,
      limits.part,
      text.part,
      endings.reconciler,
      assets.reconciler,
      intervalPart({
        name: 'purge idempotency keys',
        everyMs: hourMs,
        work: async () => {
          await creation.purgeKeys();
        },
        log,
      }),
      server,
    ],
  };
}

/** Throws for ranges that may not be opened. */
const addressRule = ({
  CALLBACK_ALLOW_HTTP: allowHttp,
  CALLBACK_ALLOW_CIDRS: cidrs,
  NODE_ENV: nodeEnv,
}: Readonly<Settings>): UrlRule => ({
  allowHttp,
  allowCidrs: openedRanges(cidrs, { setting: 'CALLBACK_ALLOW_CIDRS', nodeEnv }),
});

/** Where media lie, how they are linked to, and what serving them takes. */
async function openMedia(settings: Readonly<Settings>, log: Log) {
  const storage = await openStorage(settings);
  const keys = parseTokenKeys(settings.MEDIA_TOKEN_KEYS);
  const now = (): Date => new Date();
  return {
    storage,
    links: createMediaLinks({
      baseUrl: settings.PUBLIC_BASE_URL,
      keys,
      ...mediaTokenDefaults,
      now,
    }),
    served: { keys, maxTtlSeconds: mediaTokenDefaults.ttlSeconds, storage, log, now },
  };
}

const openDatabase = (
  {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: poolSize,
    CALLBACK_SECRET_KEYS: secretKeys,
  }: Readonly<Settings>,
  log: Log,
): Database =>
  createDatabase({
    url,
    applicationName: 'gateway api',
    poolSize,
    secretKeys,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });

interface MeteringParts {
  readonly database: Database;
  readonly producer: Producer;
  readonly metrics: Registry;
  readonly log: Log;
  readonly replicaId: string;
}

/**
 * Final records go through the open ones, so that a statement that saves one also ends what stood
 * for it.
 */
function buildMetering({ database, producer, metrics, log, replicaId }: MeteringParts): {
  recorder: UsageRecorder;
  openUsage: OpenUsage;
} {
  const outbox = createUsageOutbox(database);
  const openUsage = createOpenUsage({
    keepOpen: (records) => outbox.keepOpen({ replica: replicaId, records }),
    save: outbox.save,
    log,
  });
  const recorder = createUsageRecorder({
    save: openUsage.save,
    wake: (batchId) => producer.wake('metering.apply', batchId, { requestId: batchId }),
    log,
    metrics,
  });
  return { recorder, openUsage };
}

interface TextParts extends Pick<
  BuildLaneOptions,
  'configuration' | 'authenticate' | 'limits' | 'metrics' | 'log' | 'logRequest' | 'tracing'
> {
  readonly settings: Readonly<Settings>;
  readonly metering: ReturnType<typeof buildMetering>;
  readonly availableOf: (accountId: string) => Promise<number>;
}

const buildText = ({
  settings,
  metering: { recorder, openUsage },
  availableOf,
  ...parts
}: TextParts): ReturnType<typeof buildTextLane> =>
  buildTextLane({
    ...parts,
    availableOf: createQuotaGate({ availableOf }),
    record: (ended) => {
      openUsage.end(ended.id);
      recorder.record(ended);
    },
    keepOpen: openUsage.keep,
    body: { limitBytes: settings.TEXT_BODY_LIMIT_BYTES, timeoutMs: settings.TEXT_BODY_TIMEOUT_MS },
    pingAfterMs: settings.TEXT_PING_MS,
    requireVersion: settings.REQUIRE_VERSION_HEADER,
    tellUpstreams: settings.TRACE_TEXT_UPSTREAMS === true,
  });

const logOptions = ({
  LOG_LEVEL: level,
  LOG_FORMAT: format,
}: Readonly<Settings>): LoggerOptions => ({ service: 'api', level, format });

/** A log for people, or a test's own, takes access lines as it takes all others. */
function requestLinesTo(log: Log | undefined, settings: Readonly<Settings>): RequestLines {
  if (log === undefined && settings.LOG_FORMAT === 'json') {
    return createRequestLines(logOptions(settings));
  }
  const lines = log ?? createLogger(logOptions(settings));
  return {
    write: (fields) => {
      lines.info('request', fields);
    },
    part: { name: 'request lines', stop: () => Promise.resolve() },
  };
}
