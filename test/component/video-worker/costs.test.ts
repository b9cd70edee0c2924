import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Configuration, Task } from '@gateway/contracts';
import { termsOf, type CostRules, type QuotaRules } from '@gateway/domain';
import { createMarginReads, createTaskTries, type TaskTry } from '@gateway/store';
import { eventually, fixedConfiguration } from '@gateway/testing';
import { configurationFor, openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
beforeAll(async () => {
  worker = await openWorker();
  await worker.startWorker(
    {},
    fixedConfiguration(
      costing({
        'sandbox-video': { currency: 'USD', outputSecond: '0.07', minimum: '0.3' },
        'by-tokens': { currency: 'USD', millionTokens: '4.3' },
      }),
    ),
  );
});
afterAll(() => worker.close());

/** The usual model under these names, each with its cost; `free` has none. */
function costing(costs: Readonly<Record<string, CostRules>>): Configuration {
  const usual = configurationFor(worker.sandbox);
  const model = usual.models.get('sandbox-video');
  if (model === undefined) throw new Error('no model to copy');
  return {
    ...usual,
    models: new Map([
      ...Object.entries(costs).map(
        ([name, cost]) =>
          [
            name,
            { ...model, name, routes: model.routes.map((route) => ({ ...route, cost })) },
          ] as const,
      ),
      ['free', { ...model, name: 'free' }],
    ]),
  };
}

const triesOf = ({ id }: Task): Promise<TaskTry[]> => createTaskTries(worker.database).ofTask(id);
const rules: QuotaRules = { outputSecond: 10, reference: { image: 5 }, minimum: 45 };

describe('a video at a price of rules', () => {
  it.each([
    ['[actual=4]', 4, 45],
    ['[actual=5]', 5, 50],
  ])('made of %s is billed what its terms say', async (prompt, seconds, quota) => {
    const { terms, quota: held } = termsOf(rules, {
      resolution: '480p',
      seconds: 5,
      audio: false,
      inputSeconds: { video: 0, audio: 0 },
      references: { image: 0, video: 0, audio: 0 },
      factors: [],
    });

    const task = await worker.aTask(prompt, {
      price: { secondQuota: 10, reservedSeconds: 5, maxQuota: held, terms },
    });

    expect((await worker.until(task.id, 'succeeded')).billed).toMatchObject({ seconds, quota });
  });
});

describe('what a vendor asks for', () => {
  it('is calculated from what it made, with the try', async () => {
    const task = await worker.aTask('[actual=5] x');
    await worker.until(task.id, 'succeeded');

    expect(await triesOf(task)).toMatchObject([
      { outcome: 'succeeded', vendorCost: '0.35', vendorCurrency: 'USD', costSource: 'calculated' },
    ]);
  });

  it('is that of the tokens that it reports', async () => {
    const task = await worker.aTask('[actual=5] x', { model: 'by-tokens' });
    const { result } = await worker.until(task.id, 'succeeded');

    const tokens = result?.totalTokens ?? 0;
    expect(tokens).toBeGreaterThan(0);
    expect(await triesOf(task)).toMatchObject([
      { vendorCost: String((tokens * 43) / 10_000_000), costSource: 'reported' },
    ]);
  });

  it('is not known of a model without a cost, or that another vendor serves now', async () => {
    const free = await worker.aTask('[actual=5] x', { model: 'free' });
    const moved = await worker.aTask('[actual=5] x', {
      vendor: { ...free.vendor, provider: 'narrow' },
    });

    for (const task of [free, moved]) {
      await worker.until(task.id, 'succeeded');
      expect(await triesOf(task)).toMatchObject([{ vendorCost: null, costSource: null }]);
    }
  });

  it('is nothing for a video that the vendor did not make', async () => {
    const task = await worker.aTask('[fail] x');
    await worker.until(task.id, 'failed');

    expect(await triesOf(task)).toMatchObject([{ outcome: 'failed', vendorCost: null }]);
  });

  it('is noted with work that nobody is billed for', async () => {
    const task = await worker.aTask('[no-output] x');
    await worker.until(task.id, 'failed');
    const today = new Date().toISOString().slice(0, 10);

    await eventually(
      async () => {
        const { exposures } = await createMarginReads(worker.database).ofPeriod({
          from: today,
          to: today,
        });
        expect(exposures.filter(({ taskId }) => taskId === task.id)).toMatchObject([
          {
            kind: 'output_lost',
            currency: 'USD',
            cost: '0.350000000000',
            costSource: 'calculated',
          },
        ]);
      },
      { withinMs: 20_000 },
    );
  });
});
