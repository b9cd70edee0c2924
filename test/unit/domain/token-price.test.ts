import { describe, expect, it } from '@jest/globals';
import {
  maxCostNano,
  nanoPerQuota,
  tokenCost,
  type PricedTokens,
  type TokenPrice,
} from '@gateway/domain';
import fc from 'fast-check';

const price: TokenPrice = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75, per: 1_000 };
const nothing: PricedTokens = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

describe('the cost of tokens', () => {
  it.each<[string, TokenPrice, Partial<PricedTokens>, bigint]>([
    ['nothing', price, {}, 0n],
    ['one token of input', price, { inputTokens: 1 }, 3_000_000n],
    ['one token from the cache', price, { cachedInputTokens: 1 }, 300_000n],
    ['one token into the cache', price, { cacheWriteTokens: 1 }, 3_750_000n],
    ['one token of output', price, { outputTokens: 1 }, 15_000_000n],
    [
      'an ordinary completion',
      price,
      { inputTokens: 1_200, cachedInputTokens: 10_000, cacheWriteTokens: 400, outputTokens: 800 },
      20_100_000_000n,
    ],
    [
      'a thousand tokens at three tenths',
      { ...price, input: 0.3 },
      { inputTokens: 1_000 },
      300_000_000n,
    ],
    [
      'a price that a binary fraction cannot hold, a million times',
      { ...price, input: 0.1, per: 1 },
      { inputTokens: 1_000_000 },
      100_000n * nanoPerQuota,
    ],
    [
      'a price in scientific notation',
      { ...price, input: 1e-7, per: 1 },
      { inputTokens: 15 },
      1_500n,
    ],
    [
      'a price beyond the digits of a number',
      { ...price, input: 1e21, per: 1_000_000_000 },
      { inputTokens: 1 },
      1_000_000_000_000n * nanoPerQuota,
    ],
    [
      'less than half a nano-quota',
      { ...price, input: 1e-9, per: 1_000 },
      { inputTokens: 499 },
      0n,
    ],
    [
      'half a nano-quota, which is rounded up',
      { ...price, input: 1e-9, per: 1_000 },
      { inputTokens: 500 },
      1n,
    ],
    [
      'halves that are rounded once, on the sum',
      { ...price, input: 1e-9, output: 1e-9, per: 1_000 },
      { inputTokens: 500, outputTokens: 500 },
      1n,
    ],
    ['thirds', { ...price, input: 1, per: 3 }, { inputTokens: 2 }, 666_666_667n],
    [
      'a free model',
      { input: 0, output: 0, cachedInput: 0, cacheWrite: 0, per: 1 },
      { inputTokens: 1_000_000, outputTokens: 1_000_000 },
      0n,
    ],
  ])('is exact for %s', (_case, each, tokens, nano) => {
    expect(tokenCost(each, { ...nothing, ...tokens })).toBe(nano);
  });

  it.each([-5, NaN, Infinity, -Infinity])('reads a count of %s as none', (count) => {
    expect(tokenCost(price, { ...nothing, inputTokens: count })).toBe(0n);
  });

  it('reads a broken count as the nearest whole one', () => {
    expect(tokenCost(price, { ...nothing, inputTokens: 1.6 })).toBe(6_000_000n);
  });

  it('is never more than a balance can hold', () => {
    expect(
      tokenCost(
        { ...price, output: 1_000_000_000, per: 1 },
        { ...nothing, outputTokens: Number.MAX_SAFE_INTEGER },
      ),
    ).toBe(maxCostNano);
  });

  it('is exact on both sides of what a double can count', () => {
    const ofOne = 15_000_000n;
    const edge = Math.floor(Number.MAX_SAFE_INTEGER / Number(ofOne));

    for (const outputTokens of [edge - 1, edge, edge + 1, edge * 3 + 7]) {
      expect(tokenCost(price, { ...nothing, outputTokens })).toBe(ofOne * BigInt(outputTokens));
    }
  });

  it('is the sum of its parts whenever nothing is rounded', () => {
    const count = fc.integer({ min: 0, max: 10_000_000 });
    const cents = fc.integer({ min: 0, max: 1_000_000 });

    fc.assert(
      fc.property(cents, cents, count, count, (input, output, inputTokens, outputTokens) => {
        const each: TokenPrice = { ...price, input: input / 100, output: output / 100 };

        expect(tokenCost(each, { ...nothing, inputTokens, outputTokens })).toBe(
          BigInt(input) * 10_000n * BigInt(inputTokens) +
            BigInt(output) * 10_000n * BigInt(outputTokens),
        );
      }),
      { seed: 7 },
    );
  });
});
