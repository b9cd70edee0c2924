import {
  budgetExceeded,
  isEnded,
  tooOldKey,
  unlessGone,
  type Budget,
  type Gateway,
  type Video,
} from '@gateway/mcp';
import type { AgentBudget, AgentBudgets, BudgetHold } from '@gateway/store';

export interface NamedBudgetPorts {
  readonly budgets: AgentBudgets;
  readonly gateway: Pick<Gateway, 'get'>;
}

export interface NamedBudget extends AgentBudget {
  readonly maxQuota: number;
}

/** Of one question: a budget with more than that unsettled waits for the next. */
const readTimeoutMs = 10_000;

/**
 * The budget of a key under a name, which outlives every request. It is kept in the database, so
 * that creations at once, on any replica, never get more than there is.
 */
export function createNamedBudget(
  ports: NamedBudgetPorts,
  { maxQuota, ...budget }: NamedBudget,
): Budget {
  const { budgets } = ports;
  const useOf = (creation: string) => ({ ...budget, creation });
  return {
    async hold(key, quota, signal) {
      const hold = (): Promise<BudgetHold> => budgets.hold(useOf(key), quota, maxQuota);
      let outcome = await hold();
      if (outcome === 'exceeded') {
        await settleEnded(ports, budget, signal);
        outcome = await hold();
      }
      if (outcome === 'too_old') throw tooOldKey(key);
      if (outcome !== 'exceeded') return outcome === 'held';
      const { usedQuota } = await budgets.open(budget);
      throw budgetExceeded(quota, Math.max(0, maxQuota - usedQuota));
    },
    made: (key, { id, portal_billing: { max_billing_quota: quota } }) =>
      budgets.made(useOf(key), { taskId: id, quota }, maxQuota),
    release: (key) => budgets.release(useOf(key)),
    seen: (video) => settle(ports, budget, video),
  };
}

async function settle(
  { budgets }: NamedBudgetPorts,
  budget: AgentBudget,
  video: Video,
): Promise<void> {
  if (!isEnded(video)) return;
  await budgets.settle(budget, video.id, video.portal_billing.billed_quota ?? 0);
}

const isTimeOver = ({ aborted }: AbortSignal): boolean => aborted;

/** What has ended without anybody looking is settled now, as far as there is time and somebody waits. */
async function settleEnded(
  ports: NamedBudgetPorts,
  budget: AgentBudget,
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.timeout(readTimeoutMs);
  const { uses } = await ports.budgets.open(budget);
  for (const { taskId } of uses) {
    if (isTimeOver(limit)) return;
    signal.throwIfAborted();
    if (taskId === undefined) continue;
    try {
      const read = ports.gateway.get(taskId, AbortSignal.any([signal, limit]));
      const video = await read.catch(unlessGone);
      if (video === undefined) await ports.budgets.settleGone(budget, taskId);
      else await settle(ports, budget, video);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTimeOver(limit)) throw error;
    }
  }
}
