import type { BreakerState } from './breaker.ts';
import type { SteeredBreakers } from './breakers.ts';
import {
  createRouteEvidence,
  isServed,
  noteFailed,
  noteOutage,
  noteServed,
  servesAnybody,
  takeTrial,
  type RouteEvidence,
} from './route-evidence.ts';

/** What a failure says about a route. */
export interface RouteFailure {
  /** `everybody`: no request could provoke it. `account`: this account's request may have. */
  readonly of: 'everybody' | 'account';
  /** Counts once in 30 s for the account: what names the request, or the kind of failure. */
  readonly once?: string | undefined;
}

/**
 * Circuit breakers of routes that several accounts share. Three stand before each route, and all
 * replicas share them like any other breaker:
 *
 * - one for everybody, which counts what no request can provoke;
 * - one for everybody but the accounts that the route serves, which opens when the requests of
 *   several accounts fail;
 * - one for each account, which opens when its own requests fail.
 *
 * So what one account's requests provoke refuses nobody else.
 */
export interface RouteBreakers {
  /** False while a breaker refuses this account. True may be a probe: report its outcome. */
  mayTry(route: string, account: string): boolean;
  /** Whether a route that mayTry refuses is tried for lack of another: some requests a second. */
  mayTryAtLast(route: string, account: string): boolean;
  /** `atLast`: of a request that mayTryAtLast let through. It closes what refused the request. */
  succeeded(route: string, account: string, atLast?: boolean): void;
  failed(route: string, account: string, failure: RouteFailure): void;
  /** By route. What is open for one account counts while the route serves nobody else. */
  states(): ReadonlyMap<string, BreakerState>;
}

export interface RouteBreakersOptions {
  readonly breakers: SteeredBreakers;
  readonly now: () => number;
  readonly failuresToOpen: number;
}

/** The names of providers have no spaces, so no route is named like these. */
const severalPrefix = 'several ';
const accountPrefix = 'account ';

interface Route {
  readonly name: string;
  readonly several: string;
  readonly evidence: RouteEvidence;
}

const newRoute = (name: string): Route => ({
  name,
  several: `${severalPrefix}${name}`,
  evidence: createRouteEvidence(),
});

const accountBreaker = ({ name }: Route, account: string): string =>
  `${accountPrefix}${account} ${name}`;

export function createRouteBreakers(options: RouteBreakersOptions): RouteBreakers {
  const { breakers, now, failuresToOpen } = options;
  const routes = new Map<string, Route>();
  const routeOf = (name: string): Route => {
    const route = routes.get(name) ?? newRoute(name);
    routes.set(name, route);
    return route;
  };
  const isServing = ({ evidence }: Route, account: string): boolean =>
    isServed(evidence, account, { now: now(), failuresToOpen });
  /** Names of the breakers that are not closed for this account. */
  const standingBefore = (route: Route, account: string): string[] =>
    [route.name, route.several, accountBreaker(route, account)].filter(
      (name) => breakers.stateOf(name) !== 'closed',
    );
  return {
    mayTry(name, account) {
      if (breakers.areClosed()) return breakers.mayTry(name);
      const route = routeOf(name);
      const mayPass = (each: string): boolean =>
        each === route.several && isServing(route, account);
      const standing = standingBefore(route, account);
      // Asked before any gives its permit to probe, which would be lost were another still open.
      if (standing.some((each) => breakers.stateOf(each) === 'open' && !mayPass(each))) {
        return false;
      }
      return standing.every((each) => breakers.mayTry(each) || mayPass(each));
    },
    mayTryAtLast: (name, account) => takeTrial(routeOf(name).evidence, account, now()),
    succeeded(name, account, atLast = false) {
      const route = routeOf(name);
      noteServed(route.evidence, account, now());
      breakers.succeeded(name);
      if (breakers.areClosed()) return;
      for (const each of standingBefore(route, account)) {
        if (atLast) breakers.reset(each);
        else breakers.succeeded(each);
      }
    },
    failed(name, account, { of, once }) {
      const route = routeOf(name);
      if (of === 'everybody') {
        noteOutage(route.evidence, account);
        breakers.failed(name);
        return;
      }
      for (const each of standingBefore(route, account)) {
        // It was reached, which is all that the first breaker is about.
        if (each === name) breakers.succeeded(each);
        else breakers.failed(each);
      }
      const against = noteFailed(route.evidence, account, { once, now: now(), failuresToOpen });
      if (against === 'route') breakers.openNow(route.several);
      else if (against === 'account') breakers.openNow(accountBreaker(route, account));
    },
    states: () => statesByRoute(options, routes),
  };
}

const severity: readonly BreakerState[] = ['closed', 'half_open', 'open'];

function statesByRoute(
  { breakers, now, failuresToOpen }: RouteBreakersOptions,
  routes: ReadonlyMap<string, Route>,
): ReadonlyMap<string, BreakerState> {
  const when = { now: now(), failuresToOpen };
  const found = new Map<string, BreakerState>();
  for (const [name, state] of breakers.states()) {
    const route = routeNameOf(name);
    const evidence = routes.get(route)?.evidence;
    const isForOne = name.startsWith(accountPrefix);
    if (isForOne && evidence !== undefined && servesAnybody(evidence, when)) continue;
    const known = found.get(route) ?? 'closed';
    found.set(route, severity.indexOf(state) > severity.indexOf(known) ? state : known);
  }
  return found;
}

function routeNameOf(breaker: string): string {
  if (breaker.startsWith(severalPrefix)) return breaker.slice(severalPrefix.length);
  if (!breaker.startsWith(accountPrefix)) return breaker;
  return breaker.slice(breaker.indexOf(' ', accountPrefix.length) + 1);
}
