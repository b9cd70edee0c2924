import type { ConsumerOptions, JobOutcome } from '@gateway/queue';

export interface CallbackPushPorts {
  readonly pushEvents: (taskId: string, ending: AbortSignal) => Promise<JobOutcome>;
  readonly dueAmong: (taskIds: readonly string[]) => Promise<string[]>;
  readonly wake: (taskId: string) => Promise<void>;
}

/** How long ended jobs wait to be rechecked together: saves one query for each push. */
const gatherMs = 10;

/**
 * The job `callback.push`. A wake-up that arrived while the job was active was swallowed: whatever
 * is due then is woken again.
 */
export function callbackPushHandler({
  pushEvents,
  dueAmong,
  wake,
}: CallbackPushPorts): Pick<ConsumerOptions, 'job' | 'handle' | 'recheck'> {
  let ended = new Set<string>();
  let rechecking: Promise<void> | undefined;
  const recheckEnded = async (): Promise<void> => {
    await new Promise((resolve) => {
      setTimeout(resolve, gatherMs);
    });
    const taskIds = ended;
    ended = new Set();
    rechecking = undefined; // jobs that end from now on are not in this batch
    await Promise.all((await dueAmong([...taskIds])).map(wake));
  };
  return {
    job: 'callback.push',
    handle: pushEvents,
    recheck(taskId) {
      ended.add(taskId);
      return (rechecking ??= recheckEnded());
    },
  };
}
