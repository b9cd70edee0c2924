import { createHash } from 'node:crypto';
import type { RouteBreakers, RouteFailure } from '@gateway/limits';
import type { TextRequest } from '../request/index.ts';
import type { CallFailure, UpstreamCall } from '../upstream/index.ts';
import { afterFailure, type Blame } from './after-failure.ts';

export interface ReportOptions {
  readonly breakers: RouteBreakers;
  /** The route's breakers refused the request, and it was sent for lack of another route. */
  readonly atLast?: boolean;
}

/** Whose request it is; nobody is left without an account once its key is known. */
export const accountOf = ({ facts }: TextRequest): string => facts.caller?.accountId ?? '';

/** Tells the route's circuit breakers how a call ended. What we gave up ourselves says nothing. */
export function reportOutcome(
  request: TextRequest,
  { call, failure }: { readonly call: UpstreamCall; readonly failure: CallFailure | undefined },
  { breakers, atLast = false }: ReportOptions,
): void {
  if (failure?.kind === 'aborted') return;
  const account = accountOf(request);
  const blame = failure === undefined ? 'nobody' : blameOf(failure, call);
  if (blame === 'nobody') breakers.succeeded(call.route.name, account, atLast);
  else breakers.failed(call.route.name, account, failureFor[blame](call));
}

/** A whole response takes as long as what was asked for; a stream begins when the upstream works. */
const blameOf = (failure: CallFailure, { wantsStream }: UpstreamCall): Blame =>
  failure.kind === 'timeout' && !wantsStream ? 'patience' : afterFailure(failure).blame;

const failureFor: Readonly<Record<Exclude<Blame, 'nobody'>, (call: UpstreamCall) => RouteFailure>> =
  {
    route: () => ({ of: 'everybody' }),
    account: () => ({ of: 'account' }),
    request: ({ rendered }) => ({ of: 'account', once: digestOf(rendered.body) }),
    patience: () => ({ of: 'account', once: 'timeout' }),
  };

/** Of a large piece both ends tell it from others well enough, without holding streams up. */
const digestedBytes = 65_536;

function digestOf(body: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of body) {
    hash.update(`${piece.length} `);
    if (piece.length <= 2 * digestedBytes) hash.update(piece);
    else hash.update(piece.subarray(0, digestedBytes)).update(piece.subarray(-digestedBytes));
  }
  return hash.digest('base64');
}
