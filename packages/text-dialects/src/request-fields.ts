import { GatewayError } from '@gateway/domain';
import { type Fields, lookUp } from './json.ts';

/**
 * What becomes of a top-level field of a request on its way to an upstream of the other dialect.
 * The tables of these rules decide, and the documentation is written from them. What changes what
 * the model is asked, or the kind of its completion, is never dropped. A field without a rule is
 * dropped.
 */
export type FieldRule =
  | { readonly fate: 'translated'; readonly as: string }
  | { readonly fate: 'dropped'; readonly because: string }
  | {
      readonly fate: 'refused';
      readonly because: string;
      /** What the client can do about it. */
      readonly remedy: string;
      /** Values that ask for nothing, as the documentation names them, and how they are told. */
      readonly except?: { readonly words: string; readonly holds: (value: unknown) => boolean };
    };

export type FieldRules = Readonly<Record<string, FieldRule>>;

export const translated = (as = 'the same'): FieldRule => ({ fate: 'translated', as });
export const dropped = (because: string): FieldRule => ({ fate: 'dropped', because });
export const refused = (
  because: string,
  remedy: string,
  except?: { words: string; holds: (value: unknown) => boolean },
): FieldRule => ({ fate: 'refused', because, remedy, ...(except !== undefined && { except }) });

/** `except` for single values. */
export const unless = (
  ...values: (string | number | boolean)[]
): { words: string; holds: (value: unknown) => boolean } => ({
  words: values.map((value) => `\`${value}\``).join(', '),
  holds: (value) => values.some((each) => each === value),
});

/** A list or an object without content asks for nothing. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/**
 * The fields that the other dialect cannot say and that may be left out. Throws
 * `unsupported_parameter` for one that may not, in the order of the rules.
 */
export function fieldsToDrop(body: Fields, rules: FieldRules): readonly string[] {
  const lost = Object.keys(body).filter(
    (field) =>
      (body[field] ?? undefined) !== undefined && lookUp(rules, field)?.fate !== 'translated',
  );
  if (lost.length === 0) return lost;
  for (const field of Object.keys(rules)) {
    const rule = rules[field];
    if (rule?.fate !== 'refused' || !lost.includes(field)) continue;
    const value = body[field];
    if (!isEmpty(value) && rule.except?.holds(value) !== true) throw refusal(field, rule);
  }
  return lost;
}

const refusal = (
  field: string,
  { because, remedy }: Extract<FieldRule, { fate: 'refused' }>,
): GatewayError =>
  new GatewayError(
    'unsupported_parameter',
    `${field} is not available with this model: ${because}; ${remedy}`,
    { param: field },
  );
