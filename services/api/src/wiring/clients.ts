import { randomUUID } from 'node:crypto';
import { createSharedLimits, type SharedLimits } from '@gateway/limits';
import { openStorage, type MediaStorage } from '@gateway/media';
import { createProducer, type Producer } from '@gateway/queue';
import {
  createLogger,
  createMetrics,
  type Log,
  type LoggerOptions,
  type Registry,
} from '@gateway/runtime';
import { createDatabase, type Database } from '@gateway/store';
import type { Settings } from '../config.ts';
import { createRequestLines, type RequestLines } from '../text/index.ts';

/** What the whole service shares: its connections, its logs and its metrics. */
export interface Clients {
  readonly log: Log;
  readonly requestLines: RequestLines;
  readonly metrics: Registry;
  readonly database: Database;
  readonly producer: Producer;
  readonly limits: SharedLimits;
  readonly storage: MediaStorage;
  /** Unique among the replicas that live at one time. */
  readonly replicaId: string;
}

/** `replacedLog` takes everything that the service would log. */
export async function openClients(
  settings: Readonly<Settings>,
  replacedLog: Log | undefined,
): Promise<Clients> {
  const { REDIS_URL: redisUrl, QUEUE_PREFIX: prefix } = settings;
  const log = replacedLog ?? createLogger(logOptions(settings));
  const replicaId = randomUUID();
  return {
    log,
    requestLines: openRequestLines(settings, replacedLog),
    metrics: createMetrics('api'),
    database: openDatabase(settings, log),
    producer: createProducer({ redisUrl, prefix, log }),
    limits: createSharedLimits({ redisUrl, prefix, replicaId, log }),
    storage: await openStorage(settings),
    replicaId,
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

const logOptions = ({
  LOG_LEVEL: level,
  LOG_FORMAT: format,
}: Readonly<Settings>): LoggerOptions => ({ service: 'api', level, format });

/** A log for people, or a test's own, takes access lines as it takes all others. */
function openRequestLines(settings: Readonly<Settings>, log: Log | undefined): RequestLines {
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
