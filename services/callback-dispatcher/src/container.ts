import { randomBytes, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { createSharedLimits, type SharedLimits } from '@gateway/limits';
import { createMediaLinks, mediaTokenDefaults, parseTokenKeys } from '@gateway/media';
import {
  createOutboundClient,
  openedRanges,
  parseEgressProxy,
  type OutboundClient,
} from '@gateway/outbound';
import { createConsumer, createProducer, watchQueues, type Producer } from '@gateway/queue';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  httpServerPart,
  intervalPart,
  newId,
  redact,
  type Log,
  type Part,
  type Registry,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createCallbackRecords,
  createCallbacks,
  createDatabase,
  createDueWork,
  createTaskTraces,
  type Callbacks,
  type Database,
} from '@gateway/store';
import { createGate } from './adapters/gate.ts';
import { breakerGauge, duePushesPart } from './adapters/gauges.ts';
import { createAttemptObserver } from './adapters/attempt-observer.ts';
import { recordSafely } from './adapters/record-safely.ts';
import { createSender } from './adapters/sender.ts';
import { retryDelaysOf, type Settings } from './config.ts';
import { callbackPushHandler } from './handlers/callback-push.ts';
import { createPushEvents } from './use-cases/push-events.ts';
import { createSweepDue } from './use-cases/sweep-due.ts';

/** 256 bits: nobody guesses a challenge. */
const tokenBytes = 32;

/** Builds the callback-dispatcher: the only place where its clients are made. */
export function createService(
  settings: Readonly<Settings>,
  log: Log = createLogger({
    service: 'callback-dispatcher',
    level: settings.LOG_LEVEL,
    format: settings.LOG_FORMAT,
  }),
  tracing?: Tracing,
): Service & { url(): string } {
  const client = openOutbound(settings);
  const metrics = createMetrics('callback-dispatcher');
  const database = openDatabase(settings, log);
  const redis = { redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX };
  const producer = createProducer({ ...redis, log });
  const callbacks = createCallbacks(database);
  const wake = (taskId: string): Promise<void> => producer.wake('callback.push', taskId);
  const limits = openLimits(settings, log);
  const pushEvents = pushEventsOf(settings, { client, database, callbacks, limits, log, metrics });
  const consumer = createConsumer({
    ...redis,
    log,
    tracing,
    traceOf: createTaskTraces(database),
    concurrency: settings.CALLBACK_CONCURRENCY,
    ...callbackPushHandler({ pushEvents, dueAmong: callbacks.dueAmong, wake }),
  });
  const watch = watchQueues({
    ...redis,
    consumers: [consumer],
    stalledAfterMs: settings.WATCHDOG_STALLED_MS,
    metrics,
    log,
  });
  const { HOST: host, PORT: port } = settings;
  const checks = { database: database.check, redis: consumer.check };
  const health = createHealth(checks, {}, watch.stalled);
  const handler = createHttpApp({ log, metrics, health, tracing });
  const server = httpServerPart({ host, port, handler, health, log });
  return {
    log,
    url: server.url,
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      database.part,
      producer.part,
      limits.part,
      reconcilerPart(settings, { callbacks, producer, log }),
      consumer.part,
      duePushesPart(createDueWork(database), { metrics, log }),
      watch.part,
      server,
    ],
  };
}

interface ReconcilerClients {
  readonly callbacks: Callbacks;
  readonly producer: Producer;
  readonly log: Log;
}

const reconcilerPart = (
  settings: Readonly<Settings>,
  { callbacks, producer, log }: ReconcilerClients,
): Part =>
  intervalPart({
    name: 'reconcile callbacks',
    everyMs: settings.CALLBACK_SWEEP_MS,
    work: createSweepDue({
      findDue: callbacks.findDue,
      wakeAll: (taskIds) => producer.wakeAll('callback.push', taskIds),
      findAsked: callbacks.findAsked,
      hurry: (taskId) => producer.wake('callback.push', taskId, { hurry: true }),
    }),
    log,
  });

interface PushClients {
  readonly client: OutboundClient;
  readonly database: Database;
  readonly callbacks: Callbacks;
  readonly limits: SharedLimits;
  readonly log: Log;
  readonly metrics: Registry;
}

function pushEventsOf(
  settings: Readonly<Settings>,
  { client, database, callbacks, limits, log, metrics }: PushClients,
): ReturnType<typeof createPushEvents> {
  breakerGauge(limits.breakers, metrics);
  const recordAttempt = recordSafely({
    records: createCallbackRecords(database),
    onFailure: (error) => {
      log.warn('callback attempt not recorded yet', { error });
    },
    onUnlogged: (error) => {
      log.error('callback attempt recorded without its row in the delivery log', { error });
    },
  });
  return createPushEvents({
    callbacks: { ...callbacks, recordAttempt },
    acquire: createGate({
      limits,
      maxPerOrigin: settings.CALLBACK_MAX_PER_ORIGIN,
      maxPerAccount: settings.CALLBACK_MAX_PER_ACCOUNT,
      now: () => performance.now(),
    }),
    send: createSender({ client, timeoutMs: settings.CALLBACK_TIMEOUT_MS }),
    links: createMediaLinks({
      baseUrl: settings.PUBLIC_BASE_URL,
      keys: parseTokenKeys(settings.MEDIA_TOKEN_KEYS),
      ...mediaTokenDefaults,
      now: () => new Date(),
    }),
    rule: { delaysMs: retryDelaysOf(settings), timeoutMs: settings.CALLBACK_TIMEOUT_MS },
    ambient: {
      now: () => new Date(),
      random: Math.random,
      newToken: () => randomBytes(tokenBytes).toString('base64url'),
      newAttemptId: () => newId('attempt'),
      redact: (text) => String(redact(text)),
      ...createAttemptObserver(log, metrics),
    },
  });
}

const openOutbound = (settings: Readonly<Settings>): OutboundClient =>
  createOutboundClient({
    allowCidrs: openedRanges(settings.CALLBACK_ALLOW_CIDRS, {
      setting: 'CALLBACK_ALLOW_CIDRS',
      nodeEnv: settings.NODE_ENV,
    }),
    allowHttp: settings.CALLBACK_ALLOW_HTTP,
    egressProxy: parseEgressProxy(settings.CALLBACK_EGRESS_PROXY),
    userAgent: 'generation-gateway-callbacks/0.1',
  });

const openDatabase = (settings: Readonly<Settings>, log: Log): Database =>
  createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'gateway callback-dispatcher',
    poolSize: settings.DATABASE_POOL_SIZE,
    secretKeys: settings.CALLBACK_SECRET_KEYS,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });

/** Has its own prefix: the api's routes have nothing to do with receivers. */
function openLimits(settings: Readonly<Settings>, log: Log): SharedLimits {
  return createSharedLimits({
    redisUrl: settings.REDIS_URL,
    prefix: `${settings.QUEUE_PREFIX}:callbacks`,
    replicaId: randomUUID(),
    log,
    breakers: { failuresToOpen: 5, coolDownMs: settings.CALLBACK_COOL_DOWN_MS },
    timings: { longestCoolDownMs: 600_000 },
  });
}
