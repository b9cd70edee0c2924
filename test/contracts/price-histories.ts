import { chargeOf, outputRate, quotaSum, secondQuota, termsOf } from '@gateway/domain';
import type { FactorName, PriceFacts, QuotaRules, VideoPrice } from '@gateway/domain';

/** Uniform whole numbers below a bound, the same for the same seed (xorshift). */
export function dice(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

type Roll = (below: number) => number;

const resolutions = ['480p', '720p', '1080p'] as const;
const most = 1_000_000_000;
const figure = (roll: Roll): number => [roll(10), roll(1_000), roll(most), most][roll(4)] ?? 0;
const maybe = <Value>(roll: Roll, make: () => Value): Value | undefined =>
  roll(2) === 0 ? undefined : make();
const factors = [0.5, 0.4, 0.29, 0.333333, 0.000001, 1, 1.5, 4, 3.99];

/** Some price that the configuration's schema allows. */
export function rulesOf(roll: Roll): QuotaRules {
  const rules = {
    ...(roll(3) === 0
      ? { clip: growing(roll) }
      : {
          outputSecond:
            roll(2) === 0
              ? figure(roll)
              : Object.fromEntries(resolutions.map((one) => [one, figure(roll)])),
        }),
    audioSecond: maybe(roll, () => figure(roll)),
    inputSecond: maybe(roll, () => ({ video: figure(roll), audio: figure(roll) })),
    reference: maybe(roll, () => ({ image: figure(roll), video: figure(roll) })),
    minimum: maybe(roll, () => figure(roll)),
    factor: maybe(roll, () => ({
      flex: factors[roll(factors.length)] ?? 1,
      ...(roll(2) === 0 && { draft: factors[roll(factors.length)] ?? 1 }),
    })),
  };
  return Object.fromEntries(
    Object.entries(rules).filter(([, value]) => value !== undefined),
  ) as QuotaRules;
}

/** Lengths of which none costs less than a shorter one, up to the longest video of a model. */
function growing(roll: Roll): Record<string, number> {
  const lengths = [...new Set([1 + roll(20), 1 + roll(100), 3_600])].sort((a, b) => a - b);
  const figures = lengths.map(() => figure(roll)).sort((a, b) => a - b);
  return Object.fromEntries(lengths.map((length, index) => [length, figures[index] ?? 0]));
}

/** What some request asks for, at most. */
const factsOf = (roll: Roll): PriceFacts => ({
  resolution: resolutions[roll(3)] ?? '720p',
  seconds: 1 + (roll(50) === 0 ? roll(3_600) : roll(20)),
  audio: roll(2) === 0,
  inputSeconds: { video: roll(3) * roll(10_000), audio: roll(200) },
  references: { image: roll(65), video: roll(65), audio: roll(3) },
  factors: (['flex', 'draft'] as FactorName[]).filter(() => roll(2) === 0),
});

const isSum = ({ items, quota }: ReturnType<typeof quotaSum>): boolean =>
  items.every((item) => item.quota === item.quantity * item.unit_quota && item.quota !== 0) &&
  items.reduce((all, item) => all + BigInt(item.quota), 0n) === BigInt(quota) &&
  quota >= 0;

/** What does not hold for one price, request and result; undefined when everything does. */
function brokenBy(rules: QuotaRules, facts: PriceFacts, made: number): string | undefined {
  const quoted = quotaSum(rules, facts);
  const { terms, quota: held } = termsOf(rules, facts);
  // Through the database and back.
  const charged = chargeOf(JSON.parse(JSON.stringify(terms)) as typeof terms, made);
  const checks: readonly (readonly [boolean, string])[] = [
    [quoted.quota === held, 'quote = hold'],
    [JSON.stringify(quoted.items) === JSON.stringify(terms.items), 'the same items'],
    [isSum(quoted), 'the items make the quote'],
    [isSum(charged), 'the items make the charge'],
    [charged.quota <= held, 'charge <= hold'],
    [made < facts.seconds || charged.quota === held, 'all of it made costs the hold'],
    [charged.quota >= (rules.minimum ?? 0), 'charge >= minimum'],
  ];
  return checks.find(([holds]) => !holds)?.[1];
}

/** What an old file says, against the same as rules. */
function brokenByOldFile(roll: Roll): string | undefined {
  const base = figure(roll);
  const price: VideoPrice = {
    secondQuota:
      roll(2) === 0 ? base : Object.fromEntries(resolutions.map((one) => [one, figure(roll)])),
    audioSecondQuota: figure(roll),
  };
  const rules: QuotaRules = {
    outputSecond: price.secondQuota,
    audioSecond: price.audioSecondQuota,
  };
  const facts = factsOf(roll);
  const rate = secondQuota(price, facts);
  const sum = quotaSum(rules, { ...facts, factors: [] });
  if (sum.quota !== rate * facts.seconds) return 'seconds × rate';
  return outputRate(rules, facts) === rate ? undefined : 'the rate of a second';
}

/** As many prices with requests and results; throws with the first that breaks anything. */
export function comparePrices(count: number, seed: number): void {
  const roll = dice(seed);
  for (let index = 0; index < count; index += 1) {
    const rules = rulesOf(roll);
    const facts = factsOf(roll);
    const made = 1 + roll(facts.seconds + 2);
    const broken = brokenBy(rules, facts, made) ?? brokenByOldFile(roll);
    if (broken !== undefined) {
      throw new Error(`${broken}: ${JSON.stringify({ seed, index, rules, facts, made })}`);
    }
  }
}
