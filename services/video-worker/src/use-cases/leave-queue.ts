import type { Task } from '@gateway/contracts';
import { causeToLeave } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { RouteChange, TaskTries, Work } from '@gateway/store';
import { hasCancelRequest, outcomeOf, type LeaveRoutePorts } from './leave-route.ts';

export interface LeaveQueuePorts extends Pick<LeaveRoutePorts, 'routes' | 'changeRoutes'> {
  readonly waitingTasks: Work['waitingTasks'];
  readonly triesOfMany: TaskTries['ofTasks'];
  /** How the circuit breaker before the provider stands. */
  readonly standingOf: (provider: string) => 'open' | 'half_open' | 'closed';
  /** Whether it is open for this task's account. */
  readonly isOpenFor: (task: Task) => boolean;
}

const because = 'breaker_open';
const pageSize = 200;
/** More is left to the next round: a queue whose tasks have nowhere else to go must not be read all the time. */
const mostPages = 20;

/**
 * Sends the tasks that wait in the queue of a vendor that serves nobody on their other routes, from
 * its front. Safe on several replicas at once: each task moves once.
 */
export function createLeaveQueue({
  routes,
  changeRoutes,
  waitingTasks,
  triesOfMany,
  standingOf,
  isOpenFor,
}: LeaveQueuePorts): (provider: string) => Promise<void> {
  /** Where the last round over a long queue ended. */
  const after = new Map<string, Pick<Task, 'accountId' | 'id'>>();
  return async (provider) => {
    for (let pages = 0; pages < mostPages; pages += 1) {
      const standing = standingOf(provider);
      if (standing === 'closed') break;
      const from = after.get(provider);
      const page = await waitingTasks(provider, { after: from, limit: pageSize });
      // While the vendor is on trial the first task stays to try it.
      const changes =
        standing === 'open'
          ? await changesOf(page.filter(isOpenFor))
          : await changesOf(from === undefined ? page.slice(1) : page);
      if (changes.length > 0) {
        reached('leave.page-decided');
        await changeRoutes(changes);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) {
        after.delete(provider);
        return;
      }
      after.set(provider, { accountId: last.accountId, id: last.id });
    }
  };

  async function changesOf(tasks: readonly Task[]): Promise<RouteChange[]> {
    const leaving = tasks.filter((task) => {
      const policy = routes.policyOf(task);
      const how = { hasCancelRequest: hasCancelRequest(task) };
      return policy !== undefined && causeToLeave({ kind: because }, policy, how) !== undefined;
    });
    if (leaving.length === 0) return [];
    const tries = await triesOfMany(leaving.map(({ id }) => id));
    const changes: RouteChange[] = [];
    for (const task of leaving) {
      // One at a time finds out whether a vendor that had failed serves again.
      const mayProbe = changes.length === 0;
      const to = routes.next(task, { had: tries.get(task.id) ?? [], mayProbe });
      if (to !== undefined) changes.push({ task, to, because, outcome: outcomeOf[because] });
    }
    return changes;
  }
}
