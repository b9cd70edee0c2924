import { describe, expect, it } from '@jest/globals';
import type { Reference, Task } from '@gateway/contracts';
import { termsOf, type CostRules, type QuotaRules } from '@gateway/domain';
import { vendorCostOf } from '../../../services/video-worker/src/adapters/vendor-costs.ts';
import { aModel, aRoute, aTask } from '../contracts/samples.ts';

const clip: Reference = {
  kind: 'video',
  role: 'reference_video',
  source: { type: 'url', url: 'https://files.example/a.mp4' },
};
const model = aModel();
const route = aRoute();
const usual: Task = aTask({
  model: model.name,
  vendor: {
    provider: route.provider,
    kind: 'ark',
    baseUrl: 'https://vendor.example',
    credentialId: 'c',
    upstreamModel: route.upstreamModel,
    taskId: 'vendor-1',
  },
});
const task: Task = {
  ...usual,
  request: { ...usual.request, resolution: '720p', references: [clip, clip] },
};
const at = (cost: Omit<CostRules, 'currency'>) => ({
  models: new Map([
    [model.name, aModel({ routes: [aRoute({ cost: { currency: 'USD', ...cost } })] })],
  ]),
});
const output = { videoUrl: 'https://vendor.example/v.mp4' };
const amount = (...given: Parameters<typeof vendorCostOf>): string | undefined =>
  vendorCostOf(...given)?.amount;

describe('what a vendor asks for its work', () => {
  it('is what the vendor says that it charges, before anything else', () => {
    expect(
      vendorCostOf(at({ outputSecond: '1' }), task, {
        output: { ...output, cost: { amount: '0.35', currency: 'CNY' } },
      }),
    ).toEqual({ amount: '0.35', currency: 'CNY', source: 'reported' });
  });

  it('is that of the length that the vendor says, then of the file, then of the reservation', () => {
    const { models } = at({ outputSecond: '0.1' });
    const result = { seconds: 3.4, completionTokens: 1 };

    expect(amount({ models }, task, { output: { ...output, seconds: 4 }, result })).toBe('0.4');
    expect(amount({ models }, task, { output, result })).toBe('0.3');
    expect(amount({ models }, task)).toBe(String(task.price.reservedSeconds / 10));
  });

  it('is that of the seconds that the vendor counts, to the fraction, those of clips included', () => {
    const rules = at({
      outputSecond: '0.1',
      inputSecond: { video: '0.05' },
      inputSecondAssumed: 15,
    });

    expect(
      vendorCostOf(rules, task, { output: { ...output, seconds: 5, chargedSeconds: 12.35 } }),
    ).toEqual({ amount: '1.235', currency: 'USD', source: 'reported' });
    expect(vendorCostOf(rules, task, { output: { ...output, seconds: 5 } })).toEqual({
      amount: '2',
      currency: 'USD',
      source: 'calculated',
    });
  });

  it('is that of the resolution that was made, where it has a figure', () => {
    const { models } = at({ outputSecond: { '480p': '1', '720p': '2' } });
    const made = (resolution: string) => ({ output: { ...output, seconds: 1, resolution } });

    expect(amount({ models }, task, made('480p'))).toBe('1');
    expect(amount({ models }, task, made('333p'))).toBe('2');
  });

  it('counts references, and assumes their seconds where nobody measured them', () => {
    const { models } = at({
      minimum: '0',
      reference: { video: '0.5' },
      inputSecond: { video: '0.01' },
      inputSecondAssumed: 20,
    });

    expect(amount({ models }, task)).toBe('1.4');
  });

  it('takes the seconds of references that were measured for the price', () => {
    const rules: QuotaRules = { outputSecond: 1, inputSecond: { video: 5 } };
    const { terms } = termsOf(rules, {
      resolution: '720p',
      seconds: 5,
      audio: false,
      inputSeconds: { video: 7, audio: 0 },
      references: { image: 0, video: 2, audio: 0 },
      factors: [],
    });
    const { models } = at({ minimum: '0', inputSecond: { video: '0.01' }, inputSecondAssumed: 20 });

    expect(amount({ models }, { ...task, price: { ...task.price, terms } })).toBe('0.07');
  });

  it.each([
    ['reported', { output: { ...output, totalTokens: 1_000 } }],
    ['calculated', { output, result: { seconds: 5, completionTokens: 1_000 } }],
  ] as const)('by tokens is %s as the tokens are', (source, work) => {
    expect(vendorCostOf(at({ millionTokens: '4' }), task, work)).toEqual({
      amount: '0.004',
      currency: 'USD',
      source,
    });
  });

  it.each([
    ['a model without a cost', { models: new Map([[model.name, model]]) }, task, {}],
    ['a model that is gone', { models: new Map() }, task, {}],
    [
      'a model that another vendor serves by now',
      at({ outputSecond: '1' }),
      { ...task, vendor: { ...task.vendor, upstreamModel: 'film-0' } },
      {},
    ],
    ['tokens that nobody counted', at({ millionTokens: '4' }), task, {}],
    [
      'nonsense',
      at({ millionTokens: '999999' }),
      task,
      { output: { ...output, totalTokens: Number.MAX_SAFE_INTEGER } },
    ],
  ] as const)('is not known of %s', (_what, configuration, of, work) => {
    expect(vendorCostOf(configuration, of, work)).toBeUndefined();
  });
});
