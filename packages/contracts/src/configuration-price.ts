import type { CostRules, FactorName, QuotaRules, VideoPrice } from '@gateway/domain';
import { positive } from './configuration-parts.ts';

/** Longest reference whose seconds are priced, in whole seconds. */
export const longestPricedReference = 3_600;

const quota = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;

/** Of a vendor's currency; in quotes, since a number of YAML may be a binary fraction. */
const amount = {
  type: 'string',
  pattern: '^(0|[1-9][0-9]{0,5})(\\.[0-9]{1,6})?$',
  'x-must-be':
    'a decimal in quotes, for instance "0.05": below 1000000, at most six digits after the point',
} as const;

const oneOrByResolution = (figure: object, mustBe: string) =>
  ({
    if: { type: 'object' },
    then: { type: 'object', minProperties: 1, maxProperties: 32, additionalProperties: figure },
    else: figure,
    'x-must-be': mustBe,
  }) as const;

const byKind = (kinds: readonly string[], figure: object) =>
  ({
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: Object.fromEntries(kinds.map((kind) => [kind, figure])),
  }) as const;

/** The dearest video of all these bounds is still a number that JSON can hold. */
const factor = {
  type: 'number',
  exclusiveMinimum: 0,
  maximum: 4,
  'x-must-be': 'a factor above 0, at most 4',
} as const;

/** What prices and costs have in common, with figures of this schema. */
const ruleProperties = (figure: object, figureInWords: string) =>
  ({
    output_second: oneOrByResolution(figure, `${figureInWords}, or one for each resolution`),
    audio_second: figure,
    input_second: byKind(['video', 'audio'], figure),
    input_second_assumed: { ...positive, maximum: longestPricedReference },
    reference: byKind(['image', 'video', 'audio'], figure),
    clip: {
      type: 'object',
      minProperties: 1,
      maxProperties: 64,
      propertyNames: {
        pattern: '^[1-9][0-9]{0,3}$',
        'x-must-be': 'a length in whole seconds, at most 9999',
      },
      additionalProperties: figure,
    },
    minimum: figure,
    factor: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: { flex: factor, draft: factor },
    },
  }) as const;

/** `price` of a video model. */
export const priceSchema = {
  type: 'object',
  additionalProperties: false,
  properties: ruleProperties(quota, 'a whole number of quota units'),
} as const;

/** `cost` of a video model: what its vendor asks for. */
export const costSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['currency'],
  properties: {
    currency: {
      type: 'string',
      pattern: '^[A-Z]{3}$',
      'x-must-be': 'a currency of three letters, for instance USD',
    },
    ...ruleProperties(amount, 'an amount in quotes'),
    million_tokens: amount,
  },
} as const;

export interface RawRules<Amount> {
  output_second?: Amount | Record<string, Amount>;
  audio_second?: Amount;
  input_second?: { video?: Amount; audio?: Amount };
  input_second_assumed?: number;
  reference?: { image?: Amount; video?: Amount; audio?: Amount };
  clip?: Record<string, Amount>;
  minimum?: Amount;
  factor?: Partial<Record<FactorName, number>>;
}

/** The file's own spelling, after validation. */
export type RawPrice = RawRules<number>;
export interface RawCost extends RawRules<string> {
  currency: string;
  million_tokens?: string;
}

const toRules = <Amount>({
  output_second: outputSecond,
  audio_second: audioSecond,
  input_second: inputSecond,
  input_second_assumed: inputSecondAssumed,
  reference,
  clip,
  minimum,
  factor: factors,
}: RawRules<Amount>) => ({
  ...(outputSecond !== undefined && { outputSecond }),
  ...(audioSecond !== undefined && { audioSecond }),
  ...(inputSecond !== undefined && { inputSecond }),
  ...(inputSecondAssumed !== undefined && { inputSecondAssumed }),
  ...(reference !== undefined && { reference }),
  ...(clip !== undefined && { clip }),
  ...(minimum !== undefined && { minimum }),
  ...(factors !== undefined && { factor: factors }),
});

/** Rules that seconds × rate says as well. */
const secondsAlone: readonly string[] = ['output_second', 'audio_second'];

/** A price of seconds of output alone has no rules: it is the short form. */
export function toVideoPrice({
  price,
  second_quota: secondQuota = 0,
  audio_second_quota: audioSecondQuota,
}: {
  readonly price?: RawPrice | undefined;
  readonly second_quota?: VideoPrice['secondQuota'] | undefined;
  readonly audio_second_quota: number;
}): VideoPrice {
  if (price === undefined) return { secondQuota, audioSecondQuota };
  const rules: QuotaRules = toRules(price);
  return {
    secondQuota: rules.outputSecond ?? 0,
    audioSecondQuota: rules.audioSecond ?? 0,
    ...(!Object.keys(price).every((rule) => secondsAlone.includes(rule)) && { rules }),
  };
}

export const toCost = ({
  currency,
  million_tokens: millionTokens,
  ...rules
}: RawCost): CostRules => ({
  currency,
  ...toRules(rules),
  ...(millionTokens !== undefined && { millionTokens }),
});
