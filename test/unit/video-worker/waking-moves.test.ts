import { describe, expect, it } from '@jest/globals';
import type { VendorUsage } from '@gateway/contracts';
import type { Producer } from '@gateway/queue';
import { recordingLog } from '@gateway/testing';
import type { TaskMoves, TaskReads } from '@gateway/store';
import { createWakingMoves } from '../../../services/video-worker/src/adapters/waking-moves.ts';
import { aTask } from '../contracts/samples.ts';

const task = { ...aTask(), vendorOutput: null };
const asked: unknown[] = [];

/** The cost that goes with a failure, as the store is told it. */
async function costOfFailure(usage: VendorUsage | undefined): Promise<unknown> {
  const changes: Parameters<TaskMoves['move']>[2][] = [];
  const moves = createWakingMoves({
    store: {
      move: (_task: unknown, _event: unknown, change: (typeof changes)[number]) => {
        changes.push(change);
        return Promise.resolve(undefined);
      },
    } as unknown as TaskMoves,
    reads: {} as TaskReads,
    producer: {} as Producer,
    log: recordingLog(),
    costOf: (_task, work) => {
      asked.push(work?.output);
      return { amount: '0.2', currency: 'USD', source: 'reported' };
    },
    onStatus: () => undefined,
    onExposure: () => undefined,
    onOver: () => Promise.resolve(),
    onSlotFree: () => Promise.resolve(),
  });
  await moves.move(task, 'failed', {
    changes: {
      step: 'done',
      failure: { code: 'content_policy', message: 'x' },
      billed: { seconds: 0, quota: 0 },
    },
    usage,
  });
  expect(changes[0]).not.toHaveProperty('usage');
  return changes[0]?.cost;
}

describe('a failure', () => {
  it('costs what its vendor says that it charges, and is billed to nobody', async () => {
    const usage = { cost: { amount: '0.2', currency: 'USD' } };

    expect(await costOfFailure(usage)).toMatchObject({ amount: '0.2', source: 'reported' });
    expect(asked).toEqual([usage]);
  });

  it('costs nothing where the vendor says nothing', async () => {
    expect(await costOfFailure(undefined)).toBeUndefined();
  });
});
