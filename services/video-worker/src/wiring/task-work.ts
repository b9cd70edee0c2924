import type { Pacers } from '@gateway/limits';
import type { FileRemover, FrameCutter, MediaStorage } from '@gateway/media';
import type { OutboundClient } from '@gateway/outbound';
import type { Producer } from '@gateway/queue';
import type { LiveConfiguration, Log, Part, Registry, SharedClock } from '@gateway/runtime';
import {
  createTaskMoves,
  createTaskReads,
  createWork,
  type Database,
  type TaskReads,
} from '@gateway/store';
import { createDriftWatch } from '../adapters/drift-watch.ts';
import { createInputRemover } from '../adapters/submission-builder.ts';
import { vendorCostOf } from '../adapters/vendor-costs.ts';
import { createWakingMoves } from '../adapters/waking-moves.ts';
import { createWorkerMetrics, type WorkerMetrics } from '../adapters/worker-metrics.ts';
import type { Settings } from '../config.ts';
import { createAdmitTasks, type AdmitTasks } from '../use-cases/admit-tasks.ts';
import type { Moves } from '../use-cases/ports.ts';
import { workerFor, type Worker } from './task-steps.ts';
import { createRecheck, neverThrowing, taskSweepParts } from './task-sweeps.ts';
import { createWorkerBreakers, type WorkerBreakers } from './vendor-breakers.ts';

export interface TaskWorkOptions {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly remover: FileRemover;
  readonly outbound: OutboundClient;
  readonly producer: Producer;
  readonly pacers: Pacers;
  /** None where there is no decoder. */
  readonly frames: FrameCutter | undefined;
  readonly clock: SharedClock;
  readonly metrics: Registry;
  readonly log: Log;
}

export interface TaskWork {
  /** How tasks advance under the present version of the configuration. */
  readonly worker: () => Worker;
  /** Wakes a task whose wake-up came too early. */
  readonly recheck: (taskId: string) => Promise<void>;
  readonly sweeps: readonly Part[];
  /** To be started before jobs are taken, so that it is known which are open. */
  readonly breakers: Pick<WorkerBreakers, 'part' | 'notes'>;
}

/** Everything that happens to a task in this service, on top of its clients. */
export function createTaskWork(options: TaskWorkOptions): TaskWork {
  const { settings, configuration, database, storage, remover, outbound, producer } = options;
  const { pacers, frames, clock, log } = options;
  const metrics = createWorkerMetrics(options.metrics);
  const breakers = createWorkerBreakers(options);
  const reads = createTaskReads(database);
  const work = createWork(database);
  const { moves, admitTasks } = createWrites(reads, { ...options, metrics, breakers });
  const worker = workerFor(configuration, {
    settings,
    storage,
    remover,
    outbound,
    reads,
    work,
    moves,
    admitTasks,
    pacers,
    frames,
    clock,
    log,
    onCall: metrics.call,
    drift: createDriftWatch(options),
    breakers,
  });
  return {
    worker,
    recheck: createRecheck(reads, producer),
    breakers,
    sweeps: taskSweepParts({
      configuration,
      producer,
      reads,
      work,
      moves,
      admitTasks,
      vendorNamed: (provider) => worker().vendorNamed(provider),
      clock,
      settings,
      metrics,
      log,
    }),
  };
}

interface Writing extends Omit<TaskWorkOptions, 'metrics'> {
  readonly metrics: WorkerMetrics;
  readonly breakers: WorkerBreakers;
}

function createWrites(
  reads: TaskReads,
  { configuration, database, remover, producer, breakers, metrics, log }: Writing,
): { readonly moves: Moves; readonly admitTasks: AdmitTasks } {
  const store = createTaskMoves(database);
  const admitTasks = createAdmitTasks({
    admit: store.admit,
    admissionOf(provider) {
      const breaker = breakers.breakerBefore(provider);
      return breaker === undefined ? { isOpen: false } : breakers.vendors.admission(breaker);
    },
    wakeAll: (taskIds) => producer.wakeAll('video.advance', taskIds),
    maxConcurrentOf: (provider) => configuration.current().providers.get(provider)?.maxConcurrent,
  });
  const moves = createWakingMoves({
    store,
    reads,
    producer,
    log,
    costOf: (task, work) => vendorCostOf(configuration.current(), task, work),
    onSlotFree: neverThrowing(admitTasks, log),
    onStatus: metrics.status,
    onExposure: metrics.exposure,
    onOver: createInputRemover(remover),
  });
  return { moves, admitTasks };
}
