import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { GatewayError } from '@gateway/domain';
import { networkOf, type PeerAddress } from '@gateway/runtime';
import type { Sessions, SessionRecord } from '@gateway/store';
import { operatorCookie, requireOwnPage, sessionSecretOf } from './session-cookie.ts';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Counts what a network tried in vain. */
export interface Guesses {
  /** Returns 0, or in how many milliseconds the next one may be made. */
  take(network: string): number;
  giveBack(network: string): void;
}

export interface OperatorAccess {
  readonly adminToken: string;
  readonly peerOf: PeerAddress;
  /** Of wrong tokens and sessions. */
  readonly guesses: Guesses;
  /** The session of what a cookie carries. */
  readonly findSession: (secret: string) => ReturnType<Sessions['findOperator']>;
}

/**
 * Lets a request through that carries the admin token as `Authorization: Bearer`, or the cookie of
 * an operator's session. Digests are compared, so that neither content nor length shows in the time
 * it takes. An address that guesses is refused unread for a while, unless it has shown the token.
 */
export function requireOperator(access: OperatorAccess): RequestHandler {
  const { peerOf, guesses } = access;
  const trusted = new Set<string>();
  const judge = createJudge(access);
  return async (request, response, next) => {
    const network = networkOf(peerOf(request));
    const presented = presentedBy(request);
    if (presented === undefined) throw invalidToken();
    const waitMs = guesses.take(network);
    if (waitMs > 0 && !trusted.has(network)) throw tooManyGuesses(waitMs);
    response.locals['session'] = await judge(request, presented);
    remember(trusted, network);
    if (waitMs === 0) guesses.giveBack(network);
    next();
  };
}

interface Presented {
  readonly token?: string | undefined;
  readonly secret?: string | undefined;
}

/** The token of a request, else what its cookie carries. */
function presentedBy(request: Request): Presented | undefined {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined) return { token };
  const secret = sessionSecretOf(request, operatorCookie);
  return secret === undefined ? undefined : { secret };
}

/** Throws unless it is the token, or a session's; returns the session. */
function createJudge({ adminToken, findSession }: OperatorAccess) {
  const expected = digestOf(adminToken);
  return async (
    request: Request,
    { token = '', secret }: Presented,
  ): Promise<SessionRecord | undefined> => {
    if (secret === undefined) {
      if (timingSafeEqual(digestOf(token), expected)) return undefined;
      throw invalidToken();
    }
    requireOwnPage(request);
    const session = await findSession(secret);
    if (session === undefined) throw sessionEnded();
    return session;
  };
}

/** The operator's session of a request; undefined where the token itself was sent. */
export const operatorSessionOf = (response: Response): SessionRecord | undefined =>
  response.locals['session'] as SessionRecord | undefined;

/** Throws once the session of an operator has ended; the token itself never does. */
export const requireSession =
  (find: (id: string) => Promise<SessionRecord | undefined>) =>
  async (session: SessionRecord | undefined): Promise<void> => {
    if (session !== undefined && (await find(session.id)) === undefined) throw sessionEnded();
  };

/** Operators have few networks; more than these are a mistake in TRUSTED_PROXIES. */
const mostTrusted = 1_000;

function remember(trusted: Set<string>, network: string): void {
  if (trusted.size < mostTrusted) trusted.add(network);
}

const invalidToken = (): GatewayError =>
  new GatewayError(
    'invalid_admin_token',
    'send the admin token as "Authorization: Bearer <ADMIN_TOKEN>"',
  );

const sessionEnded = (): GatewayError =>
  new GatewayError('invalid_session', 'your session has ended; sign in again');

const tooManyGuesses = (retryAfterMs: number): GatewayError =>
  new GatewayError(
    'rate_limit_exceeded',
    'too many wrong admin tokens came from your address within a minute; wait as long as retry-after says',
    { retryAfterMs },
  );

/** A response to operators is for nobody else. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};
