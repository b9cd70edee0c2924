import type { Pacers } from '@gateway/limits';
import type { FrameCutter, MediaStorage } from '@gateway/media';
import type { OutboundClient } from '@gateway/outbound';
import type { Producer } from '@gateway/queue';
import type { LiveConfiguration, Log, Part } from '@gateway/runtime';
import {
  createTaskMoves,
  createTaskReads,
  createWork,
  type Database,
  type TaskReads,
} from '@gateway/store';
import { createInputRemover } from '../adapters/submission-builder.ts';
import { createWakingMoves } from '../adapters/waking-moves.ts';
import type { WorkerMetrics } from '../adapters/worker-metrics.ts';
import type { Settings } from '../config.ts';
import { createAdmitTasks, type AdmitTasks } from '../use-cases/admit-tasks.ts';
import type { Moves } from '../use-cases/ports.ts';
import { workerFor, type Worker } from './task-steps.ts';
import { createRecheck, neverThrowing, taskSweepParts } from './task-sweeps.ts';

export interface TaskWorkOptions {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly outbound: OutboundClient;
  readonly producer: Producer;
  readonly pacers: Pacers;
  /** None where there is no decoder. */
  readonly frames: FrameCutter | undefined;
  readonly metrics: WorkerMetrics;
  readonly log: Log;
}

export interface TaskWork {
  /** How tasks advance under the present version of the configuration. */
  readonly worker: () => Worker;
  /** Wakes a task whose wake-up came too early. */
  readonly recheck: (taskId: string) => Promise<void>;
  readonly sweeps: readonly Part[];
}

/** Everything that happens to a task in this service, on top of its clients. */
export function createTaskWork(options: TaskWorkOptions): TaskWork {
  const { settings, configuration, database, storage, outbound, producer } = options;
  const { pacers, frames, metrics, log } = options;
  const reads = createTaskReads(database);
  const work = createWork(database);
  const { moves, admitTasks } = createWrites(reads, options);
  const worker = workerFor(configuration, {
    settings,
    storage,
    outbound,
    reads,
    work,
    moves,
    admitTasks,
    pacers,
    frames,
    log,
    onCall: metrics.call,
  });
  return {
    worker,
    recheck: createRecheck(reads, producer),
    sweeps: taskSweepParts({
      configuration,
      sweepMs: settings.SWEEP_MS,
      producer,
      reads,
      work,
      moves,
      admitTasks,
      vendorNamed: (provider) => worker().vendorNamed(provider),
      metrics,
      log,
    }),
  };
}

function createWrites(
  reads: TaskReads,
  { configuration, database, storage, producer, metrics, log }: TaskWorkOptions,
): { readonly moves: Moves; readonly admitTasks: AdmitTasks } {
  const store = createTaskMoves(database);
  const admitTasks = createAdmitTasks({
    admit: store.admit,
    wakeAll: (taskIds) => producer.wakeAll('video.advance', taskIds),
    maxConcurrentOf: (provider) => configuration.current().providers.get(provider)?.maxConcurrent,
  });
  const moves = createWakingMoves({
    store,
    reads,
    producer,
    log,
    onSlotFree: neverThrowing(admitTasks, log),
    onStatus: metrics.status,
    onExposure: metrics.exposure,
    onOver: createInputRemover(storage),
  });
  return { moves, admitTasks };
}
