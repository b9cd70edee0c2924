import { parseDecimal, toDecimal } from '../decimal.ts';
import { maxQuota } from '../quota.ts';

/** What an operator may ask money for beside the seconds of output, by its kind. */
export interface ReferenceAmounts<Amount> {
  readonly image?: Amount;
  readonly video?: Amount;
  readonly audio?: Amount;
}

/** By how a video is made; its sum is multiplied. */
export const factorNames = ['flex', 'draft'] as const;
export type FactorName = (typeof factorNames)[number];

/**
 * What a video costs: the sum of all rules that are given. An amount is quota for a customer
 * (`QuotaRules`), or an amount of a vendor's currency (`CostRules`).
 */
export interface PriceRules<Amount> {
  /** For each second of output: one amount, or one for each resolution. */
  readonly outputSecond?: Amount | Readonly<Record<string, Amount>>;
  /** For each second of output with generated audio, in addition. */
  readonly audioSecond?: Amount;
  /** For each second of the references of a kind; a part of a second counts as one. */
  readonly inputSecond?: Omit<ReferenceAmounts<Amount>, 'image'>;
  /** Seconds of a reference whose length cannot be had; undefined: it must be had. */
  readonly inputSecondAssumed?: number;
  /** For each reference of a kind, frames included. */
  readonly reference?: ReferenceAmounts<Amount>;
  /** For the whole of a video, by its length in seconds; one between two lengths costs the longer. */
  readonly clip?: Readonly<Record<string, Amount>>;
  /** For a million tokens that the vendor reports. */
  readonly millionTokens?: Amount;
  /** The least that a video costs, whatever the rest sums up to. */
  readonly minimum?: Amount;
  /** Of the sum of all before, rounded down; one after the other where several apply. */
  readonly factor?: Readonly<Partial<Record<FactorName, number>>>;
}

export type QuotaRules = PriceRules<number>;

/** Decimals as strings, so that none is a binary fraction; at most six places. */
export interface CostRules extends PriceRules<string> {
  /** ISO 4217. */
  readonly currency: string;
}

/** What of a video its price is calculated from: at most, or as it was made. */
export interface PriceFacts {
  readonly resolution: string;
  /** Whole seconds of output. */
  readonly seconds: number;
  readonly audio: boolean;
  /** Whole seconds of all references of a kind. */
  readonly inputSeconds: { readonly video: number; readonly audio: number };
  readonly references: { readonly image: number; readonly video: number; readonly audio: number };
  readonly factors: readonly FactorName[];
  /** As the vendor reports them. */
  readonly tokens?: number;
}

const partKinds = [
  'output_second',
  'clip',
  'audio_second',
  'input_second_video',
  'input_second_audio',
  'reference_image',
  'reference_video',
  'reference_audio',
  'token',
] as const;
type PartKind = (typeof partKinds)[number];

/** Parts in the order in which they are summed; then what changes the sum. */
export const priceItemKinds = [
  ...partKinds,
  'factor_flex',
  'factor_draft',
  'minimum',
] as const satisfies readonly (PartKind | `factor_${FactorName}` | 'minimum')[];
export type PriceItemKind = (typeof priceItemKinds)[number];

/**
 * One line of a sum: quantity × unit_quota = quota. A factor is what it takes away or adds, a minimum
 * what it adds; both once.
 */
export interface PriceItem {
  readonly kind: PriceItemKind;
  readonly quantity: number;
  readonly unit_quota: number;
  readonly quota: number;
}

export interface QuotaSum {
  /** None that is 0; together they are the quota. */
  readonly items: readonly PriceItem[];
  readonly quota: number;
}

/**
 * What a video costs a customer: the most it can cost for the facts of a request, what it did cost
 * for those of its result. Where no fact of the second is larger, neither is the sum, as long as no
 * clip costs less than a shorter one.
 */
export function quotaSum(rules: QuotaRules, facts: PriceFacts): QuotaSum {
  const { lines, total } = sumOf(rules, facts, BigInt);
  const items = lines.map(({ kind, quantity, unit, sum }) => ({
    kind,
    quantity,
    unit_quota: Number(unit),
    quota: Number(sum),
  }));
  if (total <= BigInt(maxQuota)) return { items, quota: Number(total) };
  throw new RangeError(`a video costs ${total} quota, more than a balance can hold`);
}

/** Places of an amount of money after the point. */
export const costPlaces = 12;

/** An amount in the units that sums are made of, 10^-12; the text has at most so many places. */
export function scaledCost(amount: string): bigint {
  const { digits, places } = parseDecimal(amount);
  return digits * 10n ** BigInt(costPlaces - places);
}

/** The same as a decimal, without zeros behind the last digit. Of a negative one, too. */
export function costText(scaled: bigint): string {
  const sign = scaled < 0n ? '-' : '';
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(costPlaces + 1, '0');
  const fraction = digits.slice(-costPlaces).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -costPlaces)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** What a vendor asks for such a video, as a decimal in the currency of the rules. */
export const costSum = (rules: CostRules, facts: PriceFacts): string =>
  costText(sumOf(rules, facts, scaledCost).total);

interface Line {
  readonly kind: PriceItemKind;
  readonly quantity: number;
  readonly unit: bigint;
  readonly sum: bigint;
}

/** The one function that every price is summed by, exact in units of `toUnits`. */
function sumOf<Amount extends number | string>(
  rules: PriceRules<Amount>,
  facts: PriceFacts,
  toUnits: (amount: Amount) => bigint,
): { readonly lines: readonly Line[]; readonly total: bigint } {
  const lines: Line[] = [];
  let total = 0n;
  const add = (kind: PriceItemKind, quantity: number, unit: bigint): void => {
    if (quantity === 0 || unit === 0n) return;
    const sum = Number.isInteger(quantity) ? unit * BigInt(quantity) : times(unit, quantity);
    lines.push({ kind, quantity, unit, sum });
    total += sum;
  };
  for (const kind of partKinds) {
    const { quantity, amount } = parts[kind](rules, facts);
    if (amount !== undefined) add(kind, quantity, unitOf(kind, toUnits(amount as Amount)));
  }
  for (const name of factorNames) {
    const factor = facts.factors.includes(name) ? rules.factor?.[name] : undefined;
    if (factor !== undefined) add(`factor_${name}`, 1, times(total, factor) - total);
  }
  const minimum = rules.minimum === undefined ? 0n : toUnits(rules.minimum);
  if (total < minimum) add('minimum', 1, minimum - total);
  return { lines, total };
}

const unitOf = (kind: PartKind, units: bigint): bigint =>
  kind === 'token' ? units / 1_000_000n : units;

/** Rounded down, so that a fraction is never charged, and a larger sum never becomes the smaller one. */
function times(total: bigint, factor: number): bigint {
  const { digits, places } = toDecimal(factor);
  return (total * digits) / 10n ** BigInt(places);
}

interface Part {
  readonly quantity: number;
  readonly amount: number | string | undefined;
}

type Rules = PriceRules<number | string>;

/** How much of each part a video has, and at which amount. */
const parts: Readonly<Record<PartKind, (rules: Rules, facts: PriceFacts) => Part>> = {
  output_second: ({ outputSecond, clip }, { seconds, resolution }) => ({
    quantity: seconds,
    amount: clip === undefined ? amountFor(outputSecond, resolution) : undefined,
  }),
  clip: ({ clip }, { seconds }) => ({ quantity: 1, amount: clip && clipFor(clip, seconds) }),
  audio_second: ({ audioSecond }, { audio, seconds }) => ({
    quantity: audio ? seconds : 0,
    amount: audioSecond,
  }),
  input_second_video: ({ inputSecond }, { inputSeconds }) => ({
    quantity: inputSeconds.video,
    amount: inputSecond?.video,
  }),
  input_second_audio: ({ inputSecond }, { inputSeconds }) => ({
    quantity: inputSeconds.audio,
    amount: inputSecond?.audio,
  }),
  reference_image: ({ reference }, { references }) => ({
    quantity: references.image,
    amount: reference?.image,
  }),
  reference_video: ({ reference }, { references }) => ({
    quantity: references.video,
    amount: reference?.video,
  }),
  reference_audio: ({ reference }, { references }) => ({
    quantity: references.audio,
    amount: reference?.audio,
  }),
  token: ({ millionTokens }, { tokens = 0 }) => ({ quantity: tokens, amount: millionTokens }),
};

/** The amount of a second at this resolution. */
function amountFor<Amount extends number | string>(
  amounts: Amount | Readonly<Record<string, Amount>> | undefined,
  resolution: string,
): Amount | undefined {
  if (typeof amounts !== 'object') return amounts;
  const amount = amounts[resolution];
  if (amount === undefined) throw new Error(`no price for resolution ${resolution}`);
  return amount;
}

/** The shortest clip that is long enough, else the longest. */
function clipFor<Amount>(
  clips: Readonly<Record<string, Amount>>,
  seconds: number,
): Amount | undefined {
  // Keys that are whole numbers come in their order.
  const lengths = Object.keys(clips);
  const length = lengths.find((text) => Number(text) >= seconds) ?? lengths.at(-1);
  return length === undefined ? undefined : clips[length];
}

/** The rules as far as a video of this resolution needs them: what is frozen with its hold. */
function rulesAt(rules: QuotaRules, resolution: string): QuotaRules {
  const { outputSecond, ...rest } = rules;
  const amount = amountFor(outputSecond, resolution);
  return amount === undefined ? rest : { ...rest, outputSecond: amount };
}

/** Quota for a second of output, audio included where it is generated; 0 where lengths are sold. */
export const outputRate = (
  { outputSecond, audioSecond = 0 }: QuotaRules,
  { resolution, audio }: Pick<PriceFacts, 'resolution' | 'audio'>,
): number => (amountFor(outputSecond, resolution) ?? 0) + (audio ? audioSecond : 0);

/** The rules that a sum was made by, and what it was made of: frozen with the hold of a video. */
export interface PriceTerms {
  readonly rules: QuotaRules;
  /** Of the request: the most of everything. */
  readonly facts: PriceFacts;
  /** Of the hold. */
  readonly items: readonly PriceItem[];
}

/** What a finished video costs by the terms of its hold, never more than that. */
export const chargeOf = ({ rules, facts }: PriceTerms, seconds: number): QuotaSum =>
  quotaSum(rules, { ...facts, seconds: Math.min(seconds, facts.seconds) });

/** Terms of a video that is to be made, and the most that it can cost. */
export function termsOf(
  rules: QuotaRules,
  facts: PriceFacts,
): { readonly terms: PriceTerms; readonly quota: number } {
  const frozen = rulesAt(rules, facts.resolution);
  const { items, quota } = quotaSum(frozen, facts);
  return { terms: { rules: frozen, facts, items }, quota };
}
