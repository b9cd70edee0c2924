import { randomUUID } from 'node:crypto';
import { jobs, type Configuration } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { createSharedLimits, type Paces } from '@gateway/limits';
import {
  createFrameCutter,
  findDecoder,
  openStorage,
  parseTokenKeys,
  type FrameCutter,
  type MediaStorage,
} from '@gateway/media';
import {
  canBeFetchedBy,
  createOutboundClient,
  openedRanges,
  type OutboundClient,
} from '@gateway/outbound';
import { createConsumer, createProducer, watchQueues, type Producer } from '@gateway/queue';
import {
  Counter,
  createHealth,
  createHttpApp,
  createLogger,
  createMetrics,
  httpServerPart,
  intervalPart,
  perVersion,
  type LiveConfiguration,
  type Log,
  type Part,
  type Registry,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import {
  createDatabase,
  createDueWork,
  createRetention,
  createTaskMoves,
  createTaskReads,
  createWork,
  createTaskTraces,
  type Database,
  type TaskReads,
  type Work,
} from '@gateway/store';
import { capabilitiesOf } from '@gateway/video-providers';
import { createAssetLinks } from './adapters/asset-links.ts';
import { createFileCopier } from './adapters/file-copier.ts';
import { createLanes } from './adapters/lanes.ts';
import { createMeasures, duePart, type Measures } from './adapters/measures.ts';
import { perProviderPart } from './adapters/per-provider-part.ts';
import { remembered } from './adapters/remembered.ts';
import { createInputRemover, createSubmissionBuilder } from './adapters/submission-builder.ts';
import { createEarlierProviders, createVendorDirectory } from './adapters/vendor-directory.ts';
import { tracedCopy } from './adapters/traced-copy.ts';
import { createWakingMoves } from './adapters/waking-moves.ts';
import type { Settings } from './config.ts';
import { createAdvanceTask } from './use-cases/advance-task.ts';
import { createCancelTask } from './use-cases/cancel-task.ts';
import { createExpireTask, createWatchLate } from './use-cases/expire-task.ts';
import { createIngestTask } from './use-cases/ingest-task.ts';
import { createPollTask } from './use-cases/poll-task.ts';
import {
  createLookAtMany,
  type LookAtMany,
  type LookAtManyPorts,
} from './use-cases/look-at-many.ts';
import { createPurgeMedia } from './use-cases/purge-media.ts';
import { createReconcileTasks } from './use-cases/reconcile-tasks.ts';
import { createServeLine, type ServeLine } from './use-cases/serve-line.ts';
import { createResolveSubmission, createSubmitTask, isInLine } from './use-cases/submit-task.ts';
import { createSweepStorage } from './use-cases/sweep-storage.ts';

/** Builds the video-worker: the only place where its clients are made. */
export async function createService(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { log = loggerOf(settings), tracing }: { log?: Log; tracing?: Tracing | undefined } = {},
): Promise<Service & { url(): string }> {
  const outbound = openOutbound(settings);
  const metrics = createMetrics('video-worker');
  const measures = createMeasures(metrics);
  const database = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'gateway video-worker',
    poolSize: settings.DATABASE_POOL_SIZE,
    onError: (error) => {
      log.warn('database connection lost', { reason: error.message });
    },
  });
  const producer = createProducer({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    log,
  });
  const storage = await openStorage(settings);
  const reads = createTaskReads(database);
  const work = createWork(database);
  const store = createTaskMoves(database);
  const wakeAll = (taskIds: readonly string[]): Promise<void> =>
    producer.wakeAll('video.advance', taskIds);
  const serveLine = createServeLine({
    admit: store.admit,
    wakeAll,
    maxConcurrentOf: (provider) => configuration.current().providers.get(provider)?.maxConcurrent,
  });
  const moves = createWakingMoves({
    store,
    reads,
    producer,
    log,
    onPlaceFree: neverThrowing(serveLine, log),
    onStatus: measures.status,
    onExposure: measures.exposure,
    onOver: createInputRemover(storage),
  });

  const limits = createSharedLimits({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    replicaId: randomUUID(),
    log,
  });
  const frames = await findFrameCutter(settings);
  const worker = workerFor(configuration, {
    settings,
    storage,
    outbound,
    reads,
    work,
    moves,
    serveLine,
    paces: limits.paces,
    frames,
    log,
    onCall: measures.call,
  });

  const consumer = createConsumer({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    job: 'video.advance',
    handle: (taskId, signal) => worker().advance(taskId, signal),
    log,
    tracing,
    traceOf: createTaskTraces(database),
    concurrency: concurrencyFor(configuration.current()),
    recheck: createRecheck(reads, producer),
  });
  const serveAll = async (): Promise<void> => {
    await Promise.all([...configuration.current().providers.keys()].map(serveLine));
  };
  const reconcile = createReconcileTasks({
    ...work,
    wakeAll,
    bringForward: (taskIds, options) => producer.bringForward('video.advance', taskIds, options),
  });
  const lookAtMany = createLookAtMany({
    ...lookPorts({ reads, work, producer, measures, log }),
    moves,
    vendorNamed: (provider) => worker().vendorNamed(provider),
  });
  const watch = watchQueues({
    redisUrl: settings.REDIS_URL,
    prefix: settings.QUEUE_PREFIX,
    consumers: [consumer],
    stalledAfterMs: settings.WATCHDOG_STALLED_MS,
    metrics,
    log,
  });
  const health = createHealth(
    { database: database.check, redis: consumer.check, storage: storage.checkReady },
    {},
    watch.stalled,
  );
  const server = httpServerPart({
    host: settings.HOST,
    port: settings.PORT,
    handler: createHttpApp({ log, metrics, health, tracing }),
    health,
    log,
  });
  return {
    log,
    url: server.url,
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      configuration.watch({
        log,
        metrics,
        prepare: worker,
        onTaken: (version) => {
          consumer.setConcurrency(concurrencyFor(version));
        },
      }),
      database.part,
      producer.part,
      limits.part,
      consumer.part,
      ...sweepParts({
        serveAll,
        reconcile,
        sweepMs: settings.SWEEP_MS,
        lookAtMany,
        configuration,
        log,
      }),
      ...storageParts({ settings, database, storage, metrics, log }),
      duePart(createDueWork(database), { metrics, log }),
      watch.part,
      server,
    ],
  };
}

interface WorkerParts {
  readonly settings: Readonly<Settings>;
  readonly storage: MediaStorage;
  readonly outbound: OutboundClient;
  readonly reads: TaskReads;
  readonly work: Work;
  readonly moves: ReturnType<typeof createWakingMoves>;
  readonly serveLine: ServeLine;
  readonly paces: Paces;
  readonly frames: FrameCutter | undefined;
  readonly log: Log;
  readonly onCall: Measures['call'];
}

/**
 * How tasks advance, and which vendors there are, under each version of the configuration: a step
 * works with the version it began with.
 */
function workerFor(
  configuration: LiveConfiguration,
  {
    settings,
    storage,
    outbound,
    reads,
    work,
    moves,
    serveLine,
    paces,
    frames,
    log,
    onCall,
  }: WorkerParts,
) {
  const atVendor = remembered(work.countAtVendor, 500);
  const usualMs = remembered(work.usualDurationMs, 30_000);
  const lanes = createLanes(laneWidth, clock.now);
  const earlier = createEarlierProviders();
  const toSubmission = submissionBuilder(settings, storage);
  const copies = {
    storage,
    outbound,
    log,
    cutLastFrame: frames,
    maxVideoBytes: settings.INGEST_MAX_BYTES,
    timeoutMs: settings.INGEST_TIMEOUT_MS,
  };
  const worker = perVersion(configuration, (version) => {
    checkFrameCutter(frames, version);
    earlier.note(version);
    const { of: vendorOf, named: vendorNamed } = createVendorDirectory(version, {
      timeoutMs: settings.VENDOR_TIMEOUT_MS,
      paces,
      earlier,
      onCall,
    });
    const copier = createFileCopier({
      ...copies,
      fileHeaders: (task) => vendorOf(task).provider.fileHeaders ?? {},
    });
    const submission = {
      vendorOf,
      moves,
      clock,
      serveLine,
      find: reads.find,
      toSubmission,
      unknownAfterMs: settings.SUBMISSION_UNKNOWN_AFTER_MS,
    };
    const expiry = {
      vendorOf,
      moves,
      clock,
      lateWatchMs: settings.LATE_WATCH_SECONDS * 1000,
      lateEveryMs: settings.LATE_WATCH_EVERY_MS,
    };
    const steps = {
      submit: createSubmitTask(submission),
      submitting: createResolveSubmission(submission),
      poll: createPollTask({ vendorOf, moves, clock, liveTasks: atVendor, usualMs }),
      ingest: createIngestTask({ ...copier, copy: tracedCopy(copier.copy), moves, clock }),
      late: createWatchLate(expiry),
    };
    const advance = createAdvanceTask({
      find: reads.findEvenDeleted,
      now: clock.now,
      enterLane: lanes.enter,
      laneFullPauseMs: async (provider) =>
        fullLanePauseMs({
          crowd: Math.min(lanes.turnedAway(provider), await atVendor(provider)),
          stayMs: lanes.stayMs(provider),
          random: clock.random(),
        }),
      expire: createExpireTask(expiry),
      cancel: createCancelTask({ vendorOf, moves, steps }),
      steps,
    });
    return { advance, vendorNamed };
  });
  worker();
  return worker;
}

interface LookParts {
  readonly reads: TaskReads;
  readonly work: Work;
  readonly producer: Producer;
  readonly measures: Measures;
  readonly log: Log;
}

const lookPorts = ({
  reads,
  work,
  producer,
  measures,
  log,
}: LookParts): Omit<LookAtManyPorts, 'moves' | 'vendorNamed'> => ({
  clock,
  liveTasks: work.countAtVendor,
  polledTasks: work.polledTasks,
  find: reads.findEvenDeleted,
  hurry: ({ id, requestId }) => producer.wake('video.advance', id, { requestId, hurry: true }),
  onAnswer(provider, answer) {
    if (answer.kind === 'answered') measures.batchedLooks(provider, answer.outcomes.size);
    else log.warn('vendor list not read, single looks go on', { provider, reason: answer.detail });
  },
});

/** Throws for ranges that may not be opened. */
const openOutbound = ({
  INGEST_ALLOW_CIDRS: cidrs,
  INGEST_ALLOW_HTTP: allowHttp,
  NODE_ENV: nodeEnv,
}: Readonly<Settings>): OutboundClient =>
  createOutboundClient({
    allowCidrs: openedRanges(cidrs, { setting: 'INGEST_ALLOW_CIDRS', nodeEnv }),
    allowHttp,
    userAgent: 'generation-gateway-ingest/0.1',
  });

const submissionBuilder = (
  settings: Readonly<Settings>,
  storage: MediaStorage,
): ReturnType<typeof createSubmissionBuilder> =>
  createSubmissionBuilder({
    storage,
    assetUrl: createAssetLinks({
      baseUrl: settings.PUBLIC_BASE_URL,
      keys: parseTokenKeys(settings.MEDIA_TOKEN_KEYS),
      now: () => new Date(),
    }),
    deliveryTo: ({ vendor }) => ({
      capabilities: capabilitiesOf(vendor.kind),
      canFetch: canBeFetchedBy(vendor.baseUrl, settings.PUBLIC_BASE_URL),
    }),
  });

const clock = { now: Date.now, random: Math.random };
const maxFrameBytes = 20_000_000;

/** Looked for once, at start. */
async function findFrameCutter({
  FFMPEG_PATH: programPath,
  PATH: searchPath,
  LAST_FRAME_TIMEOUT_MS: timeoutMs,
}: Readonly<Settings>): Promise<FrameCutter | undefined> {
  const decoder = await findDecoder({
    programPath: programPath === '' ? undefined : programPath,
    searchPath,
  });
  return decoder && createFrameCutter({ decoder, timeoutMs, maxBytes: maxFrameBytes });
}

/**
 * Throws when a model needs a decoder and there is none: its customers were promised a last frame.
 */
function checkFrameCutter(frames: FrameCutter | undefined, { models }: Configuration): void {
  const [needy] = [...models.values()].filter(({ lastFrame }) => lastFrame === 'extract');
  if (frames === undefined && needy !== undefined) {
    throw new Error(
      `the model ${needy.name} has last_frame: extract, and there is no ffmpeg on the PATH; install one or set FFMPEG_PATH`,
    );
  }
}

/**
 * As many tasks of one provider are looked at in a replica at once; there is room for one full lane
 * more than there are providers, to turn others away.
 */
const laneWidth = jobs['video.advance'].concurrency;
const concurrencyFor = ({ providers }: Configuration): number => laneWidth * (providers.size + 1);
/** Places that somebody else freed, or a crash left free, are seen within this. */
const serveEveryMs = 1_000;

/** That single looks have become too slow is noticed within this. */
const noticeEveryMs = 1_000;

/**
 * A crowd before a full lane comes back about as fast as the lane could take it: soon before a
 * vendor that answers, ever more rarely before one that hangs.
 */
const fullLanePauseMs = ({
  crowd,
  stayMs,
  random,
}: {
  crowd: number;
  stayMs: number;
  random: number;
}): number =>
  Math.round(
    Math.min(Math.max(stayMs * (1 + crowd / laneWidth), shortestLanePauseMs), 30_000) *
      (0.5 + random),
  );
const shortestLanePauseMs = 100;

interface Sweeps {
  readonly serveAll: () => Promise<void>;
  readonly reconcile: () => Promise<void>;
  readonly sweepMs: number;
  readonly lookAtMany: LookAtMany;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly log: Log;
}

const sweepParts = ({
  serveAll,
  reconcile,
  sweepMs,
  lookAtMany,
  configuration,
  log,
}: Sweeps): Part[] => [
  intervalPart({ name: 'serve lines', everyMs: serveEveryMs, work: serveAll, log }),
  intervalPart({ name: 'reconcile tasks', everyMs: sweepMs, work: reconcile, log }),
  perProviderPart({
    name: 'look at many',
    everyMs: noticeEveryMs,
    providers: () => configuration.current().providers.keys(),
    work: lookAtMany,
    log,
  }),
];

interface StorageParts {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly metrics: Registry;
  readonly log: Log;
}

/**
 * What keeps the storage to what the rows say: no file beyond its retention time, none that a crash
 * has left.
 */
function storageParts({ settings, database, storage, metrics, log }: StorageParts): Part[] {
  const registers = [metrics];
  const purged = new Counter({
    name: 'gateway_media_purged_total',
    help: 'Tasks whose media were removed after their retention time.',
    registers,
  });
  const swept = new Counter({
    name: 'gateway_storage_swept_total',
    help: 'Files that a crash had left in the storage and that were removed.',
    labelNames: ['kind'],
    registers,
  });
  const { purgeDue, findPurged, noteRemoved, findOrphans } = createRetention(database);
  const purge = createPurgeMedia({
    purgeDue,
    findPurged,
    noteRemoved,
    deleteFile: storage.delete,
    onPurged: (tasks) => {
      purged.inc(tasks);
    },
  });
  const sweep = createSweepStorage({
    findOrphans,
    list: storage.list,
    deleteFile: storage.delete,
    sweepUnfinished: storage.sweepUnfinished,
    now: Date.now,
    olderThanMs: settings.STORAGE_SWEEP_AFTER_SECONDS * 1000,
    onRemoved(kind, count) {
      swept.inc({ kind }, count);
      if (count > 0) log.warn('files that a crash had left were removed', { kind, count });
    },
  });
  return [
    intervalPart({ name: 'purge media', everyMs: settings.RETENTION_SWEEP_MS, work: purge, log }),
    intervalPart({ name: 'sweep storage', everyMs: settings.STORAGE_SWEEP_MS, work: sweep, log }),
  ];
}

/** The place is free whatever becomes of this: the next look at the line finds it. */
const neverThrowing =
  (serveLine: ServeLine, log: Log): ServeLine =>
  (provider) =>
    serveLine(provider).catch((error: unknown) => {
      log.warn('line not served, left to the next look', {
        provider,
        reason: describeError(error),
      });
    });

/** A task that was admitted while its job was still active has lost that wake-up. */
const createRecheck =
  (reads: TaskReads, producer: Producer) =>
  async (taskId: string): Promise<void> => {
    const task = await reads.find(taskId);
    if (task !== undefined && task.step !== 'done' && !isInLine(task)) {
      await producer.wake('video.advance', taskId, { requestId: task.requestId });
    }
  };

const loggerOf = ({ LOG_LEVEL: level, LOG_FORMAT: format }: Readonly<Settings>): Log =>
  createLogger({ service: 'video-worker', level, format });
