import type { Task, TaskPage } from '@gateway/client';

/** How many there are; `isMore`: at least so many. */
export interface Count {
  readonly count: number;
  readonly isMore: boolean;
}

/** The unfinished videos of one provider. */
export interface ProviderStanding {
  readonly provider: string;
  readonly queued: number;
  readonly running: number;
  /** The one that has waited longest. */
  readonly oldest: Task | undefined;
}

export const countOf = ({ data, has_more: isMore }: TaskPage): Count => ({
  count: data.length,
  isMore,
});

export const countText = ({ count, isMore }: Count): string => `${count}${isMore ? '+' : ''}`;

/** The first that was made: pages are newest first. */
export const oldestOf = ({ data }: Pick<TaskPage, 'data'>): Task | undefined => data.at(-1);

/** What waits and runs at each provider, the one with the most first. */
export function standingOf(queued: TaskPage, running: TaskPage): readonly ProviderStanding[] {
  const names = new Set([...queued.data, ...running.data].map(({ provider }) => provider));
  return [...names]
    .map((provider) => {
      const at = (tasks: readonly Task[]): readonly Task[] =>
        tasks.filter((task) => task.provider === provider);
      const waiting = at(queued.data);
      return {
        provider,
        queued: waiting.length,
        running: at(running.data).length,
        oldest: waiting.at(-1),
      };
    })
    .toSorted(
      (one, other) =>
        other.queued + other.running - (one.queued + one.running) ||
        one.provider.localeCompare(other.provider),
    );
}
