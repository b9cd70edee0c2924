import { randomUUID } from 'node:crypto';
import type { Configuration } from '@gateway/contracts';
import { createSharedLimits } from '@gateway/limits';
import { createConsumer, createProducer, watchQueues, type ConsumerOptions } from '@gateway/queue';
import {
  createHealth,
  createMetrics,
  poolGauges,
  createSharedClock,
  opsServer,
  replicaReportPart,
  type LiveConfiguration,
  type Log,
  type Part,
  type Service,
  type SharedClock,
  type Tracing,
} from '@gateway/runtime';
import {
  createDueWork,
  createReplicaReports,
  createTaskTraces,
  type Database,
} from '@gateway/store';
import { dueWorkPart } from './adapters/worker-metrics.ts';
import type { Settings } from './config.ts';
import { checkedClients, loggerOf, openDatabase, openOwnedStorage } from './wiring/clients.ts';
import { storageSweepParts } from './wiring/storage-sweeps.ts';
import { concurrencyFor } from './wiring/task-steps.ts';
import { createTaskWork, type TaskWork } from './wiring/task-work.ts';

/** Builds the video-worker: its clients are made here and in `wiring/`, and nowhere else. */
export async function createService(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { log = loggerOf(settings), tracing }: { log?: Log; tracing?: Tracing | undefined } = {},
): Promise<Service & { opsUrl(): string }> {
  const checked = await checkedClients(settings);
  const metrics = createMetrics('video-worker');
  const database = openDatabase(settings, log);
  poolGauges(database.pool, metrics);
  const { storage, remover } = await openOwnedStorage(settings, { database, metrics, log });
  const redis = {
    redisUrl: settings.REDIS_URL,
    redisSilentMs: settings.REDIS_SILENCE_MS,
    prefix: settings.QUEUE_PREFIX,
  };
  const producer = createProducer({ ...redis, log });
  const limits = createSharedLimits({ ...redis, replicaId: randomUUID(), log });
  const clock = createSharedClock({ settings, database, metrics, log });
  const shared = { settings, configuration, database, clock, log };
  const { worker, recheck, sweeps, breakers, gone, callRates } = createTaskWork({
    ...shared,
    ...checked,
    storage,
    remover,
    producer,
    pacers: limits.pacers,
    metrics,
  });
  const work = workOf(worker, { ...shared, recheck });
  const consumer = createConsumer({ ...redis, ...work, log, tracing });
  const { WATCHDOG_STALLED_MS: stalledAfterMs } = settings;
  const watch = watchQueues({ ...redis, consumers: [consumer], stalledAfterMs, metrics, log });
  const checks = { database: database.check, redis: consumer.check, clock: clock.check };
  const health = createHealth({ ...checks, storage: storage.checkReady }, {}, watch.stalled);
  const ops = opsServer({ settings, health, metrics, log, notes: breakers.notes });
  const onTaken = (version: Configuration): void => {
    consumer.setConcurrency(concurrencyFor(version));
  };
  return {
    log,
    exceptionsBeforeRestart: settings.EXCEPTIONS_BEFORE_RESTART,
    opsUrl: ops.url,
    parts: ops.around([
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      configuration.watch({ log, metrics, prepare: worker, onTaken }),
      database.part,
      clock.part,
      producer.part,
      limits.part,
      breakers.part,
      gone,
      consumer.part,
      ...sweeps,
      ...storageSweepParts({ settings, database, storage, remover, clock, metrics, log }),
      dueWorkPart(createDueWork(database), { metrics, log }),
      watch.part,
      reportPart({ ...shared, breakers, callRates }),
    ]),
  };
}

/** Tells operators of this replica. */
const reportPart = ({
  configuration,
  database,
  breakers,
  callRates,
  log,
}: Pick<TaskWork, 'breakers' | 'callRates'> & {
  readonly configuration: LiveConfiguration;
  readonly database: Database;
  readonly log: Log;
}): Part =>
  replicaReportPart({
    service: 'video-worker',
    facts: () => ({
      configuration: configuration.standing(),
      ...breakers.notes(),
      calls: callRates.inMinute(),
    }),
    reports: createReplicaReports(database),
    log,
  });

/** The jobs of this service, and who takes them. */
const workOf = (
  worker: TaskWork['worker'],
  {
    configuration,
    database,
    recheck,
    clock,
  }: Pick<TaskWork, 'recheck'> & {
    readonly configuration: LiveConfiguration;
    readonly database: Database;
    readonly clock: SharedClock;
  },
): Pick<
  ConsumerOptions,
  'job' | 'handle' | 'traceOf' | 'concurrency' | 'recheck' | 'isClockRight'
> => ({
  job: 'video.advance',
  handle: (taskId, signal) => worker().advance(taskId, signal),
  traceOf: createTaskTraces(database),
  concurrency: concurrencyFor(configuration.current()),
  recheck,
  isClockRight: clock.isRight,
});
