import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Router } from 'express';
import { describeError } from '@gateway/domain';
import { createConsumer, done, watchQueues } from '@gateway/queue';
import {
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  poolGauges,
  createSharedClock,
  httpServerPart,
  intervalPart,
  openRequestLines,
  opsServer,
  replicaReportPart,
  type Log,
  type LoggerOptions,
  type Part,
  type Registry,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createDatabase,
  createDueWork,
  createHolds,
  createLedger,
  createReplicaReports,
  createRunningAudit,
  createTaskTraces,
  createTextLeases,
  type Database,
  type DatabaseOptions,
  type Holds,
  type Ledger,
} from '@gateway/store';
import type { Settings } from './config.ts';
import { holdRoutes } from './http/routes/holds.ts';
import { createBillingMetrics, type BillingMetrics } from './billing-metrics.ts';
import { dataKeepingParts } from './data-keeping.ts';
import { meteringParts } from './metering.ts';
import { createAuditBooks } from './use-cases/audit-books.ts';
import { createGatheredTake } from './use-cases/gather-holds.ts';
import { createReconcileMoney } from './use-cases/reconcile-money.ts';
import { createSettleLeases } from './use-cases/settle-leases.ts';
import { createSettleTask } from './use-cases/settle-task.ts';
import { createTakeHold, type TakeHold } from './use-cases/take-hold.ts';

/** Builds the billing service: the only place where its clients are made. */
export function createService(
  settings: Readonly<Settings>,
  { log: replacedLog, tracing }: { log?: Log; tracing?: Tracing | undefined } = {},
): Service & { url(): string; opsUrl(): string } {
  const log = replacedLog ?? createLogger(logOptions(settings));
  const requestLines = openRequestLines(logOptions(settings), replacedLog);
  const metrics = createMetrics('billing');
  const billingMetrics = createBillingMetrics(metrics);
  const database = openPool(settings, { metrics, log });
  const clock = createSharedClock({ settings, database, metrics, log });
  const holds = createHolds(database);
  const ledger = createLedger(database);
  const settleTask = createSettleTask({ settle: holds.settle, onSettled: billingMetrics.settled });
  const sweeps = { settings, holds, settleTask, metrics: billingMetrics, log };
  const redis = redisOf(settings);
  const consumer = createConsumer({
    ...redis,
    job: 'billing.settle',
    log,
    tracing,
    traceOf: createTaskTraces(database),
    handle: (taskId) => settleTask(taskId).then(() => done),
    isClockRight: clock.isRight,
  });
  const metering = meteringParts({ settings, database, clock, metrics, log });
  const consumers = [consumer, metering.consumer];
  const { HOST: host, PORT: port, WATCHDOG_STALLED_MS: stalledAfterMs } = settings;
  const watch = watchQueues({ ...redis, consumers, stalledAfterMs, metrics, log });
  const needed = { database: database.check, redis: consumer.check };
  // Holds are taken by statements, on the database's clock: they go on.
  const health = createHealth(needed, { clock: clock.check }, watch.stalled);
  const routes = openRoutes(database, sweeps);
  const ops = opsServer({ settings, health, metrics, log });
  const app = { log, requestLines, metrics, health, tracing };
  const handler = createHttpApp({ ...app, routes: (to) => to.use(routes) });
  const server = httpServerPart({ host, port, handler, health, log });
  return {
    log,
    exceptionsBeforeRestart: settings.EXCEPTIONS_BEFORE_RESTART,
    url: server.url,
    opsUrl: ops.url,
    parts: ops.around([
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      requestLines.part,
      database.part,
      clock.part,
      ...keepingParts(sweeps, metrics),
      metering.reconciler,
      consumer.part,
      metering.consumer.part,
      ...tellingParts(database, { billingMetrics, totals: ledger.totals, log }),
      watch.part,
      server,
    ]),
  };
}

/** What the api asks for. */
const openRoutes = (
  database: Database,
  options: Pick<SweepOptions, 'settings' | 'holds' | 'metrics' | 'log'>,
): Router =>
  holdRoutes({
    serviceToken: options.settings.SERVICE_TOKEN,
    takeHold: openTakeHold(options),
    releaseHold: options.holds.release,
    settleLeases: createSettleLeases({
      ...createTextLeases(database),
      onSettled: options.metrics.leases,
    }),
    log: options.log,
  });

/** What operators read of this replica, and of the books. */
const tellingParts = (
  database: Database,
  {
    billingMetrics,
    totals,
    log,
  }: Pick<Ledger, 'totals'> & { readonly billingMetrics: BillingMetrics; readonly log: Log },
): Part[] => [
  billingMetrics.sampling({ dueWork: createDueWork(database), totals, log }),
  replicaReportPart({ service: 'billing', reports: createReplicaReports(database), log }),
];

/** Holds that nobody waited for are given back at once; what cannot be is left to the sweep. */
const openTakeHold = ({
  settings,
  holds,
  metrics,
  log,
}: Pick<SweepOptions, 'settings' | 'holds' | 'metrics' | 'log'>): TakeHold =>
  createTakeHold({
    take: createGatheredTake({ ...holds, gather: setImmediate }),
    giveBack: (taskId) =>
      holds.release(taskId).then(
        (released) => {
          if (!released) return;
          metrics.orphan();
          log.info('hold given back, its caller has gone', { taskId });
        },
        (error: unknown) => {
          log.warn('hold of a caller that has gone not given back, left to the sweep', {
            taskId,
            reason: describeError(error),
          });
        },
      ),
    bounds: {
      mostWaiting: settings.WAITING_PER_ACCOUNT,
      mostWaitingInAll: settings.WAITING_IN_ALL,
      waitMs: settings.WAITING_MS,
      gather: setImmediate,
    },
  });

interface SweepOptions {
  readonly settings: Readonly<Settings>;
  readonly holds: Holds;
  readonly settleTask: (taskId: string) => Promise<void>;
  readonly metrics: BillingMetrics;
  readonly log: Log;
}

/** What is done again and again, by any replica. */
const keepingParts = (options: SweepOptions, metrics: Registry): Part[] => {
  const { settings, log } = options;
  return [
    sweepPart(options),
    ...auditParts(options),
    ...dataKeepingParts({ settings, database: patient(settings, log), metrics, log }),
  ];
};

/** Repairs what a crash left. */
function sweepPart({ settings, holds, settleTask, metrics, log }: SweepOptions): Part {
  const reconcile = createReconcileMoney({
    findUnsettled: holds.findUnsettled,
    settle: settleTask,
    releaseOrphans: () => holds.releaseOrphans(settings.ORPHAN_GRACE_SECONDS),
    onOrphan: (taskId) => {
      metrics.orphan();
      log.warn('hold without a task released', { taskId });
    },
  });
  return intervalPart({
    name: 'reconcile money',
    everyMs: settings.SWEEP_MS,
    work: reconcile,
    log,
  });
}

const redisOf = (settings: Readonly<Settings>) => ({
  redisUrl: settings.REDIS_URL,
  redisSilentMs: settings.REDIS_SILENCE_MS,
  prefix: settings.QUEUE_PREFIX,
});

/**
 * Checks the books over a connection of its own, whose statements end earlier: a check never waits
 * for the work of the day, nor the other way round.
 */
function auditParts({
  settings,
  metrics,
  log,
}: Pick<SweepOptions, 'settings' | 'metrics' | 'log'>): Part[] {
  const database = openDatabase(settings, log, {
    poolSize: 1,
    statementTimeoutMs: settings.VERIFY_STATEMENT_MS,
  });
  const work = createAuditBooks({
    ...createRunningAudit(database),
    everyMs: settings.VERIFY_MS,
    newClaim: randomUUID,
    onState: metrics.audited,
    onViolation: (violation) => {
      log.error('money invariant broken', violation);
    },
    onFailed: (check) => {
      log.error('money invariant not checked', check);
    },
  });
  const audit = intervalPart({ name: 'verify ledger', everyMs: settings.VERIFY_MS, work, log });
  return [database.part, audit];
}

/** For the work of the day: its connections are counted. */
function openPool(
  settings: Readonly<Settings>,
  { metrics, log }: Pick<SweepOptions, 'log'> & { readonly metrics: Registry },
): Database {
  const database = openDatabase(settings, log, { poolSize: settings.DATABASE_POOL_SIZE });
  poolGauges(database.pool, metrics);
  return database;
}

/** For statements about a whole month. */
const patient = (settings: Readonly<Settings>, log: Log): Database =>
  openDatabase(settings, log, { poolSize: 1, silentMs: 30 * 60_000 });

const openDatabase = (
  settings: Readonly<Settings>,
  log: Log,
  limits: Pick<DatabaseOptions, 'poolSize' | 'statementTimeoutMs' | 'silentMs'>,
): Database =>
  createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'gateway billing',
    silentMs: settings.DATABASE_SILENCE_MS,
    ...limits,
    lockTimeoutMs: settings.DATABASE_LOCK_MS,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });

const logOptions = ({
  LOG_LEVEL: level,
  LOG_FORMAT: format,
}: Readonly<Settings>): LoggerOptions => ({ service: 'billing', level, format });
