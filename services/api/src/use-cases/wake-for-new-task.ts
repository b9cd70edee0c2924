import type { Task } from '@gateway/contracts';
import type { Producer } from '@gateway/queue';

export interface WakeForNewTaskPorts {
  readonly wake: Producer['wake'];
  /** Whether a task may find a free slot at its vendor; true when nobody knows. Never waits. */
  readonly mayHaveFreeSlot: (provider: string) => boolean;
}

/**
 * Wakes whom a new task concerns. Behind a full vendor it waits in the queue without a job:
 * whoever frees a slot wakes the next task.
 */
export const createWakeForNewTask =
  ({ wake, mayHaveFreeSlot }: WakeForNewTaskPorts): ((task: Task) => void) =>
  ({ id, requestId, callbackUrl, vendor: { provider } }) => {
    if (mayHaveFreeSlot(provider)) {
      void wake('video.advance', id, { requestId, isOwnTrace: true });
    }
    if (callbackUrl !== null) void wake('callback.push', id, { requestId, isOwnTrace: true });
  };
