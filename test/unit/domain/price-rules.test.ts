import { describe, expect, it } from '@jest/globals';
import { chargeOf, costSum, outputRate, quotaSum, termsOf } from '@gateway/domain';
import type { CostRules, PriceFacts, QuotaRules } from '@gateway/domain';

const facts = (changes: Partial<PriceFacts> = {}): PriceFacts => ({
  resolution: '720p',
  seconds: 5,
  audio: false,
  inputSeconds: { video: 0, audio: 0 },
  references: { image: 0, video: 0, audio: 0 },
  factors: [],
  ...changes,
});
const everything: QuotaRules = {
  outputSecond: { '480p': 60, '720p': 100 },
  audioSecond: 20,
  inputSecond: { video: 50, audio: 3 },
  reference: { image: 2, video: 10, audio: 1 },
  minimum: 80,
  factor: { flex: 0.5, draft: 0.4 },
};

describe('the sum of a price', () => {
  it('shows each part that is charged for, in one order, each as quantity × unit', () => {
    const sum = quotaSum(
      everything,
      facts({
        audio: true,
        inputSeconds: { video: 7, audio: 4 },
        references: { image: 3, video: 2, audio: 1 },
      }),
    );

    expect(sum).toEqual({
      quota: 500 + 100 + 350 + 12 + 6 + 20 + 1,
      items: [
        { kind: 'output_second', quantity: 5, unit_quota: 100, quota: 500 },
        { kind: 'audio_second', quantity: 5, unit_quota: 20, quota: 100 },
        { kind: 'input_second_video', quantity: 7, unit_quota: 50, quota: 350 },
        { kind: 'input_second_audio', quantity: 4, unit_quota: 3, quota: 12 },
        { kind: 'reference_image', quantity: 3, unit_quota: 2, quota: 6 },
        { kind: 'reference_video', quantity: 2, unit_quota: 10, quota: 20 },
        { kind: 'reference_audio', quantity: 1, unit_quota: 1, quota: 1 },
      ],
    });
  });

  it.each<[string, QuotaRules, Partial<PriceFacts>, number]>([
    ['seconds at one figure', { outputSecond: 7 }, { resolution: 'any' }, 35],
    ['seconds of another resolution', everything, { resolution: '480p' }, 300],
    ['less than the minimum', { outputSecond: 10, minimum: 80 }, {}, 80],
    ['more than the minimum', { outputSecond: 10, minimum: 50 }, { seconds: 6 }, 60],
    ['the minimum alone', { minimum: 80 }, {}, 80],
    ['a clip of just its length', { clip: { 5: 300, 10: 900 } }, { seconds: 5 }, 300],
    ['the next longer clip', { clip: { 5: 300, 10: 900 } }, { seconds: 6 }, 900],
    ['no clip beyond the longest', { clip: { 5: 300, 10: 900 } }, { seconds: 11 }, 900],
    [
      'a factor, rounded down',
      { outputSecond: 5, factor: { flex: 0.5 } },
      { factors: ['flex'] },
      12,
    ],
    [
      'a decimal factor, exactly',
      { outputSecond: 1, factor: { flex: 0.29 } },
      { seconds: 100, factors: ['flex'] },
      29,
    ],
    ['two factors', { ...everything }, { factors: ['draft', 'flex'] }, 100],
    [
      'a minimum after the factors',
      { outputSecond: 10, minimum: 40, factor: { draft: 0.4 } },
      { factors: ['draft'] },
      40,
    ],
    ['no factor that was not asked for', everything, {}, 500],
    ['no factor that has no figure', { outputSecond: 10 }, { factors: ['flex'] }, 50],
  ])('is that of %s', (_what, rules, changes, quota) => {
    const sum = quotaSum(rules, facts(changes));

    expect(sum.quota).toBe(quota);
    expect(sum.items.reduce((all, item) => all + item.quota, 0)).toBe(quota);
    for (const item of sum.items) expect(item.quantity * item.unit_quota).toBe(item.quota);
  });

  it('shows what a factor takes away and a minimum adds', () => {
    expect(
      quotaSum(
        { outputSecond: 9, minimum: 30, factor: { flex: 0.5 } },
        facts({ factors: ['flex'] }),
      ).items,
    ).toEqual([
      { kind: 'output_second', quantity: 5, unit_quota: 9, quota: 45 },
      { kind: 'factor_flex', quantity: 1, unit_quota: -23, quota: -23 },
      { kind: 'minimum', quantity: 1, unit_quota: 8, quota: 8 },
    ]);
  });

  it('is an error, never a guess, for a resolution without a figure', () => {
    expect(() => quotaSum(everything, facts({ resolution: '4k' }))).toThrow('4k');
  });

  it('is an error where no balance could hold it', () => {
    expect(() => quotaSum({ outputSecond: 1_000_000_000 }, facts({ seconds: 10_000_000 }))).toThrow(
      'more than a balance can hold',
    );
  });
});

describe('the terms of a hold', () => {
  it('keep the rules of the resolution, what was summed and the items', () => {
    const rules: QuotaRules = { outputSecond: { '480p': 60, '720p': 100 }, minimum: 80 };

    expect(termsOf(rules, facts())).toEqual({
      quota: 500,
      terms: {
        rules: { outputSecond: 100, minimum: 80 },
        facts: facts(),
        items: [{ kind: 'output_second', quantity: 5, unit_quota: 100, quota: 500 }],
      },
    });
  });

  it.each([
    [3, 350],
    [1, 350],
    [5, 500],
    [9, 500],
  ])('charge %d seconds with %d, never more than the hold', (seconds, quota) => {
    const { terms } = termsOf({ outputSecond: 100, minimum: 350 }, facts());

    expect(chargeOf(terms, seconds).quota).toBe(quota);
  });
});

describe('the rate of a second', () => {
  it.each<[QuotaRules, boolean, number]>([
    [everything, false, 100],
    [everything, true, 120],
    [{ clip: { 5: 300 } }, false, 0],
    [{ clip: { 5: 300 }, audioSecond: 4 }, true, 4],
  ])('of %j is what a second of output costs', (rules, audio, rate) => {
    expect(outputRate(rules, { resolution: '720p', audio })).toBe(rate);
  });
});

describe('what a vendor asks for', () => {
  const usd = (rules: Omit<CostRules, 'currency'>): CostRules => ({ currency: 'USD', ...rules });

  it.each<[string, CostRules, Partial<PriceFacts>, string]>([
    ['tenths that are no binary fraction', usd({ outputSecond: '0.1' }), { seconds: 3 }, '0.3'],
    ['whole amounts', usd({ clip: { 5: '3', 10: '9' } }), { seconds: 10 }, '9'],
    ['tokens by the million', usd({ millionTokens: '4.3' }), { tokens: 108_900 }, '0.46827'],
    ['one token', usd({ millionTokens: '0.000001' }), { tokens: 1 }, '0.000000000001'],
    [
      'clips beside seconds',
      usd({ outputSecond: { '720p': '0.14' }, inputSecond: { video: '0.07' } }),
      { inputSeconds: { video: 3, audio: 0 } },
      '0.91',
    ],
    ['nothing', usd({ outputSecond: '0' }), {}, '0'],
    ['tokens that nobody counted', usd({ millionTokens: '4.3', minimum: '0.2' }), {}, '0.2'],
  ])('is exact for %s', (_what, rules, changes, amount) => {
    expect(costSum(rules, facts(changes))).toBe(amount);
  });
});
