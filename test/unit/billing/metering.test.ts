import { describe, expect, it } from '@jest/globals';
import { createApplyUsage } from '../../../services/billing/src/use-cases/apply-usage.ts';
import { createReconcileUsage } from '../../../services/billing/src/use-cases/reconcile-usage.ts';

describe('charging for text usage', () => {
  it('counts a batch that this call took, and no other', async () => {
    const counted: unknown[] = [];
    const taken = { records: 3, chargedQuota: 5, uncollectedQuota: 1 };
    const applyUsage = createApplyUsage({ apply: (id) => Promise.resolve(id === 'batch_1' ? taken : undefined), onApplied: (applied) => { counted.push(applied); } });

    await applyUsage('batch_1');
    await applyUsage('batch_2');

    expect(counted).toEqual([taken]);
  });
});

describe('looking for text usage that nobody took', () => {
  it('takes every batch, also after one that cannot be taken, which is told', async () => {
    const taken: string[] = [];
    const reconcile = createReconcileUsage({
      findUnapplied: (limit) => Promise.resolve(['batch_1', 'batch_2', 'batch_3'].slice(0, limit)),
      applyUsage: (id) => (id === 'batch_2' ? Promise.reject(new Error('spoilt')) : Promise.resolve(void taken.push(id))),
    });

    await expect(reconcile()).rejects.toMatchObject({ message: '1 batches of text usage could not be taken', errors: [new Error('spoilt')] });

    expect(taken).toEqual(['batch_1', 'batch_3']);
  });

  it('is content when there is none', async () => {
    await expect(createReconcileUsage({ findUnapplied: () => Promise.resolve([]), applyUsage: () => Promise.reject(new Error('not asked for')) })()).resolves.toBeUndefined();
  });
});
