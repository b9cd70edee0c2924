import type { Configuration, Task, VideoModel } from '@gateway/contracts';
import {
  createRouteChanges,
  createTaskMoves,
  createTaskReads,
  createTaskTries,
  createWork,
} from '@gateway/store';
import type { Submission } from '@gateway/video-providers';
import { createBusyWatch } from '../../../services/video-worker/src/adapters/busy-watch.ts';
import { vendorCostOf } from '../../../services/video-worker/src/adapters/vendor-costs.ts';
import {
  createWakingMoves,
  wakingRouteChanges,
} from '../../../services/video-worker/src/adapters/waking-moves.ts';
import { createAdmitTasks } from '../../../services/video-worker/src/use-cases/admit-tasks.ts';
import { createAdvanceTask } from '../../../services/video-worker/src/use-cases/advance-task.ts';
import { createCancelTask } from '../../../services/video-worker/src/use-cases/cancel-task.ts';
import { createExpireTask } from '../../../services/video-worker/src/use-cases/expire-task.ts';
import { createIngestTask } from '../../../services/video-worker/src/use-cases/ingest-task.ts';
import {
  createLeaveRoute,
  type TaskRoutes,
} from '../../../services/video-worker/src/use-cases/leave-route.ts';
import { createPollTask } from '../../../services/video-worker/src/use-cases/poll-task.ts';
import type { Moves } from '../../../services/video-worker/src/use-cases/ports.ts';
import { createReconcileTasks } from '../../../services/video-worker/src/use-cases/reconcile-tasks.ts';
import {
  createResolveSubmission,
  createSubmitTask,
} from '../../../services/video-worker/src/use-cases/submit-task.ts';
import { createWatchLate } from '../../../services/video-worker/src/use-cases/watch-late.ts';
import {
  createRecheck,
  neverThrowing,
} from '../../../services/video-worker/src/wiring/task-sweeps.ts';
import { whenClockIsRight } from '../../../services/video-worker/src/wiring/clock.ts';
import { createModelConsumer, createModelProducer } from '../stores/queue-model.ts';
import { pollInBatches } from './batch-polls.ts';
import { createVendorGate } from './gate.ts';
import { modelName, slotsOf, vendorNamed, type Promised } from './settings.ts';
import type { Footing, Surroundings } from './surroundings.ts';
import { fileUrlOf } from './vendor.ts';

type Ports = ReturnType<typeof portsOf>;

/** One life of a video-worker: its real use cases, on this world's stores and vendors. */
export function beginWorker(surroundings: Surroundings, footing: Footing): void {
  const { redis, promised } = surroundings;
  const { life, clock, log, link } = footing;
  const ports = portsOf(surroundings, footing);
  const { producer, reads, work, admitTasks } = ports;
  const advance = createAdvanceTask({
    ...stepsOf(surroundings, footing, ports),
    find: reads.findEvenDeleted,
    now: clock.now,
    enterBulkhead: () => () => undefined,
    fullBulkheadPauseMs: () => Promise.resolve(0),
  });
  const consumer = createModelConsumer(redis.state, {
    job: 'video.advance',
    handle: advance,
    recheck: createRecheck(reads, producer),
    isClockRight: clock.isRight,
    log,
    link,
  });
  void consumer.part.start?.();
  life.every(promised.admitSweepMs, async () => {
    for (const provider of surroundings.vendors.keys()) await admitTasks(provider);
  });
  if ([...surroundings.vendors.values()].some(({ pollsMany }) => pollsMany)) {
    pollInBatches(surroundings, footing, ports);
  }
  life.every(
    promised.sweepMs,
    whenClockIsRight(
      clock,
      createReconcileTasks({
        ...work,
        wakeAll: (taskIds) => producer.wakeAll('video.advance', taskIds),
        bringForward: (taskIds, beyond) => producer.bringForward('video.advance', taskIds, beyond),
        bringAllForward: (beyond) => producer.bringAllForward('video.advance', beyond),
        longestPauseMs: () => Promise.resolve(7_200_000),
      }),
    ),
  );
}

function portsOf(surroundings: Surroundings, footing: Footing) {
  const { world, vendors, redis } = surroundings;
  const { database, link, log } = footing;
  const clock = { now: footing.clock.now, random: world.dice.roll };
  const { gate, admissionOf } = createVendorGate(surroundings, footing);
  const reads = createTaskReads(database);
  const store = createTaskMoves(database);
  const producer = createModelProducer(redis.state, { link, log });
  const admitTasks = createAdmitTasks({
    admit: store.admit,
    admissionOf,
    maxConcurrentOf: () => slotsOf,
    wakeAll: (taskIds) => producer.wakeAll('video.advance', taskIds),
  });
  const onSlotFree = neverThrowing(admitTasks, log);
  const quiet = { onStatus: () => undefined, onExposure: () => undefined };
  const models = modelsOf(vendors);
  const moves: Moves = {
    ...createWakingMoves({
      ...quiet,
      costOf: (task, work) => vendorCostOf({ models }, task, work),
      store,
      reads,
      producer,
      log,
      onOver: () => Promise.resolve(),
      onSlotFree,
    }),
    changeRoutes: wakingRouteChanges({
      store: createRouteChanges(database),
      log,
      onRouteLeft: () => undefined,
      onSlotFree,
    }),
  };
  const leaveRoute = createLeaveRoute({
    routes: routesAmong([...vendors.keys()]),
    changeRoutes: moves.changeRoutes,
    triesOf: createTaskTries(database).ofTask,
  });
  return {
    clock,
    reads,
    work: createWork(database),
    producer,
    gate,
    admitTasks,
    moves,
    leaveRoute,
  };
}

/** The one model of these worlds, as far as what its vendors cost. */
const modelsOf = (vendors: Surroundings['vendors']): Configuration['models'] =>
  new Map([
    [
      modelName,
      {
        routes: [...vendors.values()].map(({ name, cost }) => ({
          ...vendorNamed(name),
          ...(cost !== undefined && { cost }),
        })),
      } as unknown as VideoModel,
    ],
  ]);

/** Any vendor that the task was not sent to yet. */
const routesAmong = (vendors: readonly string[]): TaskRoutes => ({
  policyOf: () => ({ busyAfterMs: 20_000, retryFailed: true }),
  next(task, { had }) {
    const next = vendors.find(
      (name) => name !== task.vendor.provider && !had.some(({ provider }) => provider === name),
    );
    return next === undefined ? undefined : vendorNamed(next);
  },
});

function stepsOf(surroundings: Surroundings, { life }: Footing, ports: Ports) {
  const { vendors, storage, promised } = surroundings;
  const { clock, moves, work, leaveRoute } = ports;
  const vendorOf = ({ vendor: { provider } }: Task) => {
    const vendor = vendors.get(provider);
    if (vendor === undefined) throw new Error(`there is no vendor ${provider}`);
    return {
      provider: vendor.providerFor(life),
      permitToCreate: () => Promise.resolve({ granted: true } as const),
      requestsPerSecond: 10,
      pace: promised.pace,
    };
  };
  const common = { vendorOf, moves, clock, leaveRoute };
  const busy = createBusyWatch(clock.now);
  const submission = {
    ...common,
    ...promised,
    gate: ports.gate,
    toSubmission: (task: Task) => Promise.resolve(submissionOf(task, promised)),
    watch: { ...busy, isGone: () => Promise.resolve(false) },
    admitTasks: ports.admitTasks,
    find: ports.reads.find,
  };
  const steps = {
    submit: createSubmitTask(submission),
    submitting: createResolveSubmission(submission),
    poll: createPollTask({
      ...common,
      liveTasks: work.countAtVendor,
      usualMs: () => Promise.resolve(undefined),
    }),
    ingest: createIngestTask({
      ...common,
      ...promised,
      watermarkOf: () => undefined,
      async copy(task, output, signal) {
        const { taskId: id } = task.vendor;
        if (output.isInline === true && id !== null) {
          const read = await vendorOf(task).provider.readFile?.(id, signal);
          if (read?.kind !== 'file') return { kind: 'unavailable', detail: 'no file' };
          const words = Buffer.from(read.bytes).toString();
          if (words !== fileUrlOf(id)) surroundings.seen.add(`the file of ${id} holds ${words}`);
        }
        const seconds = output.seconds ?? task.price.reservedSeconds;
        return storage.copy(life, { taskId: task.id, seconds });
      },
      discard: async (media) => {
        for (const { storageKey } of media) await life.within(storage.remove(storageKey));
      },
    }),
    late: createWatchLate({ ...common, ...promised }),
  };
  return {
    steps,
    expire: createExpireTask({ ...common, ...promised, steps }),
    cancel: createCancelTask({ vendorOf, moves, steps }),
  };
}

const submissionOf = ({ id, request }: Task, { expiresAfterSeconds }: Promised): Submission => ({
  ...request,
  correlation: id,
  upstreamModel: 'simulated-1',
  references: [],
  expiresAfterSeconds,
});
