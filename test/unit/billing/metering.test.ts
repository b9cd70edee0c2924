import { describe, expect, it } from '@jest/globals';
import { createApplyUsage } from '../../../services/billing/src/use-cases/apply-usage.ts';
import { createRecoverUsage } from '../../../services/billing/src/use-cases/recover-usage.ts';
import { createReconcileUsage } from '../../../services/billing/src/use-cases/reconcile-usage.ts';

describe('charging for text usage', () => {
  it('counts a batch that this call took, and no other', async () => {
    const counted: unknown[] = [];
    const taken = { records: 3, chargedQuota: 5, uncollectedQuota: 1 };
    const applyUsage = createApplyUsage({
      apply: (id) => Promise.resolve(id === 'batch_1' ? taken : undefined),
      onApplied: (applied) => {
        counted.push(applied);
      },
    });

    await applyUsage('batch_1');
    await applyUsage('batch_2');

    expect(counted).toEqual([taken]);
  });
});

describe('taking over what a replica left open', () => {
  const recovering = (found: number[]) => {
    const seen = { batches: [] as string[], told: [] as unknown[], purges: 0 };
    const recoverUsage = createRecoverUsage({
      newBatchId: () => `batch_${seen.batches.length + 1}`,
      recover: ({ batchId, limit }) => {
        seen.batches.push(batchId);
        return Promise.resolve(Math.min(found.shift() ?? 0, limit));
      },
      purge: () => Promise.resolve(void (seen.purges += 1)),
      onRecovered: (recovered) => {
        seen.told.push(recovered);
      },
    });
    return { recoverUsage, seen };
  };

  it('goes on until there is no full batch any more, each under an id of its own', async () => {
    const { recoverUsage, seen } = recovering([500, 500, 3]);

    await recoverUsage();

    expect(seen).toEqual({
      batches: ['batch_1', 'batch_2', 'batch_3'],
      told: [
        { batchId: 'batch_1', records: 500 },
        { batchId: 'batch_2', records: 500 },
        { batchId: 'batch_3', records: 3 },
      ],
      purges: 1,
    });
  });

  it('tells nothing when nothing was left', async () => {
    const { recoverUsage, seen } = recovering([]);

    await recoverUsage();

    expect(seen).toEqual({ batches: ['batch_1'], told: [], purges: 1 });
  });
});

describe('looking for text usage that nobody took', () => {
  it('takes what replicas left open in the same round', async () => {
    const outbox: string[] = [];
    const taken: string[] = [];
    const reconcile = createReconcileUsage({
      recoverUsage: () => Promise.resolve(void outbox.push('batch_recovered')),
      findUnapplied: () => Promise.resolve([...outbox]),
      applyUsage: (id) => Promise.resolve(void taken.push(id)),
      takeBackLeases: () => Promise.resolve(void taken.push('leases')),
    });

    await reconcile();

    expect(taken).toEqual(['batch_recovered', 'leases']);
  });

  it('takes every batch, also after what cannot be taken, which is told', async () => {
    const taken: string[] = [];
    const reconcile = createReconcileUsage({
      recoverUsage: () => Promise.reject(new Error('locked')),
      findUnapplied: (limit) => Promise.resolve(['batch_1', 'batch_2', 'batch_3'].slice(0, limit)),
      applyUsage: (id) =>
        id === 'batch_2'
          ? Promise.reject(new Error('spoilt'))
          : Promise.resolve(void taken.push(id)),
      takeBackLeases: () => Promise.reject(new Error('gone')),
    });

    await expect(reconcile()).rejects.toMatchObject({
      message: 'text usage could not be taken in 3 places',
      errors: [new Error('locked'), new Error('spoilt'), new Error('gone')],
    });

    expect(taken).toEqual(['batch_1', 'batch_3']);
  });

  it('is content when there is none', async () => {
    await expect(
      createReconcileUsage({
        recoverUsage: () => Promise.resolve(),
        findUnapplied: () => Promise.resolve([]),
        applyUsage: () => Promise.reject(new Error('not asked for')),
        takeBackLeases: () => Promise.resolve(),
      })(),
    ).resolves.toBeUndefined();
  });
});
