import { toDecimal } from './decimal.ts';
import { maxQuota } from './quota.ts';

/**
 * What text costs, in the operator's quota units for `per` tokens, as the configuration says it.
 */
export interface TokenPrice {
  readonly input: number;
  /** Tokens read from the vendor's cache. */
  readonly cachedInput: number;
  /** Tokens written to the vendor's cache. */
  readonly cacheWrite: number;
  /** Tokens written to it for an hour; undefined: as the others. */
  readonly cacheWrite1h?: number | undefined;
  /** Reasoning included. */
  readonly output: number;
  readonly per: number;
  /** Of one use of a tool that the vendor runs, by its name. */
  readonly serverTools?: Readonly<Record<string, number>> | undefined;
  /** Factors of the prices of tokens, by the name of the tier. */
  readonly serviceTiers?: Readonly<Record<string, number>> | undefined;
}

/** What is to be priced; `inputTokens` excludes what was read from and written to a cache. */
export interface PricedTokens {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  /** For however long. */
  readonly cacheWriteTokens: number;
  /** Of those, for an hour. */
  readonly cacheWrite1hTokens?: number | undefined;
  readonly outputTokens: number;
  /** By the names of the price; a use of what it does not name is free. */
  readonly serverToolUses?: Readonly<Record<string, number>> | undefined;
  /** A tier that the price does not name costs what tokens cost without one. */
  readonly serviceTier?: string | undefined;
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
  const { rates, tools } = exactPrice(price);
  const exact =
    tokens.serviceTier === undefined
      ? rates.standard
      : (rates.tiers.get(tokens.serviceTier) ?? rates.standard);
  if (tools !== undefined && tokens.serverToolUses !== undefined) {
    return costOf(exact, tokens, costOfUses(tools, tokens.serverToolUses));
  }
  const quick = exact.nano === undefined ? undefined : quickCost(exact.nano, tokens);
  return quick === undefined ? costOf(exact, tokens, nothing) : BigInt(quick);
}

/** Nano-quota a token costs in each of its kinds. */
type Rates<Unit> = readonly [
  input: Unit,
  cachedInput: Unit,
  cacheWrite: Unit,
  cacheWrite1h: Unit,
  output: Unit,
];

/**
 * Nano-quota a token costs, where that is a whole number: usual prices are, and doubles count whole
 * numbers exactly at a tenth of BigInt's cost.
 */
type NanoPrice = Rates<number>;

/** Undefined where a double would round, or a count is none. */
function quickCost(
  [input, cachedInput, cacheWrite, cacheWrite1h, output]: NanoPrice,
  tokens: PricedTokens,
): number | undefined {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = tokens;
  const { cacheWrite1hTokens = 0 } = tokens;
  if (
    !isCount(inputTokens) ||
    !isCount(cachedInputTokens) ||
    !isCount(cacheWriteTokens) ||
    !isCount(outputTokens) ||
    !isCount(cacheWrite1hTokens)
  ) {
    return undefined;
  }
  const forAnHour = Math.min(cacheWrite1hTokens, cacheWriteTokens);
  const cost =
    input * inputTokens +
    cachedInput * cachedInputTokens +
    cacheWrite * (cacheWriteTokens - forAnHour) +
    cacheWrite1h * forAnHour +
    output * outputTokens;
  return cost <= Number.MAX_SAFE_INTEGER ? cost : undefined;
}

const isCount = (value: number): boolean => value >= 0 && Number.isSafeInteger(value);

/** Quota, as a fraction. */
interface Fraction {
  readonly digits: bigint;
  readonly divisor: bigint;
}

const nothing: Fraction = { digits: 0n, divisor: 1n };

function costOf({ units, divisor }: ExactRates, tokens: PricedTokens, uses: Fraction): bigint {
  const [input, cachedInput, cacheWrite, cacheWrite1h, output] = units;
  const written = wholeCount(tokens.cacheWriteTokens);
  const reported = wholeCount(tokens.cacheWrite1hTokens ?? 0);
  const forAnHour = reported < written ? reported : written;
  const sum =
    input * wholeCount(tokens.inputTokens) +
    cachedInput * wholeCount(tokens.cachedInputTokens) +
    cacheWrite * (written - forAnHour) +
    cacheWrite1h * forAnHour +
    output * wholeCount(tokens.outputTokens);
  const digits = (sum * uses.divisor + uses.digits * divisor) * nanoPerQuota;
  const common = divisor * uses.divisor;
  const nano = (digits * 2n + common) / (common * 2n);
  return nano > maxCostNano ? maxCostNano : nano;
}

function costOfUses(tools: ExactTools, uses: Readonly<Record<string, number>>): Fraction {
  let digits = 0n;
  for (const [name, count] of Object.entries(uses)) {
    digits += (tools.each.get(name) ?? 0n) * wholeCount(count);
  }
  return { digits, divisor: tools.divisor };
}

/** The price of each kind of token as whole numbers: each times tokens, over `divisor`, is quota. */
interface ExactRates {
  readonly units: Rates<bigint>;
  readonly divisor: bigint;
  readonly nano: NanoPrice | undefined;
}

/** The price of one use of each tool as whole numbers over `divisor`. */
interface ExactTools {
  readonly each: ReadonlyMap<string, bigint>;
  readonly divisor: bigint;
}

interface ExactPrice {
  readonly rates: {
    readonly standard: ExactRates;
    readonly tiers: ReadonlyMap<string, ExactRates>;
  };
  readonly tools: ExactTools | undefined;
}

/** Prices are few and live as long as their configuration. */
const exactPrices = new WeakMap<TokenPrice, ExactPrice>();

function exactPrice(price: TokenPrice): ExactPrice {
  const known = exactPrices.get(price);
  if (known !== undefined) return known;
  const tiers = Object.entries(price.serviceTiers ?? {});
  const exact: ExactPrice = {
    rates: {
      standard: exactRates(price, 1),
      tiers: new Map(tiers.map(([tier, factor]) => [tier, exactRates(price, factor)])),
    },
    tools: price.serverTools && exactTools(price.serverTools),
  };
  exactPrices.set(price, exact);
  return exact;
}

function exactRates(price: TokenPrice, factor: number): ExactRates {
  const { input, cachedInput, cacheWrite, cacheWrite1h = cacheWrite, output, per } = price;
  const { whole, divisor } = onOneScale([input, cachedInput, cacheWrite, cacheWrite1h, output]);
  const { digits, places } = toDecimal(factor);
  const rates = {
    units: whole.map((unit) => unit * digits) as unknown as Rates<bigint>,
    divisor: BigInt(per) * divisor * 10n ** BigInt(places),
  };
  return { ...rates, nano: nanoOf(rates) };
}

function exactTools(tools: Readonly<Record<string, number>>): ExactTools {
  const { whole, divisor } = onOneScale(Object.values(tools));
  return {
    each: new Map(Object.keys(tools).map((name, index) => [name, whole[index] ?? 0n])),
    divisor,
  };
}

/** Decimals as whole numbers over one power of ten. */
function onOneScale(values: readonly number[]): { whole: bigint[]; divisor: bigint } {
  const decimals = values.map(toDecimal);
  const most = Math.max(0, ...decimals.map(({ places }) => places));
  return {
    whole: decimals.map(({ digits, places }) => digits * 10n ** BigInt(most - places)),
    divisor: 10n ** BigInt(most),
  };
}

function nanoOf({ units, divisor }: Omit<ExactRates, 'nano'>): NanoPrice | undefined {
  const nano = units.map((unit) => unit * nanoPerQuota);
  const areWhole = nano.every(
    (unit) => unit % divisor === 0n && unit / divisor <= BigInt(Number.MAX_SAFE_INTEGER),
  );
  return areWhole
    ? (nano.map((unit) => Number(unit / divisor)) as unknown as NanoPrice)
    : undefined;
}

const wholeCount = (count: number): bigint =>
  count > 0 && Number.isFinite(count) ? BigInt(Math.round(count)) : 0n;
