import type { Pacers } from '@gateway/limits';
import type { FileRemover, MediaStorage } from '@gateway/media';
import type { OutboundClient } from '@gateway/outbound';
import type { Producer } from '@gateway/queue';
import type { LiveConfiguration, Log, Part, Registry, SharedClock } from '@gateway/runtime';
import {
  createRouteChanges,
  createTaskMoves,
  createTaskReads,
  createWork,
  type Database,
  type TaskReads,
} from '@gateway/store';
import { createCallRates, type CallRates } from '../adapters/call-rates.ts';
import { createDriftWatch } from '../adapters/drift-watch.ts';
import { createInputRemover } from '../adapters/submission-builder.ts';
import { vendorCostOf } from '../adapters/vendor-costs.ts';
import { createWakingMoves, wakingRouteChanges } from '../adapters/waking-moves.ts';
import {
  createPosterCounter,
  createRouteCounter,
  createWorkerMetrics,
  type WorkerMetrics,
} from '../adapters/worker-metrics.ts';
import type { Settings } from '../config.ts';
import { createAdmitTasks, type AdmitTasks } from '../use-cases/admit-tasks.ts';
import type { Moves } from '../use-cases/ports.ts';
import type { Cutters } from './clients.ts';
import { workerFor, type Worker } from './task-steps.ts';
import { createLeaving } from './leaving.ts';
import { createRecheck, neverThrowing, taskSweepParts } from './task-sweeps.ts';
import { createWorkerBreakers, type WorkerBreakers } from './vendor-breakers.ts';

export interface TaskWorkOptions extends Cutters {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly remover: FileRemover;
  readonly outbound: OutboundClient;
  readonly producer: Producer;
  readonly pacers: Pacers;
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
  /** The same, for routes whose vendor has no such model. */
  readonly gone: Part;
  /** How many calls this replica makes to its vendors. */
  readonly callRates: CallRates;
}

/** Everything that happens to a task in this service, on top of its clients. */
export function createTaskWork(options: TaskWorkOptions): TaskWork {
  const { settings, configuration, database, storage, remover, outbound, producer } = options;
  const { pacers, frames, posters, clock, log } = options;
  const metrics = {
    ...createWorkerMetrics(options.metrics),
    routeLeft: createRouteCounter(options.metrics),
  };
  const breakers = createWorkerBreakers(options);
  const reads = createTaskReads(database);
  const work = createWork(database);
  const { moves, admitTasks } = createWrites(reads, { ...options, metrics, breakers });
  const callRates = createCallRates(() => performance.now());
  const leaving = createLeaving({ ...options, moves, work, breakers });
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
    posters,
    clock,
    log,
    onCall(call) {
      callRates.note(call.provider);
      metrics.call(call);
    },
    onPoster: createPosterCounter(options.metrics),
    drift: createDriftWatch({ ...options, now: clock.now }),
    breakers,
    leaving,
  });
  return {
    worker,
    recheck: createRecheck(reads, producer),
    breakers,
    callRates,
    gone: leaving.gonePart,
    sweeps: taskSweepParts({
      configuration,
      producer,
      reads,
      work,
      moves,
      admitTasks,
      leaving,
      vendorNamed: (provider) => worker().vendorNamed(provider),
      clock,
      settings,
      metrics,
      log,
    }),
  };
}

interface Writing extends Omit<TaskWorkOptions, 'metrics'> {
  readonly metrics: WorkerMetrics & { readonly routeLeft: ReturnType<typeof createRouteCounter> };
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
  const onSlotFree = neverThrowing(admitTasks, log);
  const moves = createWakingMoves({
    store,
    reads,
    producer,
    log,
    costOf: (task, work) => vendorCostOf(configuration.current(), task, work),
    onSlotFree,
    onStatus: metrics.status,
    onExposure: metrics.exposure,
    onOver: createInputRemover(remover),
  });
  const changeRoutes = wakingRouteChanges({
    store: createRouteChanges(database),
    log,
    onRouteLeft: metrics.routeLeft,
    onSlotFree,
  });
  return { moves: { ...moves, changeRoutes }, admitTasks };
}
