import { randomUUID } from 'node:crypto';
import { createSharedLimits, type SharedLimits } from '@gateway/limits';
import { backoffDelayMs } from '@gateway/domain';
import {
  createFileRemover,
  openStorage,
  refuseForeignStorage,
  withOwner,
  type FileRemover,
  type OwnedStorage,
} from '@gateway/media';
import { createProducer, type Producer } from '@gateway/queue';
import {
  createFileDeletions,
  createLogger,
  createMetrics,
  poolGauges,
  createSharedClock,
  openRequestLines,
  processNumber,
  type Log,
  type LoggerOptions,
  type Registry,
  type RequestLines,
  type SharedClock,
} from '@gateway/runtime';
import { createDatabase, createInstallation, type Database } from '@gateway/store';
import { createBillingClient, type BillingClient } from '../adapters/billing-client.ts';
import { createBillingMetrics } from '../adapters/billing-metrics.ts';
import type { Settings } from '../config.ts';

/** What the whole service shares: its connections, its logs and its metrics. */
export interface Clients {
  readonly log: Log;
  readonly requestLines: RequestLines;
  readonly metrics: Registry;
  readonly database: Database;
  readonly clock: SharedClock;
  readonly producer: Producer;
  readonly limits: SharedLimits;
  readonly storage: OwnedStorage;
  readonly removeFile: FileRemover['remove'];
  readonly billing: BillingClient;
  /** Unique among the replicas that live at one time. */
  readonly replicaId: string;
}

export interface ClientOptions {
  /** Takes everything that the service would log. */
  readonly log?: Log | undefined;
  /** Limits are kept alone when Redis has not responded after this; a second when left out. */
  readonly redisTimeoutMs?: number | undefined;
}

/** Rejects for another installation's storage, before anything else is connected. */
export async function openClients(
  settings: Readonly<Settings>,
  { log: replacedLog, redisTimeoutMs }: ClientOptions,
): Promise<Clients> {
  const { REDIS_URL: redisUrl, QUEUE_PREFIX: prefix } = settings;
  const log = replacedLog ?? createLogger(logOptions(settings));
  const metrics = createMetrics('api', processNumber());
  const replicaId = randomUUID();
  const database = openDatabase(settings, log);
  poolGauges(database.pool, metrics);
  const storage = withOwner(await openStorage(settings), createInstallation(database));
  await refuseForeignStorage(storage, log).catch(async (error: unknown) => {
    await database.part.stop();
    throw error;
  });
  return {
    log,
    requestLines: openRequestLines(logOptions(settings), replacedLog),
    metrics,
    billing: createBillingClient({
      baseUrl: settings.BILLING_URL,
      serviceToken: settings.SERVICE_TOKEN,
      log,
      onCall: createBillingMetrics(metrics),
    }),
    database,
    clock: createSharedClock({ settings, database, metrics, log }),
    producer: createProducer({
      redisUrl,
      redisSilentMs: settings.REDIS_SILENCE_MS,
      prefix,
      log,
    }),
    limits: createSharedLimits({
      redisUrl,
      prefix,
      replicaId,
      log,
      ...(redisTimeoutMs !== undefined && { timings: { commandTimeoutMs: redisTimeoutMs } }),
    }),
    storage,
    removeFile: openRemover(storage, { metrics, log }),
    replicaId,
  };
}

const removalBackoff = { firstMs: 60_000, maxMs: 21_600_000 } as const;

function openRemover(
  { delete: deleteFile }: OwnedStorage,
  { metrics, log }: { metrics: Registry; log: Log },
): FileRemover['remove'] {
  const { failed, showStuck } = createFileDeletions(metrics, log);
  const { remove, stuck } = createFileRemover({
    deleteFile,
    pauseMs: (failures) => backoffDelayMs(removalBackoff, failures, Math.random()),
    now: () => performance.now(),
    onFailure: failed,
  });
  showStuck(stuck);
  return remove;
}

const openDatabase = (
  {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: poolSize,
    DATABASE_SILENCE_MS: silentMs,
    CALLBACK_SECRET_KEYS: secretKeys,
  }: Readonly<Settings>,
  log: Log,
): Database =>
  createDatabase({
    url,
    applicationName: 'gateway api',
    poolSize,
    silentMs,
    secretKeys,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });

const logOptions = ({
  LOG_LEVEL: level,
  LOG_FORMAT: format,
}: Readonly<Settings>): LoggerOptions => ({ service: 'api', level, format });
