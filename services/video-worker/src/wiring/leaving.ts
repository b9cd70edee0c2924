import type { Task } from '@gateway/contracts';
import type { LiveConfiguration, Log, Part, Registry, SharedClock } from '@gateway/runtime';
import { createGoneModels, createTaskTries, type Database, type Work } from '@gateway/store';
import type { SubmitOutcome } from '@gateway/video-providers';
import { createBusyWatch } from '../adapters/busy-watch.ts';
import { createGoneWatch } from '../adapters/gone-watch.ts';
import { createTaskRoutes } from '../adapters/task-routes.ts';
import type { Settings } from '../config.ts';
import { createLeaveQueue } from '../use-cases/leave-queue.ts';
import { createLeaveRoute, type LeaveRoute } from '../use-cases/leave-route.ts';
import type { Moves } from '../use-cases/ports.ts';
import type { SubmitTaskPorts } from '../use-cases/submit-task.ts';
import type { WorkerBreakers } from './vendor-breakers.ts';

export interface LeavingOptions {
  readonly settings: Pick<Settings, 'PUBLIC_BASE_URL'>;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly database: Database;
  readonly work: Pick<Work, 'waitingTasks'>;
  readonly moves: Pick<Moves, 'changeRoutes'>;
  readonly breakers: Pick<WorkerBreakers, 'vendors' | 'breakerBefore' | 'standingOf'>;
  readonly clock: SharedClock;
  readonly metrics: Registry;
  readonly log: Log;
}

/** How tasks change to another route, one by one and whole queues. */
export interface Leaving {
  readonly leaveRoute: LeaveRoute;
  readonly leaveQueue: (provider: string) => Promise<void>;
  readonly watch: SubmitTaskPorts['watch'];
  /** Reads which models other replicas have found gone. */
  readonly gonePart: Part;
}

export function createLeaving({
  settings,
  configuration,
  database,
  work,
  moves: { changeRoutes },
  breakers,
  clock,
  metrics,
  log,
}: LeavingOptions): Leaving {
  const busy = createBusyWatch(clock.now);
  const gone = createGoneWatch({
    models: createGoneModels(database),
    configuration: configuration.current,
    metrics,
    log,
    now: clock.now,
  });
  const routes = createTaskRoutes({
    configuration: configuration.current,
    standingOf: breakers.standingOf,
    isGone: gone.isGone,
    publicBaseUrl: settings.PUBLIC_BASE_URL,
    now: clock.now,
    random: Math.random,
  });
  const tries = createTaskTries(database);
  return {
    leaveRoute: createLeaveRoute({ routes, changeRoutes, triesOf: tries.ofTask }),
    leaveQueue: createLeaveQueue({
      routes,
      changeRoutes,
      waitingTasks: work.waitingTasks,
      triesOfMany: tries.ofTasks,
      standingOf: breakers.standingOf,
      isOpenFor({ vendor: { provider }, accountId }) {
        const breaker = breakers.breakerBefore(provider);
        return breaker !== undefined && breakers.vendors.judge(breaker, accountId) === 'open';
      },
    }),
    watch: {
      heard(task: Task, outcome: SubmitOutcome) {
        busy.heard(task, outcome);
        gone.heard(task, outcome);
      },
      isGone: gone.keepsOut,
      busyForMs: busy.busyForMs,
    },
    gonePart: gone.part,
  };
}
