import { createConsumer, done, watchQueues } from '@gateway/queue';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  httpServerPart,
  intervalPart,
  type Log,
  type Part,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createDatabase,
  createDueWork,
  createHolds,
  createLedger,
  createTaskTraces,
  type Database,
  type Holds,
  type Ledger,
} from '@gateway/store';
import type { Settings } from './config.ts';
import { holdRoutes } from './http/routes/holds.ts';
import { createBillingMetrics, type BillingMetrics } from './billing-metrics.ts';
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
  const billingMetrics = createBillingMetrics(metrics);
  const database = openDatabase(settings, log);
  const holds = createHolds(database);
  const ledger = createLedger(database);
  const settleTask = createSettleTask({ settle: holds.settle, onSettled: billingMetrics.settled });
  const redis = { redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX };
  const consumer = createConsumer({
    ...redis,
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
  const consumers = [consumer, metering.consumer];
  const { HOST: host, PORT: port, WATCHDOG_STALLED_MS: stalledAfterMs } = settings;
  const watch = watchQueues({ ...redis, consumers, stalledAfterMs, metrics, log });
  const checks = { database: database.check, redis: consumer.check };
  const health = createHealth(checks, {}, watch.stalled);
  const routes = holdRoutes({
    serviceToken: settings.SERVICE_TOKEN,
    takeHold: createTakeHold({ take: holds.take }),
    releaseHold: holds.release,
  });
  const handler = createHttpApp({ log, metrics, health, tracing, routes: (to) => to.use(routes) });
  const server = httpServerPart({ host, port, handler, health, log });
  return {
    log,
    url: server.url,
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      database.part,
      ...sweepParts({ settings, holds, ledger, settleTask, metrics: billingMetrics, log }),
      metering.reconciler,
      consumer.part,
      metering.consumer.part,
      billingMetrics.sampling({ dueWork: createDueWork(database), totals: ledger.totals, log }),
      watch.part,
      server,
    ],
  };
}

interface SweepOptions {
  readonly settings: Readonly<Settings>;
  readonly holds: Holds;
  readonly ledger: Ledger;
  readonly settleTask: (taskId: string) => Promise<void>;
  readonly metrics: BillingMetrics;
  readonly log: Log;
}

/** Repairs what a crash left, and checks the books. */
function sweepParts({ settings, holds, ledger, settleTask, metrics, log }: SweepOptions): Part[] {
  const reconcile = createReconcileMoney({
    findUnsettled: holds.findUnsettled,
    settle: settleTask,
    releaseOrphans: () => holds.releaseOrphans(settings.ORPHAN_GRACE_SECONDS),
    onOrphan: (taskId) => {
      metrics.orphan();
      log.warn('hold without a task given back', { taskId });
    },
  });
  const verify = async (): Promise<void> => {
    const found = await ledger.verify({ graceSeconds: 60 });
    metrics.verified(found);
    metrics.exposures(await ledger.countExposures());
    for (const violation of found) log.error('money invariant broken', violation);
  };
  return [
    intervalPart({ name: 'reconcile money', everyMs: settings.SWEEP_MS, work: reconcile, log }),
    intervalPart({ name: 'verify ledger', everyMs: settings.VERIFY_MS, work: verify, log }),
  ];
}

const openDatabase = (settings: Readonly<Settings>, log: Log): Database =>
  createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'gateway billing',
    poolSize: settings.DATABASE_POOL_SIZE,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });

const loggerOf = ({ LOG_LEVEL: level, LOG_FORMAT: format }: Readonly<Settings>): Log =>
  createLogger({ service: 'billing', level, format });
