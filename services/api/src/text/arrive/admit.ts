import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gateway/domain';
import type { RateDecision, RequestVerdict, SharedLimits, Slot } from '@gateway/limits';
import type { Dialect } from '@gateway/text-dialects';
import {
  requireActive,
  requireScope,
  requireSlot,
  type Authenticate,
  type Caller,
} from '../../use-cases/authenticate.ts';
import { presentedCredential } from '../../http/authentication.ts';
import { nowOrLater } from '../hot-path/index.ts';
import type { TextPath, TextRequest } from '../request/index.ts';

export interface AdmitPorts {
  readonly authenticate: Authenticate;
  readonly limits: Pick<SharedLimits, 'requests'>;
  readonly requireVersion: boolean;
  readonly now: () => number;
}

export interface Admission {
  readonly caller: Caller;
  readonly slot: Slot;
}

/** Throws, or rejects with, what docs/errors.md lists for 401, 403, 405 and 429. */
export type Admit = (request: TextRequest) => Admission | Promise<Admission>;

/**
 * Admits a request whose key is valid and below its limits, at once when key and limits are known
 * here; notes the caller and adds the headers of its limits.
 */
export function createAdmit({ authenticate, limits, requireVersion, now }: AdmitPorts): Admit {
  const admitWithin = (
    { path, headers, configuration }: TextRequest,
    caller: Caller,
    { decision, slot }: RequestVerdict,
  ): Admission => {
    limitHeaders[path.dialect](decision, headers, now());
    if (!decision.allowed) {
      throw new GatewayError(
        'rate_limit_exceeded',
        `this key is limited to ${decision.limit} requests a minute; wait as long as retry-after says`,
        { retryAfterMs: decision.retryAfterMs },
      );
    }
    return {
      caller,
      slot: requireSlot(slot, configuration.limits.defaultKey.concurrentRequests),
    };
  };
  return (request) => {
    const { incoming, path, configuration } = request;
    if (path.operation !== 'unknown' && incoming.method !== 'POST') {
      throw new GatewayError('method_not_allowed', `${path.route} takes POST`, {
        headers: { allow: 'POST' },
      });
    }
    return nowOrLater(authenticate(presentedCredential(incoming), request.peer), (caller) => {
      request.facts.caller = caller;
      checkRequest(incoming, path, { caller, requireVersion });
      const { requestsPerMinute, concurrentRequests } = configuration.limits.defaultKey;
      const decided = limits.requests.admit(caller.keyId, {
        requestsPerMinute: caller.requestsPerMinute ?? requestsPerMinute,
        concurrentRequests,
      });
      return nowOrLater(decided, (verdict) => admitWithin(request, caller, verdict));
    });
  };
}

function checkRequest(
  incoming: IncomingMessage,
  path: TextPath,
  { caller, requireVersion }: { caller: Caller; requireVersion: boolean },
): void {
  requireScope(caller, 'text');
  requireActive(caller);
  if (path.operation === 'unknown') {
    throw new GatewayError(
      'route_not_found',
      `${String(incoming.method)} ${String(incoming.url).slice(0, 200)} does not exist`,
    );
  }
  if (path.dialect === 'messages') {
    checkVersion(incoming.headers['anthropic-version'], requireVersion);
  }
}

const earliestVersion = '2023-06-01';

/**
 * Official clients send dates from 2023-06-01 on; a date that is none, or none at all, is a mistake
 * worth saying.
 */
function checkVersion(version: string | string[] | undefined, required: boolean): void {
  const param = 'anthropic-version';
  if (version === undefined) {
    if (required) {
      throw new GatewayError(
        'missing_parameter',
        `the header ${param} is required; send ${param}: ${earliestVersion}`,
        { param },
      );
    }
    return;
  }
  if (
    typeof version === 'string' &&
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(version) &&
    version >= earliestVersion
  ) {
    return;
  }
  throw new GatewayError(
    'invalid_parameter',
    `the header ${param} must be a date from ${earliestVersion} on; got ${JSON.stringify(version).slice(0, 60)}`,
    { param },
  );
}

/**
 * Each dialect's clients look for headers of their own; the plain ones are the gateway's
 * everywhere.
 */
type AddLimits = (decision: RateDecision, headers: string[], now: number) => void;

const openaiLimits: AddLimits = ({ limit, remaining, resetMs }, headers) => {
  headers.push(
    ...plainLimits({ limit, remaining, resetMs }),
    'x-ratelimit-limit-requests',
    String(limit),
    'x-ratelimit-remaining-requests',
    String(remaining),
    'x-ratelimit-reset-requests',
    `${Math.ceil(resetMs / 1000)}s`,
  );
};

const limitHeaders: Readonly<Record<Dialect, AddLimits>> = {
  messages({ limit, remaining, resetMs }, headers, now) {
    headers.push(
      ...plainLimits({ limit, remaining, resetMs }),
      'anthropic-ratelimit-requests-limit',
      String(limit),
      'anthropic-ratelimit-requests-remaining',
      String(remaining),
      'anthropic-ratelimit-requests-reset',
      secondOf(Math.ceil((now + resetMs) / 1000)),
    );
  },
  chat: openaiLimits,
  responses: openaiLimits,
};

let lastSecond = { at: 0, text: '1970-01-01T00:00:00Z' };

/** RFC 3339; the same for every request of a second. */
function secondOf(at: number): string {
  if (lastSecond.at !== at) {
    lastSecond = { at, text: new Date(at * 1000).toISOString().replace('.000Z', 'Z') };
  }
  return lastSecond.text;
}

const plainLimits = ({
  limit,
  remaining,
  resetMs,
}: Pick<RateDecision, 'limit' | 'remaining' | 'resetMs'>): string[] => [
  'x-ratelimit-limit',
  String(limit),
  'x-ratelimit-remaining',
  String(remaining),
  'x-ratelimit-reset',
  String(Math.ceil(resetMs / 1000)),
];
