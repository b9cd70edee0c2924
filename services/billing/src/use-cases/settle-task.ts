import { reached } from '@gateway/runtime';
import type { Holds } from '@gateway/store';

export interface SettleTaskPorts extends Pick<Holds, 'settle'> {
  readonly onSettled: () => void;
}

/**
 * Closes a finished task's hold: charges what was billed, releases the rest. Idempotent by task:
 * the statement takes only an open hold of a terminal task, so a second call, a redelivered job or
 * a second replica changes nothing.
 */
export function createSettleTask({
  settle,
  onSettled,
}: SettleTaskPorts): (taskId: string) => Promise<void> {
  return async (taskId) => {
    reached('settle.due', taskId);
    if (!(await settle(taskId))) return;
    reached('settle.committed', taskId);
    onSettled();
  };
}
