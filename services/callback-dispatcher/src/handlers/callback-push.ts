import type { ConsumerOptions } from '@gateway/queue';
import type { Look } from '../use-cases/attempt.ts';

export interface CallbackPushPorts {
  readonly pushEvents: (taskId: string, ending: AbortSignal) => Promise<Look>;
  readonly dueAmong: (taskIds: readonly string[]) => Promise<string[]>;
  readonly wake: (taskId: string) => Promise<void>;
}

/** How long jobs that have ended wait for company: a push makes one trip less to the database. */
const gatherMs = 10;

/**
 * The job `callback.push`. A wake-up that came while the job was active was swallowed: what is due
 * then is woken again.
 */
export function callbackPushHandler({
  pushEvents,
  dueAmong,
  wake,
}: CallbackPushPorts): Pick<ConsumerOptions, 'job' | 'handle' | 'lookAgain'> {
  let ended = new Set<string>();
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    await new Promise((resolve) => {
      setTimeout(resolve, gatherMs);
    });
    const taskIds = ended;
    ended = new Set();
    looking = undefined; // whoever ends from now on is not in this look
    await Promise.all((await dueAmong([...taskIds])).map(wake));
  };
  return {
    job: 'callback.push',
    handle: pushEvents,
    lookAgain(taskId) {
      ended.add(taskId);
      return (looking ??= look());
    },
  };
}
