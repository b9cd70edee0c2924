import { randomUUID } from 'node:crypto';
import type { Configuration } from '@gateway/contracts';
import { createSharedLimits } from '@gateway/limits';
import { openStorage } from '@gateway/media';
import { createConsumer, createProducer, watchQueues } from '@gateway/queue';
import {
  createHealth,
  createHttpApp,
  createMetrics,
  httpServerPart,
  type LiveConfiguration,
  type Log,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import { createDueWork, createTaskTraces } from '@gateway/store';
import { createWorkerMetrics, dueWorkPart } from './adapters/worker-metrics.ts';
import type { Settings } from './config.ts';
import { checkedClients, loggerOf, openDatabase } from './wiring/clients.ts';
import { storageSweepParts } from './wiring/storage-sweeps.ts';
import { concurrencyFor } from './wiring/task-steps.ts';
import { createTaskWork } from './wiring/task-work.ts';

/** Builds the video-worker: its clients are made here and in `wiring/`, and nowhere else. */
export async function createService(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { log = loggerOf(settings), tracing }: { log?: Log; tracing?: Tracing | undefined } = {},
): Promise<Service & { url(): string }> {
  const checked = await checkedClients(settings);
  const metrics = createMetrics('video-worker');
  const database = openDatabase(settings, log);
  const redis = { redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX };
  const producer = createProducer({ ...redis, log });
  const storage = await openStorage(settings);
  const limits = createSharedLimits({ ...redis, replicaId: randomUUID(), log });
  const { worker, recheck, sweeps } = createTaskWork({
    settings,
    configuration,
    database,
    storage,
    ...checked,
    producer,
    pacers: limits.pacers,
    metrics: createWorkerMetrics(metrics),
    log,
  });
  const consumer = createConsumer({
    ...redis,
    job: 'video.advance',
    handle: (taskId, signal) => worker().advance(taskId, signal),
    log,
    tracing,
    traceOf: createTaskTraces(database),
    concurrency: concurrencyFor(configuration.current()),
    recheck,
  });
  const { HOST: host, PORT: port, WATCHDOG_STALLED_MS: stalledAfterMs } = settings;
  const watch = watchQueues({ ...redis, consumers: [consumer], stalledAfterMs, metrics, log });
  const checks = { database: database.check, redis: consumer.check, storage: storage.checkReady };
  const health = createHealth(checks, {}, watch.stalled);
  const handler = createHttpApp({ log, metrics, health, tracing });
  const server = httpServerPart({ host, port, handler, health, log });
  const onTaken = (version: Configuration): void => {
    consumer.setConcurrency(concurrencyFor(version));
  };
  return {
    log,
    url: server.url,
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      configuration.watch({ log, metrics, prepare: worker, onTaken }),
      database.part,
      producer.part,
      limits.part,
      consumer.part,
      ...sweeps,
      ...storageSweepParts({ settings, database, storage, metrics, log }),
      dueWorkPart(createDueWork(database), { metrics, log }),
      watch.part,
      server,
    ],
  };
}
