import { createConsumer, done, watchQueues } from '@gateway/queue';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  httpServerPart,
  intervalPart,
  type Log,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createDatabase,
  createDueWork,
  createHolds,
  createLedger,
  createTaskTraces,
} from '@gateway/store';
import type { Settings } from './config.ts';
import { holdRoutes } from './http/routes/holds.ts';
import { createMeasures } from './measures.ts';
import { meteringParts } from './metering.ts';
import { createReconcileMoney } from './use-cases/reconcile-money.ts';
import { createSettleTask } from './use-cases/settle-task.ts';
import { createTakeHold } from './use-cases/take-hold.ts';

/** Builds the billing service: the only place where its clients are made. */
export function createService(
  settings: Readonly<Settings>,
  { log = loggerOf(settings), tracing }: { log?: Log; tracing?: Tracing | undefined } = {},
): Service & { url(): string } {
  const metrics = createMetrics('billing');
  const measures = createMeasures(metrics);

  const database = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'gateway billing',
    poolSize: settings.DATABASE_POOL_SIZE,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });
  const holds = createHolds(database);
  const ledger = createLedger(database);
  const settleTask = createSettleTask({ settle: holds.settle, onSettled: measures.settled });
  const reconcile = createReconcileMoney({
    findUnsettled: holds.findUnsettled,
    settle: settleTask,
    releaseOrphans: () => holds.releaseOrphans(settings.ORPHAN_GRACE_SECONDS),
    onOrphan: (taskId) => {
      measures.orphan();
      log.warn('hold without a task given back', { taskId });
    },
  });
  const verify = async (): Promise<void> => {
    const found = await ledger.verify({ graceSeconds: 60 });
    measures.verified(found);
    measures.exposures(await ledger.countExposures());
    for (const violation of found) log.error('money invariant broken', violation);
  };

  const consumer = createConsumer({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    job: 'billing.settle',
    log,
    tracing,
    traceOf: createTaskTraces(database),
    handle: async (taskId) => {
      await settleTask(taskId);
      return done;
    },
  });
  const metering = meteringParts({ settings, database, metrics, log });
  const watch = watchQueues({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    consumers: [consumer, metering.consumer],
    stalledAfterMs: settings.WATCHDOG_STALLED_MS,
    metrics,
    log,
  });
  const health = createHealth(
    { database: database.check, redis: consumer.check },
    {},
    watch.stalled,
  );
  const takeHold = createTakeHold({ take: holds.take });
  const app = createHttpApp({
    log,
    metrics,
    health,
    tracing,
    routes: (to) =>
      to.use(
        holdRoutes({ serviceToken: settings.SERVICE_TOKEN, takeHold, releaseHold: holds.release }),
      ),
  });
  const server = httpServerPart({
    host: settings.HOST,
    port: settings.PORT,
    handler: app,
    health,
    log,
  });
  return {
    log,
    url: server.url,
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      database.part,
      intervalPart({ name: 'reconcile money', everyMs: settings.SWEEP_MS, work: reconcile, log }),
      intervalPart({ name: 'verify ledger', everyMs: settings.VERIFY_MS, work: verify, log }),
      metering.reconciler,
      consumer.part,
      metering.consumer.part,
      measures.sampling({ dueWork: createDueWork(database), totals: ledger.totals, log }),
      watch.part,
      server,
    ],
  };
}

const loggerOf = ({ LOG_LEVEL: level, LOG_FORMAT: format }: Readonly<Settings>): Log =>
  createLogger({ service: 'billing', level, format });
