import { describe, expect, it } from '@jest/globals';
import { createReconcileTasks } from '../../../services/video-worker/src/use-cases/reconcile-tasks.ts';

const ids = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(5, '0')}`);

describe('giving due tasks their jobs again', () => {
  it('wakes all unfinished tasks page by page and those overdue in line, and brings forward who waits for a first copy, or for longer than anything is put off', async () => {
    const tasks = ids(2_500, 'task').map((id, index) => ({
      id,
      isFreshAtIngest: index % 1_000 === 7,
    }));
    const woken: string[] = [];
    const broughtForward: string[] = [];

    await createReconcileTasks({
      unfinishedTasks: (after, limit) =>
        Promise.resolve(tasks.filter(({ id }) => id > after).slice(0, limit)),
      overdueInQueue: () => Promise.resolve(['late']),
      wakeAll: (taskIds) => {
        woken.push(...taskIds);
        return Promise.resolve();
      },
      bringForward: (taskIds, { beyondMs }) => {
        broughtForward.push(...taskIds.map((id) => `${id} ${beyondMs}`));
        return Promise.resolve();
      },
      bringAllForward: ({ beyondMs }) => {
        broughtForward.push(`all ${beyondMs}`);
        return Promise.resolve();
      },
      longestPauseMs: () => Promise.resolve(7_200_000),
    })();

    expect(woken).toEqual(['late', ...tasks.map(({ id }) => id)]);
    expect(broughtForward).toEqual([
      'task-00007 60000',
      'task-01007 60000',
      'task-02007 60000',
      'all 7200000',
    ]);
  });
});
