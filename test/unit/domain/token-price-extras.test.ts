import { describe, expect, it } from '@jest/globals';
import {
  maxCostNano,
  nanoPerQuota,
  tokenCost,
  type PricedTokens,
  type TokenPrice,
} from '@gateway/domain';
import fc from 'fast-check';

const plain: TokenPrice = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75, per: 1_000 };
const price: TokenPrice = {
  ...plain,
  cacheWrite1h: 6,
  serverTools: { web_search: 10, web_fetch: 0.001 },
  serviceTiers: { flex: 0.5, priority: 2, odd: 0.1 },
};
const nothing: PricedTokens = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

describe('what has a price beside tokens', () => {
  it.each<[string, TokenPrice, Partial<PricedTokens>, bigint]>([
    [
      'a cache write for an hour',
      price,
      { cacheWriteTokens: 3, cacheWrite1hTokens: 2 },
      15_750_000n,
    ],
    [
      'one without a price of its own',
      plain,
      { cacheWriteTokens: 3, cacheWrite1hTokens: 2 },
      11_250_000n,
    ],
    [
      'more written for an hour than at all',
      price,
      { cacheWriteTokens: 1, cacheWrite1hTokens: 9 },
      6_000_000n,
    ],
    [
      'a broken count for an hour',
      price,
      { cacheWriteTokens: 2, cacheWrite1hTokens: NaN },
      7_500_000n,
    ],
    ['two searches', price, { serverToolUses: { web_search: 2 } }, 20n * nanoPerQuota],
    [
      'searches and fetches with tokens',
      price,
      { inputTokens: 1, serverToolUses: { web_search: 1, web_fetch: 3 } },
      10_006_000_000n,
    ],
    ['a tool without a price', price, { serverToolUses: { toString: 5, x: 5 } }, 0n],
    ['a tool where none has a price', plain, { serverToolUses: { web_search: 5 } }, 0n],
    ['a broken count of uses', price, { serverToolUses: { web_search: -3, web_fetch: NaN } }, 0n],
    ['a cheap tier', price, { outputTokens: 3, serviceTier: 'flex' }, 22_500_000n],
    ['a dear tier', price, { inputTokens: 1, serviceTier: 'priority' }, 6_000_000n],
    [
      'a tier, which is no factor of what tools cost',
      price,
      { inputTokens: 1, serviceTier: 'priority', serverToolUses: { web_search: 1 } },
      10_006_000_000n,
    ],
    ['a tier without a price', price, { inputTokens: 1, serviceTier: 'default' }, 3_000_000n],
    ['a tier named like a method', price, { inputTokens: 1, serviceTier: 'toString' }, 3_000_000n],
    [
      'a factor that a binary fraction cannot hold',
      { ...price, input: 0.7, per: 1 },
      { inputTokens: 3, serviceTier: 'odd' },
      210_000_000n,
    ],
    [
      'halves of tokens and tools that are rounded once, on the sum',
      { ...plain, input: 1e-9, per: 1_000, serverTools: { x: 5e-10 } },
      { inputTokens: 500, serverToolUses: { x: 1 } },
      1n,
    ],
    [
      'more than a balance can hold',
      price,
      { serverToolUses: { web_search: Number.MAX_SAFE_INTEGER } },
      maxCostNano,
    ],
  ])('is exact for %s', (_case, each, tokens, nano) => {
    expect(tokenCost(each, { ...nothing, ...tokens })).toBe(nano);
  });

  const count = fc.integer({ min: 0, max: 1_000_000 });
  const usage = fc.record({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWriteTokens: count,
    cacheWrite1hTokens: count,
    outputTokens: count,
    serverToolUses: fc.record({ web_search: count, web_fetch: count }),
    serviceTier: fc.constantFrom(undefined, 'flex', 'priority', 'odd', 'default'),
  });

  it('never makes a cost fall when more is used, nor below nothing', () => {
    fc.assert(
      fc.property(usage, usage, (some, more) => {
        const sum: PricedTokens = {
          inputTokens: some.inputTokens + more.inputTokens,
          cachedInputTokens: some.cachedInputTokens + more.cachedInputTokens,
          cacheWriteTokens: some.cacheWriteTokens + more.cacheWriteTokens,
          cacheWrite1hTokens: some.cacheWrite1hTokens + more.cacheWrite1hTokens,
          outputTokens: some.outputTokens + more.outputTokens,
          serverToolUses: {
            web_search: some.serverToolUses.web_search + more.serverToolUses.web_search,
            web_fetch: some.serverToolUses.web_fetch + more.serverToolUses.web_fetch,
          },
          serviceTier: some.serviceTier,
        };

        expect(tokenCost(price, some)).toBeGreaterThanOrEqual(0n);
        expect(tokenCost(price, sum)).toBeGreaterThanOrEqual(tokenCost(price, some));
      }),
      { seed: 7 },
    );
  });

  it('changes nothing where a price names none of it', () => {
    fc.assert(
      fc.property(usage, ({ cacheWrite1hTokens, serverToolUses, serviceTier, ...tokens }) => {
        expect(
          tokenCost(plain, { ...tokens, cacheWrite1hTokens, serverToolUses, serviceTier }),
        ).toBe(tokenCost(plain, tokens));
      }),
      { seed: 7 },
    );
  });

  it('costs the same with and without the shortcut for whole nano-quota', () => {
    fc.assert(
      fc.property(usage, (each) => {
        expect(tokenCost(price, { ...each, serverToolUses: {} })).toBe(
          tokenCost(price, { ...each, serverToolUses: undefined }),
        );
      }),
      { seed: 7 },
    );
  });
});
