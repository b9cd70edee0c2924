import type { Task } from '@gateway/contracts';
import type { SubmitOutcome } from '@gateway/video-providers';

/** For how long vendors have taken no more work, as this replica was told. */
export interface BusyWatch {
  /** What became of a submission. */
  readonly heard: (task: Task, outcome: Pick<SubmitOutcome, 'kind'>) => void;
  /** How long the task's route has been busy, or the task itself was turned away for that. */
  readonly busyForMs: (task: Task) => number;
}

/** A route is busy from the first such response until it takes a task. */
export function createBusyWatch(now: () => number): BusyWatch {
  const since = new Map<string, number>();
  const routeOf = ({ vendor }: Task): string => `${vendor.provider}/${vendor.upstreamModel}`;
  return {
    heard(task, { kind }) {
      const route = routeOf(task);
      if (kind === 'busy') since.set(route, since.get(route) ?? now());
      else if (kind === 'accepted') since.delete(route);
    },
    busyForMs(task) {
      const { stepFailures, admittedAt } = task;
      const own = stepFailures > 0 && admittedAt !== null ? now() - admittedAt.getTime() : 0;
      return Math.max(own, now() - (since.get(routeOf(task)) ?? now()));
    },
  };
}
