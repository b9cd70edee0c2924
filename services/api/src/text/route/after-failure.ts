import type { CallFailure } from '../upstream/index.ts';

export interface NextStep {
  /** Whether another route, or the same once more, may be tried. */
  readonly again: 'other_route' | 'same_route' | 'no';
  /** Whether the route is to blame, for its circuit breaker. */
  readonly blame: boolean;
}

/**
 * Statuses that say "not now" or "not here": trying elsewhere is safe, since a refusal generated
 * nothing.
 */
const refusedForNow: ReadonlyMap<number, NextStep> = new Map([
  // A key that the vendor refuses, or an account without funds there, is the operator's problem:
  // the client's request is good.
  [401, { again: 'other_route', blame: true }],
  [402, { again: 'other_route', blame: true }],
  [403, { again: 'other_route', blame: true }],
  [404, { again: 'other_route', blame: false }],
  [408, { again: 'same_route', blame: true }],
  [429, { again: 'other_route', blame: false }],
  [500, { again: 'same_route', blame: true }],
  [502, { again: 'same_route', blame: true }],
  [503, { again: 'same_route', blame: true }],
  [504, { again: 'other_route', blame: true }],
  [529, { again: 'same_route', blame: true }],
]);

const ofKind: Readonly<Record<Exclude<CallFailure['kind'], 'refused'>, NextStep>> = {
  unreachable: { again: 'same_route', blame: true },
  // A kept-alive connection that the upstream closes just then is the usual cause; a generation
  // repeated costs the customer nothing.
  broken: { again: 'same_route', blame: true },
  timeout: { again: 'other_route', blame: true },
  aborted: { again: 'no', blame: false },
};

/** What a failure before the first byte allows. */
export function afterFailure(failure: CallFailure): NextStep {
  if (failure.kind !== 'refused') return ofKind[failure.kind];
  const known = refusedForNow.get(failure.status);
  if (known !== undefined) return known;
  return { again: failure.status > 500 ? 'other_route' : 'no', blame: failure.status > 500 };
}
