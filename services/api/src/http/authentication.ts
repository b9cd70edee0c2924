import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import {
  requireActive,
  requireScope,
  type Caller,
  type Credential,
  type Scope,
} from '../use-cases/authenticate.ts';
import { customerCookie, requireOwnPage, sessionSecretOf } from './session-cookie.ts';

/** Finds the caller of a request, or throws; may add headers to the response. */
export type Authenticate = (request: Request, response: Response) => Promise<Caller>;

/**
 * Lets a request through that carries a good key, with this scope where one is needed, as
 * `Authorization: Bearer` or `x-api-key`.
 */
export const authenticated =
  (authenticate: Authenticate, scope?: Scope): RequestHandler =>
  async (request, response, next) => {
    const caller = await authenticate(request, response);
    if (scope !== undefined) requireScope(caller, scope);
    response.locals['caller'] = caller;
    next();
  };

/** The same for a route that begins new work, which a suspended account may not. */
export const authenticatedForWork =
  (authenticate: Authenticate, scope: Scope): RequestHandler =>
  async (request, response, next) => {
    const caller = await authenticate(request, response);
    requireScope(caller, scope);
    requireActive(caller);
    response.locals['caller'] = caller;
    next();
  };

/** The caller that `authenticated` found. */
export const callerOf = (response: Response): Caller => response.locals['caller'] as Caller;

/**
 * What a request shows: its key, else the session of its cookie. Throws foreign_page for a cookie
 * that a page of somebody else's had sent along.
 */
export function presentedCredential(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
): Credential | undefined {
  const key = presentedKey(request.headers);
  if (key !== undefined || request.headers.cookie === undefined) return key;
  const session = sessionSecretOf(request, customerCookie);
  if (session === undefined) return undefined;
  requireOwnPage(request);
  return { session };
}

/**
 * The key a request carries; clients of each dialect send theirs their own way, and some send
 * both.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const own = headers['x-api-key'];
  if (typeof own !== 'string') return bearer;
  return bearer?.startsWith('sk-gw-') === true ? bearer : own;
}
