import type { CallFailure } from '../upstream/index.ts';

/**
 * Who may have caused a failure. `route`: no request can provoke it. `account`: this account's
 * requests may, and each failure counts. `request`: this request may, and counts once. `patience`:
 * it asked for more than could be done in time, and the account counts once. `nobody`: the upstream
 * works.
 */
export type Blame = 'route' | 'account' | 'request' | 'patience' | 'nobody';

export interface NextStep {
  /** Whether another route, or the same once more, may be tried. */
  readonly again: 'other_route' | 'same_route' | 'no';
  /** For the route's circuit breakers. */
  readonly blame: Blame;
}

/**
 * Statuses that say "not now" or "not here": trying elsewhere is safe, since a refusal generated
 * nothing.
 */
const refusedForNow: ReadonlyMap<number, NextStep> = new Map([
  // A key that the vendor refuses, or an account without funds there, is the operator's problem:
  // the client's request is good. Firewalls and moderation say 403 to single requests, and a
  // balance may be too low for a long completion only.
  [401, { again: 'other_route', blame: 'route' }],
  [402, { again: 'other_route', blame: 'account' }],
  [403, { again: 'other_route', blame: 'account' }],
  [404, { again: 'other_route', blame: 'nobody' }],
  [408, { again: 'same_route', blame: 'request' }],
  [429, { again: 'other_route', blame: 'nobody' }],
  [500, { again: 'same_route', blame: 'request' }],
  [502, { again: 'same_route', blame: 'request' }],
  [503, { again: 'same_route', blame: 'account' }],
  [504, { again: 'other_route', blame: 'request' }],
  [529, { again: 'same_route', blame: 'account' }],
]);

const ofKind: Readonly<Record<Exclude<CallFailure['kind'], 'refused'>, NextStep>> = {
  unreachable: { again: 'same_route', blame: 'route' },
  // A kept-alive connection that the upstream closes just then is the usual cause; a generation
  // repeated costs the customer nothing.
  broken: { again: 'same_route', blame: 'request' },
  timeout: { again: 'other_route', blame: 'request' },
  aborted: { again: 'no', blame: 'nobody' },
};

/** What a failure before the first byte allows. */
export function afterFailure(failure: CallFailure): NextStep {
  if (failure.kind !== 'refused') return ofKind[failure.kind];
  const known = refusedForNow.get(failure.status);
  if (known !== undefined) return known;
  return failure.status > 500
    ? { again: 'other_route', blame: 'request' }
    : { again: 'no', blame: 'nobody' };
}
