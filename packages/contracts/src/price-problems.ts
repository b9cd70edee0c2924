import type { Rule } from './configuration-parts.ts';
import type { RawCost, RawPrice, RawRules } from './configuration-price.ts';
import type { RawVideoModel } from './configuration-video-schema.ts';

/** What is wrong between the rules of a model's price and cost, and between them and the model. */
export function priceRules(model: RawVideoModel): Rule[] {
  const { price, cost, second_quota: secondQuota, audio_second_quota: audioSecondQuota } = model;
  return [
    [
      price === undefined && secondQuota === undefined,
      ['second_quota'],
      'is required, or price in its place',
    ],
    [
      price !== undefined && secondQuota !== undefined,
      ['second_quota'],
      'stands beside price; it is the short form of price.output_second, so leave one of them out',
    ],
    [
      price !== undefined && audioSecondQuota > 0,
      ['audio_second_quota'],
      'stands beside price; use price.audio_second',
    ],
    ...(price === undefined ? [] : [...rulesOf(model, 'price', price), ...zeroSums(model, price)]),
    ...(cost === undefined ? [] : costRules(model, cost)),
  ];
}

/** What is wrong between the rules of what a vendor asks for, and between them and the model. */
export const costRules = (model: RawVideoModel, cost: RawCost): Rule[] => [
  ...rulesOf(model, 'cost', cost),
  ...unknownSeconds({ price: model.price, cost }),
];

function rulesOf(
  model: RawVideoModel,
  at: 'price' | 'cost',
  rules: RawRules<number | string> & { million_tokens?: string },
): Rule[] {
  const { output_second: output, clip, minimum, million_tokens: tokens } = rules;
  return [
    [
      clip !== undefined && output !== undefined,
      [at, 'clip'],
      'stands beside output_second; a video is sold by its length or by its seconds, so leave one out',
    ],
    [
      [clip, output, minimum, tokens].every((rule) => rule === undefined),
      [at],
      `has none of output_second, clip${at === 'cost' ? ', million_tokens' : ''} and minimum`,
    ],
    [
      rules.input_second_assumed !== undefined && rules.input_second === undefined,
      [at, 'input_second_assumed'],
      'has no input_second beside it',
    ],
    ...(typeof output === 'object' ? resolutionRules(model, at, output) : []),
    ...(clip === undefined ? [] : clipRules(model, at, clip)),
    ...referenceRules(model, at, rules),
  ];
}

const resolutionRules = (
  { resolution }: RawVideoModel,
  at: string,
  output: Readonly<Record<string, unknown>>,
): Rule[] => [
  ...resolution.allowed.map((value): Rule => [
    !Object.hasOwn(output, value),
    [at, 'output_second'],
    `has no figure for the resolution ${value}`,
  ]),
  ...Object.keys(output).map((value): Rule => [
    !resolution.allowed.includes(value),
    [at, 'output_second', value],
    'is for a resolution that is not among resolution.allowed',
  ]),
];

/** A longer clip that costs less could make a shorter video cost more than what is held for it. */
function clipRules(
  { duration }: RawVideoModel,
  at: string,
  clip: Readonly<Record<string, number | string>>,
): Rule[] {
  const lengths = Object.keys(clip).map(Number);
  return [
    [
      Math.max(...lengths) < duration.max,
      [at, 'clip'],
      `has no length for ${duration.max} seconds, which duration.max allows`,
    ],
    ...lengths.map((length, index): Rule => {
      const shorter = lengths[index - 1];
      return [
        shorter !== undefined && Number(clip[length]) < Number(clip[shorter]),
        [at, 'clip', String(length)],
        `is less than that of ${shorter} seconds; a longer one must not cost less`,
      ];
    }),
  ];
}

/** A figure for what the model does not take is a mistake. */
function referenceRules(
  { references, frames }: RawVideoModel,
  at: string,
  { input_second: inputSecond = {}, reference = {} }: RawRules<unknown>,
): Rule[] {
  const takes = { ...references, image: references.image + frames.length };
  const named = [
    ...Object.keys(inputSecond).map((kind) => ['input_second', kind] as const),
    ...Object.keys(reference).map((kind) => ['reference', kind] as const),
  ];
  return named.map(([rule, kind]) => [
    takes[kind as keyof typeof takes] === 0,
    [at, rule, kind],
    `has a figure for ${kind} references, and this model takes none`,
  ]);
}

/** A video for nothing is a mistake, unless second_quota says 0. */
function zeroSums({ resolution }: RawVideoModel, price: RawPrice): Rule[] {
  const { output_second: output, clip, minimum = 0 } = price;
  const table = clip ?? (typeof output === 'object' ? output : undefined);
  const figures = table ?? (output === undefined ? {} : { '': output });
  const rule = clip === undefined ? 'output_second' : 'clip';
  return [
    [
      Object.keys(figures).length === 0 && price.minimum === 0,
      ['price', 'minimum'],
      'is 0, and nothing else is charged for every video',
    ],
    ...Object.entries(figures).map(([key, figure]): Rule => [
      figure === 0 && minimum === 0 && (rule === 'clip' || isAllowed(key, resolution.allowed)),
      ['price', rule, ...(key === '' ? [] : [key])],
      'is 0, so that a video could cost nothing; give it a figure, or price.minimum',
    ]),
  ];
}

const isAllowed = (key: string, allowed: readonly string[]): boolean =>
  key === '' || allowed.includes(key);

/** References are measured where their seconds cost the customer something. */
const unknownSeconds = ({ price, cost }: { price: RawPrice | undefined; cost: RawCost }): Rule[] =>
  (['video', 'audio'] as const).map((kind) => [
    Number(cost.input_second?.[kind] ?? 0) > 0 &&
      (price?.input_second?.[kind] ?? 0) === 0 &&
      cost.input_second_assumed === undefined,
    ['cost', 'input_second', kind],
    `needs the length of each ${kind} reference, which is measured only where price.input_second.${kind} is above 0; give one of it and cost.input_second_assumed`,
  ]);
