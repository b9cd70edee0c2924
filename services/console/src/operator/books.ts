import type { BillingVerification, MarginReport } from '@gateway/client';

/** One invariant, and what violates it. */
export interface InvariantResult {
  readonly name: string;
  readonly violations: BillingVerification['violations'];
}

/** Every invariant with its violations, the broken ones first. */
export function resultsOf({
  invariants,
  violations,
}: Pick<BillingVerification, 'invariants' | 'violations'>): readonly InvariantResult[] {
  const names = new Set([...invariants, ...violations.map(({ invariant }) => invariant)]);
  return [...names]
    .map((name) => ({
      name,
      violations: violations.filter(({ invariant }) => invariant === name),
    }))
    .toSorted((one, other) => other.violations.length - one.violations.length);
}

type Costs = MarginReport['total']['costs'];

/** What vendors asked, in the currencies that they asked it in. */
export const costText = (costs: Costs, of: 'cost' | 'exposure'): string =>
  costs
    .filter((each) => Number(each[of]) !== 0)
    .map((each) => `${each[of]} ${each.currency}`)
    .join(', ') || '–';

export const spans = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;
export type Span = (typeof spans)[number][0];

const dayMs = 86_400_000;

/** The days of a span that ends today, in UTC. */
export function periodOf(span: Span, now: number): { readonly from: string; readonly to: string } {
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { from: dayOf(now - (Number(span) - 1) * dayMs), to: dayOf(now) };
}
