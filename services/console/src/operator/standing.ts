import type { Task, TaskPage } from '@gateway/client';

/** How many there are; `isMore`: at least so many. */
export interface Count {
  readonly count: number;
  readonly isMore: boolean;
}

export const countOf = ({ data, has_more: isMore }: TaskPage): Count => ({
  count: data.length,
  isMore,
});

export const countText = ({ count, isMore }: Count): string => `${count}${isMore ? '+' : ''}`;

/** The first that was made: pages are newest first. */
export const oldestOf = ({ data }: Pick<TaskPage, 'data'>): Task | undefined => data.at(-1);
