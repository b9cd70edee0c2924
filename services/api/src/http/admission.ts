import type { Request, Response } from 'express';
import { GatewayError } from '@gateway/domain';
import type { SharedLimits } from '@gateway/limits';
import { noteCaller, type PeerAddress } from '@gateway/runtime';
import type { Authenticate as FindCaller, Caller } from '../use-cases/authenticate.ts';
import { presentedCredential } from './authentication.ts';

export interface AdmissionPorts {
  readonly findCaller: FindCaller;
  readonly rate: SharedLimits['rate'];
  readonly peerOf: PeerAddress;
  /** For keys without a limit of their own. */
  readonly requestsPerMinute: () => number;
  /** Whether a request belongs to one that was counted. */
  readonly isCounted: (request: Request) => boolean;
}

/**
 * Finds the caller of a request outside the text lane and counts the request against its key's
 * rate, which the text lane shares. Throws what docs/errors.md lists for 401, and
 * rate_limit_exceeded.
 */
export function createAdmission({
  findCaller,
  rate,
  peerOf,
  requestsPerMinute,
  isCounted,
}: AdmissionPorts): (request: Request, response: Response) => Promise<Caller> {
  return async (request, response) => {
    const caller = await findCaller(presentedCredential(request), peerOf(request));
    noteCaller(response, caller);
    if (isCounted(request)) return caller;
    const decision = await rate.take(caller.keyId, caller.requestsPerMinute ?? requestsPerMinute());
    const { allowed, limit, remaining, resetMs, retryAfterMs } = decision;
    response.set({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetMs / 1_000)),
    });
    if (!allowed) {
      throw new GatewayError(
        'rate_limit_exceeded',
        `this key is limited to ${limit} requests a minute; wait as long as retry-after says`,
        { retryAfterMs },
      );
    }
    response.locals[uncountName] = () => {
      rate.giveBack(caller.keyId, decision);
    };
    return caller;
  };
}

const uncountName = 'uncount';

/** What this response refuses does not count against the requests a minute of its key. */
export function uncount({ locals }: Pick<Response, 'locals'>): void {
  (locals[uncountName] as (() => void) | undefined)?.();
}
