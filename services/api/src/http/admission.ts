import type { Request, Response } from 'express';
import { GatewayError } from '@gateway/domain';
import type { SharedLimits } from '@gateway/limits';
import { noteCaller, type PeerAddress } from '@gateway/runtime';
import type { Authenticate as FindCaller, Caller } from '../use-cases/authenticate.ts';
import { presentedKey } from './authentication.ts';

export interface AdmissionPorts {
  readonly findCaller: FindCaller;
  readonly rate: SharedLimits['rate'];
  readonly peerOf: PeerAddress;
  /** For keys without a limit of their own. */
  readonly requestsPerMinute: () => number;
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
}: AdmissionPorts): (request: Request, response: Response) => Promise<Caller> {
  return async (request, response) => {
    const caller = await findCaller(presentedKey(request.headers), peerOf(request));
    noteCaller(response, caller);
    const { allowed, limit, remaining, resetMs, retryAfterMs } = await rate.take(
      caller.keyId,
      caller.requestsPerMinute ?? requestsPerMinute(),
    );
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
    return caller;
  };
}
