import type { Task, TaskVendor } from '@gateway/contracts';
import { causeToLeave, type LeaveCause, type LeavePolicy, type RouteNews } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { NothingMade, RouteChanges, TaskTries } from '@gateway/store';

/** A route as a task is sent on it. */
export type RouteTarget = Omit<TaskVendor, 'taskId'>;

/** The routes of a task's model as they are now. */
export interface TaskRoutes {
  /** Undefined where the task has no other route to go to, whatever becomes of it. */
  readonly policyOf: (task: Task) => LeavePolicy | undefined;
  /**
   * One of the other routes that can have the task and whose vendor serves, as far as is known; none
   * of those it has `had`. Only `mayProbe` takes a vendor that has failed and not been tried since.
   */
  readonly next: (
    task: Task,
    how: {
      readonly had: readonly Pick<RouteTarget, 'provider' | 'upstreamModel'>[];
      readonly mayProbe: boolean;
    },
  ) => RouteTarget | undefined;
}

export interface LeaveRoutePorts extends RouteChanges {
  readonly routes: TaskRoutes;
  readonly triesOf: TaskTries['ofTask'];
}

export interface Leaving {
  readonly news: RouteNews;
  /** What the vendor said, for the operator. */
  readonly detail?: string | undefined;
}

/**
 * Sends the task on another route, where what has happened allows it and there is one; false: it stays,
 * and nothing was written. A task that has left waits in the queue of its new vendor without a job.
 */
export type LeaveRoute = (task: Task, leaving: Leaving) => Promise<boolean>;

export function createLeaveRoute({ routes, triesOf, changeRoutes }: LeaveRoutePorts): LeaveRoute {
  return async (task, { news, detail }) => {
    const policy = routes.policyOf(task);
    const because =
      policy && causeToLeave(news, policy, { hasCancelRequest: hasCancelRequest(task) });
    if (because === undefined) return false;
    const to = routes.next(task, { had: await triesOf(task.id), mayProbe: true });
    if (to === undefined) return false;
    reached('leave.decided', task.id);
    const [moved] = await changeRoutes([
      { task, to, because, outcome: outcomeOf[because], detail },
    ]);
    return moved !== undefined;
  };
}

export const hasCancelRequest = ({ cancelRequestedAt }: Task): boolean =>
  cancelRequestedAt !== null;

/** How an open try ends with the task's leaving. */
export const outcomeOf = {
  not_sent: 'not_sent',
  busy: 'busy',
  refused: 'unavailable',
  breaker_open: 'not_sent',
  model_gone: 'not_sent',
  failed: 'failed',
} as const satisfies Record<LeaveCause, NothingMade>;
