import { describe, expect, it } from '@jest/globals';
import {
  createReconcileMoney,
  type ReconcileMoneyPorts,
} from '../../../services/billing/src/use-cases/reconcile-money.ts';
import { createSettleTask } from '../../../services/billing/src/use-cases/settle-task.ts';

describe('settling a task', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])('counts only what this call has closed (%s)', async (closed, counted) => {
    const asked: string[] = [];
    let settled = 0;
    const settleTask = createSettleTask({
      settle: (taskId) => {
        asked.push(taskId);
        return Promise.resolve(closed);
      },
      onSettled: () => {
        settled += 1;
      },
    });

    await settleTask('video_a');

    expect(asked).toEqual(['video_a']);
    expect(settled).toBe(counted);
  });

  it('fails when the store fails, so that it is tried again', async () => {
    const settleTask = createSettleTask({
      settle: () => Promise.reject(new Error('connection lost')),
      onSettled: () => undefined,
    });

    await expect(settleTask('video_a')).rejects.toThrow('connection lost');
  });
});

describe('the reconciler of the money', () => {
  /** Ports that write down what they are asked. */
  function aStore(overrides: Partial<ReconcileMoneyPorts> = {}): {
    readonly calls: string[];
    readonly ports: ReconcileMoneyPorts;
  } {
    const calls: string[] = [];
    return {
      calls,
      ports: {
        findUnsettled: (limit) => {
          calls.push(`find ${limit > 0 ? 'some' : 'none'}`);
          return Promise.resolve(['video_a', 'video_b']);
        },
        settle: (taskId) => {
          calls.push(`settle ${taskId}`);
          return Promise.resolve();
        },
        releaseOrphans: () => {
          calls.push('release');
          return Promise.resolve(['video_c', 'video_d']);
        },
        onOrphan: (taskId) => {
          calls.push(`orphan ${taskId}`);
        },
        ...overrides,
      },
    };
  }

  it('settles what a lost wake-up has left, and gives back holds without a task', async () => {
    const { calls, ports } = aStore();

    await createReconcileMoney(ports)();

    expect(calls).toEqual([
      'find some',
      'settle video_a',
      'settle video_b',
      'release',
      'orphan video_c',
      'orphan video_d',
    ]);
  });

  it('says nothing when there is nothing to do', async () => {
    const { calls, ports } = aStore({
      findUnsettled: () => Promise.resolve([]),
      releaseOrphans: () => Promise.resolve([]),
    });

    await createReconcileMoney(ports)();

    expect(calls).toEqual([]);
  });

  it('fails loudly when the store fails', async () => {
    const { ports } = aStore({
      releaseOrphans: () => Promise.reject(new Error('connection lost')),
    });

    await expect(createReconcileMoney(ports)()).rejects.toThrow('connection lost');
  });

  it('gives back orphans and settles the others though one task cannot be settled', async () => {
    const { calls, ports } = aStore({});
    const settle = (taskId: string): Promise<void> =>
      taskId === 'video_a'
        ? Promise.reject(new Error('balance_never_overdrawn'))
        : ports.settle(taskId);

    const round = createReconcileMoney({ ...ports, settle })();

    // nobody would know otherwise
    await expect(round).rejects.toThrow('1 finished tasks could not be settled');
    expect(calls).toEqual(
      expect.arrayContaining(['settle video_b', 'orphan video_c', 'orphan video_d']),
    );
  });
});
