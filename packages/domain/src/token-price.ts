import { maxQuota } from './price.ts';

/** What text costs, in the operator's quota units for `per` tokens, as the configuration says it. */
export interface TokenPrice {
  readonly input: number;
  /** Tokens read from the vendor's cache. */
  readonly cachedInput: number;
  /** Tokens written to the vendor's cache. */
  readonly cacheWrite: number;
  /** Reasoning included. */
  readonly output: number;
  readonly per: number;
}

/** Tokens to be priced; `inputTokens` excludes what was read from and written to a cache. */
export interface PricedTokens {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** Nano-quota in one unit of quota. */
export const nanoPerQuota = 1_000_000_000n;

/** The most that one request can cost, in nano-quota: what a balance can hold at all. */
export const maxCostNano = BigInt(maxQuota) * nanoPerQuota;

/**
 * Cost in nano-quota, exact: the decimals of the price are taken as they are written, and rounding happens once, on the
 * sum, to the nearest nano-quota (half up). Counts that a vendor should never report (negative, broken) are read as the
 * nearest whole number from 0 on; a sum beyond `maxCostNano` is `maxCostNano`.
 */
export function tokenCost(price: TokenPrice, tokens: PricedTokens): bigint {
  const { input, cachedInput, cacheWrite, output, divisor } = exactPrice(price);
  const sum = input * wholeCount(tokens.inputTokens) + cachedInput * wholeCount(tokens.cachedInputTokens) + cacheWrite * wholeCount(tokens.cacheWriteTokens) + output * wholeCount(tokens.outputTokens);
  const nano = (sum * nanoPerQuota * 2n + divisor) / (divisor * 2n);
  return nano > maxCostNano ? maxCostNano : nano;
}

/** A price as whole numbers: each times tokens, over `divisor`, is quota. */
interface ExactPrice {
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly cacheWrite: bigint;
  readonly output: bigint;
  readonly divisor: bigint;
}

/** Prices are few and live as long as their configuration. */
const exactPrices = new WeakMap<TokenPrice, ExactPrice>();

function exactPrice(price: TokenPrice): ExactPrice {
  const known = exactPrices.get(price);
  if (known !== undefined) return known;
  const places = Math.max(...[price.input, price.cachedInput, price.cacheWrite, price.output].map((unit) => toDecimal(unit).places));
  const whole = (unit: number): bigint => toDecimal(unit).digits * 10n ** BigInt(places - toDecimal(unit).places);
  const exact: ExactPrice = { input: whole(price.input), cachedInput: whole(price.cachedInput), cacheWrite: whole(price.cacheWrite), output: whole(price.output), divisor: BigInt(price.per) * 10n ** BigInt(places) };
  exactPrices.set(price, exact);
  return exact;
}

interface Decimal {
  readonly digits: bigint;
  /** Digits after the point. */
  readonly places: number;
}

/** The shortest decimal that means this number: 0.3 is three tenths, not the binary fraction that a number holds. */
function toDecimal(value: number): Decimal {
  const [, whole = '0', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

const wholeCount = (count: number): bigint => (count > 0 && Number.isFinite(count) ? BigInt(Math.round(count)) : 0n);
