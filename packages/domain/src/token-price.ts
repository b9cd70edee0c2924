import { maxQuota } from './price.ts';

/**
 * What text costs, in the operator's quota units for `per` tokens, as the configuration says it.
 */
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
 * Cost in nano-quota, exact: the decimals of the price are taken as they are written, and rounding
 * happens once, on the sum, to the nearest nano-quota (half up). Counts that a vendor should never
 * report (negative, broken) are read as the nearest whole number from 0 on; a sum beyond
 * `maxCostNano` is `maxCostNano`.
 */
export function tokenCost(price: TokenPrice, tokens: PricedTokens): bigint {
  const exact = exactPrice(price);
  const quick = exact.nano === undefined ? undefined : quickCost(exact.nano, tokens);
  return quick === undefined ? costOf(exact, tokens) : BigInt(quick);
}

/**
 * Nano-quota a token costs, where that is a whole number: usual prices are, and doubles count whole
 * numbers exactly at a tenth of BigInt's cost.
 */
type NanoPrice = readonly [input: number, cachedInput: number, cacheWrite: number, output: number];

/** Undefined where a double would round, or a count is none. */
function quickCost(
  [input, cachedInput, cacheWrite, output]: NanoPrice,
  tokens: PricedTokens,
): number | undefined {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = tokens;
  if (
    !isCount(inputTokens) ||
    !isCount(cachedInputTokens) ||
    !isCount(cacheWriteTokens) ||
    !isCount(outputTokens)
  ) {
    return undefined;
  }
  const cost =
    input * inputTokens +
    cachedInput * cachedInputTokens +
    cacheWrite * cacheWriteTokens +
    output * outputTokens;
  return cost <= Number.MAX_SAFE_INTEGER ? cost : undefined;
}

const isCount = (value: number): boolean => value >= 0 && Number.isSafeInteger(value);

function costOf(
  { input, cachedInput, cacheWrite, output, divisor }: ExactPrice,
  tokens: PricedTokens,
): bigint {
  const sum =
    input * wholeCount(tokens.inputTokens) +
    cachedInput * wholeCount(tokens.cachedInputTokens) +
    cacheWrite * wholeCount(tokens.cacheWriteTokens) +
    output * wholeCount(tokens.outputTokens);
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
  readonly nano: NanoPrice | undefined;
}

/** Prices are few and live as long as their configuration. */
const exactPrices = new WeakMap<TokenPrice, ExactPrice>();

function exactPrice(price: TokenPrice): ExactPrice {
  const known = exactPrices.get(price);
  if (known !== undefined) return known;
  const places = Math.max(
    ...[price.input, price.cachedInput, price.cacheWrite, price.output].map(
      (unit) => toDecimal(unit).places,
    ),
  );
  const whole = (unit: number): bigint =>
    toDecimal(unit).digits * 10n ** BigInt(places - toDecimal(unit).places);
  const parts = {
    input: whole(price.input),
    cachedInput: whole(price.cachedInput),
    cacheWrite: whole(price.cacheWrite),
    output: whole(price.output),
    divisor: BigInt(price.per) * 10n ** BigInt(places),
  };
  const exact: ExactPrice = { ...parts, nano: nanoOf(parts) };
  exactPrices.set(price, exact);
  return exact;
}

function nanoOf({
  input,
  cachedInput,
  cacheWrite,
  output,
  divisor,
}: Omit<ExactPrice, 'nano'>): NanoPrice | undefined {
  const units = [input, cachedInput, cacheWrite, output].map((unit) => unit * nanoPerQuota);
  const areWhole = units.every(
    (unit) => unit % divisor === 0n && unit / divisor <= BigInt(Number.MAX_SAFE_INTEGER),
  );
  return areWhole
    ? (units.map((unit) => Number(unit / divisor)) as unknown as NanoPrice)
    : undefined;
}

interface Decimal {
  readonly digits: bigint;
  /** Digits after the point. */
  readonly places: number;
}

/**
 * The shortest decimal that means this number: 0.3 is three tenths, not the binary fraction that a
 * number holds.
 */
function toDecimal(value: number): Decimal {
  const [, whole = '0', fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  const places = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

const wholeCount = (count: number): bigint =>
  count > 0 && Number.isFinite(count) ? BigInt(Math.round(count)) : 0n;
