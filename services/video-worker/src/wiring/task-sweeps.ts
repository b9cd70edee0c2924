import { describeError, longestPollDelayMs } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import {
  intervalPart,
  type LiveConfiguration,
  type Log,
  type Part,
  type SharedClock,
} from '@gateway/runtime';
import type { TaskReads, Work } from '@gateway/store';
import { perProviderPart } from '../adapters/per-provider-part.ts';
import type { WorkerMetrics } from '../adapters/worker-metrics.ts';
import type { Settings } from '../config.ts';
import type { AdmitTasks } from '../use-cases/admit-tasks.ts';
import { createBatchPoll, type BatchPoll, type BatchPollPorts } from '../use-cases/batch-poll.ts';
import { longestIngestPauseMs } from '../use-cases/ingest-task.ts';
import type { Moves } from '../use-cases/ports.ts';
import { createReconcileTasks } from '../use-cases/reconcile-tasks.ts';
import { isWaitingForSlot } from '../use-cases/submit-task.ts';
import { clockOf, whenClockIsRight } from './clock.ts';
import type { Leaving } from './leaving.ts';

export interface TaskSweepsOptions {
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly settings: Pick<Settings, 'SWEEP_MS' | 'ADMIT_SWEEP_MS' | 'LATE_WATCH_EVERY_MS'>;
  readonly clock: SharedClock;
  readonly producer: Producer;
  readonly reads: TaskReads;
  readonly work: Work;
  readonly moves: Moves;
  readonly admitTasks: AdmitTasks;
  readonly leaving: Pick<Leaving, 'leaveRoute' | 'leaveQueue'>;
  readonly vendorNamed: BatchPollPorts['vendorNamed'];
  readonly metrics: Pick<WorkerMetrics, 'batchPolled'>;
  readonly log: Log;
}

/** That single polls have become too slow is noticed within this. */
const noticeEveryMs = 1_000;
const hourMs = 3_600_000;

/** Finds what no job does: free slots, lost jobs, and tasks to poll in batches. */
export function taskSweepParts(options: TaskSweepsOptions): Part[] {
  const { configuration, settings, clock, producer, work, admitTasks, log } = options;
  const providers = (): IterableIterator<string> => configuration.current().providers.keys();
  const reconcile = createReconcileTasks({
    ...work,
    wakeAll: (taskIds) => producer.wakeAll('video.advance', taskIds),
    bringForward: (taskIds, beyond) => producer.bringForward('video.advance', taskIds, beyond),
    bringAllForward: (beyond) => producer.bringAllForward('video.advance', beyond),
    longestPauseMs: () => longestPauseMs(options),
  });
  return [
    intervalPart({
      name: 'admit tasks',
      everyMs: settings.ADMIT_SWEEP_MS,
      work: async () => {
        await Promise.all([...providers()].map(admitTasks));
      },
      log,
    }),
    intervalPart({
      name: 'reconcile tasks',
      everyMs: settings.SWEEP_MS,
      work: whenClockIsRight(clock, reconcile),
      log,
    }),
    perProviderPart({
      name: 'leave queues',
      everyMs: noticeEveryMs,
      providers,
      work: options.leaving.leaveQueue,
      log,
    }),
    perProviderPart({
      name: 'batch poll',
      everyMs: noticeEveryMs,
      providers,
      work: batchPollWith(options),
      log,
    }),
  ];
}

/** Longer than any step delays a task just now; a vendor's `Retry-After` may ask for an hour. */
async function longestPauseMs({
  configuration,
  settings,
  work,
}: TaskSweepsOptions): Promise<number> {
  const polls = [...configuration.current().providers.values()].map(
    async ({ name, pace, requestsPerSecond }) =>
      Math.max(
        pace.maxSeconds * 1_000,
        longestPollDelayMs({ liveTasks: await work.countAtVendor(name), requestsPerSecond }),
      ),
  );
  const longest = Math.max(
    hourMs,
    longestIngestPauseMs,
    settings.LATE_WATCH_EVERY_MS,
    ...(await Promise.all(polls)),
  );
  return 2 * longest;
}

function batchPollWith(options: TaskSweepsOptions): BatchPoll {
  const poll = createBatchPoll(batchPollPorts(options));
  return (provider, signal) => whenClockIsRight(options.clock, () => poll(provider, signal))();
}

const batchPollPorts = ({
  reads,
  work,
  producer,
  moves,
  leaving: { leaveRoute },
  vendorNamed,
  clock,
  metrics,
  log,
}: TaskSweepsOptions): BatchPollPorts => ({
  clock: clockOf(clock),
  moves,
  leaveRoute,
  vendorNamed,
  liveTasks: work.countAtVendor,
  polledTasks: work.polledTasks,
  find: reads.findEvenDeleted,
  hurry: ({ id, requestId }) => producer.wake('video.advance', id, { requestId, hurry: true }),
  onResponse(provider, response) {
    if (response.kind === 'answered') metrics.batchPolled(provider, response.outcomes.size);
    else {
      log.warn('vendor list could not be read, tasks are polled one by one', {
        provider,
        reason: response.detail,
      });
    }
  },
});

/** The slot is free whatever becomes of this: the next round finds it. */
export const neverThrowing =
  (admitTasks: AdmitTasks, log: Log): AdmitTasks =>
  (provider) =>
    admitTasks(provider).catch((error: unknown) => {
      log.warn('tasks not admitted, left to the next round', {
        provider,
        reason: describeError(error),
      });
    });

/** A task that was admitted while its job was still active has lost that wake-up. */
export const createRecheck =
  (reads: TaskReads, producer: Producer) =>
  async (taskId: string): Promise<void> => {
    const task = await reads.find(taskId);
    if (task !== undefined && task.step !== 'done' && !isWaitingForSlot(task)) {
      await producer.wake('video.advance', taskId, { requestId: task.requestId });
    }
  };
