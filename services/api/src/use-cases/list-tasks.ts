import type { Task } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import type { Page, TaskLists, TaskPageQuestion, TaskSearch } from '@gateway/store';

export interface ListTasksPorts {
  readonly lists: Pick<TaskLists, 'page' | 'search'>;
  readonly slots: Slots;
}

/** A page of tasks, with cursors of its own where not every task that was looked at is on it. */
export type ListedTasks = Page<Task> & {
  readonly first_id?: string | null;
  readonly last_id?: string | null;
};

export type ListTasks = (
  question: TaskPageQuestion,
  search: TaskSearch | undefined,
) => Promise<ListedTasks>;

/** A search reads rows that a list skips by an index, so an account has few at a time. */
const mostSearches = 2;
const retryAfterMs = 1_000;

/** Lists the tasks of an account, or looks through them. Throws rate_limit_exceeded. */
export const createListTasks =
  ({ lists, slots }: ListTasksPorts): ListTasks =>
  async (question, search) => {
    if (search === undefined) return lists.page(question);
    const slot = await slots.acquire(`search:${question.accountId}`, mostSearches);
    if (slot === undefined) {
      throw new GatewayError(
        'rate_limit_exceeded',
        `an account may have ${mostSearches} searches running at once; wait for one to end`,
        { retryAfterMs },
      );
    }
    try {
      const { firstId, lastId, ...page } = await lists.search(question, search);
      return { ...page, first_id: firstId, last_id: lastId };
    } finally {
      slot.release();
    }
  };
