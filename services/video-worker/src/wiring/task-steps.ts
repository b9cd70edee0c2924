import { randomBytes } from 'node:crypto';
import { jobs, type Configuration } from '@gateway/contracts';
import type { Pacers } from '@gateway/limits';
import { parseTokenKeys, type FileRemover, type MediaStorage } from '@gateway/media';
import { canBeFetchedBy, type OutboundClient } from '@gateway/outbound';
import { perVersion, type LiveConfiguration, type Log, type SharedClock } from '@gateway/runtime';
import type { TaskReads, Work } from '@gateway/store';
import { capabilitiesOf, watermarkOf } from '@gateway/video-providers';
import { createSourceLinks } from '../adapters/source-links.ts';
import { createBreakerGate } from '../adapters/breaker-gate.ts';
import { createBulkheads } from '../adapters/bulkheads.ts';
import { cached } from '../adapters/cached.ts';
import type { DriftWatch } from '../adapters/drift-watch.ts';
import { createFileCopier, type FileCopierOptions } from '../adapters/file-copier.ts';
import { fullBulkheadPauseMs } from '../adapters/full-bulkhead.ts';
import { createPosterMaker, type PosterOutcome } from '../adapters/poster-maker.ts';
import { createSubmissionBuilder } from '../adapters/submission-builder.ts';
import { tracedCopy } from '../adapters/traced-copy.ts';
import {
  createEarlierProviders,
  createVendorDirectory,
  type VendorDirectory,
} from '../adapters/vendor-directory.ts';
import type { WorkerMetrics } from '../adapters/worker-metrics.ts';
import type { Settings } from '../config.ts';
import type { AdmitTasks } from '../use-cases/admit-tasks.ts';
import { createAdvanceTask, type AdvanceTaskPorts } from '../use-cases/advance-task.ts';
import { createCancelTask } from '../use-cases/cancel-task.ts';
import { createExpireTask } from '../use-cases/expire-task.ts';
import { createIngestTask } from '../use-cases/ingest-task.ts';
import { createPollTask } from '../use-cases/poll-task.ts';
import type { Moves } from '../use-cases/ports.ts';
import { createResolveSubmission, createSubmitTask } from '../use-cases/submit-task.ts';
import { createWatchLate } from '../use-cases/watch-late.ts';
import { checkFrameCutter, type Cutters } from './clients.ts';
import { clockOf } from './clock.ts';
import type { Leaving } from './leaving.ts';
import type { WorkerBreakers } from './vendor-breakers.ts';

export interface TaskStepsOptions extends Cutters {
  readonly settings: Readonly<Settings>;
  readonly storage: MediaStorage;
  readonly remover: FileRemover;
  readonly outbound: OutboundClient;
  readonly reads: TaskReads;
  readonly work: Work;
  readonly moves: Moves;
  readonly admitTasks: AdmitTasks;
  readonly pacers: Pacers;
  readonly clock: SharedClock;
  readonly log: Log;
  readonly onCall: WorkerMetrics['call'];
  readonly onPoster: (outcome: PosterOutcome) => void;
  readonly drift: DriftWatch;
  readonly breakers: Pick<WorkerBreakers, 'vendors' | 'breakerBefore' | 'onRefused'>;
  readonly leaving: Leaving;
}

export interface Worker {
  readonly advance: ReturnType<typeof createAdvanceTask>;
  readonly vendorNamed: VendorDirectory['named'];
}

/** Tasks of one provider that one replica works on at once. */
const bulkheadWidth = jobs['video.advance'].concurrency;

/**
 * Every provider can fill its bulkhead, and there is one bulkhead's worth more to turn others away.
 */
export const concurrencyFor = ({ providers }: Configuration): number =>
  bulkheadWidth * (providers.size + 1);

/**
 * How tasks advance, and which vendors there are, under each version of the configuration: a step
 * works with the version it began with.
 */
export function workerFor(
  configuration: LiveConfiguration,
  options: TaskStepsOptions,
): () => Worker {
  const { settings, pacers, frames, onCall, drift } = options;
  const lasting = {
    ...options,
    atVendor: cached(options.work.countAtVendor, 500),
    usualMs: cached(options.work.usualDurationMs, 30_000),
    toSubmission: submissionBuilder(options),
  };
  const bulkheads = createBulkheads(bulkheadWidth, () => performance.now());
  const earlier = createEarlierProviders();
  const worker = perVersion(configuration, (version) => {
    checkFrameCutter(frames, version);
    earlier.note(version);
    const vendors = createVendorDirectory(version, {
      timeoutMs: settings.VENDOR_TIMEOUT_MS,
      pacers,
      earlier,
      onCall,
      drift,
    });
    const advance = createAdvanceTask({
      ...stepsWith(vendors.of, lasting),
      find: options.reads.findEvenDeleted,
      now: options.clock.now,
      enterBulkhead: bulkheads.enter,
      fullBulkheadPauseMs: async (provider) =>
        fullBulkheadPauseMs({
          waiting: Math.min(bulkheads.rejected(provider), await lasting.atVendor(provider)),
          width: bulkheadWidth,
          occupancyMs: bulkheads.occupancyMs(provider),
          random: Math.random(),
        }),
    });
    return { advance, vendorNamed: vendors.named };
  });
  worker();
  return worker;
}

/** What outlives a version of the configuration. */
interface Lasting extends TaskStepsOptions {
  readonly atVendor: Work['countAtVendor'];
  readonly usualMs: Work['usualDurationMs'];
  readonly toSubmission: ReturnType<typeof createSubmissionBuilder>;
}

function stepsWith(
  vendorOf: VendorDirectory['of'],
  {
    settings,
    reads,
    moves,
    admitTasks,
    atVendor,
    usualMs,
    toSubmission,
    leaving,
    ...rest
  }: Lasting,
): Pick<AdvanceTaskPorts, 'steps' | 'expire' | 'cancel'> {
  const clock = clockOf(rest.clock);
  const common = { vendorOf, moves, clock, leaveRoute: leaving.leaveRoute };
  const graceMs = settings.DEADLINE_GRACE_SECONDS * 1000;
  const fileGraceMs = graceMs + settings.INGEST_TIMEOUT_MS;
  const copier = createFileCopier({
    ...copierOptions(settings, rest),
    ...vendorFiles(vendorOf),
  });
  const submission = {
    ...common,
    watch: leaving.watch,
    gate: createBreakerGate({ ...rest.breakers, vendorOf, random: clock.random }),
    admitTasks,
    find: reads.find,
    toSubmission,
    unknownAfterMs: settings.SUBMISSION_UNKNOWN_AFTER_MS,
  };
  const steps = {
    submit: createSubmitTask(submission),
    submitting: createResolveSubmission(submission),
    poll: createPollTask({ ...common, liveTasks: atVendor, usualMs }),
    ingest: createIngestTask({
      ...common,
      ...copier,
      watermarkOf,
      copy: tracedCopy(copier.copy),
      fileGraceMs,
    }),
    late: createWatchLate({
      ...common,
      lateWatchMs: settings.LATE_WATCH_SECONDS * 1000,
      lateEveryMs: settings.LATE_WATCH_EVERY_MS,
    }),
  };
  return {
    steps,
    expire: createExpireTask({ ...common, steps, graceMs, fileGraceMs }),
    cancel: createCancelTask({ vendorOf, moves, steps }),
  };
}

const vendorFiles = (
  vendorOf: VendorDirectory['of'],
): Pick<FileCopierOptions, 'fileHeaders' | 'readInline'> => ({
  fileHeaders: (task) => vendorOf(task).provider.fileHeaders ?? {},
  async readInline(task, signal) {
    const { readFile } = vendorOf(task).provider;
    return readFile === undefined || task.vendor.taskId === null
      ? { kind: 'error', detail: 'the vendor of this task puts no file into a response' }
      : readFile(task.vendor.taskId, signal);
  },
});

const copierOptions = (
  settings: Readonly<Settings>,
  {
    storage,
    remover,
    outbound,
    log,
    frames,
    posters,
    onPoster,
  }: Pick<Lasting, 'storage' | 'remover' | 'outbound' | 'log' | 'frames' | 'posters' | 'onPoster'>,
): Omit<FileCopierOptions, 'fileHeaders' | 'readInline'> => ({
  storage,
  removeFile: remover.remove,
  newSuffix,
  outbound,
  log,
  cutLastFrame: frames,
  makePoster:
    posters &&
    createPosterMaker({
      storage,
      newSuffix,
      cut: posters,
      timeoutMs: posterTimeoutMs,
      onPoster,
      log,
    }),
  maxVideoBytes: settings.INGEST_MAX_BYTES,
  timeoutMs: settings.INGEST_TIMEOUT_MS,
});

/** A poster takes a tenth of a second; no video waits longer for one that hangs. */
const posterTimeoutMs = 10_000;

const newSuffix = (): string => randomBytes(6).toString('hex');

const submissionBuilder = ({
  settings,
  storage,
  clock,
}: TaskStepsOptions): ReturnType<typeof createSubmissionBuilder> =>
  createSubmissionBuilder({
    storage,
    links: createSourceLinks({
      baseUrl: settings.PUBLIC_BASE_URL,
      keys: parseTokenKeys(settings.MEDIA_TOKEN_KEYS),
      now: clock.date,
    }),
    deliveryTo: ({ vendor }) => ({
      capabilities: capabilitiesOf(vendor.kind),
      canFetch: canBeFetchedBy(vendor.baseUrl, settings.PUBLIC_BASE_URL),
    }),
  });
