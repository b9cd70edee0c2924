import type { ConsumerOptions } from '@gateway/queue';
import type { Look } from '../use-cases/attempt.ts';

export interface CallbackPushPorts {
  readonly pushEvents: (taskId: string, ending: AbortSignal) => Promise<Look>;
  readonly isDue: (taskId: string) => Promise<boolean>;
  readonly wake: (taskId: string) => Promise<void>;
}

/** The job `callback.push`. A wake-up that came while the job was active was swallowed: what is due then is woken again. */
export function callbackPushHandler({ pushEvents, isDue, wake }: CallbackPushPorts): Pick<ConsumerOptions, 'job' | 'handle' | 'lookAgain'> {
  return {
    job: 'callback.push',
    handle: pushEvents,
    async lookAgain(taskId) {
      if (await isDue(taskId)) await wake(taskId);
    },
  };
}
