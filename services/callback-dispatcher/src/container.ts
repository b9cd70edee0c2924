import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { createSharedLimits, type SharedLimits } from '@gateway/limits';
import {
  createOutboundClient,
  openedRanges,
  parseEgressProxy,
  type OutboundClient,
} from '@gateway/outbound';
import { createConsumer, createProducer, watchQueues, type Producer } from '@gateway/queue';
import {
  createHealth,
  createLogger,
  createMetrics,
  poolGauges,
  createSharedClock,
  intervalPart,
  opsServer,
  replicaReportPart,
  type Log,
  type Part,
  type Registry,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createCallbacks,
  createDatabase,
  createDueWork,
  createReplicaReports,
  createTaskTraces,
  endpointPushes,
  tablesOf,
  type Callbacks,
  type Database,
} from '@gateway/store';
import { duePushesPart, receiverGauges } from './adapters/gauges.ts';
import type { Settings } from './config.ts';
import { callbackPushHandler } from './handlers/callback-push.ts';
import { pushersOf, type Pushers } from './wiring/pushers.ts';
import { createFeedWaiting, type FeedWaiting } from './use-cases/feed-waiting.ts';
import { createFlow, type Flow } from './use-cases/flow.ts';
import { createSweepDue, type SweepDuePorts } from './use-cases/sweep-due.ts';

/** A receiver that takes longer gets no more than a slow one's part. */
const slowAfterMs = 1_000;
/** How often pushes that wait for a receiver are looked for, once it may get more. */
const feedMs = 50;

/** Builds the callback-dispatcher: the only place where its clients are made. */
export function createService(
  settings: Readonly<Settings>,
  log: Log = createLogger({
    service: 'callback-dispatcher',
    level: settings.LOG_LEVEL,
    format: settings.LOG_FORMAT,
  }),
  tracing?: Tracing,
): Service & { opsUrl(): string } {
  const client = openOutbound(settings);
  const metrics = createMetrics('callback-dispatcher');
  const database = openDatabase(settings, log);
  poolGauges(database.pool, metrics);
  const clock = createSharedClock({ settings, database, metrics, log });
  const redis = {
    redisUrl: settings.REDIS_URL,
    redisSilentMs: settings.REDIS_SILENCE_MS,
    prefix: settings.QUEUE_PREFIX,
  };
  const producer = createProducer({ ...redis, log });
  const callbacks = createCallbacks(database);
  const wake = (taskId: string): Promise<void> => producer.wake('callback.push', taskId);
  const limits = openLimits(settings, log);
  const wakeAll = wakerOf(producer, () => toEndpoints);
  const { flow, waiting } = receiversOf(settings, { callbacks, wakeAll, metrics });
  const shared = { client, database, clock, limits, flow, waiting, metrics, log };
  const { pushEvents, toEndpoints } = pushersOf(settings, shared);
  const consumer = createConsumer({
    ...redis,
    log,
    tracing,
    traceOf: createTaskTraces(database),
    concurrency: settings.CALLBACK_CONCURRENCY,
    ...callbackPushHandler({ pushEvents, dueAmong: callbacks.dueAmong, wake }),
    isClockRight: clock.isRight,
  });
  const { WATCHDOG_STALLED_MS: stalledAfterMs } = settings;
  const watch = watchQueues({ ...redis, consumers: [consumer], stalledAfterMs, metrics, log });
  const checks = { database: database.check, redis: consumer.check, clock: clock.check };
  const health = createHealth(checks, {}, watch.stalled);
  const ops = opsServer({ settings, health, metrics, log });
  return {
    log,
    exceptionsBeforeRestart: settings.EXCEPTIONS_BEFORE_RESTART,
    opsUrl: ops.url,
    parts: ops.around([
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      database.part,
      clock.part,
      producer.part,
      limits.part,
      reconcilerPart(settings, { callbacks, waiting, producer, log }),
      intervalPart({ name: 'feed waiting callbacks', everyMs: feedMs, work: waiting.feed, log }),
      ...toEndpoints.parts,
      consumer.part,
      ...tellingParts(database, { metrics, log }),
      watch.part,
    ]),
  };
}

/** Has callbacks of both kinds worked on: those of tasks by whoever takes their job, those of endpoints here. */
const wakerOf =
  (producer: Producer, toEndpoints: () => Pushers['toEndpoints']) =>
  async (callbackIds: readonly string[]): Promise<void> => {
    const isOfEndpoint = (id: string): boolean => tablesOf(id) === endpointPushes;
    toEndpoints().start(callbackIds.filter(isOfEndpoint));
    const taskIds = callbackIds.filter((id) => !isOfEndpoint(id));
    if (taskIds.length > 0) await producer.wakeAll('callback.push', taskIds);
  };

/** What operators read of this replica, and of what is due. */
const tellingParts = (
  database: Database,
  { metrics, log }: { readonly metrics: Registry; readonly log: Log },
): Part[] => [
  duePushesPart(createDueWork(database), { metrics, log }),
  replicaReportPart({
    service: 'callback-dispatcher',
    reports: createReplicaReports(database),
    log,
  }),
];

interface ReceiverClients {
  readonly callbacks: Callbacks;
  readonly wakeAll: (callbackIds: readonly string[]) => Promise<void>;
  readonly metrics: Registry;
}

/** What this replica knows of receivers: what they may get, and which of them pushes wait for. */
function receiversOf(
  settings: Readonly<Settings>,
  { callbacks, wakeAll, metrics }: ReceiverClients,
): { readonly flow: Flow; readonly waiting: FeedWaiting } {
  const now = (): number => performance.now();
  const flow = createFlow(
    {
      maxInFlight: settings.CALLBACK_CONCURRENCY,
      maxPerOrigin: settings.CALLBACK_MAX_PER_ORIGIN,
      maxPerAccount: settings.CALLBACK_MAX_PER_ACCOUNT,
      slowAfterMs,
    },
    now,
  );
  const waiting = createFeedWaiting({
    flow,
    findWaiting: callbacks.findWaiting,
    findWaitedFor: callbacks.findWaitedFor,
    wakeAll,
    now,
  });
  receiverGauges({ flow, waiting }, metrics);
  return { flow, waiting };
}

interface ReconcilerClients {
  readonly callbacks: Callbacks;
  readonly waiting: FeedWaiting;
  readonly producer: Producer;
  readonly log: Log;
}

const reconcilerPart = (
  settings: Readonly<Settings>,
  { callbacks, waiting, producer, log }: ReconcilerClients,
): Part =>
  intervalPart({
    name: 'reconcile callbacks',
    everyMs: settings.CALLBACK_SWEEP_MS,
    work: sweepWith(waiting, {
      findDue: callbacks.findDue,
      wakeAll: (taskIds) => producer.wakeAll('callback.push', taskIds),
      findAsked: callbacks.findAsked,
      hurry: (taskId) => producer.wake('callback.push', taskId, { hurry: true }),
    }),
    log,
  });

/** Neither half of a round waits for the other to succeed. */
function sweepWith(waiting: FeedWaiting, ports: SweepDuePorts): () => Promise<void> {
  const sweepDue = createSweepDue(ports);
  return async () => {
    try {
      await waiting.findAll();
    } finally {
      await sweepDue();
    }
  };
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
    silentMs: settings.DATABASE_SILENCE_MS,
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
