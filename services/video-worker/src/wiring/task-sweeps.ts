import { describeError } from '@gateway/domain';
import type { Producer } from '@gateway/queue';
import { intervalPart, type LiveConfiguration, type Log, type Part } from '@gateway/runtime';
import type { TaskReads, Work } from '@gateway/store';
import { perProviderPart } from '../adapters/per-provider-part.ts';
import type { WorkerMetrics } from '../adapters/worker-metrics.ts';
import type { AdmitTasks } from '../use-cases/admit-tasks.ts';
import { createBatchPoll, type BatchPollPorts } from '../use-cases/batch-poll.ts';
import type { Moves } from '../use-cases/ports.ts';
import { createReconcileTasks } from '../use-cases/reconcile-tasks.ts';
import { isWaitingForSlot } from '../use-cases/submit-task.ts';
import { clock } from './clock.ts';

export interface TaskSweepsOptions {
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly sweepMs: number;
  readonly producer: Producer;
  readonly reads: TaskReads;
  readonly work: Work;
  readonly moves: Moves;
  readonly admitTasks: AdmitTasks;
  readonly vendorNamed: BatchPollPorts['vendorNamed'];
  readonly metrics: Pick<WorkerMetrics, 'batchPolled'>;
  readonly log: Log;
}

/** A slot that somebody else freed, or a crash left free, is noticed within this. */
const admitEveryMs = 1_000;
/** That single polls have become too slow is noticed within this. */
const noticeEveryMs = 1_000;

/** Finds what no job does: free slots, lost jobs, and tasks to poll in batches. */
export function taskSweepParts(options: TaskSweepsOptions): Part[] {
  const { configuration, sweepMs, producer, work, admitTasks, log } = options;
  const providers = (): IterableIterator<string> => configuration.current().providers.keys();
  const reconcile = createReconcileTasks({
    ...work,
    wakeAll: (taskIds) => producer.wakeAll('video.advance', taskIds),
    bringForward: (taskIds, beyond) => producer.bringForward('video.advance', taskIds, beyond),
  });
  return [
    intervalPart({
      name: 'admit tasks',
      everyMs: admitEveryMs,
      work: async () => {
        await Promise.all([...providers()].map(admitTasks));
      },
      log,
    }),
    intervalPart({ name: 'reconcile tasks', everyMs: sweepMs, work: reconcile, log }),
    perProviderPart({
      name: 'batch poll',
      everyMs: noticeEveryMs,
      providers,
      work: createBatchPoll(batchPollPorts(options)),
      log,
    }),
  ];
}

const batchPollPorts = ({
  reads,
  work,
  producer,
  moves,
  vendorNamed,
  metrics,
  log,
}: TaskSweepsOptions): BatchPollPorts => ({
  clock,
  moves,
  vendorNamed,
  liveTasks: work.countAtVendor,
  polledTasks: work.polledTasks,
  find: reads.findEvenDeleted,
  hurry: ({ id, requestId }) => producer.wake('video.advance', id, { requestId, hurry: true }),
  onResponse(provider, response) {
    if (response.kind === 'answered') metrics.batchPolled(provider, response.outcomes.size);
    else {
      log.warn('vendor list not read, single polls go on', { provider, reason: response.detail });
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
